// The engine against a model of a few lines, over random histories with kills in them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type EngineOptions, FrontierEngine } from "../../lib/frontier/engine.ts";
import { readQueued } from "../../lib/frontier/read.ts";
import { drain, ended, killCopy, links, tempFolder, TestClock } from "./_helpers.ts";

interface Item {
  url: string;
  host: string;
  cls: number;
  depth: number;
  attempts: number;
  order: number;
}

class Model {
  queued = new Map<string, Item>();
  leased = new Map<string, Item>();
  done = new Set<string>();
  admitted = new Map<string, number>();
  order = 0;

  clone(): Model {
    return Object.assign(new Model(), structuredClone({ ...this }));
  }

  offer(url: string, priority: number, depth: number, max: number): void {
    if (this.queued.has(url) || this.leased.has(url) || this.done.has(url)) return;
    const host = new URL(url).hostname;
    const count = this.admitted.get(host) ?? 0;
    if (max > 0 && count >= max) return;
    this.admitted.set(host, count + 1);
    const cls = Math.floor(Math.log2(priority));
    this.queued.set(url, { url, host, cls, depth, attempts: 0, order: this.order++ });
  }
}

type Op =
  | { op: "put"; host: number; from: number; count: number; priority: number }
  | { op: "claim"; hosts: number; perHost: number }
  | {
    op: "complete";
    pick: number;
    outcome: "done" | "failed" | "skipped" | "again";
    links: number;
  }
  | { op: "release"; pick: number; wait: number }
  | { op: "commit" }
  | { op: "work"; budget: number }
  | { op: "pass"; ms: number }
  | { op: "kill"; sync: boolean }
  | { op: "reopen" };

const ops: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("put" as const),
      host: fc.nat(5),
      from: fc.nat(60),
      count: fc.integer({ min: 1, max: 25 }),
      priority: fc.constantFrom(0.5, 1, 1.5, 2, 8),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("claim" as const),
      hosts: fc.integer({ min: 1, max: 4 }),
      perHost: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("complete" as const),
      pick: fc.nat(20),
      outcome: fc.constantFrom(
        "done" as const,
        "failed" as const,
        "skipped" as const,
        "again" as const,
      ),
      links: fc.nat(6),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant("release" as const),
      pick: fc.nat(20),
      wait: fc.constantFrom(0, 0, 500, 3000),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ op: "commit" as const }) },
  {
    // Often a single slice, so that a kill finds background work half done.
    weight: 4,
    arbitrary: fc.record({ op: fc.constant("work" as const), budget: fc.constantFrom(0, 0, 50) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("pass" as const), ms: fc.nat(4000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("kill" as const), sync: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ op: "reopen" as const }) },
);

async function play(history: readonly Op[], options: EngineOptions, exact: boolean): Promise<void> {
  using folder = tempFolder();
  const clock = new TestClock();
  const max = options.maxUrlsPerHost ?? 0;
  let generation = 0;
  let path = `${folder.path}/0.db`;
  const start = () => new FrontierEngine({ ...options, path, clock });
  let engine = start();
  let model = new Model(), committed = model.clone();
  // Hosts handed out, and leases by id, of this opening.
  let held = new Map<string, Set<number>>();
  let leases = new Map<number, string>();
  const commit = () => {
    engine.commit();
    committed = model.clone();
  };
  try {
    for (const op of history) {
      if (op.op === "put") {
        const urls = Array.from({ length: op.count }, (_, i) => ({
          url: `https://h${op.host}.example/${op.from + i}`,
          priority: op.priority,
          depth: 0,
        }));
        const before = model.queued.size;
        const result = engine.put(urls);
        for (const { url } of urls) model.offer(url, op.priority, 0, max);
        if (exact) assert.equal(result.added, model.queued.size - before);
        assert.equal(result.added + result.known + result.refused + result.staged, urls.length);
      } else if (op.op === "claim") {
        let last = Infinity;
        for (const host of engine.claim(op.hosts, op.perHost)) {
          assert.ok(!held.has(host.host), "a host that is out was handed out again");
          assert.ok(host.urls.length > 0, "a host came with nothing");
          held.set(host.host, new Set(host.urls.map(({ id }) => id)));
          host.urls.forEach(({ id, url, depth, attempts, priority }, at) => {
            const item = model.queued.get(url);
            assert.ok(item !== undefined, `${url} was handed out and does not wait`);
            assert.equal(item.host, host.host);
            assert.equal(item.depth, depth);
            assert.equal(item.attempts, attempts);
            assert.equal(Math.floor(Math.log2(priority)), item.cls);
            if (at === 0) {
              assert.ok(item.cls <= last, "a lower class came first");
              last = item.cls;
            }
            if (exact) {
              const waiting = [...model.queued.values()].filter((one) => one.host === host.host);
              const next = waiting.reduce((a, b) =>
                b.cls > a.cls || (b.cls === a.cls && b.order < a.order) ? b : a
              );
              assert.equal(url, next.url, "not the first of its class");
            }
            model.queued.delete(url);
            model.leased.set(url, item);
            leases.set(id, url);
          });
        }
      } else if (op.op === "complete") {
        const id = [...leases.keys()][op.pick % Math.max(1, leases.size)];
        if (id === undefined) continue;
        const url = leases.get(id)!, item = model.leased.get(url)!;
        const found = Array.from(
          { length: op.links },
          (_, i) => `https://h${(op.pick + i) % 7}.example/${op.pick * 3 + i}`,
        );
        engine.complete([ended(id, { outcome: op.outcome, outlinks: links(...found) })]);
        leases.delete(id);
        for (const ids of held.values()) ids.delete(id);
        model.leased.delete(url);
        if (op.outcome === "again") {
          model.queued.set(url, { ...item, attempts: item.attempts + 1, order: model.order++ });
        } else model.done.add(url);
        for (const link of found) model.offer(link, 2 ** item.cls / 2, item.depth + 1, max);
      } else if (op.op === "release") {
        const entry = [...held][op.pick % Math.max(1, held.size)];
        if (entry === undefined) continue;
        const [host, ids] = entry;
        const notBefore = op.wait === 0 ? 0 : engine.now() + op.wait;
        engine.releaseHosts([{ host, notBefore, unused: [...ids] }]);
        held.delete(host);
        for (const id of ids) {
          const url = leases.get(id)!;
          leases.delete(id);
          model.queued.set(url, model.leased.get(url)!);
          model.leased.delete(url);
        }
      } else if (op.op === "commit") commit();
      else if (op.op === "work") engine.work(op.budget);
      else if (op.op === "pass") clock.pass(op.ms);
      else {
        if (op.op === "reopen") {
          commit();
          engine.close();
        } else {
          if (op.sync) commit();
          const next = `${folder.path}/${++generation}.db`;
          killCopy(path, next);
          engine.close();
          path = next;
        }
        model = committed.clone();
        for (const [url, item] of model.leased) model.queued.set(url, item);
        model.leased.clear();
        committed = model.clone();
        held = new Map();
        leases = new Map();
        engine = start();
        assert.equal(engine.stats().leased, 0);
      }
      const stats = engine.stats();
      if (exact) assert.equal(stats.queued, model.queued.size);
      if (exact) assert.equal(stats.known, model.queued.size + model.leased.size + model.done.size);
      assert.equal(stats.leased, leases.size);
    }
    commit();
    engine.close();
    const waiting = [];
    for await (const { url } of readQueued(path)) waiting.push(url);
    const expected = [...model.queued.keys(), ...model.leased.keys()].sort();
    if (exact) assert.deepEqual(waiting.sort(), expected);
    clock.pass(1e6);
    engine = start();
    assert.deepEqual(drain(engine, clock).sort(), expected);
  } finally {
    engine.close();
  }
}

// Of full length: fast-check's own sizes are too short for a generation to end in them.
const history = fc.array(ops, { minLength: 5, maxLength: 120, size: "max" });

Deno.test("FrontierEngine agrees with a model over random histories with kills", async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.constantFrom(0, 7),
      fc.constantFrom(1, 2, 100),
      async (history, maxUrlsPerHost, residents) => {
        await play(history, { generationOps: 40, blockUrls: 8, maxUrlsPerHost, residents }, true);
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("FrontierEngine loses and repeats nothing when the seen set has outgrown its memory", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (history) => {
      await play(history, { generationOps: 40, blockUrls: 8, seenBytes: 1200 }, false);
    }),
    { numRuns: 20 },
  );
});
