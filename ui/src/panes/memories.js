// All memories: filters, search, and one with its history, to be corrected or erased.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { follow } from "../live.js";
import { Kind, KINDS, Status, STATUSES } from "../parts/badges.js";
import { Empty, Failure, Loading } from "../parts/page.js";
import { VirtualList } from "../parts/list.js";
import { MemoryPages } from "../parts/memory_pages.js";
import { address, go, route } from "../router.js";
import { t, term } from "../texts.js";
import { Time } from "../time.js";
import { Memory } from "./memory.js";

const NAMES = ["q", "kind", "status", "speaker", "since", "until"];
const ROW = 78; // pixels, as in memories.css
const SETTLE_MS = 250; // after a key, before the search; and after an event, before the list is read again

export function Memories() {
  const { rest, query } = route.value;
  const filters = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""]));
  const change = (values) => go(address(["memories"], { ...filters, ...values }), { replace: true });
  const chosen = rest[0] ?? "";
  return html`<div class=${chosen ? "split chosen" : "split"}>
    <section class="split-list">
      <header class="page-head">
        <h1 tabindex="-1">${t("pane.memories")}</h1>
      </header>
      <${Filters} filters=${filters} change=${change} />
      <${List} key=${JSON.stringify(filters)} filters=${filters} chosen=${chosen} />
    </section>
    <section class="split-one" aria-label=${t("memory.one")}>
      ${chosen
        ? html`<${Memory} key=${chosen} id=${chosen} close=${address(["memories"], filters)} />`
        : html`<${Empty} title=${t("memories.choose")} text=${t("memories.choose_text")} />`}
    </section>
  </div>`;
}

function Filters({ filters, change }) {
  const [text, setText] = useState(filters.q);
  const timer = useRef(0);
  const search = (value) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change({ q: value.trim() }), SETTLE_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const more = ["kind", "status", "speaker", "since", "until"].filter((name) => filters[name]).length;
  const [open, setOpen] = useState(more > 0);
  const clear = () => {
    setText("");
    change(Object.fromEntries(NAMES.map((name) => [name, ""])));
  };
  return html`<form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
    <div class="filter-line">
      <label class="unseen" for="search">${t("memories.search")}</label>
      <input id="search" type="search" value=${text} placeholder=${t("memories.search")} onInput=${(event) => search(event.target.value)} />
      ${(more > 0 || filters.q) && html`<button type="button" class="button" onClick=${clear}>${t("memories.clear")}</button>`}
    </div>
    <details open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>${more ? t("memories.filters_set", { n: more }) : t("memories.filters")}</summary>
      <div class="filter-grid">
        <${Choice} name="kind" group="kind" values=${KINDS} filters=${filters} change=${change} />
        <${Choice} name="status" group="status" values=${STATUSES} first="active" filters=${filters} change=${change} disabled=${Boolean(filters.q)} />
        <label class="field"><span>${t("memories.speaker")}</span>
          <input value=${filters.speaker} onChange=${(event) => change({ speaker: event.target.value.trim() })} /></label>
        <label class="field"><span>${t("memories.since")}</span>
          <input type="date" value=${filters.since} onChange=${(event) => change({ since: event.target.value })} /></label>
        <label class="field"><span>${t("memories.until")}</span>
          <input type="date" value=${filters.until} onChange=${(event) => change({ until: event.target.value })} /></label>
      </div>
    </details>
  </form>`;
}

/** `first`: the value that the server assumes; without it, any. */
function Choice({ name, group, values, first = "", filters, change, disabled = false }) {
  return html`<label class="field"><span>${t(`memories.${name}`)}</span>
    <select value=${filters[name] || first} disabled=${disabled} onChange=${(event) => change({ [name]: event.target.value === first ? "" : event.target.value })}>
      ${!first && html`<option value="">${t("memories.any")}</option>`}
      ${values.map((value) => html`<option value=${value}>${term(group, value)}</option>`)}
    </select></label>`;
}

function List({ filters, chosen }) {
  const [turn, setTurn] = useState(0); // another one: read again
  const pages = useMemo(() => new MemoryPages(filters), [turn]);
  const shown = useRef(pages);
  useEffect(() => {
    pages.need(0, 0);
    return () => pages.close();
  }, [pages]);
  useEffect(() => {
    let timer = 0;
    const end = follow(["memory."], () => {
      clearTimeout(timer);
      timer = setTimeout(() => setTurn((before) => before + 1), SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, []);
  if (pages.loaded.value) shown.current = pages; // the former rows stay until the new ones have come
  const now = shown.current;
  const version = now.version.value;
  if (pages.error.value) return html`<${Failure} error=${pages.error.value} retry=${() => setTurn(turn + 1)} />`;
  if (!now.loaded.value) return html`<${Loading} lines=${8} />`;
  if (now.total === 0) return html`<${Nothing} filtered=${NAMES.some((name) => filters[name])} />`;
  const row = (index) => html`<${Row} memory=${now.rows[index]} chosen=${chosen} filters=${filters} />`;
  return html`<p class="count" role="status">${now.complete || !now.narrowed ? t("memories.count", { n: now.total }) : t("memories.count_more", { n: now.total - 1 })}</p>
    <${VirtualList} total=${now.total} height=${ROW} row=${row} need=${(first, last) => now.need(first, last)} label=${t("memories.list")} version=${version} />`;
}

const Nothing = ({ filtered }) =>
  filtered
    ? html`<${Empty} title=${t("memories.none")} text=${t("memories.none_text")} />`
    : html`<${Empty} title=${t("memories.empty")} text=${t("memories.empty_text")} command="react-mem chat" />`;

function Row({ memory, chosen, filters }) {
  if (!memory) return html`<span class="row"><span class="skeleton"></span></span>`;
  return html`<a class="row" href=${address(["memories", memory.id], filters)} aria-current=${memory.id === chosen ? "true" : undefined}>
    <span class="row-text">${memory.memory}</span>
    <span class="meta">
      <${Kind} kind=${memory.kind} />
      ${memory.status !== "active" && html`<${Status} status=${memory.status} />`}
      ${memory.until && html`<span>${memory.until}</span>`}
      ${memory.speaker && html`<span>${memory.speaker}</span>`}
      <${Time} at=${memory.said_at || memory.created_at} />
    </span>
  </a>`;
}
