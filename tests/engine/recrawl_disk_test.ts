import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { RunError } from "../../lib/engine/errors.ts";
import { recrawl } from "../../lib/engine/recrawl.ts";
import { readCheckpoint } from "../../lib/worklist/checkpoint.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { Mount } from "./_mount.ts";
import { Ccrawl, ccrawl } from "./_process.ts";
import {
  byUrl,
  collect,
  readRows,
  recrawlArgs,
  toward,
  verifyClean,
  writeList,
} from "./_recrawl.ts";

const web = await startWeb({ hosts: 20, pages: 600, pageBytes: 6000 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());
const URLS = [...web.expectedUrls()];

/** Asserts that every row of the list is in exactly one part, and all is whole. */
async function whole(out: string, state: string): Promise<void> {
  const rows = byUrl(await readRows(out, ["url", "status"]));
  assert.deepEqual([...rows.keys()].sort(), URLS.toSorted());
  await verifyClean(out, state);
}

Deno.test("--min-free above what is free ends a recrawl with 75 before it fetches", () =>
  withFolder(async (dir) => {
    await web.reset();
    writeList(dir, URLS);
    const args = recrawlArgs(web, dir, "--no-extract").map((word, i, all) =>
      all[i - 1] === "--min-free" ? "1000000GB" : word
    );
    const { code, stderr } = await ccrawl(args);
    assert.equal(code, 75);
    assert.match(stderr, /Cannot go on: \S+ has .* free, less than --min-free/);
    assert.equal((await web.summary()).requests, 0);
    writeList(dir, []);
    await new Ccrawl(recrawlArgs(web, dir, "--no-extract")).succeeds();
    const finished = await ccrawl(args);
    assert.equal(finished.code, 0, "a list that has been worked off needs no room");
  }));

Deno.test("a recrawl whose disk falls below --min-free seals what it has, says so, and resumes", () =>
  withFolder(async (dir) => {
    await web.reset();
    let free = 100;
    const options = {
      ...{ from: URLS, state: `${dir}/state.json`, delayMs: 200, extractor: "main" as const },
      ...{ minFree: 50, freeBytes: () => free },
    };
    let told = 0;
    const run = recrawl(toward(web, dir, options));
    await assert.rejects(async () => {
      for await (const _ of run) if (++told === 50) free = 10;
    }, (error: unknown) => {
      assert.ok(error instanceof RunError);
      assert.equal(error.exitCode, 75);
      assert.match(error.message, /less than --min-free/);
      return true;
    });
    assert.ok(told < URLS.length);
    const asked = (await web.summary()).requests;
    const { rows } = readCheckpoint(`${dir}/state.json`)!;
    assert.deepEqual([rows, told], [asked, asked], "everything fetched is sealed and told");
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
    free = 100;
    await collect(web, dir, { ...options, delayMs: 0 });
    await whole(`${dir}/out`, `${dir}/state.json`);
    assert.equal((await web.coverage()).repeated, 0);
  }));

Deno.test("a recrawl whose disk is full ends with 75 and a clear word, and resumes", () =>
  withFolder(async (dir) => {
    await using disk = await Mount.memory(`${dir}/out`, 70_000);
    if (disk === undefined) return;
    writeList(dir, URLS);
    const args = recrawlArgs(web, dir, "--no-extract", "--delay", "0", "--shard-size", "300KB");
    const first = new Ccrawl(args);
    await first.succeeds(75);
    assert.match(first.stderr, /^ccrawl: Cannot \w+ \S+out\S*: the disk is full; free some space/m);
    assert.match(first.stderr, /recrawl run: \d+ fetched/, "the summary");
    await verifyClean(
      `${dir}/out`,
      existsSync(`${dir}/state.json`) ? `${dir}/state.json` : undefined,
    );
    const parts = readdirSync(`${dir}/out`).filter((name) => name.endsWith(".parquet"));
    assert.ok(parts.length > 0, "parts sealed before are intact");
    await disk.resize(100_000_000);
    await new Ccrawl(args).succeeds();
    await whole(`${dir}/out`, `${dir}/state.json`);
  }));

Deno.test("a recrawl that finds its folder's disk full says so, and what to do", () =>
  withFolder(async (dir) => {
    await using disk = await Mount.memory(`${dir}/out`, 70_000);
    if (disk === undefined) return;
    await fill(`${dir}/out`);
    writeList(dir, URLS);
    const { code, stderr } = await ccrawl(recrawlArgs(web, dir, "--no-extract"));
    assert.equal(code, 75);
    assert.match(
      stderr,
      /^ccrawl: Cannot write into \S+out: the disk is full; free some space and run again$/m,
    );
  }));

Deno.test("a recrawl whose state's disk is full ends with 75, and takes its parts in again", () =>
  withFolder(async (dir) => {
    await web.reset();
    await using disk = await Mount.memory(`${dir}/small`, 40_000);
    if (disk === undefined) return;
    writeList(dir, URLS);
    const state = `${dir}/small/state.json`;
    const args = recrawlArgs(web, dir, "--no-extract", "--delay", "0", "--shard-size", "300KB")
      .map((word) => word === `${dir}/state.json` ? state : word);
    const slowly = args.map((word, i, all) => all[i - 1] === "--delay" ? "100ms" : word);
    const first = new Ccrawl(slowly);
    await first.until(() => first.count >= 20);
    await fill(`${dir}/small`);
    await first.succeeds(75);
    assert.match(first.stderr, /^ccrawl: Cannot write the state "\S+": the disk is full/m);
    await disk.resize(1_000_000);
    const second = new Ccrawl(args);
    await second.succeeds();
    await whole(`${dir}/out`, state);
  }));

Deno.test("a part that cannot get its name ends a recrawl with 1; nothing is overwritten", () =>
  withFolder(async (dir) => {
    writeList(dir, URLS);
    const args = recrawlArgs(web, dir, "--no-extract", "--delay", "50ms");
    const first = new Ccrawl(args);
    await first.until(() => first.count >= 20);
    const taken = `${dir}/out/ccrawl-recrawl-00000.parquet`;
    await Deno.writeTextFile(taken, "somebody else's");
    first.kill("SIGTERM");
    await first.succeeds(1);
    assert.match(
      first.stderr,
      /^ccrawl: Cannot seal \S+-00000\.parquet: there is a file of that name already/m,
    );
    assert.equal(await Deno.readTextFile(taken), "somebody else's");
    const second = new Ccrawl(args.map((word) => word === "50ms" ? "0" : word));
    await second.succeeds();
    assert.match(second.stderr, /ccrawl-recrawl-00000\.parquet cannot be read and is left alone/);
    await Deno.remove(taken);
    await whole(`${dir}/out`, `${dir}/state.json`);
  }));

Deno.test("a folder that may not be written is told before a recrawl fetches, exit 1", () =>
  withFolder(async (dir) => {
    await web.reset();
    writeList(dir, URLS);
    await Deno.mkdir(`${dir}/plain`);
    await using mount = await Mount.readOnly(`${dir}/plain`, `${dir}/locked`);
    if (mount === undefined) return;
    const cases = [
      [`${dir}/out`, `${dir}/locked`, /Cannot write into \S+locked: /],
      [`${dir}/out`, `${dir}/locked/out`, /Cannot write into \S+locked\/out: /],
      [`${dir}/state.json`, `${dir}/locked/state.json`, /Cannot \w+ .*locked\/state.json": /],
      [`${dir}/list.txt`, `${dir}/nowhere.txt`, /Cannot .*nowhere.txt/],
    ] as const;
    for (const [was, is, message] of cases) {
      const args = recrawlArgs(web, dir, "--no-extract").map((word) => word === was ? is : word);
      const { code, stderr, stdout } = await ccrawl(args);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, message);
    }
    assert.equal((await web.summary()).requests, 0);
  }));

/** Leaves no room on a file system. */
async function fill(dir: string): Promise<void> {
  using file = await Deno.open(`${dir}/ballast`, { write: true, create: true });
  const block = new Uint8Array(1024);
  try {
    for (;;) await file.write(block);
  } catch {
    // that is what it is for
  }
}

Deno.test("a recrawl whose records were left tells what goes wrong while it ends, and lets its folder go", () =>
  withFolder(async (dir) => {
    const options = { from: URLS, state: `${dir}/state.json`, delayMs: 200 };
    const run = recrawl(toward(web, dir, options));
    await assert.rejects(async () => {
      for await (const _ of run) {
        rmSync(`${dir}/out`, { recursive: true });
        break;
      }
    }, /Cannot .*out/);
    await run[Symbol.asyncDispose]();
    await collect(web, dir, { ...options, delayMs: 0 });
    await whole(`${dir}/out`, `${dir}/state.json`);
  }));
