// Pages that are visited again: when, with what was kept of them, through kills and jumps of clocks.
import assert from "node:assert/strict";
import { nextInterval } from "../../lib/tiers/revisit.ts";
import { ByteWriter } from "../../lib/frontier/_bytes.ts";
import { decodeVisit, encodeVisit } from "../../lib/frontier/_visit_row.ts";
import { readDone, readQueued, readStats } from "../../lib/frontier/read.ts";
import { packCompletions, packLeases } from "../../lib/frontier/_wire.ts";
import { unpackCompletions, unpackLeases } from "../../lib/frontier/_wire.ts";
import type { FrontierEngine } from "../../lib/frontier/engine.ts";
import type { Completion, LeasedUrl } from "../../lib/frontier/types.ts";
import { ended, killCopy, links, open, seed, tempFolder, TestClock } from "./_helpers.ts";

const HOUR = 3_600_000;
const memo = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

/** Hands out everything that is due now, gives the hosts back, and leaves the leases open. */
function due(engine: FrontierEngine): LeasedUrl[] {
  while (engine.work());
  const hosts = engine.claim(100, 100);
  engine.releaseHosts(hosts.map(({ host }) => ({ host, notBefore: 0, unused: [] })));
  return hosts.flatMap(({ urls }) => urls);
}

/** Visits everything that is due now; which URLs that was. */
function visit(engine: FrontierEngine, more: Partial<Completion> = {}): string[] {
  const urls = due(engine);
  engine.complete(urls.map(({ id }) => ended(id, more)));
  return urls.map(({ url }) => url);
}

Deno.test("nextInterval() is half after a change, half as many again without one, within bounds", () => {
  assert.equal(nextInterval(undefined, 1000, "changed"), 1000);
  assert.equal(nextInterval(1000, 1000, "changed"), 500);
  assert.equal(nextInterval(300, 1000, "changed"), 250);
  assert.equal(nextInterval(1000, 1000, "unchanged"), 1500);
  assert.equal(nextInterval(3000, 1000, "unchanged"), 4000);
  assert.equal(nextInterval(1500, 1000, "unknown"), 1500);
  // The base itself may move between two runs.
  assert.equal(nextInterval(1_000_000, 1000, "unknown"), 4000);
});

Deno.test("a page is due again when its interval is over, and not a millisecond sooner", () => {
  const clock = new TestClock();
  using engine = open({ clock, recrawl: { intervalMs: HOUR } });
  engine.put([seed("https://a.example/1", 3), seed("https://a.example/2")], { seed: true });
  clock.pass(7);
  const first = due(engine);
  assert.deepEqual(first.map(({ memo }) => memo), [undefined, undefined]);
  clock.pass(1234); // the visit takes its time: the interval counts from its end
  engine.complete(first.map(({ id, url }) => ended(id, { memo: memo(url) })));
  assert.deepEqual(due(engine), []);
  clock.pass(HOUR - 1);
  assert.deepEqual(due(engine), []);
  clock.pass(1);
  const again = due(engine);
  assert.deepEqual(again.map(({ url, memo, priority }) => [url, text(memo), priority]), [
    ["https://a.example/1", "https://a.example/1", 3],
    ["https://a.example/2", "https://a.example/2", 1],
  ]);
  assert.deepEqual(due(engine), [], "each once");
  assert.deepEqual(engine.stats().visits, { waiting: 0, due: 2 });
  engine.complete([
    ended(again[0]!.id, { verdict: "changed", memo: memo("new") }),
    ended(again[1]!.id, { verdict: "unchanged", status: 304 }),
  ]);
  assert.equal(engine.stats().answered, 4);
  assert.equal(engine.stats().known, 2);
  clock.pass(HOUR / 2 - 1);
  assert.deepEqual(due(engine), []);
  clock.pass(1);
  assert.deepEqual(due(engine).map(({ url, memo }) => [url, text(memo)]), [
    ["https://a.example/1", "new"],
  ]);
  clock.pass(HOUR - 1);
  assert.deepEqual(due(engine), []);
  clock.pass(1);
  assert.deepEqual(due(engine).map(({ url, memo }) => [url, text(memo)]), [
    ["https://a.example/2", "https://a.example/2"],
  ]);
});

Deno.test("visits are kept through kills: none is lost, doubled, or early", () => {
  using folder = tempFolder();
  const clock = new TestClock();
  const urls = Array.from({ length: 40 }, (_, i) => `https://h${i % 7}.example/${i}`);
  const options = { clock, recrawl: { intervalMs: HOUR }, blockUrls: 3, generationOps: 20 };
  const engine = open({ ...options, path: `${folder.path}/a.db` });
  engine.put(urls.map((url) => seed(url)), { seed: true });
  engine.commit();
  let path = `${folder.path}/a.db`, running = engine;
  const last = new Map<string, number>();
  const counts = new Map<string, number>();
  // At every step some pages are visited, and every third is a kill with visits out.
  for (let step = 0; step < 60; step++) {
    clock.pass(HOUR / 9);
    const leased = due(running);
    const now = clock.monotonicMs;
    const done = leased.slice(0, Math.ceil(leased.length * 0.7));
    running.complete(done.map(({ id }) => ended(id, { verdict: "unknown" })));
    running.commit();
    for (const { url } of done) {
      const before = last.get(url);
      if (before !== undefined) assert.ok(now - before >= HOUR, `${url} after ${now - before}`);
      last.set(url, now);
      counts.set(url, (counts.get(url) ?? 0) + 1);
    }
    if (step % 3 === 0) {
      const copy = `${folder.path}/${step}.db`;
      killCopy(path, copy);
      running.close();
      path = copy;
      running = open({ ...options, path });
    }
  }
  for (const url of urls) assert.ok(counts.get(url)! >= 4, `${url}: ${counts.get(url)}`);
  const { visits } = running.stats();
  assert.equal(visits!.waiting + visits!.due, urls.length);
  running.close();
});

Deno.test("a wall clock that jumps makes no visit early, within a run or between two", () => {
  using folder = tempFolder();
  const path = `${folder.path}/state.db`;
  const clock = new TestClock();
  const options = { clock, path, recrawl: { intervalMs: HOUR } };
  {
    using engine = open(options);
    engine.put([seed("https://a.example/")], { seed: true });
    assert.equal(visit(engine).length, 1);
    clock.wallMs += 10 * HOUR;
    assert.deepEqual(visit(engine), []);
    clock.pass(HOUR / 2);
    assert.deepEqual(visit(engine), []);
  }
  clock.wallMs += 10 * HOUR; // the same boot: its uptime knows better
  {
    using engine = open(options);
    clock.pass(HOUR / 2 - 1);
    assert.deepEqual(visit(engine), []);
    clock.wallMs -= 100 * HOUR;
    clock.pass(200);
    assert.deepEqual(visit(engine), ["https://a.example/"]);
  }
});

Deno.test("a host's pace is its own: tier 1 daily, tier 5 once, of others that of tier 3", () => {
  using folder = tempFolder();
  const path = `${folder.path}/state.db`;
  const clock = new TestClock();
  const paces = [{ host: "often.example", intervalMs: 24 * HOUR }, {
    host: "once.example",
    intervalMs: 0,
  }];
  const urls = ["https://often.example/", "https://once.example/", "https://other.example:8080/x"];
  {
    using engine = open({ clock, path, recrawl: {} });
    engine.setPaces(paces);
    engine.put(urls.map((url) => seed(url)), { seed: true });
    assert.equal(visit(engine).length, 3);
  }
  using engine = open({ clock, path, recrawl: {} });
  assert.deepEqual(engine.stats().visits?.waiting, 2);
  clock.pass(24 * HOUR);
  assert.deepEqual(visit(engine), ["https://often.example/"]);
  clock.pass(144 * HOUR - 1);
  assert.deepEqual(visit(engine), ["https://often.example/"]);
  clock.pass(1);
  assert.deepEqual(visit(engine), ["https://other.example:8080/x"]);
  clock.pass(10_000 * HOUR);
  assert.ok(!visit(engine).includes("https://once.example/"));
});

Deno.test("what a crawl had done before it was to come back is come back to", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/state.db`;
  const clock = new TestClock();
  const urls = Array.from({ length: 30 }, (_, i) => `https://a.example/${i}`);
  {
    using engine = open({ clock, path });
    engine.put(urls.map((url) => seed(url)), { seed: true });
    const leased = due(engine);
    engine.complete(leased.slice(0, 10).map(({ id }) => ended(id)));
    engine.commit();
    engine.complete([
      ended(leased[10]!.id, { outcome: "failed", status: 0, error: "timeout" }),
      ended(leased[11]!.id, { outcome: "skipped", status: 0, error: "skip", reason: "robots" }),
      ended(leased[12]!.id, { outcome: "skipped", status: 0, error: "skip", reason: "port" }),
    ]);
    assert.equal(engine.stats().visits, undefined);
  }
  {
    using engine = open({ clock, path, recrawl: { intervalMs: HOUR } });
    assert.deepEqual(visit(engine), urls.slice(13));
    clock.pass(HOUR);
    assert.deepEqual(visit(engine).sort(), urls.filter((_, i) => i !== 12).sort());
  }
  {
    // Without it nothing is brought in, and what is visited stays in the books.
    using engine = open({ clock, path });
    clock.pass(9 * HOUR);
    assert.deepEqual(visit(engine), []);
  }
  using engine = open({ clock, path, recrawl: { intervalMs: HOUR } });
  assert.equal(visit(engine).length, 29);
  engine.commit();
  const log = [];
  for await (const { url } of readDone(path)) log.push(url);
  assert.equal(log.length, 13 + 17 + 29 + 29);
  const stats = await readStats(path);
  assert.deepEqual([stats.visits?.waiting, stats.visits?.due], [29, 0]);
  for await (const queued of readQueued(path)) assert.fail(queued.url);
});

Deno.test("pages of a host that is left out are not come back to", () => {
  const clock = new TestClock();
  using engine = open({ clock, recrawl: { intervalMs: HOUR } });
  engine.put([
    seed("https://a.example/1"),
    seed("https://a.example/2"),
    seed("https://b.example/"),
  ]);
  visit(engine);
  clock.pass(HOUR);
  while (engine.work());
  const [host] = engine.claim(1, 1);
  assert.equal(host!.host, "a.example");
  engine.complete([ended(host!.urls[0]!.id, { outcome: "failed", error: "refused" })]);
  engine.releaseHosts([{ host: "a.example", notBefore: 0, unused: [], exclude: "unreachable" }]);
  assert.deepEqual(visit(engine), ["https://b.example/"]);
  clock.pass(10 * HOUR);
  assert.deepEqual(visit(engine), ["https://b.example/"]);
  assert.deepEqual(engine.stats().visits?.waiting, 1);
});

Deno.test("a page that a sitemap says has changed since its visit is due at once", () => {
  const clock = new TestClock();
  using engine = open({ clock, recrawl: { intervalMs: HOUR } });
  const urls = ["sitemap", "newer", "older", "future", "odd"].map((x) => `https://a.example/${x}`);
  engine.put(urls.map((url) => seed(url)), { seed: true });
  visit(engine);
  const visited = engine.now();
  clock.pass(HOUR / 2);
  engine.put([seed("https://a.example/again")]);
  const [lease] = due(engine);
  engine.complete([ended(lease!.id, {
    modified: links(
      `https://a.example/newer\t${visited + 1}`,
      `https://a.example/older\t${visited}`,
      `https://a.example/future\t${engine.now() + 25 * HOUR}`,
      `https://a.example/odd\tx`,
      `https://a.example/odd`,
      `https://a.example/unknown\t${visited + 1}`,
    ),
  })]);
  assert.deepEqual(visit(engine), ["https://a.example/newer"]);
  clock.pass(HOUR / 2);
  assert.deepEqual(visit(engine).sort(), urls.filter((url) => !url.endsWith("newer")).sort());
});

Deno.test("memos and verdicts cross between the threads", () => {
  const url = { id: 1, url: "https://a.example/", priority: 1, depth: 0, attempts: 0 };
  const urls = [{ ...url, memo: memo("m") }, { ...url, id: 2, listed: 2 }, { ...url, id: 3 }];
  const lease = { host: "a.example", notBefore: 0, failures: 0, deferrals: 0, urls };
  const [back] = unpackLeases(packLeases([lease]));
  assert.deepEqual(back!.urls.map(({ memo, listed }) => [text(memo), listed]), [
    ["m", undefined],
    [undefined, 2],
    [undefined, undefined],
  ]);
  const [one, two] = unpackCompletions(packCompletions([
    ended(1, { verdict: "changed", memo: memo("x"), modified: links("y"), redirect: "z" }),
    ended(2),
  ]));
  assert.deepEqual([one!.verdict, text(one!.memo), text(one!.modified), one!.redirect], [
    "changed",
    "x",
    "y",
    "z",
  ]);
  assert.deepEqual([two!.verdict, two!.memo, two!.redirect], ["unknown", undefined, ""]);
});

Deno.test("pages that wait are due by a pace that is said later, as soon or late as visits have made them", () => {
  using folder = tempFolder();
  const path = `${folder.path}/state.db`;
  const clock = new TestClock();
  const hosts = ["sooner", "later", "never", "ever", "same"].map((name) => `${name}.example`);
  const pages = (host: string) => Array.from({ length: 300 }, (_, i) => `https://${host}/${i}`);
  const paces = (hours: number[]) =>
    hosts.map((host, i) => ({ host, intervalMs: hours[i]! * HOUR }));
  const visited = (engine: FrontierEngine, more: Partial<Completion> = {}) => {
    const counts = Object.fromEntries(hosts.map((host) => [host.split(".")[0]!, 0]));
    for (let some; (some = visit(engine, more)).length > 0;) {
      for (const url of some) counts[new URL(url).host.split(".")[0]!]!++;
    }
    return counts;
  };
  const none = { sooner: 0, later: 0, never: 0, ever: 0, same: 0 };
  {
    using engine = open({ clock, path, recrawl: {} });
    engine.setPaces(paces([100, 100, 100, 0, 100]));
    for (const host of hosts) engine.put(pages(host).map((url) => seed(url)), { seed: true });
    assert.equal(visited(engine).ever, 300);
    assert.equal(engine.stats().visits?.waiting, 1200);
    clock.pass(100 * HOUR);
    visited(engine, { verdict: "unchanged" }); // all but one host's are due in 150 hours now
    clock.pass(10 * HOUR);
    engine.setPaces(paces([20, 1000, 0, 40, 100]));
    engine.commit();
  }
  // What was said is not lost with the run that was told.
  const copy = `${folder.path}/killed.db`;
  killCopy(path, copy);
  using engine = open({ clock, path: copy, recrawl: {} });
  // One was visited once, 110 hours ago: at its new pace it is late.
  assert.deepEqual(visited(engine), { ...none, ever: 300 });
  assert.equal(engine.stats().visits?.waiting, 1200);
  clock.pass(20 * HOUR - 1);
  assert.deepEqual(visited(engine), none);
  clock.pass(1); // 30 hours after the visit: half as long again as its pace
  assert.deepEqual(visited(engine, { verdict: "changed" }), { ...none, sooner: 300 });
  clock.pass(15 * HOUR); // and half of that then
  assert.deepEqual(visited(engine), { ...none, sooner: 300 });
  engine.setPaces(paces([0, 1000, 0, 0, 100]));
  assert.deepEqual(visited(engine), none);
  clock.pass(105 * HOUR); // 150 after the visit
  assert.deepEqual(visited(engine), { ...none, same: 300 });
  clock.pass(1350 * HOUR - 1);
  engine.setPaces([{ host: "same.example", intervalMs: 0 }]);
  assert.deepEqual(visited(engine), none);
  clock.pass(1);
  assert.deepEqual(visited(engine), { ...none, later: 300 });
  assert.equal(engine.stats().visits?.waiting, 300);
});

Deno.test("pages that were to be visited once are something to come back to as soon as that is said", () => {
  using folder = tempFolder();
  const path = `${folder.path}/state.db`;
  const clock = new TestClock();
  const host = "once.example";
  const pace = (hours: number) => [{ host, intervalMs: hours * HOUR }];
  {
    using engine = open({ clock, path, recrawl: {} });
    engine.setPaces(pace(0));
    engine.put([seed(`https://${host}/1`), seed(`https://${host}/2`)]);
    assert.equal(visit(engine).length, 2);
    assert.equal(engine.stats().visits, undefined);
    engine.setPaces(pace(1));
    assert.equal(engine.stats().visits?.waiting, 2);
    engine.setPaces(pace(0));
    while (engine.work());
    assert.equal(engine.stats().visits, undefined);
  }
  using engine = open({ clock, path, recrawl: { intervalMs: HOUR } });
  assert.equal(engine.stats().visits?.waiting, 2);
});

Deno.test("what a run ends that does not come back waits as the run before it said", () => {
  using folder = tempFolder();
  const path = `${folder.path}/state.db`;
  const clock = new TestClock();
  const run = (recrawl?: { intervalMs: number }) => {
    using engine = open({ clock, path, ...(recrawl === undefined ? {} : { recrawl }) });
    engine.put([seed("https://a.example/1")]);
    return visit(engine).length;
  };
  {
    using engine = open({ clock, path, recrawl: { intervalMs: HOUR } });
    engine.put([seed("https://b.example/")]);
    assert.equal(visit(engine).length, 1);
  }
  assert.equal(run(), 1);
  clock.pass(HOUR);
  assert.equal(run(), 0);
  assert.equal(run({ intervalMs: HOUR }), 2);
});

Deno.test("one interval for all hosts holds for pages that wait, and ends with the option", () => {
  using folder = tempFolder();
  const path = `${folder.path}/state.db`;
  const clock = new TestClock();
  const urls = Array.from({ length: 500 }, (_, i) => `https://h${i % 40}.example/${i}`);
  const run = (recrawl: { intervalMs?: number }) => {
    using engine = open({ clock, path, recrawl });
    let count = 0;
    for (let some; (some = visit(engine)).length > 0;) count += some.length;
    return count;
  };
  {
    using engine = open({ clock, path, recrawl: {} });
    engine.put([...urls, "https://once.example/"].map((url) => seed(url)), { seed: true });
    engine.setPaces([{ host: "once.example", intervalMs: 0 }]);
  }
  assert.equal(run({}), 501);
  clock.pass(HOUR);
  assert.equal(run({ intervalMs: HOUR }), 501);
  clock.pass(HOUR - 1);
  {
    // A kill in the middle of it: the next run goes on where it was.
    using engine = open({ clock, path, recrawl: {} });
    engine.work(0);
    engine.commit();
  }
  assert.equal(run({}), 0);
  clock.pass(166 * HOUR);
  assert.equal(run({}), 0);
  clock.pass(HOUR + 1);
  assert.equal(run({}), 500);
  assert.equal(run({ intervalMs: HOUR }), 1); // what is visited once was, an age ago
});

Deno.test("a visit comes back as it was written, also one that does not say its host's interval", () => {
  const visit = {
    url: "https://a.example/",
    priority: 2,
    depth: 3,
    interval: 3 * HOUR,
    base: 2 * HOUR,
    last: 1_800_000_000_000,
    memo: memo("m"),
  };
  const body = encodeVisit(new ByteWriter(), visit).slice();
  assert.deepEqual(decodeVisit(body), visit);
  const alone = new ByteWriter();
  alone.varint(visit.base);
  const before = body.subarray(0, body.length - alone.view().length);
  assert.deepEqual(decodeVisit(before), { ...visit, base: undefined });
});
