import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE, pagesOf } from "../src/parts/memory_pages.js";

test("the visible pages are read first, then those beside them", () => {
  assert.deepEqual(pagesOf(0, 20), [0]);
  assert.deepEqual(pagesOf(PAGE - 10, PAGE + 10), [0, 1]);
  assert.deepEqual(pagesOf(2 * PAGE, 2 * PAGE + 20), [2, 1]);
  assert.deepEqual(pagesOf(2 * PAGE + 70, 2 * PAGE + 90), [2, 3]);
});
