/**
 * Sorting more lines than memory should hold.
 *
 * @module
 */

import { dirname } from "node:path";
import { concat, text, utf8Bytes } from "./_bytes.ts";
import { diskFs, type WarcFs, writeAll } from "./fs.ts";

/** Characters of lines held before they are sorted and put on disk. */
const RUN = 16 << 20;
const PIECE = 1 << 16;

/**
 * Collects ASCII lines and writes them sorted by their bytes. Up to `run` characters stay in
 * memory; beyond that sorted runs lie beside the target and are merged at the end.
 */
export class MergeSort {
  readonly #path: string;
  readonly #fs: WarcFs;
  readonly #run: number;
  #lines: string[] = [];
  #held = 0;
  #count = 0;
  #runs: string[] = [];

  /**
   * @param path The file to write in the end, through a temporary one.
   * @param run Characters held in memory.
   */
  constructor(path: string, fs: WarcFs = diskFs, run: number = RUN) {
    this.#path = path;
    this.#fs = fs;
    this.#run = run;
  }

  /** Takes a line, without its end. */
  add(line: string): void {
    this.#lines.push(line);
    this.#held += line.length + 1;
    this.#count++;
    if (this.#held >= this.#run) this.#spill();
  }

  /**
   * Writes the sorted file, synced, in place of whatever bears its name.
   *
   * @returns Count of lines.
   */
  finish(): number {
    const temporary = `${this.#path}.tmp`;
    const out = new LineWriter(temporary, this.#fs);
    try {
      if (this.#runs.length === 0) {
        for (const line of this.#lines.sort()) out.line(line);
      } else {
        if (this.#lines.length > 0) this.#spill();
        this.#merge(out);
      }
      out.end();
    } catch (error) {
      out.abandon();
      throw error;
    }
    this.#fs.rename(temporary, this.#path);
    this.#fs.syncDir(dirname(this.#path));
    this.discard();
    return this.#count;
  }

  /** Drops what is held and the runs on disk. */
  discard(): void {
    this.#lines = [];
    this.#held = 0;
    for (const run of this.#runs) if (this.#fs.exists(run)) this.#fs.remove(run);
    this.#runs = [];
  }

  #spill(): void {
    const path = `${this.#path}.${this.#runs.length}.tmp`;
    const out = new LineWriter(path, this.#fs);
    try {
      for (const line of this.#lines.sort()) out.line(line);
      out.end();
    } catch (error) {
      out.abandon();
      throw error;
    }
    this.#runs.push(path);
    this.#lines = [];
    this.#held = 0;
  }

  #merge(out: LineWriter): void {
    const readers = this.#runs.map((path) => new LineReader(path, this.#fs));
    try {
      for (;;) {
        // A file has a handful of runs: looking at each is as fast as a heap.
        let least: LineReader | undefined;
        for (const reader of readers) {
          const line = reader.line;
          if (line !== undefined && (least === undefined || line < least.line!)) least = reader;
        }
        if (least === undefined) return;
        out.line(least.line!);
        least.next();
      }
    } finally {
      for (const reader of readers) reader.close();
    }
  }
}

class LineWriter {
  readonly #fs: WarcFs;
  readonly #path: string;
  readonly #fd: number;
  #lines: string[] = [];
  #held = 0;
  #size = 0;

  constructor(path: string, fs: WarcFs) {
    this.#fs = fs;
    this.#path = path;
    if (fs.exists(path)) fs.remove(path); // left by a killed run
    this.#fd = fs.create(path);
  }

  line(line: string): void {
    this.#lines.push(line);
    this.#held += line.length;
    if (this.#held >= PIECE) this.#flush();
  }

  end(): void {
    this.#flush();
    this.#fs.sync(this.#fd);
    this.#fs.close(this.#fd);
  }

  abandon(): void {
    this.#fs.close(this.#fd);
    this.#fs.remove(this.#path);
  }

  #flush(): void {
    if (this.#lines.length === 0) return;
    const bytes = utf8Bytes(this.#lines.join("\n") + "\n");
    writeAll(this.#fs, this.#fd, bytes, this.#size);
    this.#size += bytes.length;
    this.#lines = [];
    this.#held = 0;
  }
}

class LineReader {
  readonly #fs: WarcFs;
  readonly #fd: number;
  #lines: string[] = [];
  #next = 0;
  #at = 0;
  #rest: Uint8Array = new Uint8Array(0);
  /** The line the reader stands at, or nothing at the end. */
  line: string | undefined;

  constructor(path: string, fs: WarcFs) {
    this.#fs = fs;
    this.#fd = fs.open(path);
    this.next();
  }

  next(): void {
    while (this.#next >= this.#lines.length) {
      const bytes = new Uint8Array(PIECE);
      const n = this.#fs.read(this.#fd, bytes, this.#at);
      if (n <= 0) {
        this.line = undefined;
        return;
      }
      this.#at += n;
      const all = concat([this.#rest, bytes.subarray(0, n)]);
      const end = all.lastIndexOf(10);
      this.#rest = all.subarray(end + 1);
      this.#lines = end < 0 ? [] : text(all.subarray(0, end)).split("\n");
      this.#next = 0;
    }
    this.line = this.#lines[this.#next++];
  }

  close(): void {
    this.#fs.close(this.#fd);
  }
}
