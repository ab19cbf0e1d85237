// The settings of the flow.  Each value is checked by the server as it is changed; saving needs an admin key.
import { useState } from "preact/hooks";
import { get, put } from "../api.js";
import { html } from "../html.js";
import { Dialog, notify } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Page } from "../parts/page.js";
import { Loaded } from "../parts/states.js";
import { t } from "../texts.js";

const PATH = "/v1/settings";

/** The value that a field's text means.  Throws a SyntaxError if it is not of the setting's type. */
export function parse(setting, text) {
  if (setting.choices.length || setting.type === "string") return text;
  if (setting.type === "boolean") return text === "true";
  return JSON.parse(text);
}

export const written = (setting, value) => (typeof value === "string" ? value : JSON.stringify(value));

/** The text of a value as people read it. */
const shown = (setting, text) => (setting.type === "boolean" ? t(`settings.${text}`) : text || t("settings.empty"));

export function Settings() {
  const loaded = useLoad((signal) => get(PATH, {}, { signal }));
  const [changes, setChanges] = useState({}); // name -> {text, value, error}
  const [words, setWords] = useState("");
  const [saving, setSaving] = useState(false);
  const edit = async (setting, text) => {
    const keep = (entry) => setChanges((before) => ({ ...before, [setting.name]: entry }));
    if (text === written(setting, setting.value)) {
      setChanges(({ [setting.name]: _, ...rest }) => rest);
      return;
    }
    let value;
    try {
      value = parse(setting, text);
    } catch {
      keep({ text, error: t("settings.not_json") });
      return;
    }
    keep({ text, value, error: "" });
    await put(PATH, { settings: { [setting.name]: value }, dry_run: true }).catch((error) => {
      const says = error.message || t("state.unreachable");
      setChanges((before) => (before[setting.name]?.text === text ? { ...before, [setting.name]: { text, value, error: says } } : before));
    });
  };
  const changed = Object.keys(changes).length;
  const wrong = Object.values(changes).some((each) => each.error);
  const actions = changed > 0 && html`
    <button type="button" class="button" onClick=${() => setChanges({})}>${t("settings.discard")}</button>
    <button type="button" class="button primary" disabled=${wrong} onClick=${() => setSaving(true)}>${t("settings.save", { n: changed })}</button>
  `;
  const done = () => {
    setChanges({});
    loaded.again();
    notify(t("settings.saved"));
  };
  return html`<${Page} title=${t("pane.settings")} lead=${t("settings.lead")} actions=${actions}>
    <label class="field narrow"><span>${t("settings.filter")}</span>
      <input type="search" value=${words} onInput=${(event) => setWords(event.target.value)} /></label>
    <${Loaded} loaded=${loaded}>
      ${({ results }) => {
        const matching = results.filter((each) => `${each.name} ${each.meaning}`.toLowerCase().includes(words.trim().toLowerCase()));
        return html`${!matching.length && html`<p class="quiet-line">${t("settings.none")}</p>`}
          <ul class="entries">${matching.map((each) => html`<${Setting} key=${each.name} setting=${each} change=${changes[each.name]} edit=${edit} />`)}</ul>`;
      }}
    <//>
    ${saving && html`<${Save} changes=${changes} done=${done} close=${() => setSaving(false)} />`}
  <//>`;
}

function Setting({ setting, change, edit }) {
  const id = `setting-${setting.name}`;
  const text = change?.text ?? written(setting, setting.value);
  const choices = setting.choices.length ? setting.choices : setting.type === "boolean" ? ["true", "false"] : [];
  const common = {
    id,
    value: text,
    "aria-describedby": `${id}-meaning`,
    "aria-invalid": change?.error ? "true" : undefined,
  };
  return html`<li class="card entry setting">
    <label for=${id}><code>${setting.name}</code></label>
    ${choices.length
      ? html`<select ...${common} onChange=${(event) => edit(setting, event.target.value)}>
          ${choices.map((each) => html`<option value=${each}>${shown(setting, each)}</option>`)}
        </select>`
      : html`<input ...${common} inputmode=${["integer", "number"].includes(setting.type) ? "decimal" : undefined} onInput=${(event) => edit(setting, event.target.value)} />`}
    <p id=${`${id}-meaning`} class="quiet-line">
      ${setting.meaning} ${t("settings.default", { value: shown(setting, written(setting, setting.default)) })}${" "}
      ${setting.minimum !== null && setting.maximum !== null && t("settings.range", { low: setting.minimum, high: setting.maximum })}${" "}
      ${setting.is_set && html`<strong>${t("settings.set")}</strong>`}
    </p>
    ${change?.error && html`<p class="error" role="alert">${change.error}</p>`}
  </li>`;
}

function Save({ changes, done, close }) {
  const [key, setKey] = useState("");
  const [state, setState] = useState({ busy: false, error: "" });
  const save = async (event) => {
    event.preventDefault();
    setState({ busy: true, error: "" });
    const error = await sendWithKey(key.trim(), Object.fromEntries(Object.entries(changes).map(([name, each]) => [name, each.value])));
    if (error === null) {
      close();
      done();
    } else setState({ busy: false, error: error || t("state.unreachable") });
  };
  return html`<${Dialog} title=${t("settings.save", { n: Object.keys(changes).length })} close=${close}>
    <form onSubmit=${save}>
      <p>${t("settings.for_all")}</p>
      <ul>${Object.entries(changes).map(([name, each]) => html`<li><code>${name}</code> = ${each.text}</li>`)}</ul>
      <label class="field"><span>${t("settings.key")}</span>
        <input type="password" autocomplete="off" value=${key} onInput=${(event) => setKey(event.target.value)} required /></label>
      <p class="quiet-line">${t("settings.key_text")} <code>react-mem keys create --kind admin</code></p>
      ${state.error && html`<p class="error" role="alert">${state.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${close}>${t("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${state.busy}>${t("action.save")}</button>
      </div>
    </form>
  <//>`;
}

/** With the key instead of the session, which a key that is refused must not end.  null: saved, else why not. */
async function sendWithKey(key, settings) {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
  const response = await fetch(PATH, { method: "PUT", headers, body: JSON.stringify({ settings }) }).catch(() => null);
  if (response?.ok) return null;
  const body = await response?.json().catch(() => null);
  return body?.detail ?? "";
}
