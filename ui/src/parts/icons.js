// Icons as paths of a 24 by 24 grid.  They are decoration: what they stand for is written beside them.
import { html } from "../html.js";

const PATHS = {
  ask: "M4 5h16v11H9l-5 4z",
  memories: "M5 4h11l3 3v13H5zM9 11h6M9 15h6",
  recall: "M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5 21 21M8 10.5h5M10.5 8v5",
  conversations: "M4 5h12v8H8l-4 3zM9 16h7l4 3v-9h-2",
  rules: "M5 6h14M5 12h14M5 18h9M3 6h0M3 12h0M3 18h0",
  jobs: "M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",
  learning: "M4 19V5M4 19h16M7 15l4-5 3 3 5-7",
  erasures: "M6 7h12M9 7V4h6v3M8 7l1 13h6l1-13",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 9V5M8 19v-4",
  health: "M3 12h4l2-6 4 12 2-6h6",
  menu: "M4 7h16M4 12h16M4 17h16",
  send: "M5 12h13M12 6l6 6-6 6",
  up: "M7 21V10l4-7c2 0 2.5 1.5 2 3.5L12.500 10H19l-1.500 11zM7 10H4v11h3",
  down: "M17 3v11l-4 7c-2 0-2.500-1.500-2-3.500L11.500 14H5L6.500 3zM17 14h3V3h-3",
  close: "M6 6l12 12M18 6 6 18",
};

export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name] ?? ""} /></svg>`;
