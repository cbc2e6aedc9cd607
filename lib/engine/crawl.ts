/**
 * The link crawl: seeds and discovered links through a frontier, politely, into an archive.
 *
 * @module
 */

import { dirname, resolve } from "node:path";
import type { FileLock } from "../files/mod.ts";
import { openFrontier } from "../frontier/mod.ts";
import type { CrawlFigures } from "../report/mod.ts";
import { suffixListHash } from "../url/mod.ts";
import { VERSION } from "../version.ts";
import { Archiver } from "./archiver.ts";
import { type CrawlOptions, fillCrawlOptions, type FilledCrawlOptions } from "./crawl_options.ts";
import { CrawlLoop } from "./_crawl_loop.ts";
import { checkFloor } from "./disk.ts";
import { RunLife, type Undo } from "./_life.ts";
import { FileNumbers } from "./_file_numbers.ts";
import { lockFolder, repairArchives } from "./_folder.ts";
import { Intact } from "./_intact.ts";
import { dnsFigures, type Network, openNetwork, robotsFigures } from "./_network.ts";
import type { CrawlRecord } from "./records.ts";
import { CrawlStatistics } from "./statistics.ts";
import { SitemapDiscovery } from "./_sitemaps.ts";

/** How often the free-disk floor is looked at, in ms. */
const FLOOR_EVERY = 1000;
/** Milliseconds that written records may wait for their fsync. */
const SYNC_MS = 100;

/**
 * Starts a crawl. Iterate over it to get a record per page, each durable when it is yielded; leaving
 * the loop stops the crawl cleanly. With `state` a later call carries on where this one stopped.
 *
 * @throws {RangeError} For an option out of its range.
 */
export function crawl(options: CrawlOptions): CrawlRun {
  return new CrawlRun(fillCrawlOptions(options), options.signal);
}

/** A running crawl. Use it with `await using`, or iterate it to its end. */
export class CrawlRun implements AsyncIterable<CrawlRecord>, AsyncDisposable {
  #options: FilledCrawlOptions;
  #statistics = new CrawlStatistics();
  #life: RunLife<CrawlRecord, Parts>;

  /** Made by {@linkcode crawl}. */
  constructor(options: FilledCrawlOptions, signal: AbortSignal | undefined) {
    this.#options = options;
    this.#life = new RunLife<CrawlRecord, Parts>({
      signal,
      onStopping: (reason) => options.onEvent({ type: "stopping", reason }),
      open: (stop, undo) => openParts(options, this.#statistics, stop, undo),
      onEnd: () => this.#statistics.end(),
    });
  }

  /** The run's figures so far. */
  get figures(): CrawlFigures {
    const { warc, queueBytes, maxPages, maxDepth, sitemaps, recrawl } = this.#options;
    const parts = this.#life.parts;
    return this.#statistics.figures({
      robots: parts?.network.robots && robotsFigures(parts.network.robots),
      dns: dnsFigures(parts?.network.resolver),
      archive: parts?.archiver.totals ?? NOTHING_ARCHIVED,
      writers: warc?.writers ?? 0,
      queueBytes,
      maxPages,
      sitemaps,
      recrawl: recrawl !== undefined,
      follows: maxDepth > 0 || sitemaps || recrawl !== undefined,
    });
  }

  /** Whether the crawl ended without a single page, now or in earlier runs of its state. */
  get foundNothing(): boolean {
    return this.#statistics.records === 0 && this.#statistics.answered === 0 &&
      this.#statistics.seeds === 0;
  }

  /** Seeds that were left out so far, as excluded or of another shard. */
  get seedsOutside(): number {
    return this.#statistics.seedsOutside;
  }

  /** Stop fetching, make everything durable, end the iteration. */
  stop(reason = "stopped"): void {
    this.#life.stop(reason);
  }

  /**
   * The records, in the order in which their pages became durable.
   *
   * @throws {RunError} When the run cannot go on (disk full, floor reached, archive not writable).
   * @throws {StateLockedError} When another process holds the state or the output folder.
   */
  [Symbol.asyncIterator](): AsyncGenerator<CrawlRecord, void, void> {
    return this.#life.records();
  }

  /**
   * Stops the crawl if it still runs and waits until everything is durable and closed.
   *
   * @throws {RunError} What went wrong, where the iteration has not thrown it.
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#life.dispose();
  }
}

interface Parts {
  readonly loop: CrawlLoop;
  readonly archiver: Archiver;
  readonly network: Network;
}

async function openParts(
  options: FilledCrawlOptions,
  statistics: CrawlStatistics,
  stop: AbortSignal,
  undo: Undo[],
): Promise<Parts> {
  let loop: CrawlLoop | undefined = undefined;
  const frontier = await openFrontier({
    ...(options.state === undefined ? {} : { path: options.state }),
    seenBytes: options.seenBytes,
    maxUrlsPerHost: options.maxUrlsPerHost,
    sameHost: options.sameHost,
    ...(options.recrawl === undefined ? {} : { recrawl: options.recrawl }),
    identity: {
      shard: `${options.shard} of ${options.shards}`,
      ...(options.shards > 1 ? { "suffix list": suffixListHash() } : {}),
    },
    ...(options.acceptSuffixList ? { accept: ["suffix list"] } : {}),
    onWarning: (text) => {
      // What a failed frontier says afterwards is that it has failed.
      if (!loop?.failed) options.onEvent({ type: "warning", text });
    },
  });
  undo.push(() => frontier.close());
  const { warc } = options;
  let lock: FileLock | undefined;
  if (warc !== undefined) {
    lock = lockFolder(warc.dir);
    undo.push(() => lock!.release());
    for (const { file, kept, cut } of await repairArchives(warc.dir, warc)) {
      options.onEvent({ type: "repaired", file, kept, cut });
    }
  }
  const places = [
    ...(warc === undefined ? [] : [warc.dir]),
    ...(options.state === undefined ? [] : [dirname(resolve(options.state))]),
  ];
  checkFloor(places, options.minFree, options.freeBytes);
  const numbers = warc && await FileNumbers.of(frontier, warc.prefix);
  const archiver = await Archiver.start({
    setup: {
      ...(warc === undefined ? {} : {
        warc: {
          ...warc,
          software: `ccrawl/${VERSION}`,
          userAgent: options.userAgent,
          firstNumber: numbers!.next,
        },
      }),
      scope: options.scope,
      maxDepth: options.maxDepth,
      obeyRobotsMeta: options.obeyRobotsMeta,
      sitemaps: options.sitemaps,
      recrawl: options.recrawl !== undefined,
      readPages: true,
      syncMs: SYNC_MS,
    },
    writers: warc?.writers ?? 1,
    queueBytes: options.queueBytes,
    onDurable: (pages) => {
      for (const { file } of pages) if (file !== "") numbers?.note(file);
      loop!.durable(pages);
    },
    onSealed: ({ file, bytes, records }) =>
      options.onEvent({ type: "sealed", file, bytes, records }),
    onError: (error) => loop!.fail(error),
  });
  undo.push(() => archiver.finish());
  const network = openNetwork(options, {
    archive: (x) => archiver.push(-1, 0, x.url.href, x),
    keepWire: warc?.http === "raw",
    store: {
      get: (key) => frontier.getCached(key),
      put: (key, value, expires) => frontier.putCached(key, value, expires),
    },
  });
  undo.push(() => network.close());
  loop = new CrawlLoop({
    ...network,
    options,
    frontier,
    archiver,
    sitemaps: options.sitemaps
      ? new SitemapDiscovery(frontier, options.scope, (error) => loop!.fail(error))
      : undefined,
    statistics,
    stop,
  });
  const intact = new Intact([
    ...(options.state === undefined ? [] : [options.state]),
    ...(lock === undefined ? [] : [lock.lockPath]),
  ]);
  const floor = setInterval(() => {
    try {
      intact.check();
      checkFloor(places, options.minFree, options.freeBytes);
    } catch (e) {
      loop!.fail(e as Error, { seal: true });
    }
  }, FLOOR_EVERY);
  undo.push(() => clearInterval(floor));
  await loop.start();
  return { loop, archiver, network };
}

const NOTHING_ARCHIVED = { files: 0, busyMs: 0, peakBytes: 0 };
