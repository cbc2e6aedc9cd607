/**
 * The work of `crawl run`.
 *
 * @module
 */

import { type BadSeed, crawl, type CrawlRun, readSeeds, type Seed } from "../../../engine/mod.ts";
import { whyUnread } from "../../../files/mod.ts";
import { expandPatterns } from "../../../url/mod.ts";
import type { CommandIo } from "../../command.ts";
import { CommandError, ExitCode } from "../../errors.ts";
import type { CrawlRunOptions } from "../crawl_run.ts";
import { outcomeOf, printable, tell } from "./_events.ts";
import { fetchingOptions } from "./_fetching.ts";

const MIB = 2 ** 20;
/** Bad seed lines that are shown; all are counted. */
const SHOWN_BAD_SEEDS = 5;

/** Crawl, a record a page. */
export async function run(options: CrawlRunOptions, io: CommandIo): Promise<number> {
  const { report } = io;
  const include = await expandPatterns(options.include);
  const exclude = await expandPatterns(options.exclude);
  let badSeeds = 0;
  let outcome = "finished";
  const source = await openSeeds(options.seeds, io);
  const seeds = readList(options.seeds, source, (bad: BadSeed) => {
    if (++badSeeds <= SHOWN_BAD_SEEDS) {
      report.warn(`seed line ${bad.line} is left out, ${bad.reason}: ${printable(bad.text)}`);
    }
  });
  const running: CrawlRun = crawl({
    ...fetchingOptions(options),
    seeds,
    ...(options.state === undefined ? {} : { state: options.state }),
    warc: {
      dir: options.out,
      prefix: options.prefix,
      maxBytes: options.warcSize,
      http: options.warcHttp,
      cdx: options.cdx,
      dedup: options.dedup,
      writers: options.writers,
      command: io.commandLine,
    },
    maxDepth: options.maxDepth,
    sitemaps: options.sitemaps,
    ...(options.recrawl
      ? {
        recrawl: options.recrawlInterval === undefined
          ? true
          : { intervalMs: options.recrawlInterval },
      }
      : {}),
    sameHost: options.sameHost,
    include,
    exclude,
    shard: options.shard,
    shards: options.shards,
    acceptSuffixList: options.acceptSuffixList,
    maxUrlsPerHost: options.maxUrlsPerHost,
    robotsRetryMs: options.robotsRetry,
    seenBytes: options.seenMb * MIB,
    signal: io.signal,
    onEvent: (event) => {
      if (event.type === "control" && event.verb === "stop") outcome = "stopped";
      tell(event, io);
    },
  });
  await report.start({
    out: options.out,
    state: options.state ?? "",
    shard: options.shard,
    shards: options.shards,
    workers: options.workers,
    delayMs: options.delay,
    robots: options.robots,
  }, () => running.figures);
  let records = 0;
  try {
    for await (const record of running) {
      records++;
      const taken = io.output.write({ ...record });
      if (!(taken === true || await taken)) break;
    }
    if (io.signal.aborted) outcome = outcomeOf(io.signal);
    if (outcome === "finished" && records === 0) {
      report.message(whyNothing(running, options.maxPages));
    }
  } catch (error) {
    outcome = (error as Error).message;
    throw error;
  } finally {
    if (badSeeds > 0) {
      report.warn(
        badSeeds === 1
          ? "1 seed line is no seed and was left out"
          : `${badSeeds} seed lines are no seeds and were left out`,
      );
    }
    try {
      await io.output.flush();
    } finally {
      report.end(outcome); // a stdout that takes no more is no reason to keep quiet
    }
  }
  // A crawl that was stopped before it had anything is a stopped one.
  return outcome === "finished" && running.foundNothing ? ExitCode.nothing : ExitCode.done;
}

/** Why a crawl has nothing to fetch. */
function whyNothing(run: CrawlRun, maxPages: number): string {
  const { queued } = run.figures;
  if (run.foundNothing) {
    return run.seedsOutside === 0
      ? "nothing to do: --seeds names no URL"
      : `nothing to do: --exclude and --shard leave out every seed, ${run.seedsOutside} in all`;
  }
  return maxPages > 0 && queued > 0
    ? `nothing to do: --max-pages ${maxPages} was reached in an earlier run, ${
      queued === 1 ? "1 URL stays" : `${queued} URLs stay`
    } queued`
    : "nothing to do: every URL of the state is done";
}

async function openSeeds(path: string, io: CommandIo): Promise<ReadableStream<Uint8Array>> {
  if (path === "-") return io.host.stdin();
  try {
    const file = await Deno.open(path);
    if ((await file.stat()).isDirectory) {
      file.close();
      throw new Error("it is a folder");
    }
    return file.readable;
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

/** The list, its failures told as what they are failures of. */
async function* readList(
  path: string,
  source: ReadableStream<Uint8Array>,
  onBad: (bad: BadSeed) => void,
): AsyncGenerator<Seed, void, void> {
  try {
    yield* readSeeds(source, onBad);
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

function cannotRead(path: string, cause: unknown): CommandError {
  const message = `Cannot read --seeds ${path}: ${whyUnread(cause)}`;
  return new CommandError(message, ExitCode.error, undefined, { cause });
}
