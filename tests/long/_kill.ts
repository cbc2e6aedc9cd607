/**
 * A crawl through the command line that is killed again and again: what must hold after each kill,
 * and in the end.
 */

import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import type { Scenario } from "../web/scenario.ts";

/** How hard a crawl is treated. */
export interface KillPlan {
  readonly web: Partial<Scenario>;
  readonly kills: number;
  readonly workers: number;
  readonly writers: number;
  readonly delayMs: number;
  /** Shortest and longest life of a run, in ms. */
  readonly life: readonly [number, number];
  readonly args?: readonly string[];
  readonly seed?: number;
}

/** What came of it. */
export interface KillResult {
  /** URLs fetched more than once, in all. */
  readonly repeats: number;
  readonly pages: number;
  readonly kills: number;
  /** Records seen on stdout of killed runs. */
  readonly yielded: number;
}

const CLI = new URL("../../cli.ts", import.meta.url).href;

/** Runs ccrawl; returns its process. */
export function ccrawl(
  args: readonly string[],
  stdio: Partial<Deno.CommandOptions> = {},
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", CLI, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...stdio,
  }).spawn();
}

/** Runs ccrawl to its end. */
export async function ccrawlOutput(
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await ccrawl(args).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/**
 * Crawls a tree (a lost link would show as a missing page), kills the run with SIGKILL at random
 * moments, and resumes it each time. After every kill `verify` must find nothing; every page must be
 * fetched in the end, and pages yielded once are never yielded again.
 */
export async function killAndResume(plan: KillPlan): Promise<KillResult> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-kill-" });
  try {
    await using web = await startWeb({ graph: "tree", ...plan.web });
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n") + "\n");
    const state = `${dir}/crawl.db`;
    const args = [
      ..."crawl run --allow-private --max-depth 1000 --min-free 0 -q -o jsonl".split(" "),
      ...["--seeds", `${dir}/seeds.txt`, "--state", state, "--out", `${dir}/warc`],
      ...["--delay", `${plan.delayMs}ms`, "-j", `${plan.workers}`, "--writers", `${plan.writers}`],
      ...["--warc-size", "4MB", ...web.resolvers.flatMap((r) => ["--resolver", r])],
      ...plan.args ?? [],
    ];
    const random = generator(plan.seed ?? 1);
    const yielded = new Map<string, number>();
    const count = (text: string) => {
      for (const line of text.split("\n").slice(0, -1)) {
        const { url } = JSON.parse(line) as { url: string };
        yielded.set(url, (yielded.get(url) ?? 0) + 1);
      }
    };
    let kills = 0;
    for (; kills < plan.kills; kills++) {
      const child = ccrawl(args);
      const output = child.output();
      const life = plan.life[0] + random() * (plan.life[1] - plan.life[0]);
      const over = await Promise.race([
        output.then(() => true),
        new Promise<false>((resolve) => setTimeout(() => resolve(false), life)),
      ]);
      if (!over) child.kill("SIGKILL");
      const { stdout, stderr } = await output;
      count(new TextDecoder().decode(stdout));
      const said = new TextDecoder().decode(stderr);
      assert.doesNotMatch(said, /error|Cannot/i, said);
      await verifyClean(`${dir}/warc`, state);
      if (over) break;
    }
    const last = await ccrawlOutput(args);
    assert.equal(last.code, 0, last.stderr);
    count(last.stdout);
    await verifyClean(`${dir}/warc`, state);
    for (const [url, times] of yielded) assert.equal(times, 1, `${url} was yielded ${times} times`);
    const coverage = await web.coverage();
    assert.equal(coverage.missing, 0, JSON.stringify(coverage));
    const expected = new Set(web.expectedUrls());
    const status = await ccrawlOutput(["crawl", "status", "--state", state, "-o", "json"]);
    const [figures] = JSON.parse(status.stdout) as { done: number; queued: number }[];
    assert.equal(figures!.done, expected.size);
    assert.equal(figures!.queued, 0);
    const { requests, robots } = await web.summary();
    return {
      repeats: requests - robots - expected.size,
      pages: expected.size,
      kills,
      yielded: yielded.size,
    };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** @throws {AssertionError} When `verify` finds a fault. */
export async function verifyClean(warc: string, state: string): Promise<void> {
  const { code, stdout, stderr } = await ccrawlOutput(["verify", warc, "--state", state]);
  assert.equal(code, 0, `verify: ${stdout}${stderr}`);
}

/** Numbers in [0, 1) from a seed, so that a failing round can be run again. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 >>> 0;
    return (state ^ (state >>> 13)) / 2 ** 32;
  };
}
