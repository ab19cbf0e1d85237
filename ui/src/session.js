// Who is signed in.  The cookie is invisible to scripts; the page keeps only the token that proves that it sends a request.
import { effect, signal } from "@preact/signals";

/** undefined: not known yet; null: signed out; else {user, collections, workspace, writes, csrf, expires_at}. */
export const session = signal(undefined);
/** Why signing in failed, as a text of the server. */
export const refusal = signal("");

// Another person may sign in next: nothing of this one stays in the page.
let signedIn = false;
effect(() => {
  if (signedIn && session.value === null) location.reload();
  signedIn = Boolean(session.value);
});

const LINK = /^#token=([\w-]+)$/;

/** Sign in with the link that opened the page, or continue the session of this browser. */
export async function begin() {
  const found = LINK.exec(location.hash);
  if (found) {
    history.replaceState(null, "", location.pathname + location.search); // the link leaves the address and the history
    if (await signIn(found[1])) return;
  }
  const response = await fetch("/ui/session").catch(() => null);
  session.value = response?.ok ? await response.json() : null;
}

/** Exchange the secret of a link, or a key, for a session.  Returns whether that worked. */
export async function signIn(secret) {
  const headers = { Authorization: `Bearer ${secret}` };
  const response = await fetch("/ui/session", { method: "POST", headers }).catch(() => null);
  const body = await response?.json().catch(() => null);
  refusal.value = response?.ok ? "" : (body?.detail ?? "");
  if (response?.ok) session.value = body;
  return Boolean(response?.ok);
}

export async function signOut() {
  await fetch("/ui/session", { method: "DELETE", headers: { "X-CSRF-Token": session.value?.csrf ?? "" } }).catch(() => null);
  history.replaceState(null, "", "/ui/");
  session.value = null;
}
