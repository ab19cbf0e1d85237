// The rules that the agent follows, and what is known by topic.
import { useState } from "preact/hooks";
import { del, get, patch, post } from "../api.js";
import { html } from "../html.js";
import { Confirm, Dialog, notify } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Empty, Page } from "../parts/page.js";
import { Loaded } from "../parts/states.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Time } from "../time.js";

const MOST = 500;

export function Rules() {
  const [editing, setEditing] = useState(null); // a rule, {} for a new one
  const [erasing, setErasing] = useState(null);
  const rules = useLoad((signal) => get("/v1/rules", { limit: MOST }, { signal }), [], ["memory."]);
  const topics = useLoad((signal) => get("/v1/topics", { limit: 20 }, { signal }), [], ["memory."]);
  const actions = html`<button type="button" class="button primary" onClick=${() => setEditing({})}>${t("rules.add")}</button>`;
  return html`<${Page} title=${t("pane.rules")} lead=${t("rules.lead")} actions=${actions}>
    <${Loaded} loaded=${rules}>
      ${({ results }) => html`
        ${!results.length && html`<${Empty} title=${t("rules.empty")} text=${t("rules.empty_text")} />`}
        <ul class="entries">
          ${results.map(
            (rule) => html`<li key=${rule.id} class="card entry">
              ${rule.condition && html`<p class="meta">${t("rules.when", { condition: rule.condition })}</p>`}
              <p><strong>${rule.action || rule.memory}</strong></p>
              <p class="meta"><${Time} at=${rule.created_at} /> <a href=${address(["memories", rule.id])}>${t("rules.history")}</a></p>
              <div class="actions">
                <button type="button" class="button" onClick=${() => setEditing(rule)}>${t("action.edit")}</button>
                <button type="button" class="button quiet" onClick=${() => setErasing(rule)}>${t("action.forget")}</button>
              </div>
            </li>`,
          )}
        </ul>
      `}
    <//>
    <section>
      <h2>${t("rules.topics")}</h2>
      <${Loaded} loaded=${topics}>
        ${({ results }) =>
          results.length
            ? results.map(
                (each) => html`<div key=${each.topic} class="card entry"><h3>${each.topic}</h3><p class="whole">${each.summary}</p><p class="meta"><${Time} at=${each.updated_at} both /></p></div>`,
              )
            : html`<p class="quiet-line">${t("rules.no_topics")}</p>`}
      <//>
    </section>
    ${editing && html`<${Editor} rule=${editing} close=${() => setEditing(null)} done=${rules.again} />`}
    ${erasing && html`<${Confirm}
      title=${t("rules.forget")}
      label=${t("action.forget")}
      act=${() => del(`/v1/memories/${encodeURIComponent(erasing.id)}`)}
      done=${() => {
        rules.again();
        notify(t("rules.forgotten"));
      }}
      close=${() => setErasing(null)}
    ><p>${t("rules.forget_text")}</p><p><strong>${erasing.memory}</strong></p><//>`}
  <//>`;
}

function Editor({ rule, close, done }) {
  const [condition, setCondition] = useState(rule.condition ?? "");
  const [action, setAction] = useState(rule.action ?? "");
  const [state, setState] = useState({ busy: false, error: "" });
  const save = async (event) => {
    event.preventDefault();
    setState({ busy: true, error: "" });
    const text = condition.trim() ? `${condition.trim()}: ${action.trim()}` : action.trim();
    const fields = { condition: condition.trim(), action: action.trim() };
    try {
      await (rule.id ? patch(`/v1/memories/${encodeURIComponent(rule.id)}`, { text, ...fields }) : post("/v1/rules", fields));
      close();
      done();
      notify(t("rules.saved"));
    } catch (error) {
      setState({ busy: false, error: error.message || t("state.unreachable") });
    }
  };
  return html`<${Dialog} title=${t(rule.id ? "rules.edit" : "rules.add")} close=${close}>
    <form onSubmit=${save}>
      <label class="field"><span>${t("rules.condition")}</span>
        <input value=${condition} onInput=${(event) => setCondition(event.target.value)} required=${Boolean(rule.condition)} /></label>
      <label class="field"><span>${t("rules.action")}</span>
        <textarea rows="3" required value=${action} onInput=${(event) => setAction(event.target.value)}></textarea></label>
      ${state.error && html`<p class="error" role="alert">${state.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${close}>${t("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${state.busy || !action.trim()}>${t("action.save")}</button>
      </div>
    </form>
  <//>`;
}
