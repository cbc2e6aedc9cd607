import assert from "node:assert/strict";
import fc from "fast-check";
import { registeredDomain } from "../../lib/url/host.ts";
import { fnv1a64, shardOf, shardOfHost } from "../../lib/url/shard.ts";

const bytes = (s: string) => new TextEncoder().encode(s);

/** The definition itself, in BigInt. */
function reference(input: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of input) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
}

Deno.test("fnv1a64() gives the published values", () => {
  assert.equal(fnv1a64(bytes("")), 0xcbf29ce484222325n);
  assert.equal(fnv1a64(bytes("a")), 0xaf63dc4c8601ec8cn);
  assert.equal(fnv1a64(bytes("foobar")), 0x85944171f73967e8n);
});

Deno.test("fnv1a64() is the definition for any bytes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (input) => {
    assert.equal(fnv1a64(input), reference(input));
  }));
});

Deno.test("shardOf() holds the vectors that earlier data was split by", () => {
  const vectors: [string, number][] = [
    ["example.com", 2],
    ["ycombinator.com", 0],
    ["wikipedia.org", 2],
    ["bbc.co.uk", 0],
    ["golang.org", 0],
    ["commoncrawl.org", 1],
  ];
  for (const [domain, shard] of vectors) {
    assert.equal(shardOf(`https://${domain}/`, 3), shard, domain);
    assert.equal(shardOf(`http://a.b.${domain}:8080/x?y`, 3), shard, domain);
  }
});

Deno.test("shardOf() is FNV-1a 64 of the registered domain, modulo the shards", () => {
  fc.assert(fc.property(fc.domain(), fc.integer({ min: 1, max: 1 << 20 }), (host, shards) => {
    const key = registeredDomain(host.toLowerCase());
    const expected = Number(reference(bytes(key)) % BigInt(shards));
    assert.equal(shardOfHost(host.toLowerCase(), shards), expected);
  }));
});

Deno.test("shardOf() gives a URL without a host to shard 0", () => {
  assert.equal(shardOf("mailto:a@example.com", 7), 0);
  assert.equal(shardOf("not a url", 7), 0);
});

Deno.test("shardOf() refuses a number of shards that is none", () => {
  for (const shards of [0, -1, 1.5, NaN, Infinity, 1 << 21]) {
    assert.throws(() => shardOf("https://example.com/", shards), RangeError);
  }
});
