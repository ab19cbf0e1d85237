// What the server sends as it happens: the answers of the agent, and the events of the memory.  Events are followed again after
// a lost connection, and none is missed.
import { effect, signal } from "@preact/signals";
import { open } from "./api.js";
import { session } from "./session.js";

/** "idle" | "connecting" | "open" | "lost": of the stream of events. */
export const state = signal("idle");

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

const listeners = new Set(); // {kinds: prefixes, take}
let following = null; // AbortController of the stream of events
let cursor = "";
let wait = FIRST_WAIT_MS;
let timer = 0;

/** Give `take` the data of each server-sent event of a response. */
async function read(response, take) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data: "));
      if (data) take(JSON.parse(data.slice(6)));
    }
  }
}

async function connect() {
  clearTimeout(timer);
  if (!session.value || following || document.hidden) return;
  const mine = new AbortController();
  following = mine;
  if (state.peek() !== "lost") state.value = "connecting";
  try {
    const headers = cursor ? { "Last-Event-ID": cursor } : {};
    const response = await open("GET", "/v1/events", { headers, signal: mine.signal });
    wait = FIRST_WAIT_MS;
    state.value = "open";
    if (!cursor) publish({ kind: "lost" }); // what a pane read before may have changed since
    await read(response, (event) => {
      cursor = event.cursor ?? cursor;
      if (event.kind) publish(event);
    });
  } catch {
    // Whatever ended it: `lost` tries again, and a request without a session ends this one.
  }
  if (following === mine) lost();
}

function lost() {
  following = null;
  if (!session.value) return;
  state.value = "lost";
  timer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
  wait = Math.min(wait * 2, LONGEST_WAIT_MS);
}

function publish(event) {
  for (const each of listeners) {
    if (event.kind === "lost" || each.kinds.some((kind) => event.kind.startsWith(kind))) each.take(event);
  }
}

/**
 * Put a question to the agent: {question, conversation_id}.  `take` gets each message of the answer.
 * The promise ends with it; if the connection breaks before, it is rejected with "lost": the agent finishes the turn and records
 * it, and the answer is in the conversation.
 */
export async function ask(request, take) {
  let failure = "lost";
  const response = await open("POST", "/ui/ask", { body: request });
  await read(response, (message) => {
    if (message.error) failure = message.error.message;
    else take(message);
    if (message.end_of_dialog) failure = "";
  }).catch(() => {});
  if (failure) throw new Error(failure);
}

/**
 * Follow events whose kind begins with one of `kinds`, such as "memory." or "job.".  Returns what ends it.
 * An event of the kind "lost" comes to all: read the state again.
 */
export function follow(kinds, take) {
  const entry = { kinds, take };
  listeners.add(entry);
  return () => listeners.delete(entry);
}

function stop() {
  clearTimeout(timer);
  state.value = "idle";
  following?.abort();
  following = null;
}

effect(() => {
  if (session.value) connect();
  else {
    cursor = "";
    stop();
  }
});
// A browser opens six connections to a host: tabs that nobody looks at would take them from the one that asks.
document.addEventListener("visibilitychange", () => (document.hidden ? stop() : connect()));
addEventListener("online", () => {
  wait = FIRST_WAIT_MS;
  connect();
});
