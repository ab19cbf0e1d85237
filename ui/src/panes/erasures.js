// Whether memory is read and written, erasing much at once, and the receipts of what was erased.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { del, get, put } from "../api.js";
import { html } from "../html.js";
import { Badge } from "../parts/badges.js";
import { Confirm, notify } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Empty, Page } from "../parts/page.js";
import { Receipt } from "../parts/receipt.js";
import { Loaded } from "../parts/states.js";
import { route } from "../router.js";
import { session } from "../session.js";
import { t, term } from "../texts.js";
import { Time } from "../time.js";

const MOST = 200;
const large = signal([]); // receipts of this visit that belong to the workspace, which no list of the user has

export function Erasures() {
  const id = route.value.query.get("id");
  const receipts = useLoad((signal) => readReceipts(id, signal), [id], ["job.", "memory.forgotten"]);
  return html`<${Page} title=${t("pane.erasures")} lead=${t("erasures.lead")}>
    <${Switches} />
    <${EraseAll} done=${receipts.again} />
    <section>
      <h2>${t("erasures.receipts")}</h2>
      <${Loaded} loaded=${receipts}>
        ${(listed) => {
          const known = new Set(listed.map((each) => each.operation_id));
          const all = [...large.value.filter((each) => !known.has(each.operation_id)), ...listed];
          if (!all.length) return html`<${Empty} title=${t("erasures.empty")} text=${t("erasures.empty_text")} />`;
          return html`<ul class="entries">${all.map((each) => html`<${Entry} key=${each.operation_id} entry=${each} open=${each.operation_id === id} />`)}</ul>`;
        }}
      <//>
    </section>
  <//>`;
}

/** The archive with its times, and the receipt of the address if the archive does not have it. */
async function readReceipts(id, signal) {
  const [archive, jobs] = await Promise.all([
    get("/v1/receipts", { limit: MOST }, { signal }),
    get("/v1/operations", { kind: "forget", limit: MOST }, { signal }),
  ]);
  const ended = new Map(jobs.results.map((each) => [each.id, each.updated_at]));
  const results = archive.results.map((each) => ({ ...each, at: ended.get(each.operation_id) }));
  if (!id || [...results, ...large.value].some((each) => each.operation_id === id)) return results;
  const asked = await get(`/v1/receipts/${encodeURIComponent(id)}`, {}, { signal }).catch((error) => {
    if (error.status === 404) return null; // not finished yet
    throw error;
  });
  return asked ? [asked, ...results] : results;
}

function Switches() {
  const loaded = useLoad((signal) => get("/v1/switches", {}, { signal }));
  const [state, setState] = useState(null);
  const change = async (name, on) => {
    try {
      setState(await put("/v1/switches", { [name]: on }));
      notify(t(`erasures.${name}_${on ? "on" : "off"}`));
    } catch (error) {
      notify(error.message || t("state.unreachable"));
      loaded.again();
    }
  };
  return html`<section class="card entry">
    <h2>${t("erasures.switches")}</h2>
    <${Loaded} loaded=${loaded}>
      ${(read) => ["read", "write"].map(
        (name) => html`<label class="switch">
          <input type="checkbox" role="switch" checked=${(state ?? read)[name] === "on"} onChange=${(event) => change(name, event.target.checked)} />
          <span><strong>${t(`erasures.${name}`)}</strong><br /><span class="quiet-line">${t(`erasures.${name}_text`)}</span></span>
        </label>`,
      )}
    <//>
  </section>`;
}

/** The collection of the session, or everything of the user; what it would remove is counted first. */
function EraseAll({ done }) {
  const { user, collections } = session.value;
  const [asking, setAsking] = useState(null); // {level, name, counts}
  const begin = async (level, name) => {
    try {
      setAsking({ level, name, counts: level === "collection" ? await count(name) : [] });
    } catch (error) {
      notify(error.message || t("state.unreachable"));
    }
  };
  const erased = (entry) => {
    if (entry.receipt?.places) large.value = [{ ...entry, at: new Date().toISOString() }, ...large.value];
    notify(t("erasures.done"));
    done();
  };
  const collection = collections[0] ?? "default";
  return html`<section class="card entry">
    <h2>${t("erasures.all")}</h2>
    <p class="quiet-line">${t("erasures.all_text")}</p>
    <div class="actions">
      <button type="button" class="button danger" onClick=${() => begin("collection", collection)}>${t("erasures.collection", { name: collection })}</button>
      ${!collections.length && html`<button type="button" class="button danger" onClick=${() => begin("user", user)}>${t("erasures.user", { name: user })}</button>`}
    </div>
    ${asking && html`<${Confirm}
      title=${t(`erasures.${asking.level}`, { name: asking.name })}
      label=${t("action.forget")}
      typed=${asking.name}
      act=${() => del("/v1/memories", asking.level === "collection" ? { collection: asking.name } : { user_id: asking.name })}
      done=${erased}
      close=${() => setAsking(null)}
    >
      <p>${t("erasures.for_good")}</p>
      <ul class="tiles">${asking.counts.map(([what, number]) => html`<li><strong>${number}</strong> ${what}</li>`)}</ul>
    <//>`}
  </section>`;
}

async function count(collection) {
  const { memories, episodes, conversations } = await get("/v1/stats", { collection });
  const kinds = Object.entries(memories).filter(([kind, number]) => !["vectors", "embedding"].includes(kind) && Number(number));
  return [
    ...kinds.map(([kind, number]) => [term("kind", kind), number]),
    [t("erasures.episodes"), episodes.episodes ?? 0],
    [t("erasures.conversations"), conversations.conversations ?? 0],
  ];
}

function Entry({ entry, open }) {
  const { operation_id, receipt, at } = entry;
  const sum = (name) => Object.values(receipt.places ?? {}).reduce((total, each) => total + Number(each[name] ?? 0), 0);
  const complete = receipt.complete ?? !sum("left");
  const href = `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify({ operation_id, at, receipt }, null, 1))}`;
  return html`<li class="card entry">
    <p class="meta">
      <strong>${term("level", receipt.level)}</strong>
      <${Badge} tone=${complete ? "good" : "warm"}>${t(complete ? "erasures.complete" : "erasures.incomplete")}<//>
      <span>${t("erasures.removed", { n: sum("removed") })}</span>
      <${Time} at=${at} both />
    </p>
    <details class="places" open=${open || undefined}>
      <summary>${t("erasures.places")}</summary>
      <${Receipt} receipt=${receipt} />
      ${receipt.files && html`<p class="quiet-line">${term("files", receipt.files.state)}</p>`}
      ${(receipt.notes ?? []).map((note) => html`<p class="quiet-line sentence">${note}</p>`)}
      <p class="quiet-line"><code>${operation_id}</code> <a href=${href} download=${`receipt-${operation_id}.json`}>${t("receipt.save")}</a></p>
    </details>
  </li>`;
}
