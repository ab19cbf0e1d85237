// When a memory held and how it changed: a line in time, with the same as a list for those who do not see it.
import { html } from "../html.js";
import { t, term } from "../texts.js";
import { absolute, Time } from "../time.js";
import { diff } from "./diff.js";

const WRITERS = ["facts-service", "manager", "import"];

/** `history`: newest first, as the server sends it. */
export function Lifeline({ memory, history }) {
  const changes = [...history].reverse();
  const from = time(memory.valid_from || memory.said_at || memory.created_at);
  const end = memory.valid_to ? time(memory.valid_to) : null;
  const stopped = ["superseded", "undone"].includes(memory.status) ? time(changes.at(-1)?.at) : null;
  const now = Date.now();
  const times = [from, end, ...changes.map((each) => time(each.at))].filter(Boolean);
  const [first, last] = [Math.min(...times), Math.max(now, ...times)];
  const place = (at) => (last === first ? 0 : ((at - first) / (last - first)) * 100);
  const until = Math.min(end ?? last, stopped ?? last);
  const held = { left: `${place(from)}%`, width: `${Math.max(1, place(until) - place(from))}%` };
  const open = !end && !stopped;
  return html`<section class="lifeline" aria-label=${t("memory.life")}>
    <h3>${t("memory.life")}</h3>
    <p class="meta">
      ${t("memory.holds_from")} <${Time} at=${new Date(from).toISOString()} both />
      ${open ? html`<span>${t("memory.holds_still")}</span>` : html`<span>${t("memory.held_until")} <${Time} at=${new Date(until).toISOString()} both /></span>`}
    </p>
    <div class="line" aria-hidden="true">
      <span class=${open ? "held open" : "held"} style=${held}></span>
      ${changes.map((each) => html`<span class=${`dot ${each.change}`} style=${{ left: `${place(time(each.at))}%` }} title=${`${term("change", each.change)} · ${absolute(each.at)}`}></span>`)}
    </div>
    <div class="line-ends" aria-hidden="true"><span>${absolute(new Date(first))}</span><span>${last === now ? t("memory.now") : absolute(new Date(last))}</span></div>
    <ol class="changes">
      ${history.map((each, index) => html`<${Change} entry=${each} before=${history[index + 1]} />`)}
    </ol>
  </section>`;
}

const time = (text) => (text ? new Date(text).getTime() : null);

/** What wrote a version: a request, an import, or a job, which its id names. */
const By = ({ by }) => (WRITERS.includes(by) ? term("by", by) : html`<span title=${by}>${t("by.job")}</span>`);

function Change({ entry, before }) {
  const changed = before && before.memory !== entry.memory && entry.memory;
  return html`<li>
    <span class=${`dot ${entry.change}`} aria-hidden="true"></span>
    <div>
      <p><strong>${term("change", entry.change)}</strong> <span class="meta">${t("memory.version", { version: entry.version })} · <${Time} at=${entry.at} both />${entry.by && html` · <${By} by=${entry.by} />`}</span></p>
      ${changed &&
      html`<p class="difference">
        ${diff(before.memory, entry.memory).map(({ kind, text }) =>
          kind === "removed" ? html`<del>${text}</del>` : kind === "added" ? html`<ins>${text}</ins>` : text,
        )}
      </p>`}
    </div>
  </li>`;
}
