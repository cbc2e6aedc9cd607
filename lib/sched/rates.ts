/**
 * Change rates of hosts from what passes over their pages found.
 *
 * @module
 */

import { open } from "node:fs/promises";
import { join } from "node:path";
import { readCaptures } from "../capture/mod.ts";
import { MergeSort } from "../warc/mod.ts";
import { readLines } from "../worklist/mod.ts";
import { whyUnread } from "../files/mod.ts";
import { RatesError } from "./errors.ts";
import { changedShare, VisitHistory } from "./estimate.ts";
import { type BadRate, readHostTallies } from "./rates_file.ts";

/** What is known of how often a host's pages change. */
export interface EstimatedRate {
  /** Name of the host. */
  readonly host: string;
  /** URLs that were visited more than once. */
  readonly totalUrls: number;
  /** Visits that could be compared to one before. */
  readonly visits: number;
  /** Of them, those that found a change. */
  readonly changedVisits: number;
  /** Changes of a page a day. */
  readonly changesPerDay: number;
  /** Share of the pages that change within the days of the options. */
  readonly rate: number;
}

/** One input of {@linkcode estimateRates}. */
export interface RateInput {
  /** A folder or file of captures (`.parquet`), or what `sched diff` wrote. */
  readonly path: string;
  /** Days between the two snapshots of a diff. @default those of the options */
  readonly days?: number;
}

/** Options of {@linkcode estimateRates}. */
export interface EstimateOptions {
  /** Days that the rate is the share of changes within. @default 30 */
  readonly days?: number;
  /** Hosts with fewer comparisons are left out. @default 1 */
  readonly minVisits?: number;
  /** Folder for sorting. @default the system's for temporary files */
  readonly scratch?: string;
  /** Ends it with its reason. */
  readonly signal?: AbortSignal;
  /** Told of each line of a diff that says nothing. */
  readonly onBad?: (path: string, bad: BadRate) => void;
}

/** Days that a rate is the share of changes within: about what lies between two of Common Crawl's crawls. */
export const RATE_DAYS = 30;

const DAY_MS = 86_400_000;
const PIECE = 1 << 20;
const PLAIN = /^[!-~]+$/;
const MOST_LINE = 64 << 10;

/**
 * Estimates change rates from several passes: captures of the same URLs at different times, and
 * comparisons of snapshots. All pages of a host are taken to change alike. What is read is sorted by host
 * and URL on disk; memory is for one host's history, which is bounded.
 *
 * Of captures those count that were answered 2xx or 304, with a digest.
 *
 * @returns Hosts with a comparison, by name.
 * @throws {RatesError} If an input cannot be read.
 */
export async function* estimateRates(
  inputs: readonly RateInput[],
  options: EstimateOptions = {},
): AsyncGenerator<EstimatedRate, void, unknown> {
  const { days = RATE_DAYS, minVisits = 1, scratch } = options;
  const dir = await Deno.makeTempDir({
    prefix: "ccrawl-rates-",
    ...(scratch === undefined ? {} : { dir: scratch }),
  });
  try {
    const sorted = join(dir, "visits");
    const sort = new MergeSort(sorted);
    try {
      for (const input of inputs) {
        for await (const line of linesOf(input, days, options)) {
          if (line.length <= MOST_LINE) sort.add(line);
        }
      }
      sort.finish();
    } finally {
      sort.discard();
    }
    for await (const found of hostsOf(fileBytes(sorted), days, options.signal)) {
      if (found.visits >= minVisits) yield found;
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** An input as lines of one form: host, kind, and what sorts a URL's visits by time. */
async function* linesOf(
  { path, days }: RateInput,
  usual: number,
  { signal, onBad = () => {} }: EstimateOptions,
): AsyncGenerator<string> {
  const stat = await Deno.stat(path).catch((cause) => {
    throw new RatesError(path, whyUnread(cause), { cause });
  });
  if (!stat.isDirectory && !path.toLowerCase().endsWith(".parquet")) {
    let good = 0, bad = 0;
    const tallies = readHostTallies(fileBytes(path), (line) => {
      bad++;
      onBad(path, line);
    });
    for await (const { host, total, changed } of tallies) {
      signal?.throwIfAborted();
      good++;
      if (PLAIN.test(host)) yield `${host}\td\t${days ?? usual}\t${total}\t${changed}`;
    }
    if (good === 0 && bad > 0) {
      const lines = bad === 1 ? "its one line does not say" : `not one of its ${bad} lines says`;
      throw new RatesError(path, `${lines} what changed on a host, as sched diff writes it`);
    }
    return;
  }
  const rows = readCaptures(path, {
    columns: ["url", "host", "digest", "fetched_at"],
    where: { status: (status) => status >= 200 && status < 300 || status === 304 },
  });
  for await (const { url = "", host = "", digest = "", fetched_at = 0 } of rows) {
    signal?.throwIfAborted();
    if (!PLAIN.test(url) || !PLAIN.test(host) || !PLAIN.test(digest)) continue;
    yield `${host}\tu\t${url}\t${String(fetched_at).padStart(16, "0")}\t${digest}`;
  }
}

/** One host after the other from sorted lines. */
async function* hostsOf(
  lines: AsyncIterable<Uint8Array>,
  days: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<EstimatedRate> {
  const decoder = new TextDecoder();
  let at: HostVisits | undefined;
  for await (const bytes of readLines(lines)) {
    signal?.throwIfAborted();
    const [host = "", kind, ...rest] = decoder.decode(bytes).split("\t");
    if (at?.host !== host) {
      if (at !== undefined && at.history.visits > 0) yield at.estimate(days);
      at = new HostVisits(host);
    }
    if (kind === "d") at.compared(Number(rest[0]), Number(rest[1]), Number(rest[2]));
    else at.visited(rest[0]!, Number(rest[1]), rest[2]!);
  }
  if (at !== undefined && at.history.visits > 0) yield at.estimate(days);
}

class HostVisits {
  readonly host: string;
  readonly history = new VisitHistory();
  #urls = 0;
  /** The most URLs of a comparison: how many of its URLs are the same ones nobody knows. */
  #compared = 0;
  #url = "";
  #time = 0;
  #digest = "";
  #again = false;

  constructor(host: string) {
    this.host = host;
  }

  compared(days: number, total: number, changed: number): void {
    this.history.add(days, true, changed);
    this.history.add(days, false, total - changed);
    this.#compared = Math.max(this.#compared, total);
  }

  visited(url: string, time: number, digest: string): void {
    if (url === this.#url && time > this.#time) {
      this.history.add((time - this.#time) / DAY_MS, digest !== this.#digest);
      if (!this.#again) this.#urls++;
      this.#again = true;
    } else this.#again &&= url === this.#url;
    this.#url = url;
    this.#time = time;
    this.#digest = digest;
  }

  estimate(days: number): EstimatedRate {
    const { history } = this;
    const changesPerDay = history.changesPerDay();
    return {
      host: this.host,
      totalUrls: Math.max(this.#urls, this.#compared),
      visits: history.visits,
      changedVisits: history.changed,
      changesPerDay,
      rate: changedShare(changesPerDay, days),
    };
  }
}

async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r").catch((cause) => {
    throw new RatesError(path, whyUnread(cause), { cause });
  });
  try {
    for (;;) {
      const bytes = new Uint8Array(PIECE);
      const { bytesRead } = await file.read(bytes, 0, PIECE);
      if (bytesRead === 0) return;
      yield bytes.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
