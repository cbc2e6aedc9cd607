/**
 * The writer's thread: takes batches from whoever is connected, and writes parts.
 */

import { Account, type WriterFigures } from "./_account.ts";
import type {
  FromWriter,
  PlainRows,
  RetiredMessage,
  RowsMessage,
  ToldError,
  ToWriter,
} from "./_writer_messages.ts";
import { CaptureWriteError } from "./errors.ts";
import { PartSequence } from "./part_sequence.ts";
import { decodeRows } from "./codec.ts";
import { formatRanges } from "./ranges.ts";
import { smallRow } from "./small_row.ts";

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ToWriter>) => void) | null;
  postMessage(message: FromWriter): void;
  close(): void;
};

class Writer {
  readonly #sequence: PartSequence;
  readonly #account: Account;
  readonly #index: number;
  readonly #tell: boolean;
  readonly #ports: MessagePort[] = [];
  readonly #figures: WriterFigures = { busyMs: 0, rows: 0, payload: 0, bufferedBytes: 0 };
  /** Number of the part that was told to be full. */
  #full = -1;
  #failed = false;

  constructor({ options, account, tell }: ToWriter & { kind: "setup" }) {
    this.#tell = tell;
    this.#account = new Account(account);
    this.#index = options.writer ?? 0;
    this.#sequence = new PartSequence(options);
  }

  connect(port: MessagePort, plain: boolean): void {
    this.#ports.push(port);
    port.onmessage = ({ data }: MessageEvent<RowsMessage | PlainRows>) => {
      if (data === null) return; // the sender's last word
      const bytes = data instanceof Uint8Array ? data : "bytes" in data ? data.bytes : data[0];
      const { length, buffer } = bytes;
      this.#take(bytes);
      if (!plain) this.#account.retire(length);
      const retired: RetiredMessage = { bytes: length, buffer };
      port.postMessage(plain ? [buffer.byteLength, buffer] : retired, [buffer]);
    };
  }

  seal(): void {
    const failed = this.#failed;
    const part = this.#busy(() => this.#sequence.seal());
    // A failure of this very seal is told already.
    if (this.#failed && !failed) return;
    scope.postMessage({
      kind: "sealed",
      part: part && { ...part, ranges: formatRanges(part.ranges) },
    });
  }

  end(): void {
    for (const port of this.#ports) port.close();
    this.#sequence.abandon();
  }

  /** Once writing has failed, batches are taken and dropped, so that who sends them can end. */
  #take(bytes: Uint8Array<ArrayBuffer>): void {
    const before = this.#sequence.payload;
    const rows = this.#busy(() => {
      const rows = this.#sequence.addPacked(bytes);
      this.#figures.rows += rows;
      this.#figures.payload += this.#sequence.payload - before;
      return rows;
    });
    if (rows !== undefined && this.#tell) {
      scope.postMessage({ kind: "rows", rows: [...decodeRows(bytes)].map(smallRow) });
    }
    if (this.#sequence.full && this.#full !== this.#sequence.highest) {
      this.#full = this.#sequence.highest;
      scope.postMessage({ kind: "full", number: this.#full });
    }
  }

  /** Does work while nothing has failed; a failure is told once. */
  #busy<T>(work: () => T): T | undefined {
    if (this.#failed) return undefined;
    const start = performance.now();
    try {
      return work();
    } catch (error) {
      this.#failed = true;
      this.#sequence.abandon();
      scope.postMessage({ kind: "failed", error: told(error) });
      return undefined;
    } finally {
      this.#figures.busyMs += performance.now() - start;
      this.#figures.bufferedBytes = this.#sequence.bufferedBytes;
      this.#account.set(this.#index, this.#figures);
    }
  }
}

function told(error: unknown): ToldError {
  if (error instanceof CaptureWriteError) {
    const { file, doing, code, cause } = error;
    return { file, doing, code, message: cause instanceof Error ? cause.message : String(cause) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { file: "a part", doing: "write", code: undefined, message };
}

let writer: Writer | undefined;

scope.onmessage = ({ data }) => {
  switch (data.kind) {
    case "setup":
      try {
        writer = new Writer(data);
        scope.postMessage({ kind: "ready" });
      } catch (error) {
        scope.postMessage({ kind: "failed", error: told(error) });
      }
      return;
    case "connect":
      return writer?.connect(data.port, data.plain);
    case "seal":
      return writer?.seal();
    case "end":
      writer?.end();
      scope.postMessage({ kind: "ended" });
      scope.close();
  }
};
