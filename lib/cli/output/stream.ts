/**
 * Buffered text to stdout: one write for all that a turn of the event loop produced, the writer held
 * back while the reader is slow, and a reader that has gone noticed.
 *
 * @module
 */

import { CommandError, ExitCode, PipeClosedError } from "../errors.ts";
import type { ByteSink } from "../host.ts";

/** Characters held before a writer has to wait. */
const HIGH_WATER = 256 * 1024;

/** Text and bytes on their way to a sink. */
export class OutputStream {
  readonly #sink: ByteSink;
  readonly #onClosed: (reason: PipeClosedError) => void;
  readonly #encoder = new TextEncoder();
  #pending = "";
  #scheduled: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #begun = 0;
  #closed = false;
  #failure: unknown;
  #release: (() => void) | undefined;

  /** `onClosed` is called once, when the reader has gone; what is written later is dropped. */
  constructor(sink: ByteSink, onClosed: (reason: PipeClosedError) => void) {
    this.#sink = sink;
    this.#onClosed = onClosed;
  }

  /** Whether the reader has gone. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Milliseconds for which the system has not taken what it was given; 0 where it has. */
  get blockedFor(): number {
    if (this.#writing === undefined || this.#closed) return 0;
    return performance.now() - this.#begun;
  }

  /** Take `text`; the promise, where there is one, has to be awaited before more is given. */
  write(text: string): void | Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.writeLater(text);
    if (this.#pending.length >= HIGH_WATER) return this.flush();
  }

  /** Take `text` without holding anyone back; a failure shows at the next `write` or `flush`. */
  writeLater(text: string): void {
    if (this.#closed) return;
    this.#pending += text;
    // A timer once a turn with output, not once a record.
    this.#scheduled ??= setTimeout(() => {
      this.#scheduled = undefined;
      // A failure is kept for the next caller.
      this.flush().catch(() => {});
    }, 0);
  }

  /** Write `bytes` as they are, after what is pending. */
  async writeBytes(bytes: Uint8Array): Promise<void> {
    await this.flush();
    await this.#start(bytes);
  }

  /**
   * Resolves when everything taken has been handed to the system.
   * @throws what the sink threw, other than that the reader has gone.
   */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#pending === "" || this.#closed) return;
    const bytes = this.#encoder.encode(this.#pending);
    this.#pending = "";
    await this.#start(bytes);
  }

  /** Nobody reads: what is held and what comes later is dropped, and no one waits for it any more. */
  abandon(): void {
    this.#closed = true;
    this.#pending = "";
    this.#release?.();
  }

  /** Flush and stop the timer. */
  async close(): Promise<void> {
    if (this.#scheduled !== undefined) clearTimeout(this.#scheduled);
    this.#scheduled = undefined;
    await this.flush();
  }

  #start(bytes: Uint8Array): Promise<void> {
    this.#begun = performance.now();
    return this.#writing = this.#send(bytes).finally(() => this.#writing = undefined);
  }

  async #send(bytes: Uint8Array): Promise<void> {
    if (this.#closed) return;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#release = resolve;
        this.#sink.write(bytes).then(resolve, reject);
      });
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) {
        throw this.#failure = new CommandError(
          `Cannot write to stdout: ${(error as Error).message}`,
          ExitCode.error,
          "records that it did not take are in the archive and the state, where the command has any",
          { cause: error },
        );
      }
      this.#closed = true;
      this.#pending = "";
      this.#onClosed(new PipeClosedError({ cause: error }));
    }
  }
}
