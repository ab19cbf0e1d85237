// The socket: questions to the agent, and the events of the memory.  It connects again by itself and misses no event.
import { effect, signal } from "@preact/signals";
import { session } from "./session.js";

/** "idle" | "connecting" | "open" | "lost": of the connection. */
export const state = signal("idle");

const EVENTS = "events";
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
const UNAUTHENTICATED = 4401;

const waiting = new Map(); // id of a question -> {frame, take, resolve, reject}
const listeners = new Set(); // {kinds: prefixes, take}
let socket = null;
let cursor = "";
let number = 0;
let wait = FIRST_WAIT_MS;
let timer = 0;

function connect() {
  clearTimeout(timer);
  if (!session.value || socket) return;
  state.value = state.value === "lost" ? "lost" : "connecting";
  socket = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/v1/socket`);
  socket.onopen = () => socket?.send(JSON.stringify({ type: "auth", csrf: session.value?.csrf ?? "" }));
  socket.onmessage = ({ data }) => take(JSON.parse(data));
  socket.onclose = ({ code }) => closed(code);
}

function closed(code) {
  socket = null;
  for (const [id, { reject }] of waiting) {
    waiting.delete(id); // the agent finishes the turn and records it; the answer is in the conversation
    reject(new Error("lost"));
  }
  if (code === UNAUTHENTICATED) session.value = null;
  if (!session.value) {
    state.value = "idle";
    return;
  }
  state.value = "lost";
  timer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
  wait = Math.min(wait * 2, LONGEST_WAIT_MS);
}

function take(message) {
  if (message.type === "auth-ok") {
    wait = FIRST_WAIT_MS;
    state.value = "open";
    const after = cursor ? { after: cursor } : {};
    socket.send(JSON.stringify({ id: EVENTS, service: "events", request: { operation: "subscribe", ...after } }));
    for (const { frame } of waiting.values()) socket.send(frame);
    return;
  }
  if (message.type === "auth-failed") {
    session.value = null;
    return;
  }
  if (message.id === EVENTS) {
    // What a pane read before the first subscription may have changed since.
    if (message.response?.operation === "subscribed" && !cursor) publish({ kind: "lost" });
    if (message.response?.cursor) cursor = message.response.cursor;
    if (message.response?.kind) publish(message.response);
    return;
  }
  const asked = waiting.get(message.id);
  if (!asked) return;
  if (message.error) {
    waiting.delete(message.id);
    asked.reject(new Error(message.error.message));
    return;
  }
  asked.take(message.response);
  if (message.complete) {
    waiting.delete(message.id);
    asked.resolve();
  }
}

function publish(event) {
  for (const each of listeners) {
    if (event.kind === "lost" || each.kinds.some((kind) => event.kind.startsWith(kind))) each.take(event);
  }
}

/**
 * Put a question to the agent: `request` as for the service `agent` of the socket (docs/http-events.md).
 * `take` gets each message of the answer.  The promise ends with it.
 */
export function ask(request, take) {
  const id = `q${(number += 1)}`;
  const frame = JSON.stringify({ id, service: "agent", request });
  return new Promise((resolve, reject) => {
    waiting.set(id, { frame, take, resolve, reject });
    if (state.value === "open") socket.send(frame);
    else connect();
  });
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

effect(() => {
  if (session.value) connect();
  else {
    clearTimeout(timer);
    cursor = "";
    socket?.close();
  }
});
addEventListener("online", () => {
  wait = FIRST_WAIT_MS;
  connect();
});
