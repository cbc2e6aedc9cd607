/** Judgements of a crawl at the server, for short and long tests. */

import assert from "node:assert/strict";
import type { CrawlRecord } from "../../lib/engine/records.ts";
import type { HostSummary, LocalWeb, WebSummary } from "../web/mod.ts";

/** What was seen, for a line of figures. */
export interface Politeness {
  readonly summary: WebSummary;
  /** The shortest time between two page requests of a host, in ms. */
  readonly gapMs: number;
  /** What the server's own clock readings may be off by, in ms. */
  readonly jitterMs: number;
}

/**
 * Beside the server's own lag: what a request may take longer on its way than the next, which a busy
 * machine stretches. {@linkcode shortestGap} judges to the millisecond.
 */
const JITTER_MS = 2, JITTER_SHARE = 0.05;

/**
 * No host was asked twice at once, no page sooner than `delayMs` after the one before, and every
 * origin's robots.txt at most `robots` times.
 */
export async function assertPolite(
  web: LocalWeb,
  delayMs: number,
  options: { robots?: number; hosts?: (host: HostSummary) => boolean } = {},
): Promise<Politeness> {
  const summary = await web.summary();
  const { maxLagMs } = await web.stats();
  const jitterMs = JITTER_MS + JITTER_SHARE * delayMs + maxLagMs;
  const judged = summary.hosts.filter(options.hosts ?? (() => true));
  assert.ok(judged.length > 0, "no host was asked");
  let gapMs = Infinity;
  for (const host of judged) {
    assert.ok(host.maxConcurrent <= 1, `${host.maxConcurrent} requests at once at ${host.host}`);
    assert.ok(host.robots <= (options.robots ?? 1), `${host.robots} robots.txt of ${host.host}`);
    if (host.minStartGap < 0) continue;
    gapMs = Math.min(gapMs, host.minStartGap);
    assert.ok(
      host.minStartGap >= delayMs - jitterMs,
      `${host.host}: pages ${host.minStartGap} ms apart, not ${delayMs} (jitter ${jitterMs})`,
    );
  }
  return { summary, gapMs, jitterMs };
}

/**
 * The shortest time between two requests of a host by the crawl's own clock, in ms, over records of pages
 * that were answered at the first attempt. Unlike the server's figure, nothing else on the machine moves it.
 */
export function shortestGap(records: readonly CrawlRecord[]): number {
  const last = new Map<string, number>();
  let gap = Infinity;
  const at = (r: CrawlRecord) => Date.parse(r.fetched_at);
  for (const record of records.filter((r) => r.status !== 0).sort((a, b) => at(a) - at(b))) {
    const host = new URL(record.url).hostname;
    const before = last.get(host);
    if (before !== undefined) gap = Math.min(gap, at(record) - before);
    last.set(host, at(record));
  }
  return gap;
}

/** The pages of a `robots-odd` host that its robots.txt disallows, by their path. */
export function isDisallowed(path: string): boolean {
  return /^\/p\/\d*[13579]$/.test(path);
}
