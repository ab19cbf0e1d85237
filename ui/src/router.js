// Addresses: /ui/<pane>/<rest>?<query>.  The server answers each with the same page.
import { computed, signal } from "@preact/signals";

const ROOT = "/ui/";
const at = signal(location.pathname + location.search);

/** A part of an address that a person typed may be no encoding at all. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** {pane, rest: [parts], query: URLSearchParams} of the address. */
export const route = computed(() => {
  const [path, search = ""] = at.value.split("?");
  const [pane = "", ...rest] = path.slice(ROOT.length).split("/").filter(Boolean).map(decoded);
  return { pane, rest, query: new URLSearchParams(search) };
});

/** The address of a pane: `address(["memories", id], {kind: "turn"})`. */
export function address(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  return ROOT + parts.map(encodeURIComponent).join("/") + search;
}

/** `replace`: the former address does not stay in the history, as while typing. */
export function go(url, { replace = false } = {}) {
  if (url === at.value) return;
  history[replace ? "replaceState" : "pushState"](null, "", url);
  at.value = url;
}

addEventListener("popstate", () => {
  at.value = location.pathname + location.search;
});
addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || link.target || link.origin !== location.origin || !link.pathname.startsWith(ROOT)) return;
  if (link.pathname.includes(".") || link.hash) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
