/**
 * The recrawl: a work list of any length, each row fetched once, rendered, and written as captures.
 *
 * @module
 */

import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import {
  listParts,
  readCaptures,
  readPartInfo,
  removeUnfinished,
  RowSender,
  type SmallRow,
  STORE_BODY_KEY,
  WriterPool,
} from "../capture/mod.ts";
import type { FileLock } from "../files/mod.ts";
import { MAX_DECODED } from "../net/mod.ts";
import { RenderPool } from "../render/mod.ts";
import type { RecrawlFigures } from "../report/mod.ts";
import { commit, VERSION } from "../version.ts";
import {
  CheckpointFile,
  openWorkList,
  readCheckpoint,
  reconcile,
  type WorkList,
} from "../worklist/mod.ts";
import { Archiver } from "./archiver.ts";
import { checkFloor } from "./disk.ts";
import { cannotWrite, RunError } from "./errors.ts";
import { RunLife, type Undo } from "./_life.ts";
import { Fetcher } from "./fetcher.ts";
import { lockFolder, repairArchives } from "./_folder.ts";
import { Intact } from "./_intact.ts";
import { dnsFigures, type Network, openNetwork, robotsFigures } from "./_network.ts";
import type { RowSetup } from "./_recrawl_facts.ts";
import { RecrawlLedger } from "./_recrawl_ledger.ts";
import { RecrawlLoop } from "./_recrawl_loop.ts";
import {
  type FilledRecrawlOptions,
  fillRecrawlOptions,
  type RecrawlOptions,
} from "./recrawl_options.ts";
import { RecrawlStatistics } from "./recrawl_statistics.ts";
import { Validators } from "./validators.ts";

/** How often the free-disk floor is looked at, in ms. */
const FLOOR_EVERY = 1000;
/** Milliseconds that archived records may wait for their fsync. */
const SYNC_MS = 100;

/**
 * Starts a pass over a work list. Iterate over it to get every row without its large columns, once it
 * is with a file; leaving the loop seals, writes the checkpoint and stops. With `state` a later call
 * carries on where this one stopped.
 *
 * @throws {RangeError} For an option out of its range.
 */
export function recrawl(options: RecrawlOptions): RecrawlRun {
  return new RecrawlRun(fillRecrawlOptions(options), options.signal);
}

/** A running recrawl. Use it with `await using`, or iterate it to its end. */
export class RecrawlRun implements AsyncIterable<SmallRow>, AsyncDisposable {
  #options: FilledRecrawlOptions;
  #statistics = new RecrawlStatistics();
  #life: RunLife<SmallRow, Parts>;

  /** Made by {@linkcode recrawl}. */
  constructor(options: FilledRecrawlOptions, signal: AbortSignal | undefined) {
    this.#options = options;
    this.#life = new RunLife<SmallRow, Parts>({
      signal,
      onStopping: (reason) => options.onEvent({ type: "stopping", reason }),
      open: (stop, undo) => openParts(options, this.#statistics, stop, undo),
      onEnd: () => this.#statistics.end(),
    });
  }

  /** The run's figures so far. */
  get figures(): RecrawlFigures {
    const parts = this.#life.parts;
    return this.#statistics.figures({
      options: this.#options,
      position: parts?.position() ?? { part: 0, row: 0 },
      robots: parts?.network?.robots && robotsFigures(parts.network.robots),
      dns: dnsFigures(parts?.network?.resolver),
      archive: parts?.archiver?.totals,
      pool: parts?.pool?.figures,
      writers: parts?.writers?.figures,
      lag: parts?.ledger?.lag,
      queued: parts?.loop?.queued ?? 0,
    });
  }

  /** Release that the list was read from; empty where it has none, undefined before it is open. */
  get release(): string | undefined {
    return this.#life.parts?.release;
  }

  /** Stop fetching, seal, write the checkpoint, end the iteration. */
  stop(reason = "stopped"): void {
    this.#life.stop(reason);
  }

  /**
   * The rows, without their large columns, as they come to be with a file.
   *
   * @throws {RunError} When the run cannot go on (disk full, floor reached).
   * @throws {WorkListError} When the list cannot be read.
   * @throws {CaptureWriteError} When a part cannot be written.
   * @throws {StateLockedError} When another process holds the state or the output folder.
   */
  [Symbol.asyncIterator](): AsyncGenerator<SmallRow, void, void> {
    return this.#life.records();
  }

  /**
   * Stops the run if it still goes on and waits until everything is durable and closed.
   *
   * @throws What went wrong, where the iteration has not thrown it.
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#life.dispose();
  }
}

interface Parts {
  /** Absent where the list had been worked off already. */
  readonly loop?: RecrawlLoop;
  readonly position: () => { readonly part: number; readonly row: number };
  readonly release: string;
  readonly network?: Network;
  readonly ledger?: RecrawlLedger;
  readonly archiver?: Archiver | undefined;
  readonly pool?: RenderPool | undefined;
  readonly writers?: WriterPool | undefined;
}

async function openParts(
  options: FilledRecrawlOptions,
  statistics: RecrawlStatistics,
  stop: AbortSignal,
  undo: Undo[],
): Promise<Parts> {
  let loop: RecrawlLoop | undefined = undefined;
  let early: Error | undefined;
  const fail = (error: Error) => {
    if (loop === undefined) early ??= error;
    else loop.fail(error, true);
  };
  const onWait = (ms: number, reason: string) => options.onEvent({ type: "waiting", ms, reason });
  const places = [
    options.out,
    ...(options.state === undefined ? [] : [dirname(resolve(options.state))]),
  ];
  const before = options.state === undefined ? undefined : readCheckpoint(options.state);
  const list = await openWorkList({
    from: options.from,
    ...(options.column === undefined ? {} : { column: options.column }),
    failed: options.failed,
    ...(options.release === undefined ? {} : { dir: options.release }),
    ...(before === undefined || before.release === "" ? {} : { release: before.release }),
    ...(options.hub === undefined ? {} : { hub: options.hub }),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    signal: stop,
    onWait,
  });
  checkApart(list, options);
  // only now, so that a list that is not there leaves no folder
  const lock: FileLock = lockFolder(options.out);
  undo.push(() => lock.release());
  if (list.release !== "") options.onEvent({ type: "release", release: list.release });
  let checkpoint: CheckpointFile | undefined;
  if (options.state !== undefined) {
    const { shard, shards, acceptSuffixList } = options;
    const opened = checkpoint = CheckpointFile.open(
      options.state,
      { source: list.source, release: list.release, shard, shards },
      { acceptSuffixList },
    );
    undo.push(() => opened[Symbol.dispose]());
    await settle(opened, options);
  }
  // without a footer nobody can read them, and their rows are fetched again
  removeUnfinished(options.out, options.prefix);
  const state = checkpoint?.state;
  statistics.rowsDone = state?.rows ?? 0;
  if (state?.done) {
    statistics.workers = options.workers;
    options.onEvent({ type: "worked-off", source: list.source });
    return { position: () => state, release: list.release };
  }
  checkFloor(places, options.minFree, options.freeBytes);

  let archiver: Archiver | undefined;
  if (options.format !== "parquet") {
    await repairArchives(options.out, options);
    archiver = await Archiver.start({
      setup: {
        warc: {
          dir: options.out,
          prefix: options.prefix,
          maxBytes: options.warcSize,
          software: `ccrawl/${VERSION}`,
          command: options.command,
          userAgent: options.userAgent,
          http: options.warcHttp,
          cdx: options.cdx,
          dedup: options.dedup,
        },
        scope: {},
        maxDepth: 0,
        obeyRobotsMeta: options.obeyRobotsMeta,
        readPages: options.format === "warc" || options.obeyRobotsMeta,
        syncMs: SYNC_MS,
      },
      writers: options.format === "warc" ? options.writers : 1,
      queueBytes: options.queueBytes,
      onDurable: (pages) => loop!.durable(pages),
      onSealed: ({ file, bytes, records }) =>
        options.onEvent({ type: "sealed", file, bytes, records }),
      onError: fail,
    });
    const started = archiver;
    undo.push(() => started.finish());
  }

  let writers: WriterPool | undefined,
    pool: RenderPool | undefined,
    sender: RowSender | undefined;
  if (options.format !== "warc") {
    const renders = options.extractor !== "none";
    writers = await WriterPool.open({
      dir: options.out,
      prefix: options.prefix,
      createdBy: `ccrawl version ${VERSION} (build ${commit() ?? "unknown"})`,
      run: state?.run ?? crypto.randomUUID(),
      writers: options.writers,
      shardSize: options.shardSize,
      sealAfterMs: options.sealAfterMs,
      queueBytes: Math.min(options.queueBytes / 8, 4 << 20),
      after: state?.highestPart ?? -1,
      metadata: { [STORE_BODY_KEY]: options.storeBody },
      ...(options.records ? { onRows: (rows) => loop!.tell(rows) } : {}),
      onSealed: (parts) => loop!.sealed(parts),
      onError: fail,
    });
    const opened = writers;
    undo.push(() => opened.abort());
    sender = new RowSender(opened.connect());
    pool = new RenderPool({
      worker: new URL("./_render_worker.ts", import.meta.url),
      width: options.extractors,
      extractor: options.extractor,
      queueBytes: renders ? options.queueBytes / 2 : options.queueBytes,
      sinkBytes: renders ? options.queueBytes / 2 : options.queueBytes,
      maxDecodedBytes: MAX_DECODED,
      setup: {
        storeBody: options.storeBody,
        obeyRobotsMeta: options.obeyRobotsMeta,
      } satisfies RowSetup,
      connect: () => opened.connectPlain(),
      ...poisonKept(options.state, (error) => loop!.fail(error)),
      ...(options.childCommand === undefined ? {} : { childCommand: options.childCommand }),
      onError: (error) =>
        fail(
          error.restart ? new RunError(error.message, { exitCode: 75, cause: error }) : error,
        ),
    });
    const made = pool;
    undo.push(() => made.abort());
  }

  const network = openNetwork(options, {
    archive: archiver === undefined ? undefined : (x) => archiver!.push(-1, 0, x.url.href, x),
    keepWire: archiver !== undefined && options.warcHttp === "raw",
  });
  undo.push(() => network.close());
  // an earlier run may have been killed with requests in flight, of which the state knows nothing
  if (before !== undefined) network.clocks.resume();
  let validators: Validators | undefined;
  if (options.validators !== undefined) {
    const opened = validators = await Validators.open(options.validators, {
      ...(options.hub === undefined ? {} : { hub: options.hub }),
      signal: stop,
      onWait,
    });
    undo.push(() => opened.close());
    if (opened.count === 0) {
      const text = `${options.validators} holds no page of an earlier pass: each is asked for anew`;
      options.onEvent({ type: "warning", text });
    }
  }
  const fetcher = new Fetcher({
    client: network.client,
    clocks: network.clocks,
    headers: network.headers,
    userAgent: options.userAgent,
    ...(network.robots === undefined ? {} : { robots: network.robots }),
    delayMs: options.delayMs,
    maxCrawlDelayMs: options.maxCrawlDelayMs,
    timeoutMs: options.timeoutMs,
    retries: options.retries,
    bodyCap: options.bodyCap,
    keepWire: archiver !== undefined && options.warcHttp === "raw",
  });
  const ledger = new RecrawlLedger({ list, checkpoint, out: options.out, statistics });
  loop = new RecrawlLoop({
    ...network,
    options,
    list,
    ledger,
    fetcher,
    validators,
    pool,
    writers,
    sender,
    archiver,
    statistics,
    stop,
  });
  if (early !== undefined) throw early;
  const running = loop;
  const intact = new Intact([lock.lockPath]);
  const floor = setInterval(() => {
    try {
      intact.check();
      checkFloor(places, options.minFree, options.freeBytes);
    } catch (e) {
      running.fail(e as Error);
    }
  }, FLOOR_EVERY);
  undo.push(() => clearInterval(floor));
  running.start();
  const position = () => running.position;
  const release = list.release;
  return { loop, position, release, network, ledger, archiver, pool, writers };
}

/** A list that grows by what is fetched of it has no end, and its parts' numbers are others at each start. */
function checkApart(list: WorkList, { from, out }: FilledRecrawlOptions): void {
  const onDisk = list.parts.some(({ name }) => isAbsolute(name));
  if (!onDisk || !existsSync(out)) return;
  const [read, written] = [statSync(from), statSync(out)];
  if (!read.isDirectory() || read.ino !== written.ino || read.dev !== written.dev) return;
  throw new RunError(
    `Cannot write into ${out}: the work list is read from that folder. Give another with --out`,
    { exitCode: 2 },
  );
}

/** Makes checkpoint and files agree: what a kill left is taken in or cleared away. */
async function settle(checkpoint: CheckpointFile, options: FilledRecrawlOptions): Promise<void> {
  const { out, prefix } = options;
  const parts = listParts(out, prefix).map((name) => ({
    name,
    number: Number(/-(\d+)\.parquet$/.exec(name)![1]),
  }));
  const { state, adopted, damaged } = await reconcile(checkpoint.state, parts, async (file) => {
    const { run, ranges } = await readPartInfo(join(out, file));
    let fetched = 0;
    if (run === checkpoint.state.run) {
      for await (const { status } of readCaptures(join(out, file), { columns: ["status"] })) {
        if (status !== 0) fetched++;
      }
    }
    return { run, ranges, fetched };
  });
  for (const file of adopted) {
    options.onEvent({
      type: "warning",
      text: `${file} was sealed after the last checkpoint: taken in`,
    });
  }
  for (const { name: file, reason } of damaged) {
    options.onEvent({
      type: "warning",
      text: `${file} cannot be read and is left alone: ${(reason as Error).message}`,
    });
  }
  checkpoint.save(state);
}

/** Pages that broke a renderer are remembered beside the state; `onError` hears of one that cannot be. */
function poisonKept(state: string | undefined, onError: (error: RunError) => void): {
  poison?: [key: string, reason: string][];
  onPoison?: (key: string, reason: string) => void;
} {
  if (state === undefined) return {};
  const path = `${state}.poison`;
  const poison: [string, string][] = [];
  for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
    // a kill may have cut the last line, and what was appended to it
    try {
      const [key, reason] = JSON.parse(line) as unknown[];
      poison.push([String(key), String(reason)]);
    } catch (e) {
      if (!(e instanceof SyntaxError || e instanceof TypeError)) throw e;
    }
  }
  return {
    poison,
    onPoison: (key, reason) => {
      try {
        appendFileSync(path, `${JSON.stringify([key, reason])}\n`);
      } catch (cause) {
        onError(cannotWrite(`write "${path}"`, cause));
      }
    },
  };
}
