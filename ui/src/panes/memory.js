// One memory: what it says, where it comes from, how it changed; to be corrected, undone or erased.
import { useState } from "preact/hooks";
import { del, get, patch, post } from "../api.js";
import { html } from "../html.js";
import { Kind, Status } from "../parts/badges.js";
import { Confirm, Dialog, notify } from "../parts/dialog.js";
import { Icon } from "../parts/icons.js";
import { Lifeline } from "../parts/lifeline.js";
import { useLoad } from "../parts/load.js";
import { Empty, Failure, Loading } from "../parts/page.js";
import { Receipt, sum } from "../parts/receipt.js";
import { address, go } from "../router.js";
import { session } from "../session.js";
import { decimal, t, term } from "../texts.js";
import { Time } from "../time.js";

const path = (id) => `/v1/memories/${encodeURIComponent(id)}`;

/** `close`: the address of the list. */
export function Memory({ id, close }) {
  const read = async (signal) => {
    const [memory, history] = await Promise.all([get(path(id), {}, { signal }), get(`${path(id)}/history`, {}, { signal })]);
    return { memory, history: history.results };
  };
  const { data, error, again } = useLoad(read, [id], ["memory."]);
  const [receipts, setReceipts] = useState(null); // here, because they are shown after the memory is gone
  const [erasing, setErasing] = useState(false);
  const erased = () => {
    setReceipts(null);
    go(close);
  };
  if (receipts) {
    return html`<${Dialog} title=${t("memory.erased")} close=${erased}>
      <${Receipt} receipt=${sum(receipts)} />
      <div class="dialog-actions"><button type="button" class="button primary" onClick=${erased}>${t("action.close")}</button></div>
    <//>`;
  }
  const back = html`<a class="button quiet back" href=${close}><${Icon} name="close" /><span>${t("memory.close")}</span></a>`;
  if (error?.status === 404 && !erasing) {
    return html`${back}<${Empty} title=${t("memory.gone")} text=${t("memory.gone_text")} />`;
  }
  if (error && !erasing) return html`${back}<${Failure} error=${error} retry=${again} />`;
  if (!data) return html`${back}<${Loading} lines=${6} />`;
  return html`${back}<${Details} ...${data} again=${again} erasing=${setErasing} erased=${setReceipts} />`;
}

function Details({ memory, history, again, erasing, erased }) {
  const [open, setOpen] = useState(""); // "edit" | "forget"
  const done = () => {
    setOpen("");
    again();
  };
  const undo = async (id) => {
    try {
      const answer = await post(`${path(id)}/undo`);
      notify(t("memory.undone", { n: answer.changed }), answer.operation && { label: t("memory.redo"), act: () => undo(answer.operation) });
      again();
    } catch (error) {
      notify(error.message || t("state.unreachable"));
    }
  };
  return html`<article class="memory-one">
    <p class="meta">
      <${Kind} kind=${memory.kind} /><${Status} status=${memory.status} />
      ${memory.speaker && html`<span>${t("memory.said_by", { speaker: memory.speaker })}</span>`}
      <${Time} at=${memory.said_at || memory.created_at} both />
      ${memory.until && html`<span>${memory.until}</span>`}
    </p>
    <p class="memory-text">${memory.memory}</p>
    ${memory.condition && html`<p class="meta">${t("memory.condition")}: ${memory.condition}</p>`}
    ${open === "edit"
      ? html`<${Edit} memory=${memory} done=${done} cancel=${() => setOpen("")} />`
      : session.value.writes &&
        html`<div class="actions">
          <button type="button" class="button" onClick=${() => setOpen("edit")}>${t("memory.edit")}</button>
          <button type="button" class="button" onClick=${() => undo(memory.id)}>${t("memory.undo")}</button>
          <button type="button" class="button danger" onClick=${() => setOpen("forget")}>${t("memory.forget")}</button>
        </div>`}
    <${Facts} memory=${memory} />
    <${Lifeline} memory=${memory} history=${history} />
    ${open === "forget" && html`<${Forget} memory=${memory} erasing=${erasing} close=${() => setOpen("")} done=${erased} />`}
  </article>`;
}

function Facts({ memory }) {
  const sources = memory.derived_from ?? [];
  const rows = [
    ["memory.trust", term("trust", memory.trust)],
    ["memory.importance", decimal(memory.importance)],
    ["memory.uses", memory.uses],
    memory.run_id && ["memory.conversation", html`<a href=${address(["conversations"], { id: memory.run_id })}>${memory.run_id}</a>`],
    memory.superseded_by && ["memory.superseded_by", html`<a href=${address(["memories", memory.superseded_by])}>${memory.superseded_by}</a>`],
    sources.length && ["memory.derived_from", sources.map((id, place) => html`<a href=${address(["memories", id])}>${t("memory.source", { n: place + 1 })}</a> `)],
    ["memory.id", html`<code>${memory.id}</code>`],
  ].filter(Boolean);
  return html`<dl class="facts">
    ${rows.map(([name, value]) => html`<div><dt>${t(name)}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

function Edit({ memory, done, cancel }) {
  const rule = memory.kind === "procedural";
  const [values, setValues] = useState({ text: memory.memory, condition: memory.condition, action: memory.action, importance: memory.importance });
  const [state, setState] = useState({ busy: false, error: "" });
  const change = (name) => (event) => setValues({ ...values, [name]: event.target.value });
  const save = async (event) => {
    event.preventDefault();
    const given = { text: memory.memory, condition: memory.condition, action: memory.action };
    const changed = Object.fromEntries(Object.entries(given).flatMap(([name, before]) => (values[name].trim() && values[name] !== before ? [[name, values[name]]] : [])));
    if (Number(values.importance) !== memory.importance) changed.importance = Number(values.importance);
    if (!Object.keys(changed).length) return cancel();
    setState({ busy: true, error: "" });
    try {
      await patch(path(memory.id), changed, { headers: { "If-Match": `"${memory.version}"` } });
      notify(t("memory.saved"));
      done();
    } catch (error) {
      setState({ busy: false, error: error.message || t("state.unreachable") });
    }
    return undefined;
  };
  return html`<form class="edit" onSubmit=${save}>
    ${rule
      ? html`<label class="field"><span>${t("memory.condition")}</span><textarea rows="2" value=${values.condition} onInput=${change("condition")}></textarea></label>
          <label class="field"><span>${t("memory.action")}</span><textarea rows="3" value=${values.action} onInput=${change("action")}></textarea></label>`
      : html`<label class="field"><span>${t("memory.text")}</span><textarea rows="4" required value=${values.text} onInput=${change("text")}></textarea></label>`}
    <label class="field"><span>${t("memory.importance_of", { value: decimal(Number(values.importance)) })}</span>
      <input type="range" min="0" max="1" step="0.05" value=${values.importance} onInput=${change("importance")} /></label>
    ${state.error && html`<p class="error" role="alert">${state.error}</p>`}
    <div class="actions">
      <button type="submit" class="button primary" disabled=${state.busy}>${t("action.save")}</button>
      <button type="button" class="button" onClick=${cancel}>${t("action.cancel")}</button>
    </div>
  </form>`;
}

// What goes is counted first.  Answers that repeat the memory are memories of their own: the person chooses which go, too.
function Forget({ memory, erasing, close, done }) {
  const { data, error, again } = useLoad((signal) => get(`${path(memory.id)}/dependents`, {}, { signal }), [memory.id]);
  const [kept, setKept] = useState([]);
  if (error) return html`<${Dialog} title=${t("memory.forget_title")} close=${close}><${Failure} error=${error} retry=${again} /><//>`;
  if (!data) return html`<${Dialog} title=${t("memory.forget_title")} close=${close}><${Loading} lines=${3} /><//>`;
  const chosen = data.repeats.filter((each) => !kept.includes(each.id));
  const act = async () => {
    const receipts = [];
    erasing(true);
    for (const id of [memory.id, ...chosen.map((each) => each.id)]) {
      try {
        receipts.push((await del(path(id))).receipt);
      } catch (failure) {
        if (failure.status === 404) continue; // gone with one before it
        erasing(false);
        throw failure;
      }
    }
    return receipts;
  };
  const toggle = (id) => setKept(kept.includes(id) ? kept.filter((each) => each !== id) : [...kept, id]);
  return html`<${Confirm} title=${t("memory.forget_title")} label=${t("memory.forget_count", { n: 1 + data.derived + chosen.length })} act=${act} done=${done} close=${close}>
    <blockquote><p class="clipped">${memory.memory}</p></blockquote>
    <ul class="counts">
      <li>${t("memory.forget_one")}</li>
      <li>${t("memory.forget_derived", { n: data.derived })}</li>
      ${data.repeats.length > 0 && html`<li>${t("memory.forget_repeats", { n: data.repeats.length })}</li>`}
    </ul>
    ${data.repeats.map(
      (each) => html`<label class="check"><input type="checkbox" checked=${!kept.includes(each.id)} onChange=${() => toggle(each.id)} /> <span>${each.memory}</span></label>`,
    )}
    <p class="warning">${t("memory.forget_final")}</p>
  <//>`;
}
