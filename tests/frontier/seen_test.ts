// The seen set is exact on both sides of its memory bound.
import assert from "node:assert/strict";
import fc from "fast-check";
import { FrontierEngine } from "../../lib/frontier/engine.ts";
import { SeenTable } from "../../lib/frontier/_seen_table.ts";
import { SipHash } from "../../lib/frontier/_siphash.ts";
import { drain, open, seed, tempFolder, TestClock } from "./_helpers.ts";

Deno.test("SipHash gives the published 2-4 vector", () => {
  const hash = new SipHash(Uint8Array.from({ length: 16 }, (_, i) => i), 2, 4);
  const bytes = Uint8Array.from({ length: 15 }, (_, i) => i);
  hash.update(bytes, 0, 15);
  assert.equal(hash.hi.toString(16) + hash.lo.toString(16).padStart(8, "0"), "a129ca6149be45e5");
  // An empty input, by the reference implementation.
  hash.update(bytes, 0, 0);
  assert.equal(hash.hi.toString(16) + hash.lo.toString(16).padStart(8, "0"), "726fdb47dd0e0e31");
});

Deno.test("SipHash depends on the key", () => {
  const bytes = new TextEncoder().encode("https://example.com/");
  const [a, b] = [1, 2].map((byte) => {
    const hash = new SipHash(new Uint8Array(16).fill(byte));
    hash.update(bytes, 0, bytes.length);
    return hash.hi;
  });
  assert.notEqual(a, b);
});

Deno.test("SeenTable agrees with a Set", () => {
  const half = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 0xffffffff }));
  fc.assert(
    fc.property(fc.array(fc.tuple(half, half), { maxLength: 400 }), (keys) => {
      const table = new SeenTable(1 << 16), set = new Set<string>();
      for (const [hi, low] of keys) {
        // Zero shares its place with one: the engine never asks for zero.
        const lo = hi === 0 && low === 0 ? 1 : low;
        assert.equal(table.add(hi, lo), !set.has(`${hi},${lo}`));
        set.add(`${hi},${lo}`);
      }
      assert.equal(table.count, set.size);
      const together = new SeenTable(1 << 16);
      together.reserve(keys.length);
      together.addAll([
        Uint32Array.from([...set].flatMap((key) => key.split(",").reverse().map(Number))),
      ]);
      assert.equal(together.count, set.size);
      for (const key of set) {
        const [hi, lo] = key.split(",").map(Number);
        assert.ok(table.has(hi!, lo!) && together.has(hi!, lo!));
      }
      const sorted = Array.from({ length: table.partitions }, (_, i) => [...table.sorted(i)])
        .flat();
      const expected = [...set].map((key) => {
        const [hi, lo] = key.split(",");
        return BigInt(hi!) << 32n | BigInt(lo!);
      });
      assert.deepEqual(sorted, expected.sort((a, b) => a < b ? -1 : 1));
    }),
    { numRuns: 100 },
  );
});

Deno.test("SeenTable tells when it is full before its bound is passed", () => {
  const table = new SeenTable(1 << 18);
  let seq = 0;
  while (!table.full) {
    table.add(Math.imul(++seq, 0x9e3779b1) >>> 0, Math.imul(seq, 0x85ebca6b) >>> 0);
  }
  assert.ok(table.bytes <= 1 << 18);
  assert.ok(table.count > (1 << 18) / 8 / 2, `only ${table.count}`);
});

/** Offers a stream with many repeats in batches; every URL must come out exactly once. */
function offers(count: number, batch: number): string[][] {
  let state = 7;
  const random = () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32;
  const batches: string[][] = [];
  let fresh = 0;
  for (let done = 0; done < count; done += batch) {
    batches.push(Array.from({ length: batch }, () => {
      // Half are repeats, some of them recent, some from long ago.
      const id = fresh > 0 && random() < 0.5
        ? random() < 0.3
          ? Math.max(0, fresh - 1 - Math.floor(random() * 50))
          : Math.floor(random() * fresh)
        : fresh++;
      return `https://h${id % 37}.example/${id}`;
    }));
  }
  return batches;
}

for (const seenBytes of [1 << 24, 1 << 15, 2000]) {
  Deno.test(`FrontierEngine admits each URL exactly once with ${seenBytes} bytes of seen set`, () => {
    using folder = tempFolder();
    const clock = new TestClock();
    const path = `${folder.path}/s.db`, all = new Set<string>(), out: string[] = [];
    const batches = offers(9000, 600);
    batches.forEach((urls, at) => {
      // Every few batches the state is closed and opened again, now and then with another bound.
      using engine = open({
        path,
        clock,
        seenBytes: at % 9 === 8 ? seenBytes * 2 : seenBytes,
        generationOps: 3000,
      });
      const offered = engine.put(urls.map((url) => seed(url)));
      if (seenBytes === 1 << 24) {
        assert.equal(offered.added, new Set(urls.filter((url) => !all.has(url))).size);
        assert.equal(offered.staged, 0);
      }
      for (const url of urls) all.add(url);
      engine.commit();
      clock.pass(at % 3 === 0 ? 5000 : 10);
      while (engine.work(1000));
      engine.commit();
      if (at % 4 === 0) out.push(...drain(engine));
      assert.ok(
        engine.stats().seenBytes <= seenBytes * 2 + 16384 * 9,
        `${engine.stats().seenBytes}`,
      );
    });
    using engine = open({ path, clock, seenBytes });
    out.push(...drain(engine));
    assert.equal(out.length, all.size);
    assert.deepEqual(new Set(out), all);
    assert.equal(engine.stats().known, all.size);
    // And all of it is known now.
    const again = [...all].map((url) => seed(url));
    const { added } = engine.put(again);
    assert.equal(added, 0);
    assert.deepEqual(drain(engine), []);
  });
}

Deno.test("an offer that waits to be sieved is not overtaken by a later one of its URL, not by way of an opening either", () => {
  for (let key = 0; key < 12; key++) {
    using folder = tempFolder();
    const clock = new TestClock();
    const options = {
      ...{ path: `${folder.path}/s.db`, clock, generationOps: 40 },
      seenBytes: key % 2 === 0 ? 1200 : 4000,
      key: new Uint8Array(16).fill(key >> 1),
    };
    let engine = new FrontierEngine(options);
    let last = 0;
    while (engine.put([seed(`https://a.example/${++last}`, 1)]).staged === 0) {
      if (last % 50 > 0) continue;
      engine.commit(); // so that the journal is not all there is
      while (engine.work(50));
    }
    const url = `https://a.example/${last}`;
    engine.commit();
    for (const how of ["closed", "killed", "closed"]) {
      engine.close();
      engine = new FrontierEngine(options);
      assert.equal(engine.put([seed(url, 8)]).added, 0, `${how}, key ${key}`);
      if (how === "closed") engine.commit();
    }
    clock.pass(10_000);
    while (engine.work(50) || engine.stats().staged > 0) clock.pass(1000);
    const found = engine.claim(1, 1000).flatMap(({ urls }) => urls);
    assert.equal(found.length, last);
    assert.deepEqual(found.filter((one) => one.url === url).map((one) => one.priority), [1]);
    engine.close();
  }
});
