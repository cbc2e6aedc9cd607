/**
 * The journal: a run's events, one JSON object a line, appended to a file.
 *
 * @module
 */

import type { RunEvent } from "./events.ts";

/** The journal could not be opened or written. */
export class JournalError extends Error {
  /** Always `"JournalError"`. */
  override readonly name = "JournalError";
}

/** An open journal. Writes are synchronous: there are a few a minute. */
export class Journal {
  readonly #file: Deno.FsFile;
  readonly #path: string;
  readonly #encoder = new TextEncoder();

  private constructor(path: string, file: Deno.FsFile) {
    this.#path = path;
    this.#file = file;
  }

  /**
   * Open for appending; made when it is not there.
   * @throws {JournalError}
   */
  static open(path: string): Journal {
    try {
      return new Journal(path, Deno.openSync(path, { append: true, create: true }));
    } catch (cause) {
      throw new JournalError(`Cannot open the journal ${path}: ${reason(cause)}`, { cause });
    }
  }

  /** Append one event. @throws {JournalError} */
  write(event: RunEvent): void {
    this.#attempt(() => {
      const bytes = this.#encoder.encode(`${JSON.stringify(event)}\n`);
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    });
  }

  /** Put everything on disk and close. @throws {JournalError} */
  close(): void {
    try {
      this.#attempt(() => {
        // A pipe or a device has nothing to sync.
        if (this.#file.statSync().isFile) this.#file.syncSync();
      });
    } finally {
      this.#file.close();
    }
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (cause) {
      throw new JournalError(`Cannot write the journal ${this.#path}: ${reason(cause)}`, {
        cause,
      });
    }
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
