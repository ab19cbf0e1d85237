// What a browser without a session shows.
import { useState } from "preact/hooks";
import { html } from "./html.js";
import { refusal, signIn } from "./session.js";
import { t } from "./texts.js";

export function SignIn() {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    await signIn(key.trim());
    setBusy(false);
  };
  return html`<main class="centre">
    <div class="card sign-in">
      <img src="/ui/icon.svg" width="48" height="48" alt="" />
      <h1>${t("sign_in.title")}</h1>
      <p>${t("sign_in.command")}</p>
      <p><code>react-mem ui</code></p>
      <form onSubmit=${submit}>
        <label class="field">
          <span>${t("sign_in.key")}</span>
          <input
            type="password"
            autocomplete="off"
            value=${key}
            aria-describedby="refusal"
            onInput=${(event) => setKey(event.target.value)}
          />
        </label>
        <p id="refusal" class="error" role="alert">${refusal.value}</p>
        <button type="submit" class="button primary" disabled=${busy || !key.trim()}>${t("sign_in.submit")}</button>
      </form>
    </div>
  </main>`;
}
