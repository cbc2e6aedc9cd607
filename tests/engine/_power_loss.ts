/** A crawl whose power fails at many moments: what must hold of the disk at each. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readDone } from "../../lib/frontier/read.ts";
import { FrontierEngine } from "../../lib/frontier/engine.ts";
import { surt } from "../../lib/url/surt.ts";
import { repairFolder } from "../../lib/warc/repair.ts";
import { startWeb } from "../web/mod.ts";
import type { Scenario } from "../web/scenario.ts";
import { collect } from "./_crawl.ts";
import { crawlArgs, generator, verifyClean } from "./_kill.ts";
import { Disk, materialise, readTrace, recorder } from "./_power.ts";
import { Ccrawl } from "./_process.ts";

/** How a crawl's power fails. */
export interface PowerPlan {
  readonly web: Partial<Scenario>;
  readonly seedAll?: boolean;
  readonly writers: number;
  /** Between two pages of a host: the longer, the more syncs. @default 0 */
  readonly delayMs?: number;
  /** Moments looked at. */
  readonly moments: number;
  /** Of these, how many crawls are carried on to their end. */
  readonly resumed: number;
  readonly seed?: number;
}

/** What was seen. */
export interface PowerResult {
  readonly calls: number;
  readonly moments: number;
  /** Most records that were on stdout before the power went, at any moment. */
  readonly yielded: number;
}

/**
 * Records a crawl, and at random moments of it rebuilds the disk without what had not been synced:
 * every record that was yielded before must be done in the state, and every URL that the state calls
 * done must be in the archive, which is whole after a repair. Some of these crawls are resumed: each
 * page must be in the end.
 */
export async function powerLoss(plan: PowerPlan): Promise<PowerResult> {
  const seed = plan.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!;
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-power-" });
  try {
    return await failing(plan, dir, generator(seed));
  } catch (cause) {
    throw new Error(`Seed ${seed}: ${(cause as Error).message}`, { cause });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function failing(
  plan: PowerPlan,
  dir: string,
  random: () => number,
): Promise<PowerResult> {
  const run = `${dir}/run`, trace = `${dir}/trace`;
  await Deno.mkdir(`${run}/warc`, { recursive: true });
  await using web = await startWeb(plan.web);
  const seeds = plan.seedAll ? [...web.expectedUrls()] : web.seeds();
  await Deno.writeTextFile(`${run}/seeds.txt`, seeds.join("\n") + "\n");
  const args = crawlArgs(web, run, "--max-depth", "60000", "--warc-size", "1MB");
  args.push("--writers", `${plan.writers}`, "--delay", `${plan.delayMs ?? 0}ms`);
  const crawl = new Ccrawl(args, { wrapper: recorder(trace) });
  await crawl.succeeds();
  const expected = new Set(web.expectedUrls());
  assert.equal(crawl.count, expected.size);

  let calls = 0;
  const disk = new Disk(run);
  for await (const call of readTrace(trace)) if (disk.apply(call)) calls++;
  const moments = Array.from({ length: plan.moments }, () => Math.ceil(random() * calls))
    .sort((a, b) => a - b);
  const again = new Disk(run);
  let at = 0, next = 0, yielded = 0;
  for await (const call of readTrace(trace)) {
    if (!again.apply(call)) continue;
    at++;
    for (; moments[next] === at; next++) {
      const image = `${dir}/image`;
      const files = again.afterPowerLoss(next % 3 === 0 ? undefined : random);
      await materialise(files, run, image);
      await Deno.mkdir(`${image}/warc`, { recursive: true });
      const done = await checkImage(image, again.stdout, `call ${at} of ${calls}`);
      yielded = Math.max(yielded, done);
      const resume = Math.floor(next * plan.resumed / plan.moments) !==
        Math.floor((next + 1) * plan.resumed / plan.moments);
      if (resume) {
        await collect(web, {
          ...{ seeds, maxDepth: 60_000, delayMs: 0, state: `${image}/crawl.db` },
          warc: { dir: `${image}/warc`, writers: plan.writers },
        });
        await verifyClean(image);
        assert.deepEqual(await doneUrls(image), expected);
      }
      await Deno.remove(image, { recursive: true });
    }
  }
  return { calls, moments: plan.moments, yielded };
}

/** What a run finds at its start; gives the number of records that had been yielded. */
async function checkImage(image: string, stdout: string, when: string): Promise<number> {
  const lines = stdout.split("\n").slice(0, -1);
  try {
    if (!existsSync(`${image}/crawl.db`)) {
      assert.equal(lines.length, 0, "records were yielded, and there is no state");
      return 0;
    }
    new FrontierEngine({ path: `${image}/crawl.db` }).close();
    await repairFolder(`${image}/warc`, { surt });
    await verifyClean(image);
    const done = await doneUrls(image);
    for (const line of lines) {
      const { url } = JSON.parse(line) as { url: string };
      assert.ok(done.has(url), `${url} was yielded and is not done`);
    }
    return lines.length;
  } catch (cause) {
    throw new Error(`Power lost after ${when}: ${(cause as Error).message}`, { cause });
  }
}

async function doneUrls(dir: string): Promise<Set<string>> {
  const urls = new Set<string>();
  for await (const { url, outcome } of readDone(`${dir}/crawl.db`)) {
    if (outcome === "done") urls.add(url);
  }
  return urls;
}
