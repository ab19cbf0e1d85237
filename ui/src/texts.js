// The texts of the page in the reader's language.  texts.json has all of them, in each language.
import { signal } from "@preact/signals";
import texts from "./texts.json";

export const LANGUAGES = { en: "English", de: "Deutsch" };
const KEPT = "react-mem-language";

function chosen() {
  const kept = localStorage.getItem(KEPT);
  if (kept in LANGUAGES) return kept;
  return navigator.languages.map((each) => each.slice(0, 2)).find((each) => each in LANGUAGES) ?? "en";
}

export const language = signal(chosen());

export function chooseLanguage(name) {
  localStorage.setItem(KEPT, name);
  language.value = name;
}

/**
 * The text of a name, with `{values}` filled in.  A text may have two forms, {"one": …, "other": …}; the value `n` decides.
 * Numbers are written as in the language.
 */
export function t(name, values = {}) {
  const found = texts[name]?.[language.value];
  if (found === undefined) return name;
  const form = typeof found === "string" ? found : (found[new Intl.PluralRules(language.value).select(values.n)] ?? found.other);
  return form.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? written(values[key]) : whole));
}

function written(value) {
  return typeof value === "number" ? value.toLocaleString(language.value) : String(value);
}

/** With two decimals and a true minus sign.  `signed`: a plus sign, too. */
export function decimal(value, signed = false) {
  const digits = Math.abs(value).toLocaleString(language.value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const sign = value < 0 && Number(value.toFixed(2)) !== 0 ? "−" : signed ? "+" : "";
  return sign + digits;
}

/** A term of the server, such as a kind or a status: its text where there is one, else the term itself.  `values`: as of `t`. */
export const term = (group, name, values = {}) => (texts[`${group}.${name}`] ? t(`${group}.${name}`, values) : name);
