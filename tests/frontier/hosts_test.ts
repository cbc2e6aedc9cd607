// The small structures behind the queues, and what holds their memory.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { Arena } from "../../lib/frontier/_arena.ts";
import { ByteReader, ByteWriter } from "../../lib/frontier/_bytes.ts";
import { EntryCoder, RawEntry } from "../../lib/frontier/_entry.ts";
import { DueHeap } from "../../lib/frontier/_heap.ts";
import { Host } from "../../lib/frontier/_host.ts";
import { HostTable } from "../../lib/frontier/_host_table.ts";
import { readQueued } from "../../lib/frontier/read.ts";
import { open, seed, tempFolder, TestClock } from "./_helpers.ts";

Deno.test("HostTable agrees with a Map, also where fingerprints crowd or are the same", () => {
  const step = fc.record({
    // Few enough that places are shared and runs go over the end.
    high: fc.constantFrom(0, 1, 2, 0x7fffffff, -1, -2, -3),
    low: fc.nat(2),
    id: fc.nat(3),
    remove: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const table = new HostTable(), model = new Map<string, Host>();
      for (const { high, low, id, remove } of steps) {
        const key = `${high} ${low} ${id}`;
        const found = table.find(high, low, (host) => host.id === id);
        assert.equal(found, model.get(key));
        if (found === undefined) {
          const host = new Host(id, key, high, low);
          table.add(host);
          model.set(key, host);
        } else if (remove) {
          table.delete(found);
          model.delete(key);
        }
        assert.equal(table.size, model.size);
        for (const host of model.values()) {
          assert.equal(
            table.find(host.hashHigh, host.hashLow, (one) => one === host),
            host,
          );
        }
      }
    }),
  );
});

Deno.test("HostTable finds every host after it has grown", () => {
  const table = new HostTable();
  const hosts = Array.from(
    { length: 5000 },
    (_, id) => new Host(id, `h${id}`, Math.imul(id, 0x9e3779b1), id & 0xffff),
  );
  for (const host of hosts) table.add(host);
  for (const host of hosts) {
    assert.equal(
      table.find(host.hashHigh, host.hashLow, ({ id }) => id === host.id),
      host,
    );
  }
});

Deno.test("DueHeap agrees with a sorted list while members come, go and are taken out", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(50), fc.nat(1000)), {
        maxLength: 120,
        size: "max",
      }),
      (steps) => {
        const heap = new DueHeap<{ due: number; heapAt: number; id: number }>();
        let model: { due: number; heapAt: number; id: number }[] = [];
        steps.forEach(([due, pick], id) => {
          if (pick % 3 === 0 && model.length > 0) {
            const node = model[pick % model.length]!;
            heap.remove(node);
            assert.equal(node.heapAt, -1);
            model = model.filter((other) => other !== node);
          } else {
            const node = { due, heapAt: -1, id };
            heap.push(node);
            model.push(node);
          }
          model.sort((a, b) => a.due - b.due || a.id - b.id);
          assert.equal(heap.top, model[0]);
          assert.equal(heap.size, model.length);
          const late = model.filter((node) => node.due > 25);
          assert.deepEqual(heap.after(25), {
            count: late.length,
            least: late[0]?.due ?? Infinity,
          });
        });
      },
    ),
  );
});

/** A URL as an offer brings it. */
function rawOf(url: string, host: string): RawEntry {
  const raw = new RawEntry(), bytes = Buffer.from(`\n${url}\n`);
  const nameStart = bytes.indexOf(host, 1),
    nameEnd = nameStart + Buffer.byteLength(host);
  raw.setUrl(bytes, 1, nameStart, nameEnd, bytes.length - 1);
  return raw;
}

Deno.test("RawEntry gives back every form of URL, through memory and file alike", () => {
  const cases = [
    ["https://a.example/x?y", "a.example"],
    ["http://a.example/", "a.example"],
    ["https://a.example", "a.example"],
    ["https://a.example:8443/x", "a.example"],
    ["http://user:pw@a.example/x", "a.example"],
    ["HTTPS://a.example/x", "a.example"],
    ["ftp://a.example/x", "a.example"],
    ["https://bücher.example/straße/😀", "bücher.example"],
    [`https://a.example/${"long/".repeat(800)}`, "a.example"],
  ] as const;
  const arena = new Arena();
  for (const [url, host] of cases) {
    const raw = rawOf(url, host);
    Object.assign(raw, {
      seq: 2 ** 40 + 1,
      priority: 0.3,
      depth: 7,
      attempts: 2,
    });
    const entry = {
      url,
      seq: 2 ** 40 + 1,
      priority: 0.3,
      depth: 7,
      attempts: 2,
    };
    assert.deepEqual(raw.toEntry(host), entry);
    const whole = new ByteWriter();
    raw.writeUrl(whole, host);
    assert.equal(Buffer.from(whole.view()).toString(), url);
    const read = new RawEntry();
    assert.equal(arena.read(arena.append(raw, 0), read), 0);
    assert.deepEqual(read.toEntry(host), entry);
    const out = new ByteWriter();
    new EntryCoder().write(out, raw, true);
    assert.equal(new EntryCoder().read(new ByteReader(out.view()), read), true);
    assert.deepEqual(read.toEntry(host), entry);
    read.setEntry(host, entry);
    assert.deepEqual([read.form, read.toEntry(host)], [raw.form, entry]);
  }
});

Deno.test("Arena uses its buffers again once a generation is written out", () => {
  const arena = new Arena(),
    raw = rawOf(`https://a.example/${"x".repeat(1000)}`, "a.example");
  const fill = () => {
    let last = 0;
    for (let i = 0; i < 2000; i++) last = arena.append(raw, last);
  };
  fill();
  const { bytes, current } = arena;
  assert.ok(current > 2_000_000);
  for (let generation = 0; generation < 5; generation++) {
    arena.turn();
    assert.equal(arena.current, 0);
    fill();
    arena.release();
  }
  assert.ok(arena.bytes <= bytes * 2, `${arena.bytes}`);
});

Deno.test("a generation is written out while the next fills, though no idle moment ever comes", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`, clock = new TestClock();
  using engine = open({ path, clock, generationOps: 300 });
  using db = new DatabaseSync(path, { readOnly: true });
  const urls: string[] = [];
  for (let round = 0; round < 60; round++) {
    // Hosts of one URL, the dearest case.
    const some = Array.from(
      { length: 40 },
      (_, i) => `https://h${round}-${i}.example/`,
    );
    engine.put(some.map((url) => seed(url)));
    urls.push(...some);
    engine.commit();
    const { least, most } = db.prepare(
      "select min(gen) as least, max(gen) as most from journal",
    )
      .get() as unknown as { least: number; most: number };
    assert.ok(
      most - least <= 1,
      `generations ${least} to ${most} are in the journal`,
    );
    if (round === 59) assert.ok(most > 10, `only ${most} generations`);
  }
  const waiting: string[] = [];
  for await (const { url } of readQueued(path)) waiting.push(url);
  assert.deepEqual(waiting.sort(), urls.sort());
});

Deno.test("hosts are found by their names right after an opening and once the filter is read", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`, clock = new TestClock();
  const urls = Array.from(
    { length: 5000 },
    (_, i) => seed(`https://h${i}.example/1`),
  );
  {
    using engine = open({ path, clock, generationOps: 2000 });
    for (let at = 0; at < urls.length; at += 500) {
      engine.put(urls.slice(at, at + 500));
      engine.commit();
      while (engine.work(1000));
    }
    // Most have left memory by now, and are not new.
    const again = urls.map((_, i) => seed(`https://h${i}.example/0`));
    assert.equal(engine.put(again).added, 5000);
    assert.equal(engine.stats().hosts, 5000);
  }
  for (const read of [false, true]) {
    using engine = open({ path, clock });
    if (read) { while (engine.work(1000)); }
    const more = urls.map((_, i) => seed(`https://h${i}.example/${read ? 3 : 2}`));
    assert.equal(
      engine.put([...more, seed(`https://new${read}.example/`)]).added,
      5001,
    );
    assert.equal(engine.stats().hosts, read ? 5002 : 5001);
  }
});
