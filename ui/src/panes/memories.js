import { html } from "../html.js";
import { Page } from "../parts/page.js";
import { t } from "../texts.js";

export function Memories() {
  return html`<${Page} title=${t("pane.memories")} />`;
}
