// The panes, in the order of the menu.  A new one: a module with a component, a line here, its texts in texts.json
// (`pane.<id>`), and its icon in parts/icons.js.  docs/ui.md explains it.
import { Ask } from "./ask.js";
import { Conversations } from "./conversations.js";
import { Erasures } from "./erasures.js";
import { Health } from "./health.js";
import { Jobs } from "./jobs.js";
import { Learning } from "./learning.js";
import { Memories } from "./memories.js";
import { Recall } from "./recall.js";
import { Rules } from "./rules.js";
import { Settings } from "./settings.js";

/** The component of a pane is shown at /ui/<id>; `route.value.rest` has what follows. */
export const PANES = [
  { id: "ask", component: Ask },
  { id: "memories", component: Memories },
  { id: "recall", component: Recall },
  { id: "conversations", component: Conversations },
  { id: "rules", component: Rules },
  { id: "jobs", component: Jobs },
  { id: "learning", component: Learning },
  { id: "erasures", component: Erasures },
  { id: "settings", component: Settings },
  { id: "health", component: Health },
];
