import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeEntry, encodeEntry } from "../../lib/robots/_entry.ts";
import {
  RobotsCache,
  type RobotsCacheOptions,
  robotsLifetime,
  type RobotsStore,
} from "../../lib/robots/cache.ts";
import { PARSE_LIMIT } from "../../lib/robots/parse.ts";
import type { RobotsAnswer } from "../../lib/robots/types.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const bytes = (text: string) => new TextEncoder().encode(text);
const RULES = "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n";

function ok(text = RULES, cacheControl?: string): RobotsAnswer {
  const answer = { status: 200, body: bytes(text) };
  return cacheControl === undefined ? answer : { ...answer, cacheControl };
}

function status(code: number): RobotsAnswer {
  return { status: code, body: bytes("User-agent: *\nDisallow: /never-read") };
}

/** A cache over a web that `answer` plays, with the clock in hand. */
function harness(
  answer: (key: string) => RobotsAnswer | Promise<RobotsAnswer>,
  options: Partial<RobotsCacheOptions> = {},
) {
  const asked: string[] = [];
  const clock = { now: 1_700_000_000_000 };
  const cache = new RobotsCache({
    userAgentToken: "CCrawl/2.0 (+https://example.com/bot)",
    now: () => clock.now,
    ...options,
    fetch: async (url, key) => {
      asked.push(url.href);
      return await answer(key);
    },
  });
  const allowed = async (url: string) => (await cache.get(url)).rules.check("CCrawl", url).allowed;
  return { cache, asked, clock, allowed };
}

class MemoryStore implements RobotsStore {
  readonly values = new Map<string, { value: Uint8Array; expires: number }>();

  get(key: string): Promise<{ value: Uint8Array; expires: number } | undefined> {
    return Promise.resolve(this.values.get(key));
  }

  put(key: string, value: Uint8Array, expires: number): void {
    this.values.set(key, { value, expires });
  }
}

Deno.test("RobotsCache.keyOf() is scheme, host and port", () => {
  const cases: [string, string][] = [
    ["https://example.com/a/b?c", "https://example.com"],
    ["http://example.com/", "http://example.com"],
    ["http://example.com:8080/x", "http://example.com:8080"],
    ["http://Example.com:80/x", "http://example.com"],
    ["https://user:pw@example.com/x", "https://example.com"],
    ["http://127.0.0.1/x", "http://127.0.0.1"],
    ["http://0x7f.1/x", "http://127.0.0.1"],
    ["http://[::1]:81/x", "http://[::1]:81"],
    ["http://example.com", "http://example.com"],
    ["http://example.com?x", "http://example.com"],
  ];
  for (const [url, key] of cases) {
    assert.equal(RobotsCache.keyOf(url), key, url);
    assert.equal(RobotsCache.keyOf(new URL(url)), key, url);
  }
  for (const url of ["ftp://example.com/", "nonsense", "http://", "/a"]) {
    assert.throws(() => RobotsCache.keyOf(url), TypeError, url);
  }
});

Deno.test("robotsLifetime() goes by Cache-Control between a minute and a day", () => {
  const cases: [string | undefined, number][] = [
    [undefined, 24 * HOUR],
    ["", 24 * HOUR],
    ["public", 24 * HOUR],
    ["max-age=3600", HOUR],
    ["public, Max-Age=7200 , must-revalidate", 2 * HOUR],
    ['max-age="600"', 10 * MINUTE],
    ["max-age=0", MINUTE],
    ["max-age=31536000", 24 * HOUR],
    ["no-store", MINUTE],
    ["max-age=3600, no-cache", MINUTE],
    ["NO-STORE, max-age=3600", MINUTE],
    ["max-age=600, max-age=3600", 10 * MINUTE],
    ["max-age=-1", 24 * HOUR],
    ["max-age=soon", 24 * HOUR],
    ["s-maxage=60", 24 * HOUR],
    ["max-age=" + "9".repeat(5000), 24 * HOUR],
  ];
  for (const [header, lifetime] of cases) {
    assert.equal(robotsLifetime(header), lifetime, header ?? "none");
  }
});

Deno.test("RobotsCache.get() asks a host once and answers from memory until it expires", async () => {
  const { cache, asked, clock, allowed } = harness(() => ok(RULES, "max-age=3600"));
  const first = await cache.get("https://example.com/a");
  assert.equal(first.cached, false);
  assert.equal(first.state, "ok");
  assert.equal(first.expires, clock.now + HOUR);
  assert.equal(first.rules.crawlDelay("CCrawl"), 2);
  assert.equal(await allowed("https://example.com/private/x"), false);
  assert.equal((await cache.get("https://example.com/b")).cached, true);
  clock.now += HOUR - 1;
  assert.equal(await allowed("https://example.com/b"), true);
  assert.deepEqual(asked, ["https://example.com/robots.txt"]);
  clock.now += 1;
  await cache.get("https://example.com/b");
  assert.equal(asked.length, 2);
  assert.equal(cache.stats.fetched, 2);
  assert.equal(cache.stats.saved, 3);
});

Deno.test("RobotsCache keeps scheme and port apart", async () => {
  const { cache, asked } = harness(() => ok());
  await cache.get("https://example.com/a");
  await cache.get("http://example.com/a");
  await cache.get("http://example.com:8080/a");
  await cache.get("http://example.com:80/b");
  assert.deepEqual(asked, [
    "https://example.com/robots.txt",
    "http://example.com/robots.txt",
    "http://example.com:8080/robots.txt",
  ]);
});

Deno.test("RobotsCache reads a 4xx, and redirects without end, as an open host", async () => {
  for (const code of [301, 307, 400, 401, 403, 404, 410, 451, 499]) {
    const { cache, allowed, clock } = harness(() => status(code));
    const source = await cache.get("http://example.com/");
    assert.equal(source.state, "open", String(code));
    assert.equal(source.expires, clock.now + 24 * HOUR);
    assert.equal(await allowed("http://example.com/never-read"), true);
    assert.equal(cache.stats.unreachable, 0);
  }
});

Deno.test("RobotsCache reads 5xx, 429 and odd statuses as an unreachable host, for five minutes", async () => {
  for (const code of [429, 500, 503, 599, 999, 102]) {
    const { cache, allowed, asked, clock } = harness(() => status(code));
    const source = await cache.get("http://example.com/");
    assert.equal(source.state, "unreachable", String(code));
    assert.equal(source.failure, "5xx");
    assert.equal(source.expires, clock.now + 5 * MINUTE);
    clock.now += 5 * MINUTE - 1;
    assert.equal(await allowed("http://example.com/a"), false);
    assert.equal(asked.length, 1);
    clock.now += 1;
    assert.equal(await allowed("http://example.com/a"), false);
    assert.equal(asked.length, 2);
    assert.deepEqual(cache.stats.failures, { dns: 0, timeout: 0, refused: 0, "5xx": 2, other: 0 });
  }
});

Deno.test("RobotsCache disallows a silent host, counts why, and hears it when it recovers", async () => {
  const none = { status: 0, body: new Uint8Array() };
  const failures = ["dns", "timeout", "refused", "tls", "skip", "other", undefined] as const;
  let web: RobotsAnswer = none;
  const { cache, allowed, clock } = harness(() => web);
  for (const [i, failure] of failures.entries()) {
    web = failure === undefined ? none : { ...none, failure };
    const source = await cache.get(`http://host${i}.example/`);
    assert.equal(source.state, "unreachable");
    assert.equal(source.failure, failure ?? "other");
    assert.equal(await allowed(`http://host${i}.example/`), false);
  }
  assert.deepEqual(cache.stats.failures, { dns: 1, timeout: 1, refused: 1, "5xx": 0, other: 4 });
  assert.equal(cache.stats.unreachable, 7);
  web = ok();
  clock.now += 5 * MINUTE;
  assert.equal(await allowed("http://host0.example/"), true);
});

Deno.test("RobotsCache can be told another wait before it asks again", async () => {
  const { cache, clock } = harness(() => status(500), { unreachableMs: SECOND });
  assert.equal((await cache.get("http://example.com/")).expires, clock.now + SECOND);
});

Deno.test("RobotsCache ignores Cache-Control on an answer that is none", async () => {
  const { cache, clock } = harness(() => ({ ...status(503), cacheControl: "max-age=86400" }));
  assert.equal((await cache.get("http://example.com/")).expires, clock.now + 5 * MINUTE);
});

Deno.test("RobotsCache fetches once however many ask at a time", async () => {
  const gate = Promise.withResolvers<void>();
  const { cache, asked } = harness(async () => {
    await gate.promise;
    return ok();
  });
  const all = Array.from({ length: 50 }, (_, i) => cache.get(`https://example.com/${i}`));
  const other = cache.get("https://other.example/");
  gate.resolve();
  const sources = await Promise.all(all);
  await other;
  assert.equal(asked.length, 2);
  assert.equal(sources.filter((source) => !source.cached).length, 1);
  assert.equal(cache.stats.fetched, 2);
  assert.equal(cache.stats.saved, 49);
});

Deno.test("RobotsCache passes a failed fetch on to all who asked, and keeps nothing of it", async () => {
  let broken = true;
  const { cache, asked } = harness(() => {
    if (broken) throw new Error("aborted");
    return ok();
  });
  const both = await Promise.allSettled([
    cache.get("https://example.com/a"),
    cache.get("https://example.com/b"),
  ]);
  assert.deepEqual(both.map((end) => end.status), ["rejected", "rejected"]);
  assert.equal(asked.length, 1);
  assert.equal(cache.stats.fetched, 0);
  broken = false;
  assert.equal((await cache.get("https://example.com/a")).state, "ok");
});

Deno.test("RobotsCache.peek() never asks anybody", async () => {
  const { cache, asked, clock } = harness(() => ok());
  assert.equal(cache.peek("https://example.com/"), undefined);
  await cache.get("https://example.com/");
  assert.equal(cache.peek("https://example.com/x")?.state, "ok");
  clock.now += 24 * HOUR;
  assert.equal(cache.peek("https://example.com/x"), undefined);
  assert.equal(asked.length, 1);
  assert.equal(cache.stats.entries, 0);
  assert.equal(cache.stats.bytes, 0);
});

Deno.test("RobotsCache holds no more hosts than its bound, and forgets the least recently used", async () => {
  const { cache, asked } = harness(() => ok(), { maxEntries: 3 });
  for (const host of ["a", "b", "c"]) await cache.get(`http://${host}.example/`);
  await cache.get("http://a.example/");
  await cache.get("http://d.example/");
  assert.equal(cache.stats.entries, 3);
  assert.notEqual(cache.peek("http://a.example/"), undefined);
  assert.equal(cache.peek("http://b.example/"), undefined);
  assert.equal(asked.length, 4);
});

Deno.test("RobotsCache holds no more bytes than its bound", async () => {
  const long = "User-agent: *\n" + "Disallow: /some/long/path/that/takes/memory\n".repeat(200);
  const { cache } = harness(() => ok(long), { maxBytes: 100_000 });
  for (let i = 0; i < 100; i++) {
    await cache.get(`http://host${i}.example/`);
    assert.ok(cache.stats.bytes <= 100_000);
  }
  assert.ok(cache.stats.entries >= 3 && cache.stats.entries < 20, String(cache.stats.entries));
  // One that is larger than all the memory allowed is answered, and not kept.
  const tiny = harness(() => ok(long), { maxBytes: 1000 });
  assert.equal((await tiny.cache.get("http://a.example/")).state, "ok");
  assert.deepEqual([tiny.cache.stats.entries, tiny.cache.stats.bytes], [0, 0]);
});

Deno.test("RobotsCache with a store asks no host twice within its lifetime, whatever it holds", async () => {
  const store = new MemoryStore();
  const options = { store, maxEntries: 10 };
  const first = harness(() => ok(), options);
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 100; i++) {
      assert.equal(await first.allowed(`http://host${i}.example/private/x`), false);
    }
  }
  assert.equal(first.asked.length, 100);
  assert.equal(first.cache.stats.saved, 200);
  // A restart.
  const second = harness(() => ok(), options);
  second.clock.now = first.clock.now + 23 * HOUR;
  for (let i = 0; i < 100; i++) {
    assert.equal(await second.allowed(`http://host${i}.example/private/x`), false);
  }
  assert.equal(second.asked.length, 0);
  second.clock.now += HOUR;
  await second.cache.get("http://host0.example/");
  assert.equal(second.asked.length, 1);
});

Deno.test("RobotsCache keeps every kind of answer in its store", async () => {
  const answers: Record<string, RobotsAnswer> = {
    "http://ok.example": ok(),
    "http://open.example": status(404),
    "http://busy.example": status(503),
    "http://gone.example": { status: 0, body: new Uint8Array(), failure: "dns" },
  };
  const store = new MemoryStore();
  const first = harness((key) => answers[key]!, { store });
  const before = await Promise.all(Object.keys(answers).map((key) => first.cache.get(key + "/")));
  const second = harness(() => assert.fail("asked again"), { store });
  const after = await Promise.all(Object.keys(answers).map((key) => second.cache.get(key + "/")));
  for (const [i, source] of after.entries()) {
    const { rules, ...rest } = source;
    const { rules: _, ...expected } = before[i]!;
    assert.deepEqual(rest, { ...expected, cached: true });
    assert.deepEqual(
      rules.check("CCrawl", "/private/x"),
      before[i]!.rules.check("CCrawl", "/private/x"),
    );
  }
  // They were asked in another run: none of them counts as unreachable in this one.
  assert.equal(second.cache.stats.unreachable, 0);
  assert.equal(second.cache.stats.saved, 4);
});

Deno.test("RobotsCache asks again for what was kept under a clock that has been set back", async () => {
  const store = new MemoryStore();
  const { cache, clock, asked } = harness(() => ok(), { store });
  await cache.get("http://example.com/");
  clock.now -= 30 * SECOND;
  await cache.get("http://example.com/");
  assert.equal(asked.length, 1);
  clock.now -= 48 * HOUR;
  await cache.get("http://example.com/");
  assert.equal(asked.length, 2);
});

Deno.test("RobotsCache asks again when the store's value is damaged or of another version", async () => {
  const store = new MemoryStore();
  const { clock } = harness(() => ok());
  const values = [
    new Uint8Array(),
    bytes("not one of ours"),
    Uint8Array.of(1, 0, 200, 9, 0),
    Uint8Array.of(1, 0, 200, 0, 7),
    Uint8Array.of(1, 0, 200, 0, 1, 0xff, 0xff),
    encodeEntry(ok("#".repeat(5000))).subarray(0, 12),
  ];
  for (const [i, value] of values.entries()) {
    store.put(`http://host${i}.example`, value, clock.now + HOUR);
    const { cache, asked } = harness(() => ok(), { store });
    assert.equal((await cache.get(`http://host${i}.example/`)).cached, false);
    assert.equal(asked.length, 1, String(i));
  }
});

Deno.test("encodeEntry() keeps an answer, deflated, and cut where the parser stops", () => {
  fc.assert(fc.property(
    fc.integer({ min: 200, max: 299 }),
    fc.uint8Array({ maxLength: 2000 }),
    (code, body) => {
      assert.deepEqual(decodeEntry(encodeEntry({ status: code, body })), { status: code, body });
    },
  ));
  const long = bytes("User-agent: *\n" + "Disallow: /a\n".repeat(50_000));
  const value = encodeEntry({ status: 200, body: long });
  assert.ok(value.length < 20_000);
  assert.deepEqual(decodeEntry(value)?.body.length, PARSE_LIMIT + 1);
  // A body that would not be read is not kept.
  assert.ok(encodeEntry(status(404)).length < 10);
});
