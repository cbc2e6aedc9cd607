/**
 * A crawl through the command line that is killed again and again: what must hold after each kill,
 * and in the end.
 */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { replayBound } from "../../lib/engine/replay.ts";
import { type Fault, verifyPaths } from "../../lib/engine/verify.ts";
import { readStats } from "../../lib/frontier/read.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";
import type { Scenario } from "../web/scenario.ts";
import { Ccrawl, ccrawl } from "./_process.ts";

/** How hard a crawl is treated. */
export interface KillPlan {
  readonly web: Partial<Scenario>;
  /** Begin at every page instead of following links: for hosts whose pages are all the same. */
  readonly seedAll?: boolean;
  readonly kills: number;
  readonly workers: number;
  readonly writers: number;
  readonly delayMs: number;
  readonly args?: readonly string[];
  /** A failing round can be run again with the seed that its message names. */
  readonly seed?: number;
  /** Called after each kill, before `verify`; the folder is as the kill left it. */
  readonly afterKill?: (dir: string) => void | Promise<void>;
}

/** What came of it. */
export interface KillResult {
  readonly pages: number;
  readonly kills: number;
  /** Requests for a page beyond the first for each. */
  readonly repeats: number;
  /** The most that one kill may cost. */
  readonly bound: number;
  /** Archive files in the end. */
  readonly files: number;
}

/** The words of a crawl of `web` into `dir`. */
export function crawlArgs(web: LocalWeb, dir: string, ...more: string[]): string[] {
  return [
    ..."crawl run --allow-private --min-free 0 -o jsonl --progress none".split(" "),
    ...["--ca-cert", web.caFile, "--seeds", `${dir}/seeds.txt`],
    ...["--state", `${dir}/crawl.db`, "--out", `${dir}/warc`],
    ...web.resolvers.flatMap((resolver) => ["--resolver", resolver]),
    ...more,
  ];
}

/**
 * Crawls a web, kills the run with SIGKILL at random moments of its work, and resumes it each time.
 * After every kill `verify` must find nothing and `crawl status` must tell what was done; in the end
 * every page is fetched, none was yielded twice, and the repeats keep to the bound.
 */
export async function killAndResume(plan: KillPlan): Promise<KillResult> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-kill-" });
  const seed = plan.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!;
  try {
    await using web = await startWeb({ graph: "tree-across", ...plan.web });
    return await round(web, dir, plan, generator(seed));
  } catch (cause) {
    throw new Error(`Seed ${seed}: ${(cause as Error).message}`, { cause });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function round(
  web: LocalWeb,
  dir: string,
  plan: KillPlan,
  random: () => number,
): Promise<KillResult> {
  const seeds = plan.seedAll ? [...web.expectedUrls()] : web.seeds();
  await Deno.writeTextFile(`${dir}/seeds.txt`, seeds.join("\n") + "\n");
  const args = crawlArgs(
    web,
    dir,
    ...["--max-depth", "60000", "--warc-size", "1MB", "--delay", `${plan.delayMs}ms`],
    ...["-j", `${plan.workers}`, "--writers", `${plan.writers}`, ...plan.args ?? []],
  );
  const expected = new Set(web.expectedUrls());
  const yielded = new Set<string>();
  const take = ({ records }: Ccrawl) => {
    for (const { url } of records) {
      assert.ok(!yielded.has(url), `${url} was yielded twice`);
      yielded.add(url);
    }
  };
  const share = expected.size / (plan.kills + 1);
  for (let kill = 0; kill < plan.kills; kill++) {
    const crawl = new Ccrawl(args);
    // Records come in bursts, one a commit: the moment within the next burst's making is random.
    // Every third run dies young instead, at its opening or its repairs.
    const young = kill % 3 === 2;
    const target = young ? 0 : Math.ceil(random() * 1.5 * share);
    await crawl.until(() => crawl.count >= target);
    await new Promise((resolve) => setTimeout(resolve, random() * (young ? 1000 : 250)));
    crawl.kill("SIGKILL");
    const { signal } = await crawl.ended;
    assert.doesNotMatch(crawl.stderr, /error|Cannot/i);
    take(crawl);
    await plan.afterKill?.(dir);
    await verifyClean(dir);
    const stats = await readStats(`${dir}/crawl.db`);
    assert.ok(
      stats.answered >= yielded.size,
      `${stats.answered} done, ${yielded.size} were yielded`,
    );
    assert.equal(stats.leased, 0, "nothing is in flight without a crawl");
    assert.equal(stats.answered + stats.queued, stats.known);
    if (signal !== "SIGKILL") break;
  }
  const last = new Ccrawl(args);
  await last.succeeds();
  take(last);
  await verifyClean(dir);
  const { missingSample, fetched, repeated, strangers } = await web.coverage();
  assert.deepEqual(missingSample, []);
  assert.deepEqual([fetched, strangers], [expected.size, 0]);
  const bound = replayBound(plan);
  assert.ok(repeated <= plan.kills * bound, `${repeated} repeats in ${plan.kills} kills`);
  const checked = await ccrawl(["verify", `${dir}/warc`, "--state", `${dir}/crawl.db`]);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  const status = await statusOf(dir);
  assert.deepEqual(
    [status.done, status.queued, status.in_flight, status.known],
    [expected.size, 0, 0, expected.size],
  );
  assert.equal((await ccrawl(args)).code, 0, "a finished crawl is done at once");
  const files = readdirSync(`${dir}/warc`).filter((name) => name.endsWith(".warc.gz")).length;
  return { pages: expected.size, kills: plan.kills, repeats: repeated, bound, files };
}

/** @throws {AssertionError} When a check finds a fault in what a crawl left in `dir`. */
export async function verifyClean(
  dir: string,
  files = { warc: `${dir}/warc`, state: `${dir}/crawl.db` },
): Promise<void> {
  const faults: Fault[] = [];
  for await (const fault of verifyPaths([files.warc], { state: files.state })) {
    if (faults.push(fault) === 10) break;
  }
  assert.deepEqual(faults, []);
}

/** The figures that `crawl status` gives. */
export async function statusOf(dir: string): Promise<Record<string, number>> {
  const state = `${dir}/crawl.db`;
  const { stdout, stderr } = await ccrawl(["crawl", "status", "--state", state, "-o", "jsonl"]);
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout) as Record<string, number>;
}

/** Numbers in [0, 1) from a seed. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = state + 0x9e3779b9 >>> 0;
    let h = Math.imul(state ^ state >>> 16, 0x21f0aaad);
    h = Math.imul(h ^ h >>> 15, 0x735a2d97);
    return ((h ^ h >>> 15) >>> 0) / 2 ** 32;
  };
}
