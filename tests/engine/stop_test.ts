import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
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
    assert.deepEqual([done, queued, in_flight], [1, 16, 0]);
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

Deno.test("SIGTERM ends a crawl whose stdout nobody reads", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 20, pages: 20_000, pageBytes: 500 });
    const [command, ...words] = [...CCRAWL, ...await prepare(web, dir, ["--delay", "0"])];
    const crawl = new Deno.Command(command!, {
      ...{ args: words, stdin: "null", stdout: "piped", stderr: "piped" },
    }).spawn();
    const stderr = new Response(crawl.stderr).text();
    // Fetching pauses when so many records wait that none may be added.
    for (let last = 0, same = 0; same < 5;) {
      const { requests } = await web.summary();
      same = requests > 2000 && requests === last ? same + 1 : 0;
      last = requests;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    crawl.kill("SIGTERM");
    const { code } = await within(2 * SECONDS, crawl.status);
    assert.equal(code, 0, await stderr);
    assert.match(await stderr, /stdout is not read/);
    assert.match(await stderr, /crawl run: \d+ fetched/);
    await crawl.stdout.cancel();
    assert.deepEqual(leftOpen(dir), []);
    await verifyClean(dir);
  }));

Deno.test("seeds that come slowly are crawled as they come, and a stop does not wait for more", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 3, pages: 3, pageBytes: 500 });
    const args = (await prepare(web, dir, [])).map((word, i, all) =>
      all[i - 1] === "--seeds" ? "-" : word
    );
    const [command, ...words] = [...CCRAWL, ...args];
    const crawl = new Deno.Command(command!, {
      ...{ args: words, stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
    const list = crawl.stdin.getWriter();
    const records = crawl.stdout.pipeThrough(new TextDecoderStream()).getReader();
    for (const seed of web.seeds()) {
      await list.write(new TextEncoder().encode(`${seed}\n`));
      const { value } = await within(SECONDS, records.read());
      assert.equal(JSON.parse(value!).url, seed);
    }
    crawl.kill("SIGTERM");
    assert.equal((await within(SECONDS, crawl.status)).code, 0);
    await records.cancel();
    await list.close().catch(() => {}); // its reader has gone
    assert.deepEqual(leftOpen(dir), []);
    await verifyClean(dir);
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
