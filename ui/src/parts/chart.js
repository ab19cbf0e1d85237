// A curve over the number of the turn, and the same numbers as a table for those who do not see it.
import { html } from "../html.js";
import { language, t } from "../texts.js";
import { Table } from "./states.js";

const WIDTH = 640;
const HEIGHT = 170;
const LEFT = 56;
const FOOT = 30;
const TOP = 18;
const MOST_ROWS = 20;

/**
 * `curves`: [{name, values}], two at most; the second is dashed.  `low`, `high`: of the axis.
 * `ends`: labels of the first and the last place.
 */
export function Chart({ title, curves, low, high, ends = ["", ""] }) {
  const x = (at, count) => LEFT + (WIDTH - LEFT - 4) * (count > 1 ? at / (count - 1) : 0.5);
  const y = (value) => HEIGHT - FOOT - ((Math.min(high, Math.max(low, value)) - low) / (high - low || 1)) * (HEIGHT - FOOT - TOP);
  const number = (value) => value.toLocaleString(language.value, { maximumFractionDigits: 2 });
  const drawn = curves.filter((each) => each.values.length > 0);
  return html`<figure class="chart card">
    <figcaption>
      <strong>${title}</strong>
      <span class="legend">
        ${drawn.map(({ name, values }, place) => html`<span><i class=${`key key${place}`} aria-hidden="true"></i>${name}: ${number(values.at(-1))}</span>`)}
      </span>
    </figcaption>
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      ${[low, (low + high) / 2, high].map(
        (value) => html`<line x1=${LEFT} x2=${WIDTH} y1=${y(value)} y2=${y(value)} class="grid" />
          <text x=${LEFT - 6} y=${y(value) + 4} text-anchor="end">${number(value)}</text>`,
      )}
      ${drawn.map(({ values }, place) =>
        values.length > 1
          ? html`<polyline class=${`curve curve${place}`} points=${values.map((value, at) => `${x(at, values.length).toFixed(1)},${y(value).toFixed(1)}`).join(" ")} />`
          : html`<circle class=${`dot dot${place}`} cx=${x(0, 1)} cy=${y(values[0])} r="4" />`,
      )}
      <text x=${LEFT} y=${HEIGHT - 4}>${ends[0]}</text>
      <text x=${WIDTH - 4} y=${HEIGHT - 4} text-anchor="end">${ends[1]}</text>
    </svg>
    <details>
      <summary>${t("chart.table")}</summary>
      <${Table} label=${title} columns=${[t("chart.turn"), ...drawn.map((each) => each.name)]} rows=${newest(drawn, number)} />
    </details>
  </figure>`;
}

function newest(curves, number) {
  const count = Math.max(0, ...curves.map((each) => each.values.length));
  const first = Math.max(0, count - MOST_ROWS);
  return Array.from({ length: count - first }, (_, at) => [
    first + at + 1,
    ...curves.map(({ values }) => (values[first + at] === undefined ? "" : number(values[first + at]))),
  ]);
}
