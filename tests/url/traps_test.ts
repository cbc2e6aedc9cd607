import assert from "node:assert/strict";
import { trapReason } from "../../lib/url/traps.ts";

Deno.test("trapReason() refuses URLs over 4 000 characters", () => {
  const prefix = "http://example.com/";
  assert.equal(trapReason(prefix + "a".repeat(4000 - prefix.length)), undefined);
  assert.equal(trapReason(prefix + "a".repeat(4001 - prefix.length)), "too-long");
  assert.equal(trapReason(prefix, { maxChars: 10 }), "too-long");
});

Deno.test("trapReason() refuses a segment that occurs more than 3 times, side by side or not", () => {
  assert.equal(trapReason("http://example.com/a/a/a"), undefined);
  assert.equal(trapReason("http://example.com/a/a/a/a"), "repeated-segment");
  assert.equal(trapReason("http://example.com/a/b/a/b/a/b/"), undefined);
  assert.equal(trapReason("http://example.com/a/b/a/b/a/b/a/b"), "repeated-segment");
  assert.equal(trapReason("http://example.com/a/a/a/a/x", { maxRepeats: 4 }), undefined);
  assert.equal(trapReason("http://example.com/a/b/c/d/e/f/g"), undefined);
  assert.equal(trapReason("http://example.com/////"), "repeated-segment");
});

Deno.test("trapReason() looks at the path alone", () => {
  assert.equal(trapReason("http://a.a.a.a.a/b"), undefined);
  assert.equal(trapReason("http://example.com/?a/a/a/a/a/a"), undefined);
  assert.equal(trapReason("http://example.com/a/a/a?/a/a/a"), undefined);
  assert.equal(trapReason("http://example.com"), undefined);
});
