// Small marks that say what a record is.  The word says it; the colour only repeats it.
import { html } from "../html.js";
import { term } from "../texts.js";

export const KINDS = ["turn", "semantic", "procedural", "reflective", "topic"];
export const STATUSES = ["active", "superseded", "quarantined", "undone"];

export function Badge({ tone = "", children }) {
  return html`<span class=${`badge ${tone}`}>${children}</span>`;
}

export const Kind = ({ kind }) => html`<${Badge} tone=${`kind-${kind}`}>${term("kind", kind)}<//>`;

const TONES = { active: "good", succeeded: "good", running: "warm", pending: "warm", quarantined: "warm", failed: "bad" };

export const Status = ({ status }) => html`<${Badge} tone=${TONES[status] ?? ""}>${term("status", status)}<//>`;
