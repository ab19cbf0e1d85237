// What adds to a score, as bars left and right of zero, with the number beside each.
import { html } from "../html.js";
import { decimal, term } from "../texts.js";

/** `why`: feature -> contribution, as the server sends it.  Largest first. */
export function contributions(why) {
  const parts = Object.entries(why ?? {}).map(([name, value]) => ({ name, value: Number(value) }));
  return parts.filter((each) => Math.abs(each.value) >= 0.005).sort((one, other) => Math.abs(other.value) - Math.abs(one.value));
}

/** `most`: the contribution that fills a half. */
export function Bars({ why, most, limit = 20 }) {
  const parts = contributions(why).slice(0, limit);
  const scale = most ?? Math.max(0.01, ...parts.map((each) => Math.abs(each.value)));
  return html`<ul class="bars">
    ${parts.map(({ name, value }) => {
      const share = Math.min(1, Math.abs(value) / scale) * 50;
      const place = value < 0 ? { left: `${50 - share}%`, width: `${share}%` } : { left: "50%", width: `${share}%` };
      return html`<li>
        <span class="bar-name">${term("feature", name)}</span>
        <span class="bar-track" aria-hidden="true"><span class=${value < 0 ? "bar minus" : "bar"} style=${place}></span></span>
        <span class="bar-value">${decimal(value, true)}</span>
      </li>`;
    })}
  </ul>`;
}
