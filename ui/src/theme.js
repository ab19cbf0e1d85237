// Light, dark, or as the system.
import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"];
const KEPT = "react-mem-theme";

const kept = localStorage.getItem(KEPT);
export const theme = signal(THEMES.includes(kept) ? kept : "system");

export function chooseTheme(name) {
  localStorage.setItem(KEPT, name);
  theme.value = name;
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});
