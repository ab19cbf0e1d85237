// Background jobs: how far they are, and those that wait or failed.
import { useState } from "preact/hooks";
import { del, get, post } from "../api.js";
import { html } from "../html.js";
import { Status } from "../parts/badges.js";
import { Confirm, notify } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Empty, Page } from "../parts/page.js";
import { Loaded } from "../parts/states.js";
import { address, go, route } from "../router.js";
import { t, term } from "../texts.js";
import { Time } from "../time.js";

const MOST = 200;
const STATES = ["running", "pending", "failed", "succeeded", "cancelled"];

export function Jobs() {
  const status = route.value.query.get("status") ?? "";
  const read = (signal) =>
    Promise.all([get("/v1/operations", { limit: MOST, status }, { signal }), get("/v1/stats", {}, { signal })]).then(
      ([{ results }, { operations }]) => ({ jobs: results, stats: operations }),
    );
  const loaded = useLoad(read, [status], ["job."]);
  const [dropping, setDropping] = useState(null);
  const act = async (job, what) => {
    try {
      await post(`/v1/operations/${encodeURIComponent(job.id)}/${what}`);
      notify(t(`jobs.${what}_done`));
    } catch (error) {
      notify(error.message || t("state.unreachable"));
    }
    loaded.again();
  };
  return html`<${Page} title=${t("pane.jobs")} lead=${t("jobs.lead")}>
    <label class="field narrow"><span>${t("jobs.filter")}</span>
      <select value=${status} onChange=${(event) => go(address(["jobs"], { status: event.target.value }))}>
        <option value="">${t("jobs.all")}</option>
        ${STATES.map((each) => html`<option value=${each}>${term("status", each)}</option>`)}
      </select></label>
    <${Loaded} loaded=${loaded}>
      ${({ jobs, stats }) => html`
        <${Progress} jobs=${jobs} stats=${stats} />
        ${!jobs.length && html`<${Empty} title=${t(status ? "jobs.none" : "jobs.empty")} text=${t("jobs.empty_text")} />`}
        <ul class="entries">
          ${jobs.map(
            (job) => html`<li key=${job.id} class="card entry">
              <p class="meta"><strong>${term("job", job.kind)}</strong> <${Status} status=${job.status} />
                ${job.attempt > 1 && html`<span>${t("jobs.attempt", { n: job.attempt })}</span>`}
                <${Time} at=${job.updated_at} both /></p>
              ${job.error && html`<p class="error">${job.error}</p>`}
              ${job.summary && html`<p class="quiet-line">${job.summary}</p>`}
              <p class="quiet-line"><code>${job.id}</code></p>
              <div class="actions">
                ${["failed", "pending"].includes(job.status) && html`<button type="button" class="button" onClick=${() => act(job, "retry")}>${t("jobs.retry")}</button>`}
                ${["pending", "running"].includes(job.status) && html`<button type="button" class="button" onClick=${() => act(job, "cancel")}>${t("jobs.cancel")}</button>`}
                ${["failed", "pending"].includes(job.status) && html`<button type="button" class="button quiet" onClick=${() => setDropping(job)}>${t("jobs.drop")}</button>`}
                ${job.kind === "forget" && job.status === "succeeded" && html`<a class="button" href=${address(["erasures"], { id: job.id })}>${t("receipt.show")}</a>`}
              </div>
            </li>`,
          )}
        </ul>
      `}
    <//>
    ${dropping && html`<${Confirm}
      title=${t("jobs.drop")}
      label=${t("jobs.drop")}
      act=${() => del(`/v1/operations/${encodeURIComponent(dropping.id)}`)}
      done=${() => notify(t("jobs.dropped"))}
      close=${() => {
        setDropping(null);
        loaded.again();
      }}
    ><p>${t("jobs.drop_text", { kind: term("job", dropping.kind) })}</p><//>`}
  <//>`;
}

/** How many of the listed jobs are in each state, and work that concerns the engines. */
function Progress({ jobs, stats }) {
  const counts = STATES.map((state) => [state, jobs.filter((job) => job.status === state).length]).filter(([, count]) => count);
  return html`
    ${counts.length > 0 && html`<div class="share" aria-hidden="true">
      ${counts.map(([state, count]) => html`<span class=${`share-${state}`} style=${{ flexGrow: count }}></span>`)}
    </div>`}
    <ul class="tiles">
      ${counts.map(([state, count]) => html`<li><strong>${count}</strong> ${term("status", state)}</li>`)}
    </ul>
    ${stats.files && html`<p class="quiet-line">${stats.files}</p>`}
    ${stats.former_embedding && html`<p class="warning">${t("jobs.embedding", { scopes: stats.scopes_to_embed, records: stats.records_to_embed })}</p>`}
  `;
}
