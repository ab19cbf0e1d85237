// What the ranking has learned: whether it helps, its curves over the turns, and the weights of its features.
import { get } from "../api.js";
import { html } from "../html.js";
import { Bars } from "../parts/bars.js";
import { Chart } from "../parts/chart.js";
import { useLoad } from "../parts/load.js";
import { Empty, Page } from "../parts/page.js";
import { Loaded } from "../parts/states.js";
import { decimal, t } from "../texts.js";
import { absolute } from "../time.js";

const WINDOW = 10; // turns of a mean
const LEAST_JUDGED = 5;

/** A figure of the turns that have it.  Answers without readable citations say nothing of reward and citation rate. */
export function valuesOf(rows, name) {
  const judged = name === "reward" || name === "citation_rate";
  return rows.filter((row) => name in row && !(judged && (row.malformed || row.absent))).map((row) => Number(row[name]));
}

/** The mean of the newest `window` values at each place. */
export function trailing(values, window = WINDOW) {
  return values.map((_, at) => {
    const part = values.slice(Math.max(0, at - window + 1), at + 1);
    return part.reduce((sum, each) => sum + each, 0) / part.length;
  });
}

export function Learning() {
  const loaded = useLoad((signal) => get("/v1/learn", {}, { signal }), [], ["job."]);
  return html`<${Page} title=${t("pane.learning")} lead=${t("learning.lead")}>
    <${Loaded} loaded=${loaded}>${({ status }) => html`<${Learned} rows=${status.rows ?? []} policy=${status.policy ?? {}} />`}<//>
  <//>`;
}

function verdict({ won = 0, lost = 0, trust = 0 }) {
  const values = { won: Math.round(won), lost: Math.round(lost), trust: decimal(trust) };
  if (won + lost < LEAST_JUDGED) return t("learning.early", { ...values, needed: LEAST_JUDGED });
  return t(won > lost ? "learning.helps" : "learning.no_help", values);
}

function Learned({ rows, policy }) {
  if (!rows.length) return html`<${Empty} title=${t("learning.empty")} text=${t("learning.empty_text")} command="react-mem chat" />`;
  const day = (row) => (row?.at ? absolute(row.at * 1000) : "");
  const ends = [day(rows[0]), day(rows.at(-1))];
  const curve = (name, mean = true) => ({ name: t(`learning.${name}`), values: mean ? trailing(valuesOf(rows, name)) : valuesOf(rows, name) });
  const norms = valuesOf(rows, "weight_norm");
  const features = policy.features ?? {};
  return html`
    <p>${verdict(policy)}</p>
    ${!rows.at(-1).learning && html`<p class="warning">${t("learning.off")}</p>`}
    <ul class="tiles">
      <li><strong>${rows.length}</strong> ${t("learning.turns", { n: rows.length })}</li>
      <li><strong>${policy.updates ?? 0}</strong> ${t("learning.updates")}</li>
      <li><strong>${decimal(policy.trust ?? 0)}</strong> ${t("learning.trust")}</li>
    </ul>
    <${Chart} title=${t("learning.citations")} curves=${[curve("citation_rate"), curve("mrr_shown")]} low=${0} high=${1} ends=${ends} />
    <${Chart} title=${t("learning.rewards")} curves=${[curve("reward")]} low=${-1} high=${1} ends=${ends} />
    <${Chart} title=${t("learning.weights")} curves=${[curve("weight_norm", false), curve("trust", false)]} low=${0} high=${Math.max(1, ...norms)} ends=${ends} />
    <p class="quiet-line">${t("learning.means", { n: WINDOW })}</p>
    ${Object.keys(features).length > 0 && html`<section class="card entry"><h2>${t("learning.features")}</h2><${Bars} why=${features} /></section>`}
  `;
}
