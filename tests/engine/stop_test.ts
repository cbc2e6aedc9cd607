import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type LocalWeb, startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { crawlArgs, statusOf, verifyClean } from "./_kill.ts";
import { CCRAWL, Ccrawl, ccrawl } from "./_process.ts";

/** A stop is to take seconds; a machine under load gets more before the test gives up. */
const SECONDS = 15_000;

/** A crawl that can be resumed: of the whole web, or of `seeds` alone. */
async function prepare(
  web: LocalWeb,
  dir: string,
  more: readonly string[],
  seeds?: readonly string[],
): Promise<string[]> {
  await Deno.writeTextFile(`${dir}/seeds.txt`, (seeds ?? web.seeds()).join("\n") + "\n");
  return crawlArgs(web, dir, "--max-depth", seeds === undefined ? "1000" : "0", ...more);
}

/** Names in the output folder that a run that has ended may not leave. */
function leftOpen(dir: string): string[] {
  return readdirSync(`${dir}/warc`).filter((name) => /\.open$|\.tmp$/.test(name));
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

Deno.test("SIGTERM seals a crawl and ends it with 0 and a summary; it resumes", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 20, pages: 600, pageBytes: 2000 });
    const args = await prepare(web, dir, ["--delay", "20ms", "-j", "16"]);
    const crawl = new Ccrawl(args);
    await crawl.until(() => crawl.count >= 100);
    crawl.kill("SIGTERM");
    const { code } = await within(SECONDS, crawl.ended);
    assert.equal(code, 0, crawl.stderr);
    assert.match(crawl.stderr, /SIGTERM: stopping cleanly/);
    assert.match(crawl.stderr, new RegExp(`crawl run: ${crawl.count} fetched, 0 failed`));
    assert.deepEqual(leftOpen(dir), []);
    await verifyClean(dir);
    const { done, in_flight, known } = await statusOf(dir);
    assert.deepEqual([done, in_flight], [crawl.count, 0]);
    assert.ok(done! < known!);
    const again = new Ccrawl(args);
    await again.succeeds();
    const urls = [...crawl.records, ...again.records].map(({ url }) => url);
    assert.deepEqual(urls.sort(), [...web.expectedUrls()].sort(), "each once");
    const { repeated } = await web.coverage();
    assert.equal(repeated, 0, "a clean stop repeats nothing that was answered");
    await verifyClean(dir);
    const idle = await ccrawl(args);
    assert.equal(idle.code, 0, idle.stderr);
    assert.match(idle.stderr, /crawl run: nothing to do: every URL of the state is done/);
  }));

Deno.test("SIGTERM ends a crawl within seconds, 64 tarpits and silent name servers in flight", () =>
  withFolder(async (dir) => {
    await using web = await startWeb();
    const hosts = [
      ...Array.from({ length: 64 }, (_, i) => `t${i}.tarpit.test`),
      ...Array.from({ length: 8 }, (_, i) => `s${i}.dns-silent.test`),
      ...Array.from({ length: 8 }, (_, i) => `r${i}.robots-silent.test`),
      ...Array.from({ length: 8 }, (_, i) => `d${i}.drip-50.test`),
    ];
    const args = await prepare(
      web,
      dir,
      ["-j", "128", "--delay", "0", "--timeout", "5m", "--robots-timeout", "5m"],
      [...hosts, "fine.good.test"].map((host) => web.url(host, "/p/0")),
    );
    const crawl = new Ccrawl(args);
    const inFlight = async () => {
      const { hosts } = await web.summary();
      return hosts.filter((h) => h.host.includes("tarpit") && h.requests > 0).length;
    };
    await crawl.until(() => crawl.count >= 1);
    while (await inFlight() < 64) await new Promise((resolve) => setTimeout(resolve, 50));
    crawl.kill("SIGTERM");
    const { code } = await within(SECONDS, crawl.ended);
    assert.equal(code, 0, crawl.stderr);
    assert.match(crawl.stderr, /crawl run: \d+ fetched/);
    assert.deepEqual(leftOpen(dir), []);
    const { queued, in_flight, done } = await statusOf(dir);
    assert.equal(queued! + done!, hosts.length + 1);
    assert.deepEqual([in_flight, done], [0, crawl.count]);
    await verifyClean(dir);
  }));

Deno.test("a second signal ends a crawl at once, with its number, and the state resumes", () =>
  withFolder(async (dir) => {
    await using web = await startWeb();
    const seeds = Array.from({ length: 16 }, (_, i) => web.url(`t${i}.tarpit.test`, "/p/0"));
    const args = await prepare(web, dir, ["-j", "16"], [...seeds, web.url("a.good.test", "/p/0")]);
    const crawl = new Ccrawl(args);
    await crawl.until(() => crawl.count >= 1);
    crawl.kill("SIGINT");
    await crawl.until(() => crawl.stderr.includes("SIGINT: stopping"));
    crawl.kill("SIGTERM");
    const { code } = await within(SECONDS, crawl.ended);
    assert.equal(code, 143);
    assert.doesNotMatch(crawl.stderr, /fetched/, "no summary");
    const { done, queued, in_flight } = await statusOf(dir);
    assert.deepEqual([done, queued! + in_flight!], [1, 16]);
  }));

Deno.test("-n 7 gives exactly seven records, all else as at any stop", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 30, pages: 300, pageBytes: 1000 });
    const args = await prepare(web, dir, ["--delay", "0"]);
    const seen = new Set<string>();
    for (let run = 1; run <= 3; run++) {
      const crawl = new Ccrawl([...args, "-n", "7"]);
      await crawl.succeeds();
      assert.equal(crawl.records.length, 7);
      for (const { url } of crawl.records) seen.add(url);
      assert.equal(seen.size, 7 * run);
      assert.equal((await statusOf(dir)).done, 7 * run);
      assert.deepEqual(leftOpen(dir), []);
    }
    await verifyClean(dir);
    const { requests, robots } = await web.summary();
    assert.equal(requests - robots, 21, "nothing is fetched for nobody");
  }));

Deno.test("a reader that goes away ends a crawl quietly, everything sealed", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 20, pages: 2000, pageBytes: 1000 });
    const args = await prepare(web, dir, ["--delay", "5ms"]);
    const quoted = [...CCRAWL, ...args].map((word) => `'${word}'`).join(" ");
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", `set -o pipefail; ${quoted} | head -5`],
    }).output();
    const said = new TextDecoder().decode(stderr);
    assert.equal(code, 0, said);
    assert.equal(new TextDecoder().decode(stdout).trim().split("\n").length, 5);
    assert.doesNotMatch(said, /pipe|error|Cannot/i);
    assert.deepEqual(leftOpen(dir), []);
    await verifyClean(dir);
    const { done, queued } = await statusOf(dir);
    assert.ok(done! >= 5 && queued! > 0);
  }));

Deno.test("a second crawl on the same state or output folder is refused, its holder named", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 2, pages: 2000, pageBytes: 1000 });
    const args = await prepare(web, dir, ["--delay", "100ms"]);
    const crawl = new Ccrawl(args);
    await crawl.until(() => crawl.count >= 1);
    const swap = (from: string, to: string) => args.map((word) => word === from ? to : word);
    const [state, out] = [`${dir}/crawl.db`, `${dir}/warc`];
    for (
      const [held, words] of [
        [state, swap(out, `${dir}/elsewhere`)],
        [out, swap(state, `${dir}/other.db`)],
        [out, [...swap(state, `${dir}/other.db`), "--prefix", "another"]],
        [state, args],
      ] as const
    ) {
      const { code, stdout, stderr } = await ccrawl(words);
      assert.equal(code, 1, stderr);
      assert.equal(stdout, "");
      assert.ok(stderr.includes(`"${held}": process ${crawl.pid} is using it`), stderr);
      assert.ok(!stderr.includes("fetched"), "no summary of a run that never was");
    }
    crawl.kill("SIGTERM");
    await crawl.succeeds();
    await verifyClean(dir);
  }));

Deno.test("crawl control acts on a running crawl, and what it says of hosts persists", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 4, pages: 100_000, pageBytes: 500, fanout: 50 });
    const args = await prepare(web, dir, ["--delay", "25ms", "-j", "4"]);
    const crawl = new Ccrawl(args, { keep: false });
    const control = async (...words: string[]) => {
      const { code, stderr } = await ccrawl([
        ...["crawl", "control", "--state", `${dir}/crawl.db`, ...words],
      ]);
      assert.equal(code, 0, stderr);
      // The crawl says so when it has obeyed.
      await crawl.until(() => crawl.stderr.includes(`told to ${words.slice(0, 2).join(" ")}`));
    };
    const [a, b, c] = [0, 1, 2].map((i) => web.hostName(i)) as [string, string, string];
    const requests = async () =>
      new Map((await web.summary()).hosts.map((h) => [h.host, h.requests] as const));
    /** Waits until `host` was asked `n` times more. */
    const more = async (host: string, n: number) => {
      const enough = (await requests()).get(host)! + n;
      while ((await requests()).get(host)! < enough) {
        assert.ok(!crawl.over, crawl.stderr);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await crawl.until(() => crawl.count >= 100);

    await control("block", a);
    const blocked = (await requests()).get(a)!;
    await more(b, 20);
    assert.ok((await requests()).get(a)! <= blocked + 1, "one may have been in flight");

    await control("delay", b, "1h");
    const delayed = (await requests()).get(b)!;
    await more(c, 20);
    assert.ok((await requests()).get(b)! <= delayed + 1);

    await control("pause");
    const paused = await requests();
    const count = crawl.count;
    await new Promise((resolve) => setTimeout(resolve, 500));
    const later = await requests();
    for (const [host, n] of later) assert.ok(n <= paused.get(host)! + 1, `${host} while paused`);
    assert.ok(crawl.count <= count + 8);
    assert.equal((await statusOf(dir)).paused as unknown, true);

    await control("resume");
    await more(c, 5);
    await control("unblock", a);
    await more(a, 5);
    await control("block", a);
    await control("priority", c, "1000");
    await control("stop");
    await crawl.succeeds();
    assert.match(crawl.stderr, /crawl run: \d+ fetched/);

    // Another run knows what was said of hosts.
    const again = new Ccrawl(args, { keep: false });
    const before = await requests();
    await again.until(() => again.count >= 50);
    again.kill("SIGTERM");
    await again.succeeds();
    const after = await requests();
    assert.equal(after.get(a), before.get(a), "still blocked");
    // Its hour runs from the last request.
    assert.ok(after.get(b)! - before.get(b)! <= 1, "still slow");
    assert.ok(after.get(c)! > before.get(c)! + 10);
    await verifyClean(dir);
    const db = new DatabaseSync(`${dir}/crawl.db`);
    assert.equal(db.prepare("pragma integrity_check").get()!.integrity_check, "ok");
    db.close();
  }));
