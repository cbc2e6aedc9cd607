/**
 * A file being written from its beginning to its end.
 *
 * @module
 */

import { writeAll, type WritingFs } from "../files/mod.ts";
import type { FileSink } from "./_page_store.ts";

/** Gathers small writes; the descriptor stays open. */
export class Output implements FileSink {
  readonly #fs: WritingFs;
  readonly #fd: number;
  readonly #buffer = new Uint8Array(1 << 18);
  #used = 0;
  #written = 0;

  constructor(fs: WritingFs, fd: number) {
    this.#fs = fs;
    this.#fd = fd;
  }

  get offset(): number {
    return this.#written + this.#used;
  }

  get byteLength(): number {
    return this.#buffer.length;
  }

  write(bytes: Uint8Array): void {
    if (this.#used + bytes.length > this.#buffer.length) this.flush();
    if (bytes.length > this.#buffer.length) {
      writeAll(this.#fs, this.#fd, bytes, this.#written);
      this.#written += bytes.length;
    } else {
      this.#buffer.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  flush(): void {
    if (this.#used === 0) return;
    writeAll(this.#fs, this.#fd, this.#buffer.subarray(0, this.#used), this.#written);
    this.#written += this.#used;
    this.#used = 0;
  }
}
