// What was said in each conversation, and the tasks that were kept as episodes.
import { useState } from "preact/hooks";
import { del, get, post } from "../api.js";
import { html } from "../html.js";
import { Badge, Kind } from "../parts/badges.js";
import { Confirm, notify } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Empty, Page } from "../parts/page.js";
import { Loaded, More } from "../parts/states.js";
import { address, go, route } from "../router.js";
import { t } from "../texts.js";
import { Time } from "../time.js";

const PAGE = 50;
const MOST_EXCHANGES = 200;
const MOST_COUNTED = 1000;

export function Conversations() {
  const { query } = route.value;
  if (query.get("id")) return html`<${Conversation} id=${query.get("id")} />`;
  const episodes = query.get("show") === "episodes";
  return html`<${Page} title=${t("pane.conversations")} lead=${t("conversations.lead")}>
    <nav class="tabs" aria-label=${t("conversations.views")}>
      <a href=${address(["conversations"])} aria-current=${episodes ? undefined : "page"}>${t("conversations.list")}</a>
      <a href=${address(["conversations"], { show: "episodes" })} aria-current=${episodes ? "page" : undefined}>${t("conversations.episodes")}</a>
    </nav>
    ${episodes ? html`<${Episodes} />` : html`<${List} />`}
  <//>`;
}

function List() {
  const [limit, setLimit] = useState(PAGE);
  const loaded = useLoad((signal) => get("/v1/conversations", { limit }, { signal }), [limit], ["job."]);
  return html`<${Loaded} loaded=${loaded}>
    ${({ results, next }) => html`
      ${!results.length && html`<${Empty} title=${t("conversations.empty")} text=${t("conversations.empty_text")} command="react-mem chat" />`}
      <ol class="entries">
        ${results.map((each) => html`<${Entry} key=${each.id} conversation=${each} />`)}
      </ol>
      <${More} shown=${results.length} next=${limit < MOST_COUNTED && next} more=${() => setLimit(Math.min(MOST_COUNTED, limit * 4))} />
    `}
  <//>`;
}

/** Its newest question is its title: ids mean nothing to people. */
function Entry({ conversation: { id, ended, metadata } }) {
  const { data, error } = useLoad((signal) => get(`/v1/conversations/${encodeURIComponent(id)}`, { limit: 1 }, { signal }), [id, metadata.last_at]);
  return html`<li class="card entry">
    <a class="entry-title clipped" href=${address(["conversations"], { id })}>${data || error ? data?.exchanges?.at(-1)?.query || id : "…"}</a>
    <p class="meta">
      <${State} ended=${ended} />
      <span>${t("conversations.exchanges", { n: Number(metadata.turns ?? 0) })}</span>
      <${Time} at=${metadata.last_at} both />
    </p>
  </li>`;
}

const State = ({ ended }) => html`<${Badge} tone=${ended ? "" : "good"}>${t(ended ? "conversations.ended" : "conversations.open")}<//>`;

function Conversation({ id }) {
  const path = `/v1/conversations/${encodeURIComponent(id)}`;
  const read = (signal) =>
    Promise.all([
      get(path, { limit: MOST_EXCHANGES }, { signal }),
      get("/v1/memories", { conversation_id: id, limit: MOST_COUNTED }, { signal }),
    ]).then(([conversation, memories]) => ({ conversation, memories: memories.results }));
  const loaded = useLoad(read, [id], ["job.", "memory."]);
  const [asking, setAsking] = useState("");
  const leave = () => go(address(["conversations"]));
  const done = { end: () => notify(t("conversations.now_ended")), forget: forgotten };
  function forgotten({ operation_id }) {
    leave();
    notify(t("conversations.forgotten"), { label: t("receipt.show"), act: () => go(address(["erasures"], { id: operation_id })) });
  }
  const { data } = loaded;
  const actions = data && html`
    ${!data.conversation.ended && html`<button type="button" class="button" onClick=${() => setAsking("end")}>${t("conversations.end")}</button>`}
    <button type="button" class="button danger" onClick=${() => setAsking("forget")}>${t("conversations.forget")}</button>
  `;
  return html`<${Page} title=${t("conversations.one")} lead=${id} actions=${actions}>
    <p><a href=${address(["conversations"])}>${t("conversations.back")}</a></p>
    <${Loaded} loaded=${loaded}>
      ${({ conversation, memories }) => html`
        <p class="meta">
          <${State} ended=${conversation.ended} /> <${Time} at=${conversation.metadata.started_at} both />
          <span>${t("conversations.learned", { n: memories.length })}</span>
        </p>
        <ol class="timeline">
          ${(conversation.exchanges ?? []).map(
            (each) => html`<li key=${each.id}>
              <${Time} at=${each.at} both />
              <p class="asked">${each.query}</p>
              <p class="answered">${each.result}</p>
            </li>`,
          )}
        </ol>
        ${memories.length > 0 && html`<${Learned} memories=${memories} />`}
        ${asking === "end" && html`<${Confirm}
          title=${t("conversations.end")}
          label=${t("conversations.end")}
          act=${() => post(`${path}/end`)}
          done=${done.end}
          close=${() => setAsking("")}
        ><p>${t("conversations.end_text")}</p><//>`}
        ${asking === "forget" && html`<${Confirm}
          title=${t("conversations.forget")}
          label=${t("action.forget")}
          act=${() => del(path)}
          done=${done.forget}
          close=${() => setAsking("")}
        ><p>${t("conversations.forget_text", {
          exchanges: Number(conversation.metadata.turns ?? 0),
          memories: memories.length === MOST_COUNTED ? t("list.or_more", { n: MOST_COUNTED }) : memories.length,
        })}</p><//>`}
      `}
    <//>
  <//>`;
}

const Learned = ({ memories }) => html`<section>
  <h2>${t("conversations.memories")}</h2>
  <ul class="entries">
    ${memories.slice(0, 100).map(
      (each) => html`<li key=${each.id} class="entry"><p><a href=${address(["memories", each.id])}>${each.memory}</a> <${Kind} kind=${each.kind} /></p></li>`,
    )}
  </ul>
</section>`;

function Episodes() {
  const [limit, setLimit] = useState(PAGE);
  const [asking, setAsking] = useState(null);
  const loaded = useLoad((signal) => get("/v1/episodes", { limit }, { signal }), [limit], ["memory.", "job."]);
  return html`<${Loaded} loaded=${loaded}>
    ${({ results, next }) => html`
      ${!results.length && html`<${Empty} title=${t("episodes.empty")} text=${t("episodes.empty_text")} />`}
      <ol class="entries">
        ${results.map((each) => html`<${Episode} key=${each.id} episode=${each} forget=${() => setAsking(each)} />`)}
      </ol>
      <${More} shown=${results.length} next=${limit < MOST_COUNTED && next} more=${() => setLimit(Math.min(MOST_COUNTED, limit * 4))} />
      ${asking && html`<${Confirm}
        title=${t("episodes.forget")}
        label=${t("action.forget")}
        act=${() => del(`/v1/episodes/${encodeURIComponent(asking.id)}`)}
        done=${() => notify(t("episodes.forgotten"))}
        close=${() => {
          setAsking(null);
          loaded.again();
        }}
      ><p>${t("episodes.forget_text")}</p><p><strong>${asking.goal}</strong></p><//>`}
    `}
  <//>`;
}

function Episode({ episode, forget }) {
  return html`<li class="card entry">
    <h2>${episode.goal}</h2>
    <p class="meta">
      <${Badge} tone=${episode.succeeded ? "good" : "bad"}>${t(episode.succeeded ? "episodes.succeeded" : "episodes.failed")}<//>
      <${Time} at=${episode.created_at} both />
      ${episode.run_id && html`<a href=${address(["conversations"], { id: episode.run_id })}>${t("episodes.conversation")}</a>`}
    </p>
    ${episode.outcome && html`<p>${episode.outcome}</p>`}
    ${episode.lessons && html`<p><strong>${t("episodes.lessons")}</strong> ${episode.lessons}</p>`}
    ${episode.steps.length > 0 && html`<details><summary>${t("episodes.steps", { n: episode.steps.length })}</summary>
      <ol class="steps">${episode.steps.map((step) => html`<li>${step}</li>`)}</ol></details>`}
    <div class="actions"><button type="button" class="button quiet" onClick=${forget}>${t("action.forget")}</button></div>
  </li>`;
}
