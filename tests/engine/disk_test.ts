import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { crawl } from "../../lib/engine/crawl.ts";
import { RunError } from "../../lib/engine/errors.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";
import { collect, toward, withFolder } from "./_crawl.ts";
import { crawlArgs, verifyClean } from "./_kill.ts";
import { Mount } from "./_mount.ts";
import { Ccrawl, ccrawl } from "./_process.ts";

const WEB = { hosts: 30, pages: 900, pageBytes: 6000, graph: "tree-across" } as const;

/** What a crawl left must be whole, and running it again must give the rest, each page once. */
async function resumes(
  web: LocalWeb,
  dir: string,
  args: readonly string[],
  first: Ccrawl,
  files: { readonly warc: string; readonly state: string },
): Promise<void> {
  await verifyClean(dir, files);
  const again = new Ccrawl(args);
  await again.succeeds();
  const urls = [...first.records, ...again.records].map(({ url }) => url);
  assert.deepEqual(urls.sort(), [...web.expectedUrls()].sort(), "every page, each yielded once");
  await verifyClean(dir, files);
}

Deno.test("--min-free above what is free ends a crawl with 75 before it fetches", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 2, pages: 10 });
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    const args = crawlArgs(web, dir).map((word, i, all) =>
      all[i - 1] === "--min-free" ? "1000000GB" : word
    );
    const { code, stderr } = await ccrawl(args);
    assert.equal(code, 75);
    assert.match(stderr, /Cannot go on: \S+ has .* free, less than --min-free/);
    assert.equal((await web.summary()).requests, 0);
  }));

Deno.test("a crawl whose disk falls below --min-free seals what it has, says so, and resumes", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 20, pages: 800, pageBytes: 1000 });
    let free = 100;
    const options = {
      ...{ seeds: web.seeds(), maxDepth: 99, state: `${dir}/crawl.db`, warc: `${dir}/warc` },
      ...{ delayMs: 20, minFree: 50, freeBytes: () => free },
    };
    const run = crawl(toward(web, options));
    const records: string[] = [];
    await assert.rejects(async () => {
      for await (const { url } of run) if (records.push(url) === 50) free = 10;
    }, (error: unknown) => {
      assert.ok(error instanceof RunError);
      assert.equal(error.exitCode, 75);
      assert.match(error.message, /less than --min-free/);
      return true;
    });
    assert.ok(records.length < 800);
    assert.deepEqual(readdirSync(`${dir}/warc`).filter((name) => name.endsWith(".open")), []);
    await verifyClean(dir);
    free = 100;
    const { records: rest } = await collect(web, options);
    records.push(...rest.map(({ url }) => url));
    assert.deepEqual(records.sort(), [...web.expectedUrls()].sort());
    assert.equal((await web.coverage()).repeated, 0);
    await verifyClean(dir);
  }));

Deno.test("a crawl whose archive's disk is full ends with 75, loses nothing, and resumes", () =>
  withFolder(async (dir) => {
    await using disk = await Mount.memory(`${dir}/warc`, 1_500_000);
    if (disk === undefined) return;
    for (const writers of ["1", "3"]) {
      await using web = await startWeb(WEB);
      await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
      const args = crawlArgs(web, dir, "--max-depth", "999", "--delay", "0", "--writers", writers);
      const first = new Ccrawl(args);
      await first.succeeds(75);
      assert.match(first.stderr, /Cannot \w+ \S+: the disk is full; free some space and run again/);
      assert.match(first.stderr, /crawl run: \d+ fetched/, "the summary");
      await disk.resize(100_000_000);
      const files = { warc: `${dir}/warc`, state: `${dir}/crawl.db` };
      await resumes(web, dir, args, first, files);
      for (const name of readdirSync(`${dir}/warc`)) await Deno.remove(`${dir}/warc/${name}`);
      await Deno.remove(`${dir}/crawl.db`);
      await disk.resize(1_500_000);
    }
  }));

Deno.test("a crawl whose state's disk is full ends with 75, loses nothing, and resumes", () =>
  withFolder(async (dir) => {
    await using disk = await Mount.memory(`${dir}/state`, 160_000);
    if (disk === undefined) return;
    await using web = await startWeb(WEB);
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    const state = `${dir}/state/crawl.db`;
    const args = crawlArgs(web, dir, "--max-depth", "999", "--delay", "0")
      .map((word) => word === `${dir}/crawl.db` ? state : word);
    const first = new Ccrawl(args);
    await first.succeeds(75);
    assert.match(
      first.stderr,
      /^ccrawl: Cannot \w+ the state "\S+": database or disk is full; free some space and run/m,
    );
    await disk.resize(100_000_000);
    await resumes(web, dir, args, first, { warc: `${dir}/warc`, state });
  }));

Deno.test("a folder that may not be written is told before anything is fetched, exit 1", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 2, pages: 10 });
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    await Deno.mkdir(`${dir}/plain`);
    await using mount = await Mount.readOnly(`${dir}/plain`, `${dir}/locked`);
    if (mount === undefined) return;
    const cases = [
      [`${dir}/warc`, `${dir}/locked`, /Cannot write into \S+locked: /],
      [`${dir}/warc`, `${dir}/locked/warc`, /Cannot write into \S+locked\/warc: /],
      [`${dir}/crawl.db`, `${dir}/locked/crawl.db`, /Cannot lock "\S+locked\/crawl.db": /],
      [
        `${dir}/crawl.db`,
        `${dir}/nowhere/crawl.db`,
        /Cannot lock "\S+": the folder \S+nowhere is not there; make it/,
      ],
    ] as const;
    for (const [was, is, message] of cases) {
      const args = crawlArgs(web, dir).map((word) => word === was ? is : word);
      const { code, stderr, stdout } = await ccrawl(args);
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.equal(stdout, "");
    }
    assert.equal((await web.summary()).requests, 0);
  }));

Deno.test("a start that finds the disk full ends with 75 too, and says why once", () =>
  withFolder(async (dir) => {
    await using disk = await Mount.memory(`${dir}/disk`, 8_000_000);
    if (disk === undefined) return;
    await using web = await startWeb(WEB);
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    const args = crawlArgs(web, dir, "--max-depth", "999", "--delay", "0")
      .map((word) => word.replace(new RegExp(`^${dir}/(crawl.db|warc)$`), `${dir}/disk/$1`));
    const first = new Ccrawl([...args, "-n", "200"]);
    await first.succeeds();
    using ballast = await Deno.create(`${dir}/disk/ballast`);
    await assert.rejects(async () => {
      for (const bytes = new Uint8Array(4096);;) await ballast.write(bytes);
    });
    const { size } = await ballast.stat();
    // Room for a lock, then for a commit too, then for an index, …: each start comes a step further.
    for (let room = 0; room < 30; room += 3) {
      // As after a kill between a file's name and its index.
      await Deno.remove(`${dir}/disk/warc/ccrawl-crawl-00000.cdxj`).catch(() => {});
      await ballast.truncate(size - room * 4096);
      const { code, stderr } = await ccrawl([...args, "--no-dedup"]);
      assert.equal(code, 75, `with ${room} pages of memory: ${stderr}`);
      const last = stderr.trim().split("\n").at(-1)!;
      assert.match(last, /^ccrawl: Cannot .*; free some space and run again$/);
      assert.equal(last.split("free some space").length, 2, last);
    }
    await ballast.truncate(0);
    const files = { warc: `${dir}/disk/warc`, state: `${dir}/disk/crawl.db` };
    await disk.resize(100_000_000);
    await verifyClean(dir, files);
  }));
