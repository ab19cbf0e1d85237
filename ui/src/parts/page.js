// The frame of a pane, and its three states without content: loading, empty and failed.
import { html } from "../html.js";
import { t } from "../texts.js";

/** `actions`: buttons beside the title. */
export function Page({ title, lead, actions, wide = false, children }) {
  return html`<div class=${wide ? "page page-wide" : "page"}>
    <header class="page-head">
      <div>
        <h1 tabindex="-1">${title}</h1>
        ${lead && html`<p class="lead">${lead}</p>`}
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}
  </div>`;
}

export function Loading({ lines = 4 }) {
  const widths = [92, 78, 85, 64, 88, 71];
  return html`<div class="loading" role="status">
    <span class="unseen">${t("state.loading")}</span>
    ${Array.from({ length: lines }, (_, place) => html`<span class="skeleton" style=${{ width: `${widths[place % 6]}%` }}></span>`)}
  </div>`;
}

/** `command`: what to type in a terminal to fill the pane. */
export function Empty({ title, text, command, children }) {
  return html`<div class="empty">
    <${Mark} />
    <h2>${title}</h2>
    ${text && html`<p>${text}</p>`} ${command && html`<p><code>${command}</code></p>`} ${children}
  </div>`;
}

function Mark() {
  return html`<svg viewBox="0 0 48 32" width="72" height="48" aria-hidden="true" class="mark">
    <path d="M8 24V14a8 8 0 0 1 16 0v10M24 14a8 8 0 0 1 16 0v10" />
    <circle cx="8" cy="24" r="4" /><circle cx="24" cy="24" r="4" /><circle cx="40" cy="24" r="4" />
  </svg>`;
}

/** An error of `api.js`: the server's own words, or that it did not answer. */
export function Failure({ error, retry }) {
  const text = error.status === 0 || !error.message ? t("state.unreachable") : error.message;
  return html`<div class="failure" role="alert">
    <div>
      <strong>${t("state.failed")}</strong>
      <p>${text}</p>
    </div>
    ${retry && html`<button type="button" class="button" onClick=${retry}>${t("action.retry")}</button>`}
  </div>`;
}
