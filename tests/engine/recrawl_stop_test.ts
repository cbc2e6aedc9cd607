import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { recrawl } from "../../lib/engine/recrawl.ts";
import { readCheckpoint } from "../../lib/worklist/checkpoint.ts";
import { startHub } from "../web/hub.ts";
import { startWeb } from "../web/mod.ts";
import { writeList as writeParquet } from "../worklist/_lists.ts";
import { withFolder } from "./_crawl.ts";
import { CCRAWL, Ccrawl, ccrawl } from "./_process.ts";
import { byUrl, readRows, recrawlArgs, toward, verifyClean, writeList } from "./_recrawl.ts";

const web = await startWeb({ hosts: 20, pages: 400, pageBytes: 2000, domains: 20 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());
const URLS = [...web.expectedUrls()];

/** What a list through the command line takes, written down and without rendering. */
function prepare(dir: string, ...more: string[]): string[] {
  writeList(dir, URLS);
  return recrawlArgs(web, dir, "--no-extract", ...more);
}

/** Asserts that exactly the list's rows are in the parts, each once. */
async function whole(dir: string, urls: readonly string[] = URLS): Promise<void> {
  const rows = byUrl(await readRows(`${dir}/out`, ["url", "status"]));
  assert.deepEqual([...rows.keys()].sort(), urls.toSorted());
  await verifyClean(`${dir}/out`, `${dir}/state.json`);
}

function unfinished(dir: string): string[] {
  return readdirSync(`${dir}/out`).filter((name) => name.endsWith(".open"));
}

Deno.test("SIGTERM seals a recrawl, writes its checkpoint and ends it with 0; it resumes", () =>
  withFolder(async (dir) => {
    await web.reset();
    const args = prepare(dir, "--delay", "400ms", "-j", "16");
    const run = new Ccrawl(args);
    await run.until(() => run.count >= 30);
    const second = await ccrawl(args);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`Cannot use "\\S+out": process ${run.pid} is using it`));
    const elsewhere = args.map((word) => word === `${dir}/out` ? `${dir}/other` : word);
    const third = await ccrawl(elsewhere);
    assert.equal(third.code, 1);
    assert.match(third.stderr, new RegExp(`"\\S+state.json": process ${run.pid} is using it`));
    const asked = performance.now();
    run.kill("SIGTERM");
    const { code } = await run.ended;
    assert.equal(code, 0, run.stderr);
    assert.ok(performance.now() - asked < 15_000, "a stop takes seconds");
    assert.match(run.stderr, /SIGTERM: stopping cleanly/);
    assert.match(run.stderr, new RegExp(`recrawl run: ${run.count} fetched, 0 failed`));
    assert.deepEqual(unfinished(dir), []);
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
    const { rows, fetched, done } = readCheckpoint(`${dir}/state.json`)!;
    assert.deepEqual([rows, fetched, done], [run.count, run.count, false]);

    const quick = args.map((word) => word === "400ms" ? "0" : word);
    await new Ccrawl(quick).succeeds();
    await whole(dir);
    assert.equal((await web.coverage()).repeated, 0, "a stop repeats nothing");
    const status = await ccrawl(["recrawl", "status", "--state", `${dir}/state.json`]);
    const told = JSON.parse(status.stdout);
    assert.deepEqual([told.done, told.pending_rows, told.fetched], [400, 0, 400]);
    const finished = await ccrawl(args);
    assert.deepEqual([finished.code, finished.stdout], [0, ""]);
    assert.match(finished.stderr, /has been worked off: nothing is left to do/);
  }));

Deno.test("SIGTERM ends a recrawl within seconds with silent hosts and names in flight", () =>
  withFolder(async (dir) => {
    const urls = [
      ...Array.from({ length: 40 }, (_, i) => web.url(`t${i}.tarpit.test`, "/p/0")),
      ...Array.from({ length: 8 }, (_, i) => web.url(`s${i}.dns-silent.test`, "/p/0")),
      ...Array.from({ length: 8 }, (_, i) => web.url(`d${i}.drip-50.test`, "/p/0")),
      web.url("a.good.test", "/p/0"),
    ];
    const args = prepare(dir, "-j", "64", "--timeout", "5m");
    writeList(dir, urls);
    const run = new Ccrawl(args);
    await run.until(() => run.count >= 1);
    run.kill("SIGTERM");
    const { code } = await run.ended;
    assert.equal(code, 0, run.stderr);
    const { rows, pending, part } = readCheckpoint(`${dir}/state.json`)!;
    assert.deepEqual([rows, part], [1, 1]);
    assert.equal(pending.reduce((n, { first, last }) => n + last - first + 1, 0), urls.length - 1);
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
  }));

Deno.test("a recrawl hears of a stop amid rows that need nothing of the network, all in hand at once", async (t) => {
  const rows = (count: number, url: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => url(i));
  const lists = {
    "no URLs to ask for": rows(100_000, (i) => `ftp://h${i}.test/`),
    "a name known not to exist": rows(60_000, (i) => `http://h.nx.test/${i}`),
  };
  for (const [name, from] of Object.entries(lists)) {
    await t.step(name, () =>
      withFolder(async (dir) => {
        const options = { from, batch: from.length, records: false, delayMs: 0 };
        const run = recrawl(toward(web, dir, options));
        const failed = () => run.figures.failures.skip + run.figures.failures.dns;
        const looking = setInterval(() => {
          if (failed() > 1000) run.stop();
        }, 0);
        await Array.fromAsync(run);
        clearInterval(looking);
        assert.ok(failed() > 1000 && failed() < from.length, `${failed()} rows`);
      }));
  }
});

Deno.test("a recrawl refuses the state of another list or shard, both named, before it fetches", () =>
  withFolder(async (dir) => {
    await web.reset();
    const args = prepare(dir, "-n", "3", "--shard", "1", "--shards", "3");
    const first = await ccrawl(args);
    assert.deepEqual([first.code, first.stdout.trim().split("\n").length], [0, 3]);
    const { requests } = await web.summary();
    writeList(dir, URLS, "other.txt");
    const change = (from: string, to: string) => args.map((word) => word === from ? to : word);
    const cases: [string[], RegExp][] = [
      [
        change(`${dir}/list.txt`, `${dir}/other.txt`),
        /Cannot continue the state ".*": its source is ".*list\.txt#url", this run's is ".*other\.txt/,
      ],
      [change("1", "2"), /its shard is 1, this run's is 2/],
      [change("3", "4"), /its shards is 3, this run's is 4/],
    ];
    for (const [words, message] of cases) {
      const { code, stderr, stdout } = await ccrawl(words.map((w) => w === "-n" ? "--limit" : w));
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, message);
    }
    assert.equal((await web.summary()).requests, requests);
  }));

Deno.test("a list that became shorter ends a recrawl with 1; the state is whole, and goes on with the list it had", () =>
  withFolder(async (dir) => {
    await web.reset();
    const urls = URLS.slice(0, 60);
    const args = prepare(dir, "--delay", "0");
    writeList(dir, urls);
    assert.equal((await ccrawl([...args, "-n", "7"])).code, 0);
    writeList(dir, urls.slice(0, 30));
    const { code, stderr } = await ccrawl(args);
    assert.equal(code, 1);
    assert.match(stderr, /Cannot go on with the work list: \S+list\.txt has no row 59/);
    assert.equal(readCheckpoint(`${dir}/state.json`)!.done, false);
    writeList(dir, urls);
    await new Ccrawl(args).succeeds();
    await whole(dir, urls);
  }));

Deno.test("a recrawl does not write where it reads, and tells of rows that hold no URL", () =>
  withFolder(async (dir) => {
    await web.reset();
    const args = prepare(dir, "--delay", "0");
    await Deno.mkdir(`${dir}/out`);
    const list = [URLS[0], "no URL", URLS[1]].map((url, i) =>
      JSON.stringify(i === 1 ? {} : { url })
    );
    await Deno.writeTextFile(`${dir}/out/list.jsonl`, list.join("\n"));
    const from = (path: string) => args.map((word) => word === `${dir}/list.txt` ? path : word);
    const refused = await ccrawl(from(`${dir}/out`));
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /Cannot write into \S+out: the work list is read from that folder/,
    );
    assert.deepEqual(readdirSync(dir).filter((name) => name.startsWith("state.json.")), []);
    await Deno.rename(`${dir}/out/list.jsonl`, `${dir}/list.jsonl`);
    const run = new Ccrawl(from(`${dir}/list.jsonl`));
    await run.succeeds();
    assert.equal(run.count, 2);
    assert.match(run.stderr, /1 row of the list held no URL, and no record is of it/);
  }));

Deno.test("a list that is not there leaves neither a folder nor a state", () =>
  withFolder(async (dir) => {
    const args = prepare(dir).map((word) => word.replace("list.txt", "lost.txt"));
    const { code, stderr } = await ccrawl(args);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /Cannot read the work list ".*lost\.txt": there is no such file or folder$/m,
    );
    assert.deepEqual(readdirSync(dir), ["list.txt"]);
  }));

Deno.test("a list of which no row holds a URL is an error, and has not been worked off", () =>
  withFolder(async (dir) => {
    await web.reset();
    const args = prepare(dir, "--delay", "0").map((word) => word.replace("list.txt", "list.jsonl"));
    const list = URLS.slice(0, 5).map((page) => JSON.stringify({ page }));
    await Deno.writeTextFile(`${dir}/list.jsonl`, list.join("\n"));
    for (let again = 0; again < 2; again++) {
      const { code, stderr } = await ccrawl(args);
      assert.equal(code, 1);
      assert.match(stderr, /^ccrawl: Cannot find a URL in any of the 5 rows of \S+; .* --column$/m);
    }
    const run = new Ccrawl([...args, "--column", "page", "--state", `${dir}/other.json`]);
    await run.succeeds();
    assert.equal(run.count, 5);
  }));

Deno.test("-n and --max-pages stop a recrawl exactly, and the next run goes on from there", () =>
  withFolder(async (dir) => {
    await web.reset();
    const urls = [...URLS.slice(0, 60), ...URLS.slice(100, 110)];
    const dead = Array.from({ length: 30 }, (_, i) => `http://d${i}.nx.test/`);
    const mixed = urls.flatMap((url, i) =>
      i % 2 === 0 ? [url, dead[i / 2]!].filter(Boolean) : [url]
    );
    const args = prepare(dir, "--delay", "0");
    writeList(dir, mixed);
    const limited = await ccrawl([...args, "-n", "7"]);
    assert.equal(limited.stdout.trim().split("\n").length, 7);
    assert.equal(limited.code, 0, limited.stderr);
    assert.equal((await readRows(`${dir}/out`, ["url"])).length, 7);
    const bounded = new Ccrawl([...args, "--max-pages", "20"]);
    await bounded.succeeds();
    assert.equal(bounded.records.filter(({ status }) => status !== 0).length, 20);
    assert.match(bounded.stderr, /recrawl run: 20 fetched/);
    await new Ccrawl(args).succeeds();
    await whole(dir, mixed);
    assert.deepEqual((await web.coverage()).repeatedSample, []);
  }));

Deno.test("a reader that goes away ends a recrawl quietly, and nothing is lost", () =>
  withFolder(async (dir) => {
    const args = prepare(dir, "--delay", "20ms");
    const words = [...CCRAWL, ...args].map((word) => `'${word}'`).join(" ");
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", `(${words}; echo "exit $?" >&2) | head -n 3`],
    }).output();
    assert.equal(code, 0);
    assert.equal(new TextDecoder().decode(stdout).trim().split("\n").length, 3);
    assert.match(new TextDecoder().decode(stderr), /exit 0/);
    await new Ccrawl(args).succeeds();
    await whole(dir);
  }));

Deno.test("a new release on the hub does not break a resume: the state's goes on", () =>
  withFolder(async (dir) => {
    await web.reset();
    await using hub = startHub({ token: "hf_secret" });
    const REPO = "open-index/ccrawl-urls";
    hub.repo(REPO, { private: true });
    const put = async (release: string, parts: readonly (readonly string[])[]) => {
      for (const [i, urls] of parts.entries()) {
        const file = `${dir}/${release}-${i}.parquet`;
        await writeParquet(file, urls);
        hub.put(REPO, `data/${release}/part-${i}.parquet`, file);
      }
    };
    await put("cc-main-2026-jan-feb-mar", [URLS.slice(0, 150), URLS.slice(150, 200)]);
    const args = prepare(dir, "--delay", "0", "--batch", "20").map((word) =>
      word === `${dir}/list.txt` ? "urls" : word
    );
    const env = { HF_ENDPOINT: hub.url, HF_TOKEN: "hf_secret" };
    const first = await ccrawl([...args, "-n", "60"], { env });
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /reading release cc-main-2026-jan-feb-mar/);
    await put("cc-main-2026-apr-may-jun", [URLS.slice(200)]);
    const second = await ccrawl(args, { env });
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, /reading release cc-main-2026-jan-feb-mar/);
    await whole(dir, URLS.slice(0, 200));
    assert.deepEqual((await web.coverage()).repeatedSample, []);
    const named = await ccrawl([...args, "--dir", "cc-main-2026-apr-may-jun"], { env });
    assert.equal(named.code, 1);
    assert.match(
      named.stderr,
      /its release is "cc-main-2026-jan.*", this run's is "cc-main-2026-apr/,
    );
    const told = first.stderr + second.stderr + named.stderr + second.stdout;
    assert.ok(!told.includes("hf_secret"), "the token is in no output");
    assert.ok(!Deno.readTextFileSync(`${dir}/state.json`).includes("hf_secret"));
  }));

Deno.test("a hub that refuses for a while is asked again; without the right token it is exit 4", () =>
  withFolder(async (dir) => {
    await using hub = startHub({ token: "hf_secret" });
    const REPO = "open-index/ccrawl-domains";
    hub.repo(REPO, { private: true });
    await writeParquet(`${dir}/d.parquet`, ["nobody.test", "a.nx.test"], { column: "domain" });
    hub.put(REPO, "data/cc-main-2026-jan-feb-mar/0.parquet", `${dir}/d.parquet`);
    const args = prepare(dir).map((word) => word === `${dir}/list.txt` ? "domains" : word);
    for (const HF_TOKEN of ["", "hf_wrong"]) {
      const refused = await ccrawl(args, { env: { HF_ENDPOINT: hub.url, HF_TOKEN } });
      assert.deepEqual([refused.code, refused.stdout], [4, ""]);
      assert.match(refused.stderr, /Cannot .*HF_TOKEN/);
      assert.doesNotMatch(refused.stderr, /hf_wrong/);
    }
    hub.fault({ to: "api", kind: "status", status: 503, retryAfter: "1", times: 1 });
    hub.fault({ to: "cdn", kind: "status", status: 429, retryAfter: "1", times: 2 });
    const env = { HF_ENDPOINT: hub.url, HF_TOKEN: "hf_secret" };
    const run = new Ccrawl(args, { env });
    await run.succeeds();
    assert.equal(run.count, 2);
    await whole(dir, ["https://nobody.test/", "https://a.nx.test/"]);
  }));

Deno.test("a stop while the hub refuses ends at once with 0", () =>
  withFolder(async (dir) => {
    await using hub = startHub();
    hub.fault({ kind: "status", status: 503, retryAfter: "60" });
    const args = prepare(dir).map((word) => word === `${dir}/list.txt` ? "domains" : word);
    const run = new Ccrawl(args, { env: { HF_ENDPOINT: hub.url, HF_TOKEN: "" } });
    while (hub.count().requests === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    run.kill("SIGTERM");
    await run.succeeds();
  }));
