import assert from "node:assert/strict";
import fc from "fast-check";
import { hostOf } from "../../lib/url/host.ts";
import { shardOf } from "../../lib/url/shard.ts";
import { unpackDeltas, unpackHybrid } from "../../lib/worklist/_encodings.ts";
import { compareNames } from "../../lib/worklist/_names.ts";
import { SliceValues } from "../../lib/worklist/_values.ts";
import { ShardFilter } from "../../lib/worklist/shard_filter.ts";

Deno.test("compareNames() goes by the numbers in names, padded or not", () => {
  const names = [
    "part-10.parquet",
    "part-2.parquet",
    "part-0.parquet",
    "part-001.parquet",
    "part-1.parquet",
    "train-00002-of-00010.parquet",
    "train-00001-of-00010.parquet",
    "a.parquet",
  ];
  assert.deepEqual([...names].sort(compareNames), [
    "a.parquet",
    "part-0.parquet",
    "part-001.parquet",
    "part-1.parquet",
    "part-2.parquet",
    "part-10.parquet",
    "train-00001-of-00010.parquet",
    "train-00002-of-00010.parquet",
  ]);
});

Deno.test("compareNames() is an order", () => {
  const name = fc.string({ unit: fc.constantFrom("0", "1", "00", "12", "a", "-"), maxLength: 6 });
  fc.assert(fc.property(name, name, name, (a, b, c) => {
    assert.equal(Math.sign(compareNames(a, b)) + Math.sign(compareNames(b, a)), 0);
    assert.equal(compareNames(a, b) === 0, a === b);
    if (compareNames(a, b) < 0 && compareNames(b, c) < 0) assert.ok(compareNames(a, c) < 0);
  }));
});

Deno.test("ShardFilter agrees with the shard of each URL, in runs of hosts and out of them", () => {
  const url = fc.constantFrom(
    "https://a.example.com/x",
    "https://a.example.com/y?z",
    "http://a.example.com/x",
    "https://a.example.com",
    "https://a.example.com:8080/",
    "https://a.example.com.evil.org/",
    "https://user@a.example.com/",
    "https://A.example.com/",
    "https://b.example.com/",
    "https://me.github.io/",
    "https://[::1]/",
    "https:///a.example.com/",
    "ftp://a.example.com/",
    "nonsense",
    "https://",
  );
  fc.assert(
    fc.property(
      fc.array(url, { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      (urls, shards) => {
        for (let shard = 0; shard < shards; shard++) {
          const filter = new ShardFilter(shard, shards);
          for (const u of urls) {
            assert.equal(
              filter.ownHost(u),
              shardOf(u, shards) === shard ? hostOf(u) : undefined,
              u,
            );
          }
        }
      },
    ),
  );
});

Deno.test("SliceValues cuts strings as decoding each alone does, whatever the bytes are", () => {
  const value = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }).map((s) => new TextEncoder().encode(s)),
    fc.uint8Array({ maxLength: 5 }),
    fc.string({ maxLength: 20 }).map((s) => new TextEncoder().encode(s)),
  );
  fc.assert(fc.property(fc.array(value, { maxLength: 70 }), fc.nat(3), (values, gap) => {
    const starts = new Int32Array(values.length);
    const ends = new Int32Array(values.length);
    let at = 0;
    for (const [i, v] of values.entries()) {
      starts[i] = at += gap;
      ends[i] = at += v.length;
    }
    const bytes = new Uint8Array(at).fill(0xc3);
    for (const [i, v] of values.entries()) bytes.set(v, starts[i]);
    const out: (string | undefined)[] = [];
    new SliceValues(bytes, starts, ends).strings(0, values.length, out);
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    assert.deepEqual(out, values.map((v) => decoder.decode(v)));
  }));
});

Deno.test("unpackDeltas() agrees with another writer for any 32-bit numbers", async () => {
  const { ByteWriter } = await import("hyparquet-writer");
  const { deltaBinaryPack } = await import("hyparquet-writer/src/delta.js");
  const number = fc.oneof(fc.nat(300), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));
  fc.assert(fc.property(fc.array(number, { minLength: 1, maxLength: 400 }), (numbers) => {
    const writer = new ByteWriter();
    deltaBinaryPack(writer, Int32Array.from(numbers), "INT32");
    const bytes = writer.getBytes();
    const out = new Int32Array(numbers.length);
    assert.equal(unpackDeltas(bytes, 0, out), bytes.length);
    assert.deepEqual([...out], numbers);
  }));
});

Deno.test("unpackHybrid() agrees with another writer for indexes of any width", async () => {
  const { ByteWriter } = await import("hyparquet-writer");
  const { writeRleBitPackedHybrid } = await import("hyparquet-writer/src/encoding.js");
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 24 }).chain((width) =>
      fc.tuple(
        fc.constant(width),
        fc.array(
          fc.tuple(
            fc.nat(2 ** width - 1),
            fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 })),
          ),
          { minLength: 1, maxLength: 40 },
        ),
      )
    ),
    ([width, runs]) => {
      const values = runs.flatMap(([value, count]) => Array<number>(count).fill(value));
      const writer = new ByteWriter();
      writeRleBitPackedHybrid(writer, values, width);
      const bytes = writer.getBytes();
      const out = new Int32Array(values.length);
      unpackHybrid(bytes, 0, bytes.length, width, out, 2 ** width);
      assert.deepEqual([...out], values);
    },
  ));
});
