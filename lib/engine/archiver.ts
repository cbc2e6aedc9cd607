/**
 * The fetch thread's side of the archive workers: batches exchanges to them, bounded by bytes,
 * and hands back what became durable.
 *
 * @module
 */

import type { Exchange } from "../net/mod.ts";
import type {
  DurableResults,
  FromWorker,
  PageMeta,
  PageResult,
  ToWorker,
  WorkerSetup,
} from "./_protocol.ts";
import { RunError } from "./errors.ts";

/** A page that is on disk. */
export interface Archived extends PageResult {
  /** Its outlinks in scope: canonical URLs joined by "\n", UTF-8. */
  readonly outlinkBytes: Uint8Array;
  /** In the same form what a sitemap lists: of its own site, and of others. */
  readonly listedBytes?: Uint8Array;
  readonly elsewhereBytes?: Uint8Array;
  readonly modifiedBytes?: Uint8Array;
}

/** Totals over all workers. */
export interface ArchiveTotals {
  files: number;
  /** Milliseconds the workers were at work. */
  busyMs: number;
  /** Most bytes ever queued. */
  peakBytes: number;
}

/** How an {@linkcode Archiver} is made. */
export interface ArchiverOptions {
  readonly setup: Omit<WorkerSetup, "kind">;
  /** Worker threads, each with a file of its own. */
  readonly writers: number;
  /** Bytes that may wait between fetching and disk before {@linkcode Archiver.full} says so. */
  readonly queueBytes: number;
  readonly onDurable: (pages: readonly Archived[]) => void;
  /** Called for every file that got its final name. */
  readonly onSealed: (
    file: { readonly file: string; readonly bytes: number; readonly records: number },
  ) => void;
  /** Called once; nothing that was not reported durable may be relied on. */
  readonly onError: (error: RunError) => void;
}

/** Buffers of this size go back and forth: fresh ones for every batch would pile up between collections. */
const BUFFER_BYTES = 320 * 1024;
const MAX_SPARE = 16;
/** A batch is sent when it holds so many bytes, or at the end of the turn. */
const BATCH_BYTES = 256 * 1024;

interface Lane {
  readonly worker: Worker;
  pending: number;
  totals: Pick<DurableResults, "files" | "busyMs">;
  finished: PromiseWithResolvers<void>;
  /** It has given up; its file is sealed as far as it went, or waits to be repaired. */
  failed: boolean;
}

const NO_TOTALS = { files: 0, busyMs: 0 };

/** Sends exchanges to archive workers. */
export class Archiver {
  #options: ArchiverOptions;
  #lanes: Lane[];
  #metas: PageMeta[] = [];
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #spare: ArrayBuffer[] = [];
  #scheduled = false;
  #pending = 0;
  #peak = 0;
  #error: RunError | undefined;
  #drained: (() => void)[] = [];

  private constructor(options: ArchiverOptions, lanes: Lane[]) {
    this.#options = options;
    this.#lanes = lanes;
  }

  /**
   * Starts the workers.
   *
   * @throws {RunError} When a WARC file cannot be opened.
   */
  static async start(options: ArchiverOptions): Promise<Archiver> {
    const lanes: Lane[] = [];
    const archiver = new Archiver(options, lanes);
    try {
      for (let i = 0; i < options.writers; i++) {
        const worker = new Worker(new URL("./_archive_worker.ts", import.meta.url), {
          type: "module",
        });
        const lane: Lane = {
          worker,
          pending: 0,
          totals: NO_TOTALS,
          finished: Promise.withResolvers(),
          failed: false,
        };
        lanes.push(lane);
        const ready = Promise.withResolvers<void>();
        worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
          if (data.kind === "ready") ready.resolve();
          else if (data.kind === "error" && lane.totals === NO_TOTALS && !archiver.#ready) {
            ready.reject(runError(data.message, data.diskFull));
          } else archiver.#message(lane, data);
        };
        worker.onerror = (event) => {
          event.preventDefault();
          const error = new RunError(`Cannot go on: an archive worker ended: ${event.message}`);
          ready.reject(error);
          archiver.#fail(lane, error);
        };
        worker.postMessage({ kind: "setup", ...options.setup } satisfies ToWorker);
        await ready.promise;
      }
    } catch (e) {
      for (const lane of lanes) lane.worker.terminate();
      throw e;
    }
    archiver.#ready = true;
    return archiver;
  }
  #ready = false;

  /** Bytes between fetching and disk, now. */
  get pendingBytes(): number {
    return this.#pending;
  }

  /** Whether the queue's bound is reached: fetch nothing more until {@linkcode room}. */
  get full(): boolean {
    return this.#pending >= this.#options.queueBytes;
  }

  get totals(): ArchiveTotals {
    let files = 0, busyMs = 0;
    for (const { totals } of this.#lanes) {
      files += totals.files;
      busyMs += totals.busyMs;
    }
    return { files, busyMs, peakBytes: this.#peak };
  }

  /** Resolves when the queue is below its bound (or everything failed). */
  room(): Promise<void> {
    if (!this.full || this.#error !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** Queues an exchange. `id` is the lease's, or -1 for robots.txt. */
  push(
    id: number,
    depth: number,
    url: string,
    x: Exchange,
    more: Pick<PageMeta, "listed" | "refersTo" | "visited"> = {},
  ): void {
    if (this.#error !== undefined) return;
    const wire = x.wire ?? NO_BYTES;
    this.#metas.push({
      id,
      url,
      depth,
      ...more,
      date: x.date,
      ip: x.ip,
      status: x.status,
      ...pickHeaders(x),
      lengths: [x.request.length, x.head.length, x.body.length, wire.length],
      ...(x.truncated === undefined ? {} : { truncated: x.truncated }),
    });
    const size = x.request.length + x.head.length + x.body.length + wire.length;
    this.#parts.push(x.request, x.head, x.body, wire);
    this.#partBytes += size;
    this.#pending += size;
    if (this.#pending > this.#peak) this.#peak = this.#pending;
    if (this.#partBytes >= BATCH_BYTES) this.#send();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setTimeout(() => {
        this.#scheduled = false;
        this.#send();
      }, 2);
    }
  }

  /**
   * Everything pushed is made durable, files are sealed, workers end. After an error that holds for
   * what the other workers had.
   */
  async finish(): Promise<void> {
    this.#send();
    for (const { worker, failed } of this.#lanes) {
      if (!failed) worker.postMessage({ kind: "finish" } satisfies ToWorker);
    }
    await Promise.all(this.#lanes.map((lane) => lane.finished.promise));
    for (const { worker } of this.#lanes) worker.terminate();
  }

  #send(): void {
    if (this.#metas.length === 0 || this.#error !== undefined) return;
    const bytes = this.#partBytes > BUFFER_BYTES
      ? new Uint8Array(this.#partBytes)
      : new Uint8Array(this.#spare.pop() ?? new ArrayBuffer(BUFFER_BYTES));
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    let lane = this.#lanes[0]!;
    for (const other of this.#lanes) if (other.pending < lane.pending) lane = other;
    lane.pending += this.#partBytes;
    lane.worker.postMessage(
      {
        kind: "pages",
        metas: JSON.stringify(this.#metas),
        bytes: bytes.buffer,
      } satisfies ToWorker,
      [bytes.buffer],
    );
    this.#metas = [];
    this.#parts = [];
    this.#partBytes = 0;
  }

  #message(lane: Lane, data: FromWorker): void {
    if (data.kind === "durable") this.#durable(lane, data);
    else if (data.kind === "read") {
      if (this.#spare.length < MAX_SPARE && data.bytes.byteLength === BUFFER_BYTES) {
        this.#spare.push(data.bytes);
      }
    } else if (data.kind === "error") this.#fail(lane, runError(data.message, data.diskFull));
    else if (data.kind === "sealed") this.#options.onSealed(data);
    else if (data.kind === "finished") {
      lane.totals = { files: data.files, busyMs: data.busyMs };
      lane.finished.resolve();
    }
  }

  #durable(lane: Lane, data: DurableResults): void {
    lane.totals = { files: data.files, busyMs: data.busyMs };
    if (this.#lanes.length > 1 && data.learned.length > 0) {
      for (const other of this.#lanes) {
        if (other === lane) continue;
        other.worker.postMessage(
          { kind: "learn", entries: data.learned } satisfies ToWorker,
        );
      }
    }
    const outlinks = new Uint8Array(data.outlinks);
    const pages = (JSON.parse(data.results) as PageResult[]).map((result): Archived => {
      lane.pending -= result.size;
      this.#pending -= result.size;
      const { listed, listedElsewhere, modified } = result;
      return {
        ...result,
        outlinkBytes: outlinks.subarray(...result.outlinks),
        ...(listed === undefined ? {} : { listedBytes: outlinks.subarray(...listed) }),
        ...(modified === undefined ? {} : { modifiedBytes: outlinks.subarray(...modified) }),
        ...(listedElsewhere === undefined
          ? {}
          : { elsewhereBytes: outlinks.subarray(...listedElsewhere) }),
      };
    });
    if (!this.full) this.#release();
    if (pages.length > 0) this.#options.onDurable(pages);
  }

  #fail(lane: Lane, error: RunError): void {
    lane.failed = true;
    lane.finished.resolve();
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#release();
    this.#options.onError(error);
  }

  #release(): void {
    const waiting = this.#drained;
    this.#drained = [];
    for (const resolve of waiting) resolve();
  }
}

const NO_BYTES = new Uint8Array(0);

function runError(message: string, diskFull: boolean): RunError {
  return new RunError(message, { exitCode: diskFull ? 75 : 1 });
}

/** The header values that the engine looks at. */
export function pickHeaders(
  x: Pick<Exchange, "headers">,
): Pick<PageMeta, "contentType" | "contentEncoding" | "location" | "robotsTag"> {
  let contentType = "", contentEncoding = "", location = "", robotsTag = "";
  for (const [name, value] of x.headers) {
    switch (name.length) {
      case 8:
        if (location === "" && name.toLowerCase() === "location") location = value;
        break;
      case 12:
        if (contentType === "" && name.toLowerCase() === "content-type") contentType = value;
        else if (name.toLowerCase() === "x-robots-tag") {
          robotsTag = robotsTag === "" ? value : `${robotsTag}, ${value}`;
        }
        break;
      case 16:
        if (name.toLowerCase() === "content-encoding") {
          contentEncoding = contentEncoding === "" ? value : `${contentEncoding}, ${value}`;
        }
        break;
    }
  }
  return { contentType, contentEncoding, location: utf8Location(location), robotsTag };
}

/** A Location in raw UTF-8 came through as Latin-1: what decodes as UTF-8 is taken so. */
function utf8Location(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(value, (c) => c.charCodeAt(0)),
    );
  } catch {
    return value; // truly Latin-1
  }
}
