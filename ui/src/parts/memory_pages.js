// The memories of a list, read page by page as they come into view.
import { signal } from "@preact/signals";
import { get, post } from "../api.js";

export const PAGE = 100;
const MOST_FOUND = 200; // of a search
const AHEAD = PAGE / 2; // rows before and after the visible ones that are read, too
const MOST_READING = 2; // pages at a time: who drags the bar passes many, and waits for the last one only

/**
 * `filters`: {q, kind, status, speaker, since, until}.  `version` changes whenever rows have come.  With a search, a time or a
 * speaker the number of rows is not known before, so pages come one after the other; else any page can be read.
 */
export class MemoryPages {
  constructor(filters) {
    this.filters = filters;
    this.rows = [];
    this.total = 0;
    this.complete = false; // `total` is the number of rows
    this.error = signal(null);
    this.version = signal(0);
    this.loaded = signal(false);
    this.reading = new Map(); // page or "next" -> promise
    this.cursor = "";
    this.ended = new AbortController();
    this.narrowed = Boolean(filters.speaker || filters.since || filters.until);
  }

  /** Read what these rows need. */
  need(first, last) {
    if (this.filters.q) {
      if (!this.loaded.value) this.#read("search", () => this.#search());
      return;
    }
    if (this.narrowed) {
      if (!this.complete && last >= this.rows.length - PAGE / 2) this.#read("next", () => this.#next());
      return;
    }
    for (const page of pagesOf(first, last)) {
      const missing = this.rows[page * PAGE] === undefined && (page === 0 || page * PAGE < this.total);
      if (missing && this.reading.size < MOST_READING) this.#read(page, () => this.#page(page));
    }
  }

  close() {
    this.ended.abort();
  }

  get #query() {
    const { kind, status, speaker, since, until } = this.filters;
    return { limit: PAGE, kind: kind || undefined, status, speaker, since: startOf(since), until: startOf(until, 1) };
  }

  #read(name, read) {
    if (this.reading.has(name)) return;
    const done = read().then(
      () => {
        this.error.value = null;
        this.loaded.value = true;
        this.reading.delete(name);
        this.version.value += 1;
      },
      (error) => {
        this.reading.delete(name);
        if (!this.ended.signal.aborted) this.error.value = error;
      },
    );
    this.reading.set(name, done);
  }

  async #page(page) {
    const cursor = page ? String(page * PAGE) : "";
    const answer = await get("/v1/memories", { ...this.#query, cursor }, { signal: this.ended.signal });
    answer.results.forEach((memory, place) => {
      this.rows[page * PAGE + place] = memory;
    });
    const known = page * PAGE + answer.results.length;
    // `count` is that of the active ones: for another status, the pages themselves say how many there are.
    const active = (this.filters.status || "active") === "active";
    if (answer.next === null) {
      this.total = known;
      this.complete = true;
    } else this.total = Math.max(this.total, active ? answer.count : known + 1);
  }

  async #next() {
    const answer = await get("/v1/memories", { ...this.#query, cursor: this.cursor }, { signal: this.ended.signal });
    this.rows.push(...answer.results);
    this.cursor = answer.next ?? "";
    this.complete = answer.next === null;
    this.total = this.rows.length + (this.complete ? 0 : 1);
  }

  async #search() {
    const { q, kind, speaker, since, until } = this.filters;
    const types = kind ? kind.split(",") : [];
    const answer = await post("/v1/memories/search", { query: q, limit: MOST_FOUND, types }, { signal: this.ended.signal });
    const [from, to] = [startOf(since), startOf(until, 1)];
    this.rows = answer.results.filter(
      (each) =>
        (!speaker || each.speaker.toLowerCase() === speaker.toLowerCase()) &&
        (!from || new Date(each.created_at) >= new Date(from)) &&
        (!to || new Date(each.created_at) < new Date(to)),
    );
    this.total = this.rows.length;
    this.complete = true;
  }
}

/** The pages of these rows, then those beside them. */
export function pagesOf(first, last) {
  const at = (row) => Math.floor(Math.max(0, row) / PAGE);
  const seen = Array.from({ length: at(last) - at(first) + 1 }, (_, place) => at(first) + place);
  return [...new Set([...seen, at(last + AHEAD), at(first - AHEAD)])];
}

/** A day of the reader's zone as a time of the server; `days` later. */
function startOf(day, days = 0) {
  if (!day) return undefined;
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days).toISOString();
}
