/**
 * The loop of a recrawl: rows of the work list, one host a worker, fetched once each, rendered and
 * written by other threads, and retired when they are in a sealed file.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type CaptureErrorClass,
  captureRow,
  decodeRow,
  encodeRow,
  failureRow,
  type NewCaptureRow,
  RowBatch,
  type RowPosition,
  type RowRange,
  type RowSender,
  type SealedPart,
  type SmallRow,
  smallRow,
  type WriterPool,
} from "../capture/mod.ts";
import { type HttpClient, type Resolver, toFetchError } from "../net/mod.ts";
import type { RenderPool } from "../render/mod.ts";
import type { RobotsCache } from "../robots/mod.ts";
import { hostOf } from "../url/mod.ts";
import {
  type CheckpointFile,
  FlightSet,
  type WorkList,
  WorkProgress,
  type WorkRow,
} from "../worklist/mod.ts";
import { type Archived, type Archiver, pickHeaders } from "./archiver.ts";
import type { HostClocks } from "./clocks.ts";
import { RunError } from "./errors.ts";
import type { Fetched, Fetcher } from "./fetcher.ts";
import { directivesOf } from "./page.ts";
import { type AnsweredFacts, encodeFacts } from "./_recrawl_facts.ts";
import type { FilledRecrawlOptions } from "./recrawl_options.ts";
import { RecordQueue } from "./_record_queue.ts";
import type { RecrawlStatistics } from "./recrawl_statistics.ts";
import { RowTurns } from "./_row_turns.ts";
import { HostTroubles } from "./_troubles.ts";
import type { Validator, Validators } from "./validators.ts";
import { Settling } from "./_settling.ts";
import { type Attempt, Workers } from "./_workers.ts";

export interface RecrawlParts {
  readonly options: FilledRecrawlOptions;
  readonly list: WorkList;
  readonly checkpoint: CheckpointFile | undefined;
  readonly progress: WorkProgress;
  readonly fetcher: Fetcher;
  readonly clocks: HostClocks;
  readonly client: HttpClient;
  readonly resolver: Resolver;
  readonly robots: RobotsCache | undefined;
  readonly validators: Validators | undefined;
  /** Header lines of every request, as rows keep them. */
  readonly headers: readonly (readonly [string, string])[];
  readonly pool: RenderPool | undefined;
  readonly writers: WriterPool | undefined;
  readonly sender: RowSender | undefined;
  readonly archiver: Archiver | undefined;
  readonly statistics: RecrawlStatistics;
  /** Aborted when requests in flight must end. */
  readonly ended: AbortController;
  /** Aborted from outside: wind down. */
  readonly stop: AbortSignal;
}

/** Records that may wait for the reader before fetching pauses. */
const MAX_BACKLOG = 4096;
/** How often requests are looked at for the worker that they hold, in ms. */
const SWEEP = 25;
/** Failure rows are sent when they are so many bytes, or after so many ms. */
const BATCH_BYTES = 64 * 1024, BATCH_MS = 100;
/** How long a host may keep others from being read ahead, in ms, or twice the delay if that is more. */
const PATIENCE = 5000;
/** Without a row for so many ms, none is under way to the writers. */
const GIVE_UP = 10_000;
/** How often a WARC-only run writes its checkpoint, in ms. */
const CHECKPOINT_MS = 5000;

/** An answer on its way to its row. */
interface Answer {
  readonly row: WorkRow;
  readonly facts: AnsweredFacts;
  readonly url: string;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: Uint8Array;
}

export class RecrawlLoop {
  #parts: RecrawlParts;
  #turns: RowTurns;
  #troubles = new HostTroubles();
  #progress: WorkProgress;
  /** Of the rows in flight, those that were answered. */
  #answered = new FlightSet();
  #position: RowPosition;
  #workers: Workers;
  #records = new RecordQueue<SmallRow>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Infinity;
  #sweep: ReturnType<typeof setInterval> | undefined;
  #save: ReturnType<typeof setInterval> | undefined;
  #pumpQueued = false;
  #filling = false;
  #listEnded = false;
  #accountedAt = performance.now();
  /** Pages for which the render queue has no room yet. */
  #crowded = 0;
  #handing = 0;
  #batch = new RowBatch();
  #batchTimer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();
  #archiving = new Map<number, Answer>();
  #nextId = 0;
  #begun = 0;
  /** Rows that ended, and those of them that are in a sealed file. */
  #over = 0;
  #kept = 0;
  #stopping = false;
  #error: Error | undefined;
  #broken = false;
  #ending: Promise<void> | undefined;
  #settling = new Settling();

  constructor(parts: RecrawlParts) {
    this.#parts = parts;
    const { options } = parts;
    this.#progress = parts.progress;
    this.#position = parts.progress.state();
    this.#workers = new Workers(options.maxStalled);
    this.#turns = new RowTurns({
      list: parts.list,
      read: {
        ...parts.progress.readOptions(),
        shard: options.shard,
        shards: options.shards,
        batch: options.batch,
        signal: parts.ended.signal,
      },
      workers: options.workers,
      onBatch: (batch) => {
        this.#progress.read(batch);
        this.#position = batch.next;
      },
      dueAt: (host) => parts.clocks.dueAt(host),
      patienceMs: Math.max(PATIENCE, 2 * options.delayMs),
      rereadable: options.from !== "-",
    });
    parts.ended.signal.addEventListener("abort", () => {
      for (const { abandon } of [...this.#workers]) abandon();
    }, { once: true });
  }

  /** Where reading stands. */
  get position(): RowPosition {
    return this.#position;
  }

  /** Rows in hand that no worker has yet. */
  get queued(): number {
    return this.#turns.size + this.#turns.aside;
  }

  /** Begins. */
  start(): void {
    const { stop, statistics, archiver, writers } = this.#parts;
    statistics.feeder.begun = performance.now();
    if (stop.aborted) this.#windDown();
    else stop.addEventListener("abort", () => this.#windDown(), { once: true });
    this.#sweep = setInterval(() => this.#sweepStalled(), SWEEP);
    if (archiver !== undefined && writers === undefined) {
      this.#save = setInterval(() => this.#checkpoint([]), CHECKPOINT_MS);
    }
    this.#pump();
  }

  /** Yields a record a row until the pass is over; throws what ended it. */
  async *records(): AsyncGenerator<SmallRow, void, void> {
    for (;;) {
      const record = await this.#records.next();
      if (record === undefined) break;
      yield record;
      if (this.#records.size === MAX_BACKLOG - 1) this.#wake();
    }
    if (this.#error !== undefined) throw this.#error;
  }

  /** Resolves when everything is durable or given back. */
  end(): Promise<void> {
    this.#windDown();
    return this.#ending!;
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

  #checkpoint(parts: readonly SealedPart[]): void {
    const { checkpoint, options, statistics } = this.#parts;
    let rows = 0, fetched = 0;
    for (const part of parts) {
      rows += this.#progress.retire(rowsOf(part.ranges));
      fetched += this.#answered.retire(rowsOf(part.ranges));
    }
    if (parts.length === 0) {
      rows = statistics.retired;
      fetched = statistics.retiredAnswered;
      statistics.retired = statistics.retiredAnswered = 0;
    }
    this.#kept += rows;
    statistics.rowsDone += rows;
    if (checkpoint === undefined) return;
    const { state } = checkpoint;
    // what a publisher has taken away is no longer ours to name
    const known = state.sealed.filter((file) => existsSync(join(options.out, file)));
    try {
      checkpoint.save({
        ...this.#progress.state(),
        sealed: [...known, ...parts.map(({ file }) => file)],
        highestPart: Math.max(state.highestPart, ...parts.map(({ number }) => number)),
        done: this.#listEnded && this.#progress.inFlight === 0,
        fetched: state.fetched + fetched,
        rows: state.rows + rows,
      });
    } catch (e) {
      this.fail(e as Error);
    }
  }

  // ---- scheduling

  #wake(): void {
    if (this.#pumpQueued) return;
    this.#pumpQueued = true;
    queueMicrotask(() => {
      this.#pumpQueued = false;
      this.#pump();
    });
  }

  get #full(): boolean {
    return this.#crowded > 0 || (this.#parts.archiver?.full ?? false);
  }

  #mayTake(): boolean {
    const { options, statistics, resolver } = this.#parts;
    return !this.#full && this.#records.size < MAX_BACKLOG &&
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
    while (may && this.#workers.busy < options.workers) {
      const row = this.#turns.take(now);
      if (row === undefined) break;
      this.#begin(row);
      may = this.#mayTake();
    }
    if (this.#turns.hungry(now)) this.#fill();
    this.#arm(now);
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
      this.#wake();
    }, (e) => {
      ended();
      if (!this.#parts.ended.signal.aborted) this.fail(e as Error);
    });
  }

  #arm(now: number): void {
    const at = this.#turns.nextAt();
    if (at >= this.#timerAt && this.#timerAt > now) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    if (at === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      this.#pump();
    }, Math.max(0, Math.ceil(at - now)));
  }

  /** Worker time since the last look is booked to what workers did, or to what kept them idle. */
  #account(now: number): void {
    const { statistics, options } = this.#parts;
    const { workerMs } = statistics;
    const passed = now - this.#accountedAt;
    this.#accountedAt = now;
    workerMs.robots += passed * this.#workers.active.robots;
    workerMs.fetching += passed * this.#workers.active.fetching;
    const idle = passed * Math.max(0, options.workers - this.#workers.busy);
    if (this.#full) workerMs.queueing += idle;
    else if (this.#turns.waiting) workerMs.hostClock += idle;
    statistics.inFlight = this.#workers.size;
  }

  #sweepStalled(): void {
    if (this.#workers.size === 0) return;
    const now = performance.now();
    this.#account(now);
    if (this.#workers.sweep(now)) this.#wake();
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
      this.#refused(row, refusal.detail, refusal.reason);
      return;
    }
    let ended = false;
    const over = (fetched: Fetched | undefined, validator?: Validator) => {
      if (ended) return;
      ended = true;
      this.#ended(row, attempt, fetched, validator);
    };
    const attempt = this.#workers.begin(now, () => over(undefined));
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
    const fetched = await fetcher.fetch(row.url, {
      progress: attempt.progress,
      onFetching: () => this.#fetching(attempt),
      signal: ended.signal,
      ...(validator === undefined
        ? {}
        : { conditions: { url: validator.url, headers: conditions(validator) } }),
    });
    return { fetched, validator };
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
    if (fetched !== undefined) this.#judge(fetched, now);
    this.#turns.over(row.host, now);
    if (fetched !== undefined) {
      const result = fetched.hops.at(-1);
      if (result !== undefined) this.#workers.answered(result.firstByteAt - result.sentAt);
      if (fetched.error === undefined && result !== undefined) {
        this.#answer(row, fetched, validator);
      } else this.#failed(row, fetched);
    }
    if (this.#stopping) this.#settling.settle();
    else this.#wake();
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

  #answer(row: WorkRow, fetched: Fetched, validator: Validator | undefined): void {
    const { statistics, archiver } = this.#parts;
    const x = fetched.hops.at(-1)!;
    this.#over++;
    const { contentType, contentEncoding, robotsTag } = pickHeaders(x);
    statistics.fetched++;
    statistics.bodyBytes += x.body.length;
    const unchanged = x.status === 304;
    if (unchanged) statistics.unchanged++;
    const asked = validator?.url === x.url.href ? validator : undefined;
    this.#answered.add(row.part, row.row);
    const robotsMeta = directivesOf(robotsTag);
    const answer: Answer = {
      row,
      url: x.url.href,
      contentType,
      contentEncoding,
      body: x.body,
      facts: {
        url: row.url,
        host: row.host,
        fetchedAt: fetched.date,
        durationMs: fetched.durationMs,
        ip: x.ip,
        requestHeaders: [["host", x.url.host], ...this.#parts.headers, ...conditions(asked)],
        redirects: fetched.hops.slice(0, -1).map((hop, i) => ({
          status: hop.status,
          url: fetched.hops[i + 1]!.url.href,
        })),
        position: { part: row.part, row: row.row },
        status: x.status,
        headers: x.headers,
        ttfbMs: x.firstByteAt - x.sentAt,
        finalUrl: x.url.href === new URL(row.url).href ? row.url : x.url.href,
        ...(x.truncated === undefined ? {} : { truncated: x.truncated }),
        ...(robotsMeta.length === 0 ? {} : { robotsMeta }),
        ...(unchanged && asked !== undefined ? { refersTo: asked } : {}),
      },
    };
    if (archiver === undefined) {
      this.#hand(answer);
      return;
    }
    const id = this.#nextId++;
    this.#archiving.set(id, answer);
    for (const hop of fetched.hops.slice(0, -1)) archiver.push(-1, 0, hop.url.href, hop);
    archiver.push(id, 0, x.url.href, x);
  }

  /** What is archived and synced: its row knows where, and a run without rows is through with it. */
  durable(pages: readonly Archived[]): void {
    for (const page of pages) {
      const answer = this.#archiving.get(page.id);
      if (answer === undefined) continue; // robots.txt, or a hop
      this.#archiving.delete(page.id);
      const facts: AnsweredFacts = {
        ...answer.facts,
        ...(page.payloadDigest === "" ? {} : { payloadDigest: page.payloadDigest }),
        warc: { file: page.file, offset: page.offset, length: page.length },
      };
      if (this.#parts.writers !== undefined) this.#hand({ ...answer, facts });
      else {
        this.#tellHere(captureRow({ ...facts, digest: page.digest, body: NOTHING }));
        this.#retire(answer.row, true);
      }
    }
    this.#settling.settle();
    this.#wake();
  }

  /** To the render pool, which sends the row on. */
  #hand(answer: Answer): void {
    const { row, facts, url, contentType, contentEncoding, body } = answer;
    this.#handing++;
    this.#crowded++;
    this.#parts.pool!.push({
      key: `${row.part}:${row.row}:${row.url}`,
      url,
      contentType,
      contentEncoding,
      body,
      rest: encodeFacts(facts),
      render: facts.status !== 304,
    }).then(() => {
      this.#crowded--;
      this.#handing--;
      this.#settling.settle();
      this.#wake();
    }, (e) => {
      this.#crowded--;
      this.#handing--;
      this.fail(e as Error, true);
      this.#settling.settle();
    });
  }

  #failed(row: WorkRow, fetched: Fetched): void {
    const { statistics } = this.#parts;
    const error = fetched.error!;
    const { kind, message, reason } = error;
    if (kind === "skip" && reason.startsWith("robots")) statistics.disallowed++;
    else {
      statistics.failedBy[kind]++;
      if (kind === "other") statistics.shapes.add(message);
    }
    const last = fetched.hops.at(-1);
    this.#failureRow(row, {
      fetchedAt: fetched.date,
      durationMs: fetched.durationMs,
      error: kind,
      errorDetail: message,
      ...(last === undefined ? {} : { ip: last.ip }),
      ...(reason === "" ? {} : { reason }),
      redirects: fetched.hops.map((hop) => ({ status: hop.status, url: hop.url.href })),
    });
  }

  #refused(row: WorkRow, detail: string, reason: string): void {
    this.#parts.statistics.failedBy.skip++;
    this.#failureRow(row, {
      fetchedAt: Date.now(),
      durationMs: 0,
      error: "skip",
      errorDetail: detail,
      reason,
    });
  }

  #failureRow(
    row: WorkRow,
    fetch: {
      fetchedAt: number;
      durationMs: number;
      error: Exclude<CaptureErrorClass, "">;
      errorDetail: string;
      ip?: string;
      reason?: string;
      redirects?: readonly { status: number; url: string }[];
    },
  ): void {
    this.#over++;
    const made = failureRow({
      url: row.url,
      host: row.host,
      requestHeaders: this.#parts.headers,
      position: { part: row.part, row: row.row },
      ...fetch,
    });
    if (this.#parts.sender === undefined) {
      this.#tellHere(made);
      this.#retire(row, false);
      return;
    }
    this.#batch.add(made);
    if (this.#batch.length >= BATCH_BYTES) this.#sendBatch();
    else this.#batchTimer ??= setTimeout(() => this.#sendBatch(), BATCH_MS);
  }

  #sendBatch(): void {
    clearTimeout(this.#batchTimer);
    this.#batchTimer = undefined;
    if (this.#batch.rows === 0) return;
    const batch = this.#batch;
    this.#batch = new RowBatch();
    this.#sending = this.#sending.then(() => this.#parts.sender!.send(batch))
      .catch((e) => this.fail(e as Error, true));
  }

  /** A run that writes no rows still tells of them. */
  #tellHere(row: NewCaptureRow): void {
    if (this.#parts.options.records) this.#records.push(smallRow(decodeRow(encodeRow(row))));
  }

  #retire({ part, row }: WorkRow, answered: boolean): void {
    const { statistics } = this.#parts;
    statistics.retired += this.#progress.retire([{ part, row }]);
    if (answered) statistics.retiredAnswered += this.#answered.retire([{ part, row }]);
  }

  // ---- the end

  #windDown(): void {
    this.#ending ??= this.#end();
  }

  async #end(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    clearInterval(this.#sweep);
    clearInterval(this.#save);
    const { ended, options, archiver, pool, writers, sender, statistics } = this.#parts;
    statistics.feeder.ended ??= performance.now();
    const grace = setTimeout(() => ended.abort(new RunError("stopped")), options.graceMs);
    await this.#settling.until(() => this.#workers.size === 0);
    clearTimeout(grace);
    ended.abort(new RunError("stopped"));
    await this.#turns[Symbol.asyncDispose]().catch(() => {/* reading was told to stop */});
    const step = async (work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (e) {
        this.#error ??= e as Error;
      }
    };
    if (archiver !== undefined) await step(() => archiver.finish());
    await this.#settling.until(() => this.#handing === 0);
    if (pool !== undefined) {
      await step(() => this.#broken ? pool.abort() : pool.close());
    }
    if (sender !== undefined) {
      this.#sendBatch();
      await step(async () => {
        await this.#sending;
        await sender.drain();
      });
    }
    if (writers !== undefined) {
      await this.#taken(writers);
      await step(() => writers.close());
    }
    sender?.close();
    // what was retired without a file, and that the list is done
    this.#checkpoint([]);
    if (this.#over !== this.#kept) {
      this.#error ??= new RunError(
        `Cannot find ${
          this.#over - this.#kept
        } of ${this.#over} rows in the files that were sealed. ` +
          "They count as not fetched: run the same command again",
      );
    }
    this.#records.end();
  }

  /** Waits until every row is with a writer: what renders may have ended with rows under way. */
  async #taken(writers: WriterPool): Promise<void> {
    let before = -1, since = performance.now();
    while (writers.error === undefined && !this.#broken) {
      const rows = writers.figures.writers.reduce((sum, { rows }) => sum + rows, 0);
      if (rows >= this.#over) return;
      const now = performance.now();
      if (rows !== before) since = now;
      else if (now - since > GIVE_UP) return;
      before = rows;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

const NOTHING = new Uint8Array(0);

function* rowsOf(ranges: readonly RowRange[]): Generator<{ part: number; row: number }> {
  for (const { part, first, last } of ranges) {
    for (let row = first; row <= last; row++) yield { part, row };
  }
}

/** The conditions of a request for a page that is known (RFC 9110, section 13.1). */
function conditions(validator: Validator | undefined): [string, string][] {
  if (validator === undefined) return [];
  const { etag, lastModified } = validator;
  return [
    ...(etag === "" ? [] : [["If-None-Match", etag] as [string, string]]),
    ...(lastModified === "" ? [] : [["If-Modified-Since", lastModified] as [string, string]]),
  ];
}
