import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const SOURCES = new URL("../src/", import.meta.url);
const texts = JSON.parse(readFileSync(new URL("texts.json", SOURCES), "utf8"));
const code = readdirSync(SOURCES, { recursive: true }).filter((name) => name.endsWith(".js"));
const places = (text) => [...new Set(JSON.stringify(text).match(/\{(\w+)\}/g) ?? [])].sort();

test("every text is there in both languages, with the same values", () => {
  for (const [name, { en, de, ...more }] of Object.entries(texts)) {
    assert.ok(en && de, name);
    assert.deepEqual(more, {}, name);
    assert.equal(typeof en, typeof de, name);
    assert.deepEqual(places(en), places(de), name);
    if (typeof en === "object") assert.deepEqual([Object.keys(en), Object.keys(de)], [["one", "other"], ["one", "other"]], name);
  }
});

test("every text that the code names is there", () => {
  const missing = [];
  for (const file of code) {
    for (const [, name] of readFileSync(new URL(file, SOURCES), "utf8").matchAll(/\bt\("([\w.]+)"/g)) {
      if (!(name in texts)) missing.push(`${file}: ${name}`);
    }
  }
  assert.deepEqual(missing, []);
});
