// Whether the parts answer, the versions, what is stored, and the keys.
import { get } from "../api.js";
import { html } from "../html.js";
import { Badge } from "../parts/badges.js";
import { useLoad } from "../parts/load.js";
import { Page } from "../parts/page.js";
import { Loaded, Table } from "../parts/states.js";
import { t, term } from "../texts.js";
import { Time } from "../time.js";

const HIDDEN = ["embedding"];

/** An answer of 503 has the parts, too. */
async function readReady(signal) {
  const response = await fetch("/health/ready", { signal });
  return response.json();
}

export function Health() {
  const loaded = useLoad((signal) =>
    Promise.all([readReady(signal), get("/version", {}, { signal }), get("/v1/stats", {}, { signal }), get("/v1/keys", {}, { signal })]).then(
      ([ready, version, stats, keys]) => ({ ready, version, stats, keys: keys.results }),
    ),
  );
  const actions = html`<button type="button" class="button" disabled=${loaded.loading} onClick=${loaded.again}>${t("health.again")}</button>`;
  return html`<${Page} title=${t("pane.health")} lead=${t("health.lead")} actions=${actions}>
    <${Loaded} loaded=${loaded}>
      ${({ ready, version, stats, keys }) => html`
        <section class="card entry">
          <h2>${t("health.parts")}</h2>
          <p role="status"><${Badge} tone=${ready.status === "ready" ? "good" : "bad"}>${t(ready.status === "ready" ? "health.ready" : "health.not_ready")}<//></p>
          <ul class="tiles">
            ${Object.entries(ready.parts).map(([part, state]) => html`<li>${part} <${Badge} tone=${state === "ok" ? "good" : "bad"}>${state === "ok" ? t("health.ok") : state}<//></li>`)}
          </ul>
        </section>
        <section class="card entry">
          <h2>${t("health.versions")}</h2>
          <dl class="facts">
            <div><dt>react-mem</dt><dd>${version.version}</dd></div>
            <div><dt>${t("health.embedding")}</dt><dd>${stats.memories.embedding}</dd></div>
          </dl>
        </section>
        <section class="card entry">
          <h2>${t("health.stored")}</h2>
          ${!Number(stats.memories.vectors) && !Number(stats.conversations.conversations) && html`<p class="quiet-line">${t("health.nothing")}</p>`}
          <ul class="tiles">
            ${[stats.memories, stats.conversations].flatMap((counts) =>
              Object.entries(counts).filter(([name, value]) => !HIDDEN.includes(name) && Number(value)).map(([name, value]) => html`<li><strong>${value}</strong> ${term("stored", name, { n: Number(value) })}</li>`),
            )}
          </ul>
        </section>
        <section class="card entry">
          <h2>${t("health.keys")}</h2>
          ${keys.length === 0
            ? html`<p class="quiet-line">${t("health.no_keys")} <code>react-mem keys create</code></p>`
            : html`<${Table}
                label=${t("health.keys")}
                columns=${[t("health.key"), t("health.label"), t("health.reach"), t("health.made"), t("health.used"), t("health.state")]}
                rows=${keys.map((key) => [
                  html`<code>${key.id}</code>`,
                  key.label,
                  key.collections.join(", ") || t("shell.all_collections"),
                  html`<${Time} at=${key.created_at} />`,
                  key.last_used_at ? html`<${Time} at=${key.last_used_at} />` : t("health.never"),
                  html`<${Badge} tone=${key.revoked_at ? "bad" : "good"}>${t(key.revoked_at ? "health.revoked" : key.writes ? "health.valid" : "health.reads")}<//>`,
                ])}
              />`}
        </section>
      `}
    <//>
  <//>`;
}
