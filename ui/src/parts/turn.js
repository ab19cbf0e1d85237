// One turn, put together from the messages of the agent.
import { signal } from "@preact/signals";

const RECALLED = "urn:trustgraph:memory:recalled";
const CITED = "urn:trustgraph:memory:cited";

/** The turn of a question: a signal, which `feed` changes. */
export function newTurn(question) {
  return signal({
    question,
    at: new Date().toISOString(),
    thoughts: [],
    answer: "",
    recalled: null, // {memories, rules, episodes, missing, gate, …}
    cited: null, // {ids, citation, recorded, …}
    jobs: [], // {id, kind, status, error}
    error: "",
    ended: false,
    open: "", // kind of the message that is being streamed
  });
}

/** What the turn is after one more message. */
export function feed(turn, message) {
  const next = { ...turn };
  const kind = message.message_type;
  const text = message.content ?? "";
  if (kind === "explain") {
    for (const [predicate, note] of notesOf(message)) {
      if (predicate === RECALLED) next.recalled = note;
      if (predicate === CITED) next.cited = note;
    }
  } else if (kind === "answer") {
    next.answer += text;
    if (message.end_of_message && !message.end_of_dialog) next.answer = ""; // withdrawn: the complete answer follows
  } else if (kind === "thought" || kind === "observation" || kind === "action") {
    const begun = turn.open === kind;
    const last = begun ? turn.thoughts.at(-1) : { kind, text: "" };
    next.thoughts = [...(begun ? turn.thoughts.slice(0, -1) : turn.thoughts), { kind, text: last.text + text }];
  }
  if (kind !== "explain") next.open = message.end_of_message ? "" : kind;
  if (message.end_of_dialog) {
    next.ended = true;
    next.tokens = (message.in_token ?? 0) + (message.out_token ?? 0);
    next.model = message.model ?? "";
  }
  return next;
}

function notesOf(message) {
  const found = [];
  for (const { p, o } of message.explain_triples ?? []) {
    if (p?.i !== RECALLED && p?.i !== CITED) continue;
    try {
      found.push([p.i, JSON.parse(o.v)]);
    } catch {
      continue; // of another version
    }
  }
  return found;
}

/** The turn without the text of a memory that was erased after it. */
export function withoutMemory(turn, id) {
  const memories = turn.recalled?.memories ?? [];
  if (!memories.some((each) => each.id === id)) return turn;
  const kept = memories.map((each) => (each.id === id ? { ...each, content: "", why: {}, erased: true } : each));
  return { ...turn, recalled: { ...turn.recalled, memories: kept } };
}

/** A job event, in the list of the turn's jobs. */
export function withJob(turn, event) {
  const status = event.kind.slice("job.".length);
  const job = { id: event.job_id, kind: event.job_kind, status, error: event.error ?? "" };
  const known = turn.jobs.some((each) => each.id === job.id);
  return { ...turn, jobs: known ? turn.jobs.map((each) => (each.id === job.id ? job : each)) : [...turn.jobs, job] };
}
