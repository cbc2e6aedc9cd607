import assert from "node:assert/strict";
import { join } from "node:path";
import {
  HubAccessError,
  HubBusyError,
  HubError,
  HubMissingError,
  HubNetworkError,
  WorkListError,
} from "../../lib/worklist/errors.ts";
import { openHubFiles, openWorkList, type OpenWorkListOptions } from "../../lib/worklist/open.ts";
import type { ReadOptions, WorkList } from "../../lib/worklist/types.ts";
import { type LocalHub, startHub } from "../web/hub.ts";
import { bigUrl, writeBigList } from "./_big_list.ts";
import { checkDeepResume } from "./_deep.ts";
import { FakeTime } from "./_fake_time.ts";
import { domains, sortedUrls, writeList } from "./_lists.ts";

const REPO = "open-index/ccrawl-urls";
const dir = await Deno.makeTempDir({ prefix: "ccrawl-hub-" });
globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));

const URLS = sortedUrls(20_000);
const listPath = join(dir, "list.parquet");
await writeList(listPath, URLS, { pageSize: 16 << 10 });
const DOMAINS = domains(300);
const domainPath = join(dir, "domains.parquet");
await writeList(domainPath, DOMAINS, { column: "domain" });
const mediumPath = join(dir, "medium.parquet");
writeBigList(mediumPath, { rows: 200_000 });

function opened(hub: LocalHub, more: Partial<OpenWorkListOptions> = {}): Promise<WorkList> {
  return openWorkList({ from: "urls", hub: hub.url, token: "", ...more });
}

async function urls(list: WorkList, options: ReadOptions = {}): Promise<string[]> {
  const out: string[] = [];
  for await (const { rows } of list.read(options)) for (const row of rows) out.push(row.url);
  return out;
}

/** A hub with a list of two parts. */
function hubWithList(options: Parameters<typeof startHub>[0] = {}): LocalHub {
  const hub = startHub(options);
  hub.put(REPO, "README.md", new Uint8Array(10));
  hub.put(REPO, "data/cc-main-2026-jan-feb-mar/part-0.parquet", listPath);
  hub.put(REPO, "data/cc-main-2026-jan-feb-mar/part-1.parquet", listPath);
  return hub;
}

Deno.test("openWorkList() reads the published lists from the hub, by the redirect to another host", async () => {
  await using hub = hubWithList();
  hub.put("open-index/ccrawl-domains", "data/cc-main-2026-jan-feb-mar/0.parquet", domainPath);
  const list = await opened(hub);
  assert.equal(list.source, "open-index/ccrawl-urls#url");
  assert.equal(list.release, "cc-main-2026-jan-feb-mar");
  assert.deepEqual(await urls(list), [...URLS, ...URLS]);
  assert.deepEqual(
    await urls(await opened(hub, { from: "domains" })),
    DOMAINS.map((name) => `https://${name}/`),
  );
  assert.equal(list.stats.rows, 40_000);
});

Deno.test("openWorkList() takes parts by the number in their names, and only those directly in the folder", async () => {
  await using hub = startHub();
  const small = (n: number) => join(dir, `small-${n}.parquet`);
  for (const n of [0, 2, 10]) {
    await writeList(small(n), [`https://p${n}.example/`]);
    hub.put(REPO, `data/cc-main-2026-apr-may-jun/part-${n}.parquet`, small(n));
  }
  hub.put(REPO, "data/cc-main-2026-apr-may-jun/old/part-1.parquet", small(0));
  hub.put(REPO, "data/cc-main-2026-apr-may-jun/part-3.csv", small(0));
  hub.put(REPO, "data/cc-main-2026-apr-may-jun/../../part-4.parquet", small(0));
  const list = await opened(hub);
  assert.deepEqual(await urls(list), [
    "https://p0.example/",
    "https://p2.example/",
    "https://p10.example/",
  ]);
});

Deno.test("openWorkList() picks the newest release, the one named by dir, or the one a run was begun with", async () => {
  await using hub = startHub();
  const releases = [
    "cc-main-2025-jul-aug-sep",
    "cc-main-2025-26-dec-jan-feb",
    "cc-main-2025-oct-nov-dec",
  ];
  for (const [i, id] of releases.entries()) {
    await writeList(join(dir, `r${i}.parquet`), [`https://r${i}.example/`]);
    hub.put(REPO, `data/${id}/0.parquet`, join(dir, `r${i}.parquet`));
  }
  hub.put(REPO, "data/scratch/0.parquet", join(dir, "r0.parquet"));
  assert.equal((await opened(hub)).release, "cc-main-2025-26-dec-jan-feb");
  assert.equal(
    (await opened(hub, { dir: "cc-main-2025-oct-nov-dec" })).release,
    "cc-main-2025-oct-nov-dec",
  );
  assert.equal((await opened(hub, { dir: "data/scratch/" })).release, "scratch");
  const begun = await opened(hub, { release: "cc-main-2025-jul-aug-sep" });
  assert.deepEqual(await urls(begun), ["https://r0.example/"]);
  await assert.rejects(opened(hub, { dir: "cc-main-2019-may-jun-jul" }), (error: Error) => {
    assert.ok(error instanceof WorkListError);
    assert.match(error.message, /"cc-main-2019-may-jun-jul".*It has cc-main-2025-26-dec-jan-feb/);
    return true;
  });
});

Deno.test("openWorkList() picks the newest monthly crawl where a list is released by these", async () => {
  await using hub = startHub();
  for (const id of ["CC-MAIN-2025-51", "CC-MAIN-2026-08", "CC-MAIN-2025-05", "scratch"]) {
    await writeList(join(dir, "crawl.parquet"), ["https://r.example/"]);
    hub.put(REPO, `data/${id}/0.parquet`, join(dir, "crawl.parquet"));
  }
  assert.equal((await opened(hub)).release, "CC-MAIN-2026-08");
  assert.equal((await opened(hub, { dir: "CC-MAIN-2025-05" })).release, "CC-MAIN-2025-05");
  assert.equal((await opened(hub, { release: "CC-MAIN-2025-51" })).release, "CC-MAIN-2025-51");
  hub.put(REPO, "data/cc-main-2024-jan-feb-mar/0.parquet", join(dir, "crawl.parquet"));
  assert.equal((await opened(hub)).release, "cc-main-2024-jan-feb-mar", "the web graph's first");
});

Deno.test("openWorkList() reads a repo of anybody's: files in data/, or at the root, any column", async () => {
  await using hub = startHub();
  await writeList(join(dir, "any.parquet"), ["a.example", "b.example/x"], { column: "site" });
  hub.put("someone/sites", "data/train-00000-of-00001.parquet", join(dir, "any.parquet"));
  hub.put("someone/flat", "x.parquet", join(dir, "any.parquet"));
  for (const from of ["someone/sites", "someone/flat"]) {
    const list = await opened(hub, { from, column: "site" });
    assert.equal(list.release, "");
    assert.deepEqual(await urls(list), ["https://a.example/", "https://b.example/x"]);
  }
  await assert.rejects(
    urls(await opened(hub, { from: "someone/flat" })),
    /it has no column "url" or "domain"; it has "site"/,
  );
  hub.put("someone/many", "data/a/x.parquet", join(dir, "any.parquet"));
  hub.put("someone/many", "data/b/x.parquet", join(dir, "any.parquet"));
  await assert.rejects(opened(hub, { from: "someone/many" }), /Name one with --dir: a, b/);
});

Deno.test("read() resumes deep in one row group at the cost of a few pages, counted at the server", async () => {
  await checkDeepResume(1_000_000, 980_000);
});

Deno.test("a token goes to the hub and not to the host that it redirects to", async () => {
  await using hub = hubWithList({ token: "hf_secret" });
  hub.repo(REPO, { private: true });
  const list = await opened(hub, { token: "hf_secret" });
  assert.equal((await urls(list)).length, 40_000);
  for (const { to, authorization } of hub.log) {
    assert.equal(authorization, to === "cdn" ? undefined : "Bearer hf_secret");
  }
});

Deno.test("a token stands in no message, and neither does the signature of an address", async () => {
  await using hub = hubWithList({ token: "hf_other" });
  hub.repo(REPO, { private: true });
  await assert.rejects(opened(hub, { token: "hf_secret" }), (error: Error) => {
    assert.ok(error instanceof HubAccessError);
    assert.equal(error.exitCode, 4);
    assert.match(error.message, /HF_TOKEN is not accepted/);
    assert.doesNotMatch(`${error.message} ${error.stack} ${JSON.stringify(error)}`, /hf_secret/);
    return true;
  });
  await using other = hubWithList();
  const list = await opened(other, { retryFor: 0 });
  other.fault({ to: "cdn", kind: "status", status: 500 });
  await assert.rejects(urls(list), (error: Error) => {
    assert.match(error.message, /answers 500/);
    assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /signature/);
    return true;
  });
});

Deno.test("without a token a private repo says that one is missing", async () => {
  await using hub = hubWithList({ token: "hf_x" });
  hub.repo(REPO, { private: true });
  await assert.rejects(opened(hub), (error: Error) => {
    assert.ok(error instanceof HubAccessError && error.status === 401);
    assert.match(error.message, /set HF_TOKEN/);
    return true;
  });
});

Deno.test("a name that is neither on disk nor on the hub is told to be neither: it may be a path", async () => {
  await using hub = hubWithList({ token: "hf_x" });
  // What is not there is not told from what may not be read to those without a token.
  for (const [token, type] of [["", HubAccessError], ["hf_x", HubMissingError]] as const) {
    const either = (error: Error) => {
      assert.match(
        error.message,
        /[^.]\. On this disk there is no file or folder "lists\/a" either\.$/,
      );
      return error instanceof type;
    };
    await assert.rejects(openWorkList({ from: "lists/a", hub: hub.url, token }), either);
    const files = await openHubFiles("lists/a", { hub: hub.url, token });
    await assert.rejects(files!.next(), either);
  }
});

Deno.test("a listed part that answers 404 is an error, not the end of the list", async () => {
  await using hub = hubWithList();
  hub.remove(REPO, "data/cc-main-2026-jan-feb-mar/part-1.parquet", { listed: true });
  const list = await opened(hub);
  let rows = 0;
  await assert.rejects(async () => {
    for await (const batch of list.read()) rows += batch.rows.length;
  }, (error: Error) => {
    assert.ok(error instanceof HubMissingError && error.status === 404);
    assert.match(error.message, /part-1\.parquet.*the repo lists it/);
    return true;
  });
  assert.equal(rows, 20_000);
});

Deno.test("401 and 403 for a listed part are errors of the credential", async () => {
  for (const status of [401, 403]) {
    await using hub = hubWithList();
    const list = await opened(hub);
    hub.fault({ to: "resolve", kind: "status", status });
    await assert.rejects(urls(list), (error: Error) => {
      assert.ok(error instanceof HubAccessError && error.status === status);
      return true;
    });
  }
});

Deno.test("429 waits for what Retry-After says, in seconds or as a date", async () => {
  await using hub = hubWithList();
  const time = new FakeTime();
  hub.fault({ to: "api", kind: "status", status: 429, retryAfter: "7", times: 1 });
  hub.fault({
    to: "resolve",
    kind: "status",
    status: 429,
    retryAfter: new Date(Date.now() + 90_000).toUTCString(),
    times: 1,
  });
  const list = await opened(hub, { sleep: time.sleep, now: time.now });
  assert.equal((await urls(list)).length, 40_000);
  assert.equal(time.slept[0], 7000);
  assert.ok(time.slept[1]! > 80_000 && time.slept[1]! <= 90_000, String(time.slept[1]));
  assert.equal(list.stats.retries, 2);
});

Deno.test("a hub that answers 5xx for minutes is outlasted, with ever longer pauses", async () => {
  await using hub = hubWithList();
  const time = new FakeTime();
  const list = await opened(hub, { sleep: time.sleep, now: time.now });
  hub.fault({ to: "cdn", kind: "status", status: 503, times: 9, after: 2 });
  assert.deepEqual(await urls(list), [...URLS, ...URLS]);
  assert.equal(time.slept.length, 9);
  assert.ok(
    time.slept.every((ms, i) =>
      ms >= 750 * Math.min(2 ** i, 60) && ms <= 1250 * Math.min(2 ** i, 60)
    ),
  );
  assert.ok(time.now() > 180_000);
});

Deno.test("a hub that goes on refusing is a temporary failure, when it has been asked for as long as said", async () => {
  for (const status of [429, 500, 503]) {
    await using hub = hubWithList();
    const time = new FakeTime();
    hub.fault({ to: "api", kind: "status", status });
    const before = hub.log.length;
    await assert.rejects(
      opened(hub, { sleep: time.sleep, now: time.now, retryFor: 120_000 }),
      (error: Error) => {
        assert.ok(
          error instanceof HubBusyError && error.exitCode === 75 && error.status === status,
        );
        assert.match(error.message, /Run it again later/);
        return true;
      },
    );
    assert.ok(time.now() <= 120_000 && time.now() > 30_000);
    assert.ok(hub.log.length - before >= 5);
  }
});

Deno.test("a wait is told of with what the network says, without the address", async () => {
  await using hub = hubWithList();
  const time = new FakeTime();
  let asked = 0;
  const waits: [ms: number, why: string][] = [];
  const list = await opened(hub, {
    sleep: time.sleep,
    now: time.now,
    onWait: (ms, why) => waits.push([ms, why]),
    fetch: (url, init) => {
      if (++asked > 2) return fetch(url, init);
      const at = asked === 1 ? url : "http://cdn.test/a(b)?signature=secret";
      const cause = new Error(
        `error sending request for url (${at}): client error (Connect): dns error: no such name`,
      );
      throw new TypeError("fetch failed", { cause });
    },
  });
  assert.equal(list.stats.retries, 2);
  assert.deepEqual(waits.map(([ms]) => ms), time.slept);
  assert.equal(
    waits[0]![1],
    "the request failed: client error (Connect): dns error: no such name (attempt 1; tried for 10 min at most)",
  );
  assert.equal(waits[1]![1], "the request failed (attempt 2; tried for 10 min at most)");
});

Deno.test("a Retry-After beyond what is left is not waited for", async () => {
  await using hub = hubWithList();
  const time = new FakeTime();
  hub.fault({ to: "api", kind: "status", status: 429, retryAfter: "86400" });
  await assert.rejects(
    opened(hub, { sleep: time.sleep, now: time.now, retryFor: 600_000 }),
    HubBusyError,
  );
  assert.deepEqual(time.slept, []);
});

Deno.test("a connection that is cut in a range goes on where it stopped", async () => {
  await using hub = startHub();
  hub.put(REPO, "data/cc-main-2026-jan-feb-mar/part-0.parquet", mediumPath);
  const time = new FakeTime();
  const list = await opened(hub, { sleep: time.sleep, now: time.now });
  hub.fault({ to: "cdn", kind: "cut", bytes: 20_000, times: 4, after: 1 });
  hub.reset();
  const read = await urls(list);
  assert.equal(read.length, 200_000);
  assert.equal(read.at(-1), bigUrl(199_999));
  const { bytes } = hub.count({ to: "cdn" });
  const size = Deno.statSync(mediumPath).size;
  assert.ok(bytes < size + (256 << 10), `${bytes} bytes of a file of ${size}`);
  assert.equal(list.stats.retries, 4);
});

Deno.test("no connection, one that ends before the head, and one that says nothing are all asked again", async () => {
  await using hub = hubWithList();
  const time = new FakeTime();
  const list = await opened(hub, { sleep: time.sleep, now: time.now, idle: 300 });
  hub.fault({ to: "resolve", kind: "cut", bytes: -1, times: 2 });
  hub.fault({ to: "cdn", kind: "stall", bytes: 1000, times: 1, after: 1 });
  assert.deepEqual(await urls(list), [...URLS, ...URLS]);
  // The runtime itself repeats a request whose connection was kept open and ends before the head.
  assert.ok(list.stats.retries >= 2);
});

Deno.test("a hub that is not there is a failure of the network", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const time = new FakeTime();
  await assert.rejects(
    openWorkList({
      from: "urls",
      hub: `http://127.0.0.1:${port}`,
      token: "",
      sleep: time.sleep,
      now: time.now,
      retryFor: 20_000,
    }),
    (error: Error) => {
      assert.ok(error instanceof HubNetworkError && error.exitCode === 8);
      assert.match(error.message, /^Cannot read http:\/\/127\.0\.0\.1:\d+\/api\/datasets/);
      return true;
    },
  );
});

Deno.test("a slow hub is waited for as long as bytes come", async () => {
  await using hub = hubWithList();
  const list = await opened(hub, { idle: 2000 });
  hub.fault({ to: "cdn", kind: "slow", ms: 5 });
  assert.equal((await urls(list, { from: { part: 1, row: 0 } })).length, 20_000);
  assert.equal(list.stats.retries, 0);
});

Deno.test("a server that ignores Range gives the whole part once, which is then read from disk", async () => {
  const scratch = await Deno.makeTempDir({ dir });
  await using hub = hubWithList();
  hub.fault({ to: "cdn", kind: "ignore-range" });
  const list = await opened(hub, { scratch });
  hub.reset();
  let seen = 0;
  const read: string[] = [];
  for await (const { rows } of list.read({ from: { part: 0, row: 15_000 } })) {
    seen = Math.max(seen, [...Deno.readDirSync(scratch)].length);
    for (const row of rows) read.push(row.url);
  }
  assert.deepEqual(read, [...URLS.slice(15_000), ...URLS]);
  assert.equal(hub.count({ to: "cdn" }).requests, 2);
  assert.equal(seen, 1);
  assert.deepEqual([...Deno.readDirSync(scratch)], []);
});

Deno.test("a download of a whole part that is cut is begun again", async () => {
  const scratch = await Deno.makeTempDir({ dir });
  await using hub = hubWithList();
  hub.fault({ to: "cdn", kind: "cut", bytes: 5000, times: 1 });
  hub.fault({ to: "cdn", kind: "ignore-range" });
  const time = new FakeTime();
  const list = await opened(hub, { scratch, sleep: time.sleep, now: time.now });
  assert.deepEqual(await urls(list), [...URLS, ...URLS]);
  assert.deepEqual([...Deno.readDirSync(scratch)], []);
});

Deno.test("another range than was asked for is refused", async () => {
  await using hub = hubWithList();
  const list = await opened(hub);
  hub.fault({ to: "cdn", kind: "wrong-range", after: 1 });
  await assert.rejects(urls(list), (error: Error) => {
    assert.ok(error instanceof HubError);
    assert.match(error.message, /another range/);
    return true;
  });
});

Deno.test("a signed address that has run out is asked for anew", async () => {
  await using hub = startHub();
  hub.put(REPO, "data/cc-main-2026-jan-feb-mar/part-0.parquet", mediumPath);
  const list = await opened(hub);
  let count = 0;
  for await (const { rows } of list.read()) {
    count += rows.length;
    hub.expire();
  }
  assert.equal(count, 200_000);
  assert.ok(hub.log.some((entry) => entry.status === 403));
});

Deno.test("a part that is replaced while it is read is refused", async () => {
  await using hub = startHub();
  hub.put(REPO, "data/cc-main-2026-jan-feb-mar/part-0.parquet", mediumPath);
  const list = await opened(hub);
  await assert.rejects(async () => {
    for await (const { next } of list.read()) {
      if (next.row === 2000) {
        hub.put(REPO, "data/cc-main-2026-jan-feb-mar/part-0.parquet", listPath);
      }
    }
  }, /it was replaced while it was being read/);
});

Deno.test("redirects in a loop, and to what is no URL, are refused", async () => {
  await using hub = hubWithList();
  hub.fault({ to: "api", kind: "redirect", location: `${hub.url}/api/datasets/${REPO}` });
  await assert.rejects(opened(hub), /more than 5 redirects/);
  hub.heal();
  hub.fault({ to: "api", kind: "redirect", location: "file:///etc/passwd" });
  await assert.rejects(opened(hub), /redirects to no URL/);
});

Deno.test("a hub may give files itself, without a redirect", async () => {
  await using hub = hubWithList({ redirect: false });
  assert.deepEqual(await urls(await opened(hub)), [...URLS, ...URLS]);
});

Deno.test("a signal ends reading from a hub that is silent", async () => {
  await using hub = hubWithList();
  const stop = new AbortController();
  const list = await opened(hub, { signal: stop.signal });
  hub.fault({ to: "cdn", kind: "stall", bytes: 10, after: 1 });
  const reading = urls(list);
  const reason = new Error("enough");
  const waiting = setInterval(() => {
    if (hub.count({ to: "cdn" }).requests >= 2) stop.abort(reason);
  }, 5);
  await assert.rejects(reading, reason);
  clearInterval(waiting);
});
