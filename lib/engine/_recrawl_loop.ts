/**
 * The loop of a recrawl: rows of the work list, one host a worker, fetched once each, rendered and
 * written by other threads, and retired when they are in a sealed file.
 */

import type { SealedPart, SmallRow } from "../capture/mod.ts";
import { type HttpClient, type Resolver, toFetchError } from "../net/mod.ts";
import type { RobotsCache } from "../robots/mod.ts";
import { hostOf } from "../url/mod.ts";
import type { ReadPosition, WorkList, WorkRow } from "../worklist/mod.ts";
import { Alarm } from "./_alarm.ts";
import type { Archived } from "./archiver.ts";
import type { HostClocks } from "./clocks.ts";
import { asRunError, RunError } from "./errors.ts";
import type { Fetched, Fetcher } from "./fetcher.ts";
import type { RecrawlLedger } from "./_recrawl_ledger.ts";
import type { FilledRecrawlOptions } from "./recrawl_options.ts";
import { RecrawlRows, type RowWays } from "./_recrawl_rows.ts";
import { RecordQueue } from "./_record_queue.ts";
import { RowTurns } from "./_row_turns.ts";
import { Settling } from "./_settling.ts";
import { sleep } from "./_sleep.ts";
import { HostTroubles } from "./_troubles.ts";
import { conditionsOf, type Validator, type Validators } from "./validators.ts";
import { type Attempt, Workers } from "./_workers.ts";

export interface RecrawlParts extends RowWays {
  readonly options: FilledRecrawlOptions;
  readonly list: WorkList;
  readonly ledger: RecrawlLedger;
  readonly fetcher: Fetcher;
  readonly clocks: HostClocks;
  readonly client: HttpClient;
  readonly resolver: Resolver;
  readonly robots: RobotsCache | undefined;
  readonly validators: Validators | undefined;
  /** Aborted when requests in flight must end. */
  readonly ended: AbortController;
  /** Aborted from outside: wind down. */
  readonly stop: AbortSignal;
}

/** Records that may wait for the reader before fetching pauses. */
const MAX_BACKLOG = 4096;
/** How often requests are looked at for the worker that they hold, in ms. */
const SWEEP = 25;
/** How long a host may keep others from being read ahead, in ms, or twice the delay if that is more. */
const PATIENCE = 5000;
/** How long a page waits, in ms, when the process has no descriptor left for its connection. */
const NO_DESCRIPTOR_WAIT = 1000;
/**
 * How long rows are taken without a turn of the event loop, in ms: those that are not asked for, or whose
 * end is known beforehand, as of a name that does not exist, would keep all else waiting.
 */
const STRETCH = 2 * SWEEP;
/** How often a WARC-only run writes its checkpoint, in ms. */
const CHECKPOINT_MS = 5000;

export class RecrawlLoop {
  #parts: RecrawlParts;
  #turns: RowTurns;
  #troubles = new HostTroubles();
  #rows: RecrawlRows;
  #workers: Workers;
  #records = new RecordQueue<SmallRow>();
  readonly #alarm = new Alarm(() => this.#pump());
  #sweep: ReturnType<typeof setInterval> | undefined;
  #save: ReturnType<typeof setInterval> | undefined;
  /** When the event loop had its last turn, as far as is known. */
  #turnAt = performance.now();
  #filling = false;
  #listEnded = false;
  #begun = 0;
  #stopping = false;
  #error: Error | undefined;
  #told = false;
  #broken = false;
  #ending: Promise<void> | undefined;
  #settling = new Settling();

  constructor(parts: RecrawlParts) {
    this.#parts = parts;
    const { options } = parts;
    this.#rows = new RecrawlRows(parts, parts.ledger, {
      onRow: (row) => this.tell([row]),
      onRoom: () => this.#alarm.soon(),
      onBroken: (error) => this.fail(error, true),
    });
    this.#workers = new Workers(options.maxStalled);
    parts.statistics.workers = options.workers;
    this.#turns = new RowTurns({
      list: parts.list,
      read: {
        ...parts.ledger.readOptions(),
        shard: options.shard,
        shards: options.shards,
        batch: options.batch,
        signal: parts.ended.signal,
      },
      workers: options.workers,
      onBatch: (batch) => parts.ledger.read(batch),
      dueAt: (host) => parts.clocks.dueAt(host),
      patienceMs: Math.max(PATIENCE, 2 * options.delayMs),
      rereadable: options.from !== "-",
    });
    parts.ended.signal.addEventListener("abort", () => {
      for (const { abandon } of [...this.#workers]) abandon();
    }, { once: true });
  }

  /** Where reading stands. */
  get position(): ReadPosition {
    return this.#parts.ledger.position;
  }

  /** Rows in hand that no worker has yet. */
  get queued(): number {
    return this.#turns.size + this.#turns.aside;
  }

  /** Begins. */
  start(): void {
    const { stop, statistics, archiver, writers } = this.#parts;
    statistics.feeder.begun = performance.now();
    this.#sweep = setInterval(() => this.#sweepStalled(), SWEEP);
    if (archiver !== undefined && writers === undefined) {
      this.#save = setInterval(() => this.#checkpoint([]), CHECKPOINT_MS);
    }
    if (stop.aborted) this.#windDown(); // ends what was begun above
    else stop.addEventListener("abort", () => this.#windDown(), { once: true });
    this.#pump();
  }

  /** Yields a record a row until the pass is over; throws what ended it. */
  async *records(): AsyncGenerator<SmallRow, void, void> {
    for (;;) {
      const record = await this.#records.next();
      if (record === undefined) break;
      yield record;
      if (this.#records.size === MAX_BACKLOG - 1) this.#alarm.soon();
    }
    this.#tell();
  }

  /**
   * Resolves when everything is durable or given back; throws what ended the pass where
   * {@linkcode records} did not come to it.
   */
  async end(): Promise<void> {
    this.#windDown();
    await this.#ending!;
    this.#tell();
  }

  /** Whether nothing more is fetched. */
  get over(): boolean {
    return this.#stopping;
  }

  /** Whether something went wrong. */
  get failed(): boolean {
    return this.#error !== undefined;
  }

  /** Throws what went wrong, once. */
  #tell(): void {
    if (this.#error === undefined || this.#told) return;
    this.#told = true;
    throw asRunError(this.#error);
  }

  /**
   * The run cannot go on; what was fetched is sealed, unless what renders or writes is itself
   * `broken`.
   */
  fail(error: Error, broken = false): void {
    if (broken) this.#broken = true;
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#windDown();
  }

  /** Rows that were told by the writers. */
  tell(rows: readonly SmallRow[]): void {
    if (!this.#parts.options.records) return;
    for (const row of rows) this.#records.push(row);
  }

  /** Parts that are whole, under their names and on disk. */
  sealed(parts: readonly SealedPart[]): void {
    for (const { file, bytes, rows } of parts) {
      this.#parts.statistics.parquetFiles++;
      this.#parts.options.onEvent({ type: "sealed", file, bytes, records: rows });
    }
    this.#checkpoint(parts);
  }

  /** What is archived and synced. */
  durable(pages: readonly Archived[]): void {
    this.#rows.durable(pages);
  }

  #checkpoint(parts: readonly SealedPart[]): void {
    try {
      this.#parts.ledger.save(parts, this.#listEnded);
    } catch (e) {
      this.fail(e as Error);
    }
  }

  // ---- scheduling

  #mayTake(): boolean {
    const { options, statistics, resolver } = this.#parts;
    return !this.#rows.full && this.#records.size < MAX_BACKLOG &&
      // beside the workers there is only more to fetch while names do not wait for each other
      (this.#workers.size < options.workers || resolver.waiting === 0) &&
      (options.limit === 0 || this.#begun < options.limit) &&
      (options.maxPages === 0 || statistics.fetched + this.#workers.size < options.maxPages);
  }

  #pump(): void {
    const now = performance.now();
    this.#account(now);
    if (this.#stopping) return;
    const { options, statistics } = this.#parts;
    let may = this.#mayTake();
    let tired = false;
    while (may && this.#workers.busy < options.workers) {
      tired = performance.now() - this.#turnAt > STRETCH;
      if (tired) break;
      const row = this.#turns.take(now);
      if (row === undefined) break;
      this.#begin(row);
      may = this.#mayTake();
    }
    if (this.#turns.hungry(now)) this.#fill();
    this.#alarm.at(tired ? now : this.#turns.nextAt());
    const bounded = (options.limit > 0 && this.#begun >= options.limit) ||
      (options.maxPages > 0 && statistics.fetched >= options.maxPages);
    if (this.#workers.size === 0 && (bounded || (this.#listEnded && this.#turns.size === 0))) {
      this.#windDown();
    }
  }

  #fill(): void {
    if (this.#filling) return;
    this.#filling = true;
    const { feeder } = this.#parts.statistics;
    const begun = performance.now();
    const ended = () => {
      feeder.readingMs += performance.now() - begun;
      this.#filling = false;
      this.#settling.settle();
    };
    this.#turns.fill(begun).then(() => {
      ended();
      if (this.#turns.ended && !this.#stopping) {
        this.#listEnded = true;
        feeder.ended ??= performance.now();
      }
      this.#alarm.soon();
    }, (e) => {
      ended();
      // A list that waits for more when the run is stopped ends with the reason of the stop.
      const { ended: over, stop } = this.#parts;
      if (!over.signal.aborted && !(stop.aborted && e === stop.reason)) this.fail(e as Error);
    });
  }

  /** Worker time since the last look is booked to what workers did, or to what kept them idle. */
  #account(now: number): void {
    const { statistics } = this.#parts;
    const waiting = this.#turns.waiting ? "hostClock" : undefined;
    statistics.account(now, this.#workers.active, this.#rows.full ? "queueing" : waiting);
  }

  #sweepStalled(): void {
    const now = this.#turnAt = performance.now();
    if (this.#workers.size === 0) return;
    this.#account(now);
    if (this.#workers.sweep(now)) this.#alarm.soon();
  }

  // ---- one row

  #begin(row: WorkRow): void {
    const { statistics } = this.#parts;
    const now = performance.now();
    this.#account(now);
    this.#begun++;
    statistics.feeder.rows++;
    const url = URL.parse(row.url);
    const refusal = url === null || !/^https?:$/.test(url.protocol)
      ? { detail: "not an http or https URL", reason: "bad-url" }
      : this.#troubles.givenUp(row.host)
      ? { detail: `${row.host} did not answer again and again`, reason: "unreachable" }
      : undefined;
    if (refusal !== undefined) {
      this.#turns.over(row.host, now);
      this.#rows.refused(row, refusal.detail, refusal.reason);
      return;
    }
    let ended = false;
    const over = (fetched: Fetched | undefined, validator?: Validator) => {
      if (ended) return;
      ended = true;
      this.#ended(row, attempt, fetched, validator);
    };
    const attempt = this.#workers.begin(now, () => over(undefined));
    statistics.inFlight = this.#workers.size;
    this.#fetch(row, attempt).then(
      ({ fetched, validator }) => over(fetched, validator),
      (e) => {
        over(undefined);
        if (!this.#parts.ended.signal.aborted) this.fail(e as Error);
      },
    );
  }

  async #fetch(
    row: WorkRow,
    attempt: Attempt,
  ): Promise<{ fetched: Fetched; validator: Validator | undefined }> {
    const { fetcher, validators, robots, ended } = this.#parts;
    if (robots === undefined) this.#fetching(attempt);
    const validator = await validators?.get(row.url);
    const unresolved = await this.#resolved(row);
    if (unresolved !== undefined) return { fetched: unresolved, validator };
    for (;;) {
      const fetched = await fetcher.fetch(row.url, {
        progress: attempt.progress,
        onFetching: () => this.#fetching(attempt),
        signal: ended.signal,
        ...(validator === undefined
          ? {}
          : { conditions: { url: validator.url, headers: conditionsOf(validator) } }),
      });
      if (fetched.error?.reason !== "descriptors") return { fetched, validator };
      // not the host's doing, and nothing was asked of it
      await sleep(NO_DESCRIPTOR_WAIT, ended.signal);
    }
  }

  /**
   * Has the host's name looked up: waiting for one's turn there is not the page's time. Gives the end
   * of a page whose host has no address.
   */
  async #resolved(row: WorkRow): Promise<Fetched | undefined> {
    const { resolver, ended } = this.#parts;
    const { hostname } = new URL(row.url);
    const start = performance.now(), date = Date.now();
    try {
      await resolver.resolve(hostname, { signal: ended.signal, ahead: true });
      return undefined;
    } catch (e) {
      if (ended.signal.aborted) throw e;
      const durationMs = performance.now() - start;
      return { hops: [], error: toFetchError(e), last: new URL(row.url), date, durationMs };
    }
  }

  #fetching(attempt: Attempt): void {
    if (attempt.phase === "fetching" || !this.#workers.has(attempt)) return;
    const now = performance.now();
    this.#account(now);
    this.#workers.fetching(attempt, now);
  }

  #ended(
    row: WorkRow,
    attempt: Attempt,
    fetched: Fetched | undefined,
    validator: Validator | undefined,
  ): void {
    const now = performance.now();
    this.#account(now);
    this.#workers.end(attempt);
    this.#parts.statistics.inFlight = this.#workers.size;
    if (fetched !== undefined) this.#judge(fetched, now);
    this.#turns.over(row.host, now);
    if (fetched !== undefined) {
      const result = fetched.hops.at(-1);
      if (result !== undefined) this.#workers.answered(result.firstByteAt - result.sentAt);
      if (fetched.error === undefined && result !== undefined) {
        this.#rows.answered(row, fetched, validator);
      } else this.#rows.failed(row, fetched);
    }
    if (this.#stopping) this.#settling.settle();
    else this.#alarm.soon();
  }

  /** Hosts that ask for it, or do not answer, are left alone for a while. */
  #judge({ hops, error, last }: Fetched, now: number): void {
    const troubles = this.#troubles;
    for (const { url, status, headers } of hops) {
      if (status !== 429 && status !== 503 && troubles.size === 0) continue;
      const value = headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? "";
      const host = hostOf(url.href);
      const wait = troubles.answered(host, status, value);
      if (wait > 0) this.#parts.clocks.block(host, now + wait);
    }
    if (error === undefined || error.kind === "skip" || error.kind === "dns") return;
    const host = hostOf(last.href);
    const wait = troubles.failed(host);
    if (wait > 0) this.#parts.clocks.block(host, now + wait);
  }

  // ---- the end

  #windDown(): void {
    this.#ending ??= this.#end();
  }

  async #end(): Promise<void> {
    this.#stopping = true;
    this.#alarm.clear();
    clearInterval(this.#sweep);
    clearInterval(this.#save);
    const { ended, options, statistics, ledger } = this.#parts;
    statistics.feeder.ended ??= performance.now();
    const grace = setTimeout(() => ended.abort(new RunError("stopped")), options.graceMs);
    await this.#settling.until(() => this.#workers.size === 0);
    clearTimeout(grace);
    ended.abort(new RunError("stopped"));
    await this.#turns[Symbol.asyncDispose]().catch(() => {/* reading was told to stop */});
    const [error] = await this.#rows.finish(() => this.#broken);
    this.#error ??= error;
    // what was retired without a file, and that the list is done
    if (this.#wasList()) this.#checkpoint([]);
    const lost = ledger.ended - ledger.kept;
    if (lost !== 0) {
      this.#error ??= new RunError(
        `Cannot find ${lost} of ${ledger.ended} rows in the files that were sealed. ` +
          "They count as not fetched: run the same command again",
      );
    }
    this.#records.end();
  }

  /** Tells of rows without a URL. Whether there were others: else the list was not read as it is meant. */
  #wasList(): boolean {
    const { list, ledger, options } = this.#parts;
    const { bad, rows } = list.stats;
    if (bad === 0) return true;
    if (this.#listEnded && bad === rows && ledger.ended === 0 && ledger.fromStart) {
      const which = rows === 1 ? "the only row" : `any of the ${rows} rows`;
      this.#error ??= new RunError(
        `Cannot find a URL in ${which} of ${list.source}; name the column or field with --column`,
      );
      return false;
    }
    const text = bad === 1
      ? "1 row of the list held no URL, and no record is of it"
      : `${bad} rows of the list held no URL, and no record is of them`;
    options.onEvent({ type: "warning", text });
    return true;
  }
}
