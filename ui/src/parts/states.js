// What a pane shows while it has no data, and pages of a long list.
import { html } from "../html.js";
import { t } from "../texts.js";
import { Failure, Loading } from "./page.js";

/** `loaded`: of `useLoad`.  The children are a function of the data, so that they are made only once there are some. */
export function Loaded({ loaded, children }) {
  const { data, error, again } = loaded;
  return html`${error && html`<${Failure} error=${error} retry=${again} />`}${data !== undefined ? children(data) : !error && html`<${Loading} />`}`;
}

/** A table that scrolls by itself where the page is narrow. */
export function Table({ label, columns, rows }) {
  return html`<div class="table-wrap" tabindex="0" role="region" aria-label=${label}>
    <table class="table">
      <thead>
        <tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`;
}

export function More({ shown, next, more }) {
  if (!next) return null;
  return html`<p class="more"><span>${t("list.shown", { n: shown })}</span> <button type="button" class="button" onClick=${more}>${t("list.more")}</button></p>`;
}
