import assert from "node:assert/strict";
import { displayWidth, escapeForTerminal, truncateToWidth } from "../../lib/cli/output/escape.ts";

Deno.test("escapeForTerminal() leaves what people write alone", () => {
  for (
    const text of ["plain", "naïve – “quotes”", "日本語", "مرحبا", "می\u200cخواهم", "👩\u200d💻 ok"]
  ) {
    assert.equal(escapeForTerminal(text), text);
  }
});

Deno.test("displayWidth() counts wide characters twice and marks not at all", () => {
  assert.equal(displayWidth("abc"), 3);
  assert.equal(displayWidth("日本"), 4);
  assert.equal(displayWidth("e\u0301"), 1);
  assert.equal(displayWidth("👩"), 2);
});

Deno.test("truncateToWidth() never passes the width, nor splits a character", () => {
  assert.equal(truncateToWidth("abcdef", 6), "abcdef");
  assert.equal(truncateToWidth("abcdef", 4), "abc…");
  assert.equal(truncateToWidth("日本語", 5), "日本…");
  assert.equal(truncateToWidth("日本語", 4), "日…");
  assert.equal(truncateToWidth("👩👩👩", 4), "👩…");
});

Deno.test("truncateToWidth() bounds a pile of combining marks", () => {
  const pile = `a${"\u0301".repeat(100_000)}`;
  assert(truncateToWidth(pile, 10).length <= 100);
});
