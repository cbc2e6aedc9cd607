/**
 * Writers on threads of their own, whose parts are sealed together.
 *
 * @module
 */

import { Account, type WriterFigures } from "./_account.ts";
import type { FromWriter, ToldError, ToldPart, ToWriter } from "./_writer_messages.ts";
import { CaptureWriteError } from "./errors.ts";
import { MAX_WRITERS, type PartSequenceOptions, type SealedPart } from "./part_sequence.ts";
import { parseRanges } from "./ranges.ts";
import type { WriterLink } from "./row_sender.ts";
import type { SmallRow } from "./small_row.ts";

export type { WriterFigures };

/** Options of {@linkcode WriterPool.open}. */
export interface WriterPoolOptions extends Omit<PartSequenceOptions, "fs" | "writer" | "writers"> {
  /** How many files are written at a time, each by a thread, 1 to 16. @default 1 */
  readonly writers?: number;
  /** Bytes of rows that may be under way to the writers, over all senders. @default 128 MiB */
  readonly queueBytes?: number;
  /** How many senders will be connected; each has its share of the queue. @default 1 */
  readonly senders?: number;
  /** Milliseconds after which what there is is sealed. @default 600 000 */
  readonly sealAfterMs?: number;
  /**
   * Told of parts that were sealed, whoever asked for it. They are durable, and the rows they hold
   * need never be fetched again. The next seal waits for it.
   */
  readonly onSealed?: (parts: readonly SealedPart[]) => void | Promise<void>;
  /** Told of rows that are with a part, without their large columns; not of those before a seal alone. */
  readonly onRows?: (rows: readonly SmallRow[]) => void;
  /** Told once, when writing has failed and the run must stop. */
  readonly onError?: (error: Error) => void;
}

/** What the writers have done. */
export interface WriterPoolFigures {
  /** Bytes of rows under way to the writers. */
  readonly queued: number;
  /** The most there ever were. */
  readonly queuedPeak: number;
  /** Each writer's own. */
  readonly writers: readonly Readonly<WriterFigures>[];
}

interface Thread {
  readonly worker: Worker;
  /** Settles with the answer to what was asked last. */
  answer: ((message: FromWriter) => void) | undefined;
  /** Number of the open part, once that is full; -1 otherwise. */
  full: number;
  /** It ended by itself, and answers nothing. */
  dead: boolean;
}

/**
 * Up to sixteen writers. Rows go to them through {@linkcode RowSender}, each of which is made, in
 * whatever thread, from a link of {@linkcode WriterPool.connect}. As soon as one writer's part is
 * full, or old enough, all are sealed: a position in the work list is durable only when everything
 * before it is, and parts sealed at different times never would be.
 *
 * After an error the writers go on taking rows and drop them, so that those who send come to an end.
 *
 * @example Write rows on two threads
 * ```ts ignore
 * await using pool = await WriterPool.open({ dir: "captures", createdBy: "me 1.0", writers: 2 });
 * const sender = new RowSender(pool.connect());
 * await sender.send(batch);
 * await sender.drain();
 * const parts = await pool.seal();
 * ```
 */
export class WriterPool {
  readonly #options: WriterPoolOptions;
  readonly #account: Account;
  readonly #threads: Thread[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Seals one after the other. */
  #seals: Promise<unknown> = Promise.resolve();
  /** A seal that nobody asked for is waiting or under way. */
  #automatic = false;
  #error: Error | undefined;
  #closed = false;

  private constructor(options: WriterPoolOptions) {
    const { writers = 1 } = options;
    if (!Number.isInteger(writers) || writers < 1 || writers > MAX_WRITERS) {
      throw new TypeError(`Cannot use ${writers} writers: 1 to ${MAX_WRITERS} are possible`);
    }
    this.#options = options;
    this.#account = Account.of(writers);
    this.#threads = Array.from({ length: writers }, () => this.#start());
  }

  /**
   * Starts the writers.
   *
   * @throws {CaptureWriteError} If the folder cannot be made or read.
   * @throws {TypeError} If an option is out of range.
   */
  static async open(options: WriterPoolOptions): Promise<WriterPool> {
    const pool = new WriterPool(options);
    const { onSealed: _, onError: __, queueBytes: ___, senders: ____, onRows, ...rest } = options;
    const ready = await Promise.all(pool.#threads.map((thread, writer) =>
      pool.#ask(thread, {
        kind: "setup",
        options: { ...rest, writer, writers: pool.#threads.length },
        account: pool.#account.shared,
        tell: onRows !== undefined,
      })
    ));
    if (ready.some(({ kind }) => kind === "failed")) {
      await pool.abort();
      throw pool.#error;
    }
    pool.#arm();
    return pool;
  }

  /** What went wrong, if anything has. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Figures of the moment. */
  get figures(): WriterPoolFigures {
    return {
      queued: this.#account.held,
      queuedPeak: this.#account.peak,
      writers: this.#threads.map((_, writer) => this.#account.get(writer)),
    };
  }

  /** A link for one sender. Its ports must be in the transfer list where it is posted elsewhere. */
  connect(): WriterLink {
    const { queueBytes = 128 << 20, senders = 1 } = this.#options;
    const ports = this.#ports(false);
    return { ports, account: this.#account.shared, bytes: Math.floor(queueBytes / senders) };
  }

  /**
   * Ports to the writers, one each, for a sender that keeps its own books: it posts packed rows as a
   * `Uint8Array` that begins a buffer, transferred, gets `[bytes, buffer]` back once they are with a
   * part, and posts `null` when it has no more.
   */
  connectPlain(): MessagePort[] {
    return this.#ports(true);
  }

  #ports(plain: boolean): MessagePort[] {
    return this.#threads.map(({ worker }) => {
      const { port1, port2 } = new MessageChannel();
      const message: ToWriter = { kind: "connect", port: port2, plain };
      worker.postMessage(message, [port2]);
      return port1;
    });
  }

  /**
   * Seals the open part of every writer. Rows under way may be in these parts or the next ones; who
   * needs to know drains its sender first.
   *
   * @returns The parts, none of writers that had no rows.
   * @throws {CaptureWriteError} If the disk refuses a part. The others are sealed all the same, and
   *   `onSealed` was told of them.
   */
  seal(): Promise<readonly SealedPart[]> {
    if (this.#closed) {
      return Promise.reject(new TypeError("Cannot seal parts: the writers are closed"));
    }
    const sealed = this.#seals.then(() => this.#sealNow());
    this.#seals = sealed.catch(() => {/* told to who asked, and kept */});
    return sealed;
  }

  /**
   * Seals and ends. All senders must have been drained.
   *
   * @throws {CaptureWriteError} As {@linkcode WriterPool.seal}, or what had gone wrong before.
   */
  async close(): Promise<readonly SealedPart[]> {
    try {
      return await this.seal();
    } finally {
      await this.abort();
    }
  }

  /** Ends without sealing: what is in open parts is lost, and their files are removed. */
  async abort(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#threads.map(async (thread) => {
      if (!thread.dead) await this.#ask(thread, { kind: "end" });
      thread.worker.terminate();
    }));
  }

  /** {@linkcode WriterPool.close}, where that has not been called. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#closed) await this.close();
  }

  #start(): Thread {
    const worker = new Worker(new URL("./_writer_worker.ts", import.meta.url), { type: "module" });
    const thread: Thread = { worker, answer: undefined, full: -1, dead: false };
    worker.onmessage = ({ data }: MessageEvent<FromWriter>) => {
      if (data.kind === "full") {
        thread.full = data.number;
        return this.#sealAutomatically();
      }
      if (data.kind === "sealed" && data.part?.number === thread.full) thread.full = -1;
      if (data.kind === "rows") return this.#options.onRows?.(data.rows);
      if (data.kind === "failed") this.#fail(fromTold(data.error));
      thread.answer?.(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#account.fail();
      thread.dead = true;
      const error = told(this.#options.dir, event.message);
      this.#fail(fromTold(error));
      thread.answer?.({ kind: "failed", error });
    };
    return thread;
  }

  #ask(thread: Thread, message: ToWriter): Promise<FromWriter> {
    return new Promise((resolve) => {
      thread.answer = (answer) => {
        thread.answer = undefined;
        resolve(answer);
      };
      thread.worker.postMessage(message);
    });
  }

  async #sealNow(): Promise<readonly SealedPart[]> {
    // One that was asked for by a part that became full while all were sealed for the last time.
    if (this.#closed) return [];
    const told = await Promise.all(this.#threads.map((thread) => this.#sealOne(thread)));
    const parts = told.filter((part) => part !== undefined).map(fromToldPart);
    this.#arm();
    if (parts.length > 0) await this.#options.onSealed?.(parts);
    if (this.#error !== undefined) throw this.#error;
    return parts;
  }

  async #sealOne(thread: Thread): Promise<ToldPart | undefined> {
    if (thread.dead) return undefined;
    const answer = await this.#ask(thread, { kind: "seal" });
    return answer.kind === "sealed" ? answer.part : undefined;
  }

  #sealAutomatically(): void {
    if (this.#automatic || this.#closed || this.#error !== undefined) return;
    this.#automatic = true;
    this.seal().catch((error) => this.#fail(error)).finally(() => {
      this.#automatic = false;
      // The next part may have become full before this was known to be over.
      if (this.#threads.some(({ full }) => full >= 0)) this.#sealAutomatically();
    });
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const { sealAfterMs = 600_000 } = this.#options;
    this.#timer = setTimeout(() => this.#sealAutomatically(), sealAfterMs);
  }

  #fail(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#options.onError?.(error);
  }
}

function told(file: string, message: string): ToldError {
  return { file, doing: "write in", message, code: undefined };
}

function fromTold({ file, doing, message, code }: ToldError): CaptureWriteError {
  return new CaptureWriteError(file, doing, Object.assign(new Error(message), { code }));
}

function fromToldPart(part: ToldPart): SealedPart {
  return { ...part, ranges: [...parseRanges(part.ranges)] };
}
