// The panes, in the order of the menu.  A new one: a module with a component, a line here, its texts in texts.json
// (`pane.<id>`), and its icon in parts/icons.js.  docs/ui.md explains it.
import { Ask } from "./ask.js";
import { Memories } from "./memories.js";
import { Recall } from "./recall.js";

/** The component of a pane is shown at /ui/<id>; `route.value.rest` has what follows. */
export const PANES = [
  { id: "ask", component: Ask },
  { id: "memories", component: Memories },
  { id: "recall", component: Recall },
];
