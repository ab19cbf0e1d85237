// The shell: who is signed in, the panes, the state of the connection.
import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html.js";
import { state as connection } from "./live.js";
import { PANES } from "./panes/index.js";
import { Notice } from "./parts/dialog.js";
import { Icon } from "./parts/icons.js";
import { Empty, Loading, Page } from "./parts/page.js";
import { address, route } from "./router.js";
import { session, signOut } from "./session.js";
import { SignIn } from "./sign_in.js";
import { LANGUAGES, chooseLanguage, language, t } from "./texts.js";
import { chooseTheme, theme, THEMES } from "./theme.js";

effect(() => {
  document.documentElement.lang = language.value;
});

export function App() {
  if (session.value === undefined) return html`<main class="centre"><${Loading} lines=${3} /></main>`;
  if (session.value === null) return html`<${SignIn} />`;
  return html`<${Shell} />`;
}

function Shell() {
  const [open, setOpen] = useState(false);
  const { pane: name } = route.value;
  const pane = PANES.find((each) => each.id === (name || PANES[0].id));
  const content = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${pane ? t(`pane.${pane.id}`) : t("state.no_page")} · react-mem`;
  }, [pane, language.value]);
  useEffect(() => {
    setOpen(false);
    if (first.current) first.current = false;
    else content.current?.querySelector("h1")?.focus({ preventScroll: true });
    content.current?.scrollTo(0, 0);
  }, [pane]);
  return html`<div class="shell">
    <a class="skip" href="#content" onClick=${(event) => {
      event.preventDefault();
      content.current?.focus();
    }}>${t("shell.skip")}</a>
    <header class="topbar">
      <button type="button" class="button quiet" aria-expanded=${open} aria-controls="nav" onClick=${() => setOpen(!open)}>
        <${Icon} name="menu" /><span>${t("shell.menu")}</span>
      </button>
      <${Brand} />
    </header>
    <div class=${open ? "side open" : "side"} id="nav">
      <${Brand} />
      <nav aria-label=${t("shell.panes")}>
        <ul>
          ${PANES.map(
            (each) => html`<li>
              <a href=${address([each.id])} aria-current=${each === pane ? "page" : undefined} onClick=${() => setOpen(false)}>
                <${Icon} name=${each.id} />${t(`pane.${each.id}`)}
              </a>
            </li>`,
          )}
        </ul>
      </nav>
      <${Foot} />
    </div>
    <main id="content" tabindex="-1" ref=${content}>
      <${Connection} />
      ${pane
        ? html`<${pane.component} key=${pane.id} />`
        : html`<${Page} title=${t("state.no_page")}><${Empty} title=${t("state.no_page_text")} /><//>`}
    </main>
    <${Notice} />
  </div>`;
}

const Brand = () => html`<a class="brand" href=${address([])}><img src="/ui/icon.svg" width="28" height="28" alt="" />react-mem</a>`;

function Connection() {
  if (connection.value !== "lost") return null;
  return html`<p class="banner" role="status">${t("state.connection_lost")}</p>`;
}

function Foot() {
  const { user, collections } = session.value;
  return html`<div class="foot">
    <p class="who"><span class="avatar" aria-hidden="true">${user.slice(0, 1).toUpperCase()}</span
      ><span><strong>${user}</strong><br />${collections.join(", ") || t("shell.all_collections")}</span></p>
    <div class="choices">
      <label><span class="unseen">${t("shell.language")}</span>
        <select value=${language.value} onChange=${(event) => chooseLanguage(event.target.value)}>
          ${Object.entries(LANGUAGES).map(([code, name]) => html`<option value=${code}>${name}</option>`)}
        </select></label>
      <label><span class="unseen">${t("shell.theme")}</span>
        <select value=${theme.value} onChange=${(event) => chooseTheme(event.target.value)}>
          ${THEMES.map((name) => html`<option value=${name}>${t(`theme.${name}`)}</option>`)}
        </select></label>
    </div>
    <button type="button" class="button quiet" onClick=${signOut}>${t("shell.sign_out")}</button>
  </div>`;
}
