// What one memory is connected with: a picture of at most 300 nodes, and the same as a list.
import { useState } from "preact/hooks";
import { get, post } from "../api.js";
import { html } from "../html.js";
import { Kind, Status } from "../parts/badges.js";
import { useLoad } from "../parts/load.js";
import { Empty, Page } from "../parts/page.js";
import { Loaded } from "../parts/states.js";
import { address, go, route } from "../router.js";
import { t, term } from "../texts.js";

const MOST = 300;
const SIZE = 640;
const PER_RING = 24;
const RELATIONS = ["replaced by", "derived from", "about the same", "similar", "said in"];

export function Graph() {
  const id = route.value.query.get("id");
  return html`<${Page} title=${t("pane.graph")} lead=${t("graph.lead")} wide>
    <${Choice} />
    ${id ? html`<${Neighbourhood} key=${id} id=${id} />` : html`<${Empty} title=${t("graph.empty")} text=${t("graph.empty_text")} />`}
  <//>`;
}

function Choice() {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState(null);
  const search = async (event) => {
    event.preventDefault();
    if (!query.trim()) return;
    setFound(await post("/v1/memories/search", { query, limit: 8 }).catch((error) => ({ error: error.message || t("state.unreachable") })));
  };
  const show = (memory) => {
    setFound(null);
    go(address(["graph"], { id: memory.id }));
  };
  return html`<form class="search" role="search" onSubmit=${search}>
    <label class="field"><span>${t("graph.search")}</span>
      <input type="search" value=${query} onInput=${(event) => setQuery(event.target.value)} /></label>
    <button type="submit" class="button">${t("graph.find")}</button>
    ${found?.error && html`<p class="error" role="alert">${found.error}</p>`}
    ${found?.results && html`<ul class="entries found" aria-label=${t("graph.results")}>
      ${!found.results.length && html`<li>${t("graph.none")}</li>`}
      ${found.results.map((each) => html`<li key=${each.id}><button type="button" class="button quiet" onClick=${() => show(each)}>${each.memory}</button></li>`)}
    </ul>`}
  </form>`;
}

function Neighbourhood({ id }) {
  const loaded = useLoad(
    (signal) => get(`/v1/memories/${encodeURIComponent(id)}/neighbours`, { limit: MOST }, { signal }),
    [id],
    ["memory."],
  );
  return html`<${Loaded} loaded=${loaded}>
    ${(graph) => html`<div class="graph">
      <${Picture} graph=${graph} />
      <${List} graph=${graph} />
    </div>
    ${graph.left_out > 0 && html`<p class="warning">${t("graph.left_out", { n: graph.left_out })}</p>`}`}
  <//>`;
}

/** The strongest connection of each neighbour with the centre, by the order of RELATIONS. */
function groups({ memories, conversation_id, connections }) {
  const centre = memories[0].id;
  const relation = new Map();
  for (const each of connections) {
    const other = each.source === centre ? each.target : each.source;
    const rank = RELATIONS.indexOf(each.relation);
    if (other !== centre && !(RELATIONS.indexOf(relation.get(other)?.relation) <= rank && relation.has(other))) relation.set(other, each);
  }
  const named = new Map(memories.map((each) => [each.id, each]));
  if (conversation_id) relation.delete(conversation_id);
  return RELATIONS.map((name) => ({
    name,
    entries: [...relation].filter(([, each]) => each.relation === name).map(([id, each]) => ({ memory: named.get(id), connection: each })),
  })).filter((group) => group.entries.length);
}

/** Places on rings around the centre; a relation has one part of the circle, as large as its share. */
export function layout(sizes) {
  const total = sizes.reduce((sum, each) => sum + each, 0);
  const rings = Math.max(1, Math.ceil(total / PER_RING));
  let place = 0;
  return sizes.map((size) =>
    Array.from({ length: size }, () => {
      const ring = place % rings;
      const angle = (2 * Math.PI * place) / Math.max(1, total) - Math.PI / 2;
      const radius = (SIZE / 2 - 24) * (rings === 1 ? 0.72 : 0.42 + (0.56 * ring) / (rings - 1));
      place += 1;
      return { x: SIZE / 2 + radius * Math.cos(angle), y: SIZE / 2 + radius * Math.sin(angle) };
    }),
  );
}

function Picture({ graph }) {
  const parts = groups(graph);
  const places = layout(parts.map((each) => each.entries.length));
  const few = graph.memories.length <= 40;
  return html`<svg class="card picture" viewBox=${`0 0 ${SIZE} ${SIZE}`} role="img" aria-label=${t("graph.picture", { n: graph.memories.length - 1 })}>
    ${parts.map(({ name }, part) => places[part].map(({ x, y }) => html`<line class=${`edge edge-${RELATIONS.indexOf(name)}`} x1=${SIZE / 2} y1=${SIZE / 2} x2=${x} y2=${y} />`))}
    ${parts.map(({ name, entries }, part) =>
      entries.map(({ memory }, at) => {
        const { x, y } = places[part][at];
        return html`<g class=${`node node-${RELATIONS.indexOf(name)}`} onClick=${() => go(address(["graph"], { id: memory.id }))}>
          <circle cx=${x} cy=${y} r=${few ? 9 : 5} /><title>${memory.memory}</title>
          ${few && html`<text x=${x} y=${y + 22} text-anchor="middle">${short(memory.memory, 20)}</text>`}
        </g>`;
      }),
    )}
    <circle class="centre-node" cx=${SIZE / 2} cy=${SIZE / 2} r="13" />
    <text class="centre-label" x=${SIZE / 2} y=${SIZE / 2 + 30} text-anchor="middle">${short(graph.memories[0].memory, 40)}</text>
  </svg>`;
}

const short = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

function List({ graph }) {
  const [centre] = graph.memories;
  return html`<div class="graph-list">
    <h2 class="clipped">${centre.memory}</h2>
    <p class="meta"><${Kind} kind=${centre.kind} /> <${Status} status=${centre.status} /> <a href=${address(["memories", centre.id])}>${t("graph.open")}</a>
      ${graph.conversation_id && html`<a href=${address(["conversations"], { id: graph.conversation_id })}>${t("graph.conversation")}</a>`}</p>
    ${graph.memories.length === 1 && html`<p class="quiet-line">${t("graph.alone")}</p>`}
    ${groups(graph).map(
      ({ name, entries }) => html`<section>
        <h3><i class=${`key edge-key-${RELATIONS.indexOf(name)}`} aria-hidden="true"></i>${term("relation", name.replaceAll(" ", "_"))} (${entries.length})</h3>
        <ul class="entries">
          ${entries.map(
            ({ memory, connection }) => html`<li key=${memory.id}><a href=${address(["graph"], { id: memory.id })}>${memory.memory}</a>
              ${connection.label && html`<span class="quiet-line"> (${connection.label})</span>`}</li>`,
          )}
        </ul>
      </section>`,
    )}
  </div>`;
}
