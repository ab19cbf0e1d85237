// Questions before what cannot be undone, and a short notice.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { t } from "../texts.js";

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape, and gives the focus back. */
export function Dialog({ title, close, wide = false, children }) {
  const element = useRef(null);
  useEffect(() => {
    element.current.showModal();
    return () => element.current?.close();
  }, []);
  return html`<dialog ref=${element} class=${wide ? "dialog dialog-wide" : "dialog"} aria-labelledby="dialog-title" onClose=${close}>
    <h2 id="dialog-title">${title}</h2>
    ${children}
  </dialog>`;
}

/**
 * Asks before `act()`, a promise.  `typed`: a word that must be typed first, for what erases much.
 * `done(result)` is called after it; an error is shown in the dialog.
 */
export function Confirm({ title, children, label, typed = "", act, done, close }) {
  const [state, setState] = useState({ busy: false, error: "" });
  const [word, setWord] = useState("");
  const run = async (event) => {
    event.preventDefault();
    setState({ busy: true, error: "" });
    try {
      const result = await act();
      close();
      done?.(result);
    } catch (error) {
      setState({ busy: false, error: error.message || t("state.unreachable") });
    }
  };
  return html`<${Dialog} title=${title} close=${close}>
    <form onSubmit=${run}>
      ${children}
      ${typed &&
      html`<label class="field">
        <span>${t("confirm.type", { word: typed })}</span>
        <input value=${word} onInput=${(event) => setWord(event.target.value)} autocomplete="off" />
      </label>`}
      ${state.error && html`<p class="error" role="alert">${state.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${close}>${t("action.cancel")}</button>
        <button type="submit" class="button danger" disabled=${state.busy || (typed && word !== typed)}>${label}</button>
      </div>
    </form>
  <//>`;
}

const shown = signal(null);
const SHOWN_MS = 6000;

/** Say something for some seconds, also to assistive software; the next one replaces it.  `action`: {label, act}. */
export function notify(text, action) {
  const notice = { text, action };
  shown.value = notice;
  setTimeout(() => dismiss(notice), SHOWN_MS);
}

const dismiss = (notice) => {
  if (shown.value === notice) shown.value = null;
};

export function Notice() {
  const notice = shown.value;
  return html`<div class="notices" role="status">
    ${notice &&
    html`<div class="notice">
      <span>${notice.text}</span>
      ${notice.action &&
      html`<button
        type="button"
        class="button quiet"
        onClick=${() => {
          dismiss(notice);
          notice.action.act();
        }}
      >
        ${notice.action.label}
      </button>`}
    </div>`}
  </div>`;
}
