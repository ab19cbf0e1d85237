import { render } from "preact";
import { App } from "./app.js";
import { html } from "./html.js";
import { begin } from "./session.js";
import "./styles/main.css";

render(html`<${App} />`, document.getElementById("app"));
begin();
