/** Good hosts beside hosts that never answer, for short and long tests. */

import assert from "node:assert/strict";
import { crawl } from "../../lib/engine/crawl.ts";
import { toward } from "./_crawl.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";

/** How many of which, and how they are crawled. */
export interface SilentPlan {
  readonly silent: number;
  readonly good: number;
  readonly pagesEach: number;
  readonly workers: number;
  readonly delayMs: number;
}

/** How a crawl went. */
export interface SilentRun {
  /** Milliseconds to the last good page. */
  readonly ms: number;
  /** Requests that hung when it came. */
  readonly hanging: number;
  /** Most descriptors in use, and those left once it was closed. */
  readonly peakDescriptors: number;
  readonly descriptors: number;
  /** Largest resident size, in MB. */
  readonly peakMb: number;
}

/** Descriptors that this process has open. */
export function descriptors(): number {
  return [...Deno.readDirSync("/proc/self/fd")].length;
}

/** Kinds of silence: no answer, no handshake, half of either, a drop now and then. */
const KINDS = [
  ["http", "tarpit", "/p/0"],
  ["https", "tls-hang", "/p/0"],
  ["http", "robots-silent", "/p/0"],
  ["http", "good", "/stall"],
  ["https", "tls-half", "/p/0"],
  ["http", "drip-400", "/p/0"],
  ["http", "good", "/stall-head"],
  ["http", "robots-drip-300", "/p/0"],
] as const;

/** Crawls the good hosts without the silent ones, then among them. */
export async function besideSilent(
  plan: SilentPlan,
): Promise<{ alone: SilentRun; among: SilentRun; before: number }> {
  await using web = await startWeb({
    hosts: plan.good,
    pages: plan.good * plan.pagesEach,
    pageBytes: 5000,
  });
  const seeds = web.seeds();
  const silent = Array.from({ length: plan.silent }, (_, i) => {
    const [scheme, kind, path] = KINDS[i % KINDS.length]!;
    return web.url(`s${i}.${kind}.test`, path, scheme);
  });
  // A first crawl, so that what a process opens once is open.
  await run(web, { ...plan, pagesEach: 1 }, seeds, 0);
  const before = descriptors();
  const alone = await run(web, plan, seeds, 100);
  await web.reset();
  const among = await run(web, plan, mixed(silent, seeds), 100);
  return { alone, among, before };
}

async function run(
  web: LocalWeb,
  plan: SilentPlan,
  seeds: readonly string[],
  maxDepth: number,
): Promise<SilentRun> {
  const start = performance.now();
  const wanted = plan.good * plan.pagesEach;
  let done = 0, ms = 0, hanging = 0, peakDescriptors = 0, peakMb = 0;
  const look = () => {
    peakDescriptors = Math.max(peakDescriptors, descriptors());
    peakMb = Math.max(peakMb, Deno.memoryUsage().rss / 2 ** 20);
  };
  const timer = setInterval(look, 250);
  const running = crawl(toward(web, {
    seeds,
    maxDepth,
    workers: plan.workers,
    delayMs: plan.delayMs,
    graceMs: 0,
  }));
  try {
    for await (const { url, status } of running) {
      const { hostname, pathname } = new URL(url);
      if (!hostname.startsWith("h") || !pathname.startsWith("/p/")) continue;
      assert.equal(status, 200, url);
      if (++done < wanted) continue;
      ms = performance.now() - start;
      hanging = running.figures.inFlight;
      look();
      break;
    }
  } finally {
    clearInterval(timer);
  }
  assert.equal(done, wanted, "every good page was fetched");
  return { ms, hanging, peakDescriptors, descriptors: await settled(), peakMb };
}

/** Descriptors in use once their number stands still: sockets close when the runtime gets to it. */
async function settled(): Promise<number> {
  let last = descriptors();
  for (let same = 0; same < 4;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = descriptors();
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}

/** The few among the many, evenly. */
function mixed(many: readonly string[], few: readonly string[]): string[] {
  const out: string[] = [];
  const step = Math.ceil(many.length / few.length);
  for (const [i, one] of few.entries()) out.push(...many.slice(i * step, (i + 1) * step), one);
  return out;
}
