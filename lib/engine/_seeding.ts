/** Offers a crawl's seeds to its frontier, as they come. */

import type { DiscoveredUrl, Frontier, HostPace } from "../frontier/mod.ts";
import { INTERVAL_HOURS } from "../tiers/tiers.ts";
import { hostOf, Scope, trapReason } from "../url/mod.ts";
import type { FilledCrawlOptions } from "./crawl_options.ts";
import { parseSeed } from "./seeds.ts";
import type { CrawlStatistics } from "./statistics.ts";

/** Seeds offered at a time. */
const BATCH = 2000;
/** How long a seed waits for others, in ms. */
const WAIT = 100;

/** What seeding works with. */
export interface SeedingParts {
  readonly options: FilledCrawlOptions;
  readonly frontier: Frontier;
  readonly statistics: CrawlStatistics;
}

/** What the loop says to it and hears of it. */
export interface SeedingHooks {
  /** Whether nothing more is wanted. */
  over(): boolean;
  /** Seeds are in the frontier. */
  offered(): void;
  /** The crawl cannot go on. */
  fail(error: Error): void;
}

/**
 * Offers all seeds; resolves when the list has ended or no more is wanted. Lines that are no seed are
 * counted.
 */
export async function offerSeeds(parts: SeedingParts, hooks: SeedingHooks): Promise<void> {
  const { frontier, options, statistics } = parts;
  const scope = new Scope(options.scope);
  let batch: DiscoveredUrl[] = [];
  let paces: HostPace[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (batch.length === 0 || hooks.over()) return;
    const urls = batch;
    batch = [];
    if (paces.length > 0) {
      const known = paces;
      paces = [];
      await frontier.setPaces(known);
    }
    await frontier.put(urls, { seed: true });
    hooks.offered();
  };
  for await (const item of options.seeds) {
    if (hooks.over()) return;
    const seed = typeof item === "string" ? parseSeed(item) : item;
    if (seed === undefined) continue;
    if (typeof seed === "string" || trapReason(seed.url) !== undefined) {
      statistics.badSeeds++;
      continue;
    }
    if (!scope.admitsSeed(seed.url)) {
      statistics.seedsOutside++;
      continue;
    }
    statistics.seeds++;
    batch.push({ url: seed.url, priority: seed.priority, depth: 0 });
    if (options.recrawl !== undefined && seed.tier !== undefined) {
      const hours = INTERVAL_HOURS[seed.tier] ?? 0;
      paces.push({ host: hostOf(seed.url), intervalMs: hours * 3_600_000 });
    }
    if (batch.length >= BATCH) await flush();
    // a list that comes slowly is crawled as it comes
    else timer ??= setTimeout(() => flush().catch((e) => hooks.fail(e)), WAIT);
  }
  await flush();
}
