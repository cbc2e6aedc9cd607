// The verbs one by one, in this thread and on a clock that the tests move.
import assert from "node:assert/strict";
import fc from "fast-check";
import { classOf } from "../../lib/frontier/_entry.ts";
import { FrontierError } from "../../lib/frontier/errors.ts";
import { readDone } from "../../lib/frontier/read.ts";
import type { DoneUrl, HostLease } from "../../lib/frontier/types.ts";
import { drain, ended, links, open, seed, tempFolder, TestClock } from "./_helpers.ts";

const urlsOf = (hosts: readonly HostLease[]) =>
  hosts.flatMap(({ urls }) => urls.map(({ url }) => url));
const give = (host: string, notBefore = 0, unused: number[] = []) => ({ host, notBefore, unused });

Deno.test("classOf() is the floor of the binary logarithm, exact at powers of two", () => {
  for (let power = -1074; power <= 1023; power++) assert.equal(classOf(2 ** power), power);
  fc.assert(fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (priority) => {
    const cls = classOf(priority);
    assert.ok(2 ** cls <= priority && priority < 2 ** (cls + 1));
  }));
});

Deno.test("claim() hands out the highest class first, then the host that has been due longest", () => {
  const clock = new TestClock();
  using engine = open({ clock });
  engine.put([seed("https://low.example/", 1)]);
  clock.pass(10);
  engine.put([seed("https://late.example/", 9)]);
  clock.pass(10);
  engine.put([seed("https://later.example/", 15), seed("https://top.example/", 16)]);
  assert.deepEqual(urlsOf(engine.claim(9, 1)), [
    "https://top.example/",
    "https://late.example/",
    "https://later.example/",
    "https://low.example/",
  ]);
});

Deno.test("claim() keeps the order of admission within a host's class, across blocks", () => {
  using engine = open({ blockUrls: 10 });
  const urls = Array.from({ length: 95 }, (_, i) => `https://a.example/${i}`);
  engine.put(urls.map((url) => seed(url, 1)));
  engine.put([seed("https://a.example/better", 2)]);
  assert.deepEqual(drain(engine), ["https://a.example/better", ...urls]);
});

Deno.test("claim() does not hand out a host twice, nor before its time, save within the horizon", () => {
  const clock = new TestClock();
  using engine = open({ clock });
  engine.put([seed("https://a.example/1"), seed("https://a.example/2")]);
  const [first] = engine.claim(1, 1);
  assert.equal(first!.notBefore, 0);
  assert.deepEqual(engine.claim(9, 1), []);
  engine.complete([ended(first!.urls[0]!.id)]);
  assert.deepEqual(engine.claim(9, 1), [], "completed, not yet given back");
  const due = engine.now() + 1000;
  engine.releaseHosts([give("a.example", due)]);
  clock.pass(899);
  assert.deepEqual(engine.claim(1, 1, 100), []);
  clock.pass(1);
  const [second] = engine.claim(1, 1, 100);
  assert.equal(second!.notBefore, due);
  engine.releaseHosts([give("a.example", 0, [second!.urls[0]!.id])]);
  assert.deepEqual(urlsOf(engine.claim(1, 5)), ["https://a.example/2"], "0 is at once");
});

Deno.test("releaseHosts() with 0 puts a host behind those that have been due longer", () => {
  const clock = new TestClock();
  using engine = open({ clock });
  engine.put(
    ["a", "b", "c"].flatMap((
      host,
    ) => [seed(`https://${host}.example/1`), seed(`https://${host}.example/2`)]),
  );
  const order: string[] = [];
  for (let i = 0; i < 6; i++) {
    clock.pass(1);
    const [lease] = engine.claim(1, 1);
    order.push(lease!.host);
    engine.complete([ended(lease!.urls[0]!.id)]);
    engine.releaseHosts([give(lease!.host)]);
  }
  assert.equal(order.slice(0, 3).join(), order.slice(3).join());
});

Deno.test("releaseHosts() returns unused leases to the head, keeps the engine's numbers", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`, clock = new TestClock();
  {
    using engine = open({ path, clock });
    engine.put([1, 2, 3].map((i) => seed(`https://a.example/${i}`)));
    const [lease] = engine.claim(1, 3);
    engine.complete([ended(lease!.urls[0]!.id)]);
    const unused = lease!.urls.slice(1).map(({ id }) => id);
    engine.releaseHosts([{ host: "a.example", notBefore: 0, unused, failures: 3, deferrals: 2 }]);
    assert.throws(() => engine.complete([ended(unused[0]!)]), FrontierError);
    assert.throws(() => engine.releaseHosts([give("a.example")]), FrontierError);
  }
  using engine = open({ path, clock });
  const [lease] = engine.claim(1, 3);
  assert.equal(lease!.failures, 3);
  assert.equal(lease!.deferrals, 2);
  assert.deepEqual(urlsOf([lease!]), ["https://a.example/2", "https://a.example/3"]);
});

Deno.test("complete() puts outlinks one deeper at half the priority, a redirect as it is", () => {
  using engine = open();
  engine.put([seed("https://a.example/", 12, 3)], { seed: true });
  const [lease] = engine.claim(1, 1);
  engine.complete([ended(lease!.urls[0]!.id, {
    outlinks: links(
      "https://b.example/",
      "",
      "https://a.example/",
      "mailto:x@a.example",
      "https:///",
    ),
    redirect: "https://c.example/",
  })]);
  const [redirect, link] = engine.claim(9, 9).map(({ urls }) => urls[0]!);
  assert.deepEqual([redirect!.url, redirect!.priority, redirect!.depth], [
    "https://c.example/",
    12,
    3,
  ]);
  assert.deepEqual([link!.url, link!.priority, link!.depth], ["https://b.example/", 6, 4]);
  assert.equal(engine.stats().known, 3);
});

Deno.test("complete() with again puts the URL at the end with one attempt more", () => {
  using engine = open();
  engine.put([seed("https://a.example/1"), seed("https://a.example/2")]);
  const [lease] = engine.claim(1, 1);
  engine.complete([ended(lease!.urls[0]!.id, { outcome: "again" })]);
  engine.releaseHosts([give("a.example")]);
  const [next] = engine.claim(1, 5);
  assert.deepEqual(next!.urls.map(({ url, attempts }) => [url, attempts]), [
    ["https://a.example/2", 0],
    ["https://a.example/1", 1],
  ]);
  assert.equal(engine.stats().answered, 0);
});

Deno.test("complete() refuses a lease that is not held, and changes nothing of that batch", () => {
  using engine = open();
  engine.put([seed("https://a.example/1")]);
  const id = engine.claim(1, 1)[0]!.urls[0]!.id;
  assert.throws(() => engine.complete([ended(id), ended(id + 1)]), /lease \d+: it is not held/);
  assert.throws(() => engine.complete([ended(id), ended(id)]), /twice/);
  assert.equal(engine.stats().leased, 1);
  engine.complete([ended(id)]);
  assert.equal(engine.stats().answered, 1);
});

Deno.test("FrontierEngine counts ends by class and reason, and logs each", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  {
    using engine = open({ path });
    engine.put([1, 2, 3, 4].map((i) => seed(`https://a.example/${i}`)));
    const [a, b, c, d] = engine.claim(1, 4)[0]!.urls;
    engine.complete([
      ended(a!.id, { warcFile: "x-00001.warc.gz", warcOffset: 2 ** 33 }),
      ended(b!.id, { outcome: "failed", status: 0, error: "dns" }),
    ]);
    engine.commit();
    engine.complete([
      ended(c!.id, { outcome: "skipped", status: 0, error: "skip", reason: "robots" }),
      ended(d!.id, { outcome: "failed", status: 0, error: "__proto__" }),
    ]);
    const { answered, failed, skipped, failedBy, skippedBy } = engine.stats();
    assert.deepEqual([answered, failed, skipped], [1, 2, 1]);
    assert.deepEqual(Object.entries(failedBy), [["dns", 1], ["__proto__", 1]]);
    assert.deepEqual(skippedBy, { robots: 1 });
  }
  const log: DoneUrl[] = [];
  for await (const url of readDone(path)) log.push(url);
  assert.deepEqual(log.map(({ url, outcome }) => [url, outcome]), [
    ["https://a.example/1", "done"],
    ["https://a.example/2", "failed"],
    ["https://a.example/3", "skipped"],
    ["https://a.example/4", "failed"],
  ]);
  assert.deepEqual([log[0]!.warcFile, log[0]!.warcOffset], ["x-00001.warc.gz", 2 ** 33]);
  assert.deepEqual([log[1]!.error, log[2]!.reason], ["dns", "robots"]);
});

Deno.test("readDone() gives each end once when small rows of the log are joined", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  using engine = open({ path, generationOps: 200 });
  engine.put(Array.from({ length: 400 }, (_, i) => seed(`https://a.example/${i}`)));
  const seen: string[] = [];
  const reader = readDone(path)[Symbol.asyncIterator]();
  for (let i = 0; i < 100; i++) {
    const [lease] = engine.claim(1, 4);
    engine.complete(lease!.urls.map(({ id }) => ended(id)));
    engine.releaseHosts([give(lease!.host)]);
    engine.commit();
    if (i % 7 === 6) { while (engine.work(1000)); }
    engine.commit();
    // The reader keeps some way behind, and rows are joined under it.
    if (i > 10 && seen.length < i * 2) seen.push((await reader.next()).value!.url);
  }
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    seen.push(next.value.url);
  }
  assert.deepEqual(seen, Array.from({ length: 400 }, (_, i) => `https://a.example/${i}`));
});

Deno.test("FrontierEngine holds maxUrlsPerHost over the life of the state", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  const many = (from: number) =>
    Array.from({ length: 10 }, (_, i) => seed(`https://a.example/${from + i}`));
  {
    using engine = open({ path, maxUrlsPerHost: 15 });
    assert.equal(engine.put(many(0)).added, 10);
    assert.equal(drain(engine).length, 10);
  }
  using engine = open({ path, maxUrlsPerHost: 15 });
  assert.deepEqual(engine.put(many(5)), { added: 5, known: 5, refused: 0, staged: 0 });
  assert.deepEqual(engine.put([...many(100), seed("https://b.example/")]), {
    added: 1,
    known: 0,
    refused: 10,
    staged: 0,
  });
});

Deno.test("sameHost admits outlinks only on hosts that a seed or a seed's redirect named", () => {
  using engine = open({ sameHost: true });
  engine.put([seed("https://a.example/")], { seed: true });
  engine.complete([ended(engine.claim(1, 1)[0]!.urls[0]!.id, {
    outlinks: links("https://a.example/in", "https://b.example/out"),
    redirect: "https://www.a.example/",
  })]);
  engine.releaseHosts([give("a.example")]);
  const leases = engine.claim(9, 9);
  assert.deepEqual(urlsOf(leases).sort(), ["https://a.example/in", "https://www.a.example/"]);
  // A deeper page's redirect names no host; what was refused once may come in later.
  engine.complete(
    leases.flatMap(({ urls }) =>
      urls.map(({ id, depth }) =>
        ended(
          id,
          depth === 1
            ? { redirect: "https://c.example/" }
            : { outlinks: links("https://www.a.example/2", "https://b.example/out") },
        )
      )
    ),
  );
  engine.releaseHosts(leases.map(({ host }) => give(host)));
  assert.deepEqual(urlsOf(engine.claim(9, 9)), ["https://www.a.example/2"]);
  assert.equal(engine.put([seed("https://b.example/out")], { seed: true }).added, 1);
});

Deno.test("releaseHosts() with exclude ends what is queued and whatever is put later", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  {
    using engine = open({ path, blockUrls: 8 });
    engine.put(Array.from({ length: 50 }, (_, i) => seed(`https://a.example/${i}`)));
    const [lease] = engine.claim(1, 2);
    engine.complete([ended(lease!.urls[0]!.id)]);
    engine.releaseHosts([{
      ...give("a.example", 0, [lease!.urls[1]!.id]),
      exclude: "crawl-delay 3600",
    }]);
    engine.commit();
  }
  using engine = open({ path, blockUrls: 8 });
  assert.deepEqual(engine.claim(1, 1), []);
  while (engine.work(1000));
  assert.equal(engine.stats().queued, 0);
  assert.deepEqual(engine.put([seed("https://a.example/0"), seed("https://a.example/new")]), {
    added: 0,
    known: 1,
    refused: 1,
    staged: 0,
  });
  engine.commit();
  const { skipped, skippedBy, excludedHosts, activeHosts } = engine.stats();
  assert.deepEqual([skipped, skippedBy["crawl-delay 3600"], excludedHosts, activeHosts], [
    50,
    50,
    1,
    0,
  ]);
  let logged = 0;
  for await (const { reason } of readDone(path)) if (reason !== "") logged++;
  assert.equal(logged, 50);
});

Deno.test("blockHost() holds a host back until its time, and unblocks with 0; it persists", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`, clock = new TestClock();
  {
    using engine = open({ path, clock });
    engine.put([
      seed("https://a.example/"),
      seed("https://b.example/"),
      seed("https://c.example/"),
    ]);
    engine.blockHost("a.example", Infinity);
    engine.blockHost("b.example", engine.now() + 60_000);
    assert.equal(engine.stats().blockedHosts, 2);
  }
  using engine = open({ path, clock });
  assert.deepEqual(urlsOf(engine.claim(9, 1)), ["https://c.example/"]);
  clock.pass(60_000);
  assert.deepEqual(urlsOf(engine.claim(9, 1)), ["https://b.example/"]);
  clock.pass(1e9);
  assert.deepEqual(engine.claim(9, 1), []);
  engine.blockHost("a.example", 0);
  assert.deepEqual(urlsOf(engine.claim(9, 1)), ["https://a.example/"]);
});

Deno.test("setDelay() shows in the lease, also for a host not yet known, and persists", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  {
    using engine = open({ path });
    engine.setDelay("a.example", 10_000);
    engine.put([seed("https://a.example/1"), seed("https://a.example/2")]);
  }
  using engine = open({ path });
  assert.equal(engine.claim(1, 1)[0]!.delayMs, 10_000);
  engine.setDelay("a.example", undefined);
  engine.releaseHosts([give("a.example")]);
  assert.ok(!("delayMs" in engine.claim(1, 1)[0]!));
});

for (const reopened of [false, true]) {
  Deno.test(`setPriority() moves everything queued${reopened ? ", and a reopening keeps it" : ""}`, () => {
    using folder = tempFolder();
    const path = `${folder.path}/s.db`, clock = new TestClock();
    const options = { path, clock, blockUrls: 4, generationOps: 30 };
    const all = Array.from({ length: 30 }, (_, i) => `https://a.example/${i}`);
    const setup = () => {
      const engine = open(options);
      engine.put(all.map((url, i) => seed(url, i % 2 === 0 ? 1 : 4)));
      engine.put([seed("https://b.example/", 8)]);
      engine.setPriority("a.example", 32);
      engine.setPriority("unknown.example", 32);
      return engine;
    };
    if (reopened) setup().close();
    using engine = reopened ? open(options) : setup();
    const [lease] = engine.claim(1, 100);
    assert.equal(lease!.host, "a.example");
    assert.deepEqual(urlsOf([lease!]).sort(), all.sort());
    assert.ok(lease!.urls.every(({ priority }) => priority === 32));
  });
}

Deno.test("put() refuses a priority or depth out of range, and what is no single URL", () => {
  using engine = open();
  for (const priority of [0, -1, NaN, Infinity]) {
    assert.throws(() => engine.put([seed("https://a.example/", priority)]), FrontierError);
  }
  assert.throws(() => engine.put([seed("https://a.example/", 1, -1)]), FrontierError);
  assert.throws(() => engine.put([seed("https://a.example/\nhttps://b.example/")]), FrontierError);
  const refused = [
    "nonsense",
    "https://",
    "https:///x",
    "https://[::1/",
    `https://a.example/${"x".repeat(20_000)}`,
  ];
  assert.equal(engine.put(refused.map((url) => seed(url))).refused, refused.length);
});

Deno.test("FrontierEngine takes a host's name out of ports, users and IPv6 addresses", () => {
  using engine = open();
  engine.put([
    seed("https://a.example:8443/"),
    seed("http://user:pw@a.example/x@y"),
    seed("https://a.example?q=:1"),
    seed("http://[2001:db8::1]:81/"),
  ]);
  const hosts = engine.claim(9, 9);
  assert.deepEqual(hosts.map(({ host, urls }) => [host, urls.length]), [
    ["a.example", 3],
    ["[2001:db8::1]", 1],
  ]);
});

Deno.test("FrontierEngine keeps URLs outside ASCII as they are", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`, url = "https://bücher.example/straße/😀";
  {
    using engine = open({ path });
    engine.put([seed(url)]);
  }
  using engine = open({ path });
  assert.equal(engine.put([seed(url)]).known, 1);
  const [lease] = engine.claim(1, 1);
  assert.deepEqual([lease!.host, lease!.urls[0]!.url], ["bücher.example", url]);
});

Deno.test("putCached() is read back before and after a commit, and what expired goes", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`, clock = new TestClock();
  const value = Uint8Array.of(1, 2, 3);
  {
    using engine = open({ path, clock });
    const expires = engine.now() + 1000;
    engine.putCached("robots https://a.example", value, expires);
    assert.deepEqual(engine.getCached("robots https://a.example"), { value, expires });
    assert.equal(engine.getCached("other"), undefined);
  }
  using engine = open({ path, clock });
  assert.deepEqual(engine.getCached("robots https://a.example")!.value, value);
  clock.pass(2000);
  engine.putCached("z", value, engine.now() + 1);
  engine.commit();
  assert.equal(engine.getCached("robots https://a.example"), undefined);
});

Deno.test("stats() names the longest due and the next due moment", () => {
  const clock = new TestClock();
  using engine = open({ clock });
  assert.equal(engine.stats().oldestDue, undefined);
  const start = engine.now();
  engine.put([seed("https://a.example/"), seed("https://b.example/"), seed("https://c.example/")]);
  engine.blockHost("b.example", start + 5000);
  engine.blockHost("c.example", start + 3000);
  clock.pass(10);
  const { oldestDue, nextDue, blockedHosts, activeHosts, hosts } = engine.stats();
  assert.deepEqual([oldestDue, nextDue, blockedHosts, activeHosts, hosts], [
    start,
    start + 3000,
    2,
    3,
    3,
  ]);
});
