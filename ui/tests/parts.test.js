import assert from "node:assert/strict";
import { test } from "node:test";
import { diff } from "../src/parts/diff.js";

test("a difference names the words that changed", () => {
  assert.deepEqual(diff("I live in Lisbon.", "I live in Porto."), [
    { kind: "same", text: "I live in " },
    { kind: "removed", text: "Lisbon." },
    { kind: "added", text: "Porto." },
  ]);
  assert.deepEqual(diff("", "new"), [{ kind: "added", text: "new" }]);
  assert.deepEqual(diff("same", "same"), [{ kind: "same", text: "same" }]);
});

test("the parts of a difference give both texts, and a long one is not compared", () => {
  const [before, after] = ["a b c d e", "a c x e f"];
  const parts = diff(before, after);
  const without = (kind) => parts.filter((each) => each.kind !== kind).map((each) => each.text).join("");
  assert.equal(without("added"), before);
  assert.equal(without("removed"), after);
  const long = "word ".repeat(100_000);
  assert.equal(diff(long, `${long}x`).length, 2);
});
