// What a question reaches: candidates with their scores before and after reranking, what adds to them, and why others are left out.
import { useState } from "preact/hooks";
import { post } from "../api.js";
import { html } from "../html.js";
import { Badge, Kind } from "../parts/badges.js";
import { Bars, contributions } from "../parts/bars.js";
import { useLoad } from "../parts/load.js";
import { Empty, Failure, Loading, Page } from "../parts/page.js";
import { address, go, route } from "../router.js";
import { decimal, t, term } from "../texts.js";
import { Time } from "../time.js";

const STATES = ["shown", "cut", "folded", "dissimilar"];
const MODES = ["off", "paper", "calibrated"];
const TONES = { shown: "good", cut: "", folded: "warm", dissimilar: "" };

export function Recall() {
  const { query } = route.value;
  const asked = { q: query.get("q") ?? "", limit: query.get("limit") ?? "5", candidates: query.get("candidates") ?? "20", rerank: query.get("rerank") ?? "" };
  return html`<${Page} title=${t("pane.recall")} lead=${t("recall.lead")} wide>
    <${Question} key=${JSON.stringify(asked)} asked=${asked} />
    ${asked.q ? html`<${Explanation} key=${JSON.stringify(asked)} asked=${asked} />` : html`<${Empty} title=${t("recall.empty")} text=${t("recall.empty_text")} />`}
  <//>`;
}

function Question({ asked }) {
  const [values, setValues] = useState(asked);
  const change = (name) => (event) => setValues({ ...values, [name]: event.target.value });
  const submit = (event) => {
    event.preventDefault();
    if (values.q.trim()) go(address(["recall"], { ...values, q: values.q.trim() }));
  };
  return html`<form class="card recall-form" onSubmit=${submit}>
    <label class="field grow"><span>${t("recall.question")}</span>
      <input type="search" required value=${values.q} onInput=${change("q")} /></label>
    <label class="field"><span>${t("recall.limit")}</span>
      <input type="number" min="1" max="100" value=${values.limit} onInput=${change("limit")} /></label>
    <label class="field"><span>${t("recall.candidates")}</span>
      <input type="number" min="1" max="200" value=${values.candidates} onInput=${change("candidates")} /></label>
    <label class="field"><span>${t("recall.rerank")}</span>
      <select value=${values.rerank} onChange=${change("rerank")}>
        <option value="">${t("recall.rerank_default")}</option>
        ${MODES.map((mode) => html`<option value=${mode}>${term("rerank", mode)}</option>`)}
      </select></label>
    <button type="submit" class="button primary">${t("recall.explain")}</button>
  </form>`;
}

function Explanation({ asked }) {
  const read = (signal) =>
    post("/v1/memories/explain", { query: asked.q, limit: Number(asked.limit), candidates: Number(asked.candidates), rerank: asked.rerank }, { signal });
  const { data, error, again } = useLoad(read, [asked.q, asked.limit, asked.candidates, asked.rerank], ["memory.forgotten"]);
  if (error) return html`<${Failure} error=${error} retry=${again} />`;
  if (!data) return html`<${Loading} lines=${6} />`;
  const numbers = data.results.flatMap((each) => [each.score, each.retrieval_score]).filter((each) => each !== null);
  const span = Math.max(0.1, ...numbers.map(Math.abs));
  const most = Math.max(0.01, ...data.results.flatMap((each) => contributions(each.why).map(({ value }) => Math.abs(value))));
  const took = Object.values(data.timings_ms).reduce((sum, each) => sum + each, 0);
  const texts = Object.fromEntries(data.results.map((each) => [each.id, each.memory]));
  return html`
    <p class="meta" role="status">
      <span>${t("recall.summary", { n: data.results.length })}</span>
      <span>${data.policy_version ? t("recall.policy", { version: data.policy_version }) : t("recall.no_policy")}</span>
      <span>${t("recall.took", { ms: Math.round(took) })}</span>
      ${data.unranked && html`<span class="warning">${t("recall.unranked", { reason: data.unranked })}</span>`}
    </p>
    ${data.abstained && html`<p class="warning">${t("recall.abstained")}</p>`}
    ${!data.results.length && html`<${Empty} title=${t("recall.nothing")} text=${t("recall.nothing_text")} />`}
    ${STATES.map((state) => {
      const found = data.results.filter((each) => each.state === state);
      return (
        found.length > 0 &&
        html`<section class="candidates">
          <h2>${t(`recall.${state}`, { n: found.length })}</h2>
          <p class="lead">${t(`recall.${state}_text`)}</p>
          <ol>
            ${found.map((each) => html`<${Candidate} key=${each.id} candidate=${each} place=${data.results.indexOf(each)} span=${span} most=${most} texts=${texts} />`)}
          </ol>
        </section>`
      );
    })}
    ${data.rules.length > 0 &&
    html`<section class="candidates">
      <h2>${t("recall.rules", { n: data.rules.length })}</h2>
      <ul>
        ${data.rules.map((rule) => html`<li class="card candidate-rule"><a href=${address(["memories", rule.id])}>${rule.memory}</a></li>`)}
      </ul>
    </section>`}
  `;
}

function Candidate({ candidate, place, span, most, texts }) {
  const { state, rank_before: before, score, retrieval_score: base, probability } = candidate;
  const rank = state === "shown" || state === "cut" ? place + 1 : null;
  const moved = rank !== null && before !== null && before >= 0 ? before + 1 - rank : 0;
  return html`<li class=${`card candidate ${state}`}>
    <div class="candidate-head">
      <span class="rank">${rank ?? "–"}</span>
      <div class="candidate-text">
        <p class="clipped"><a href=${address(["memories", candidate.id])}>${candidate.memory}</a></p>
        <p class="meta">
          <${Badge} tone=${TONES[state]}>${t(`recall.state_${state}`)}<//>
          <${Kind} kind=${candidate.kind} />
          ${candidate.speaker && html`<span>${candidate.speaker}</span>`}
          <${Time} at=${candidate.said_at || candidate.created_at} />
          ${candidate.until && html`<span>${candidate.until}</span>`}
          ${moved !== 0 && html`<span class=${moved > 0 ? "rose" : "fell"}>${t(moved > 0 ? "recall.rose" : "recall.fell", { n: Math.abs(moved) })}</span>`}
        </p>
        ${state === "folded" && html`<p class="meta">${candidate.folded_into ? html`${t("recall.folded_into")} <a href=${address(["memories", candidate.folded_into])}>${texts[candidate.folded_into] ?? candidate.folded_into}</a>` : t("recall.folded_repeat")}</p>`}
      </div>
      <dl class="scores">
        <${Score} name=${t("recall.before")} value=${base} span=${span} />
        <${Score} name=${t("recall.after")} value=${score} span=${span} strong />
        ${probability !== null && html`<div><dt>${t("recall.share")}</dt><dd>${Math.round(probability * 100)} %</dd></div>`}
      </dl>
    </div>
    ${candidate.why && Object.keys(candidate.why).length > 0 &&
    html`<details open=${place === 0 || undefined}>
      <summary>${t("recall.why", { n: contributions(candidate.why).length })}</summary>
      <${Bars} why=${candidate.why} most=${most} />
    </details>`}
  </li>`;
}

function Score({ name, value, span, strong = false }) {
  if (value === null || value === undefined) return null;
  const share = Math.min(1, Math.abs(value) / span) * 50;
  const place = value < 0 ? { left: `${50 - share}%`, width: `${share}%` } : { left: "50%", width: `${share}%` };
  return html`<div>
    <dt>${name}</dt>
    <dd><span class="bar-track" aria-hidden="true"><span class=${`bar${value < 0 ? " minus" : ""}${strong ? "" : " faint"}`} style=${place}></span></span>${decimal(value)}</dd>
  </div>`;
}
