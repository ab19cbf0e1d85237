// Times in the zone and the language of the reader.
import { html } from "./html.js";
import { language } from "./texts.js";

const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** The reader's own form of the chosen language, such as en-GB: it decides how a date is written. */
const locale = () => navigator.languages.find((each) => each.slice(0, 2) === language.value) ?? language.value;

/** "3 days ago", "in 2 hours", "now". */
export function relative(at, now = Date.now(), tongue = language.value) {
  const seconds = (new Date(at) - now) / 1000;
  const words = new Intl.RelativeTimeFormat(tongue, { numeric: "auto" });
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  }
  return words.format(0, "second");
}

export function absolute(at, tongue = locale()) {
  return new Date(at).toLocaleString(tongue, { dateStyle: "medium", timeStyle: "short" });
}

/** A time of the server (ISO 8601): relative, with the absolute one on hover and for assistive software. */
export function Time({ at, both = false }) {
  if (!at || Number.isNaN(new Date(at).getTime())) return null;
  const shown = absolute(at);
  return html`<time datetime=${at} title=${shown}>${both ? `${shown} (${relative(at)})` : relative(at)}</time>`;
}
