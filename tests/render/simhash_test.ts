import assert from "node:assert/strict";
import fc from "fast-check";
import { simhash } from "../../lib/render/simhash.ts";

/** The definition, word for word, in big integers. */
function reference(text: string): bigint {
  const tokens = [...text.matchAll(/[\p{L}\p{Nd}]+/gu)].map(([token]) =>
    [...token].map((c) => String.fromCodePoint(c.toLowerCase().codePointAt(0)!)).join("")
  );
  const shingles = new Set<string>();
  if (tokens.length < 3) tokens.forEach((token) => shingles.add(token));
  else for (let i = 0; i + 3 <= tokens.length; i++) shingles.add(tokens.slice(i, i + 3).join(" "));
  const votes = new Array<number>(64).fill(0);
  for (const shingle of shingles) {
    let hash = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(shingle)) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    }
    for (let bit = 0; bit < 64; bit++) votes[bit]! += (hash >> BigInt(bit) & 1n) === 1n ? 1 : -1;
  }
  return votes.reduce((sum, vote, bit) => vote > 0 ? sum | 1n << BigInt(bit) : sum, 0n);
}

Deno.test("simhash() of one token is its FNV-1a 64", () => {
  assert.equal(simhash("a"), 0xaf63dc4c8601ec8cn);
  assert.equal(simhash("Foobar!"), 0x85944171f73967e8n);
});

Deno.test("simhash() of no tokens is 0", () => {
  assert.equal(simhash(""), 0n);
  assert.equal(simhash(" — *** \n"), 0n);
});

Deno.test("simhash() follows its definition on any text", () => {
  const bits = fc.constantFrom(..."aAbZ09 _-é ÉßİΣж日ａ𝒜𐐀\u0301½٣\n", " the ", "one two three ");
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 60 }), (parts) => {
      const text = parts.join("");
      assert.equal(simhash(text), reference(text));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("simhash() of a text and of the same with a word changed differ in few bits", () => {
  const words = Array.from({ length: 400 }, (_, i) => `word${i * 7919 % 1000}`);
  const a = simhash(words.join(" "));
  const b = simhash(words.with(200, "other").join(" "));
  const c = simhash(words.map((word) => word + "x").join(" "));
  const distance = (x: bigint, y: bigint) => (x ^ y).toString(2).replaceAll("0", "").length;
  assert.ok(distance(a, b) <= 8, String(distance(a, b)));
  assert.ok(distance(a, c) >= 16, String(distance(a, c)));
});
