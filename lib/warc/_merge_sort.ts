/**
 * Sorting more lines than memory should hold.
 *
 * @module
 */

import { dirname } from "node:path";
import { diskFs, type FileSystem, writeAll } from "../files/mod.ts";
import { concat, text, utf8Bytes } from "./_bytes.ts";

/** Bytes of lines held before they are sorted and put on disk. */
const RUN = 4 << 20;
/** Runs that are merged at once, each with a file that is open: as many of a size become one. */
const FAN = 64;
/** Bytes that a writer gathers, and a reader of a run reads at once. */
const PIECE = 1 << 16;

/**
 * Collects ASCII lines and writes them sorted by their bytes. Up to `run` bytes stay in memory;
 * beyond that sorted runs lie beside the target and are merged at the end.
 */
export class MergeSort {
  readonly #path: string;
  readonly #fs: FileSystem;
  readonly #run: number;
  #held = new HeldLines();
  #count = 0;
  #runs: Run[] = [];
  #spilled = 0;

  /**
   * Writes nothing before there is more than it holds.
   *
   * @param path The file to write in the end, through a temporary one.
   * @param run Bytes held in memory.
   */
  constructor(path: string, fs: FileSystem = diskFs, run: number = RUN) {
    this.#path = path;
    this.#fs = fs;
    this.#run = run;
  }

  /** Takes a line, without its end. */
  add(line: string): void {
    this.#held.add(line);
    this.#count++;
    if (this.#held.bytes >= this.#run) this.#spill();
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
        for (const line of this.#held.sorted()) out.line(line);
      } else {
        if (this.#held.bytes > 0) this.#spill();
        this.#merge(this.#runs, out);
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
    this.#held = new HeldLines();
    this.#remove(this.#runs);
    this.#runs = [];
  }

  #spill(): void {
    this.#addRun(0, (out) => {
      for (const line of this.#held.sorted()) out.line(line);
    });
    this.#held.clear();
    for (let last = 0;; last++) {
      const runs = this.#runs.slice(-FAN);
      if (runs.length < FAN || runs.some(({ level }) => level !== last)) return;
      this.#addRun(last + 1, (out) => this.#merge(runs, out));
      this.#remove(runs);
      this.#runs.splice(-FAN - 1, FAN);
    }
  }

  #addRun(level: number, fill: (out: LineWriter) => void): void {
    const path = `${this.#path}.${this.#spilled++}.tmp`;
    const out = new LineWriter(path, this.#fs);
    try {
      fill(out);
      out.end();
    } catch (error) {
      out.abandon();
      throw error;
    }
    this.#runs.push({ path, level });
  }

  #remove(runs: readonly Run[]): void {
    for (const { path } of runs) if (this.#fs.exists(path)) this.#fs.remove(path);
  }

  #merge(runs: readonly Run[], out: LineWriter): void {
    const readers = runs.map(({ path }) => new LineReader(path, this.#fs));
    try {
      // A heap by the line each stands at: a file of small records has hundreds of runs.
      const heap = readers.filter((reader) => reader.line !== undefined);
      for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(heap, i);
      while (heap.length > 0) {
        const least = heap[0]!;
        out.line(least.line!);
        least.next();
        if (least.line === undefined) {
          const last = heap.pop()!;
          if (heap.length === 0) return;
          heap[0] = last;
        }
        sink(heap, 0);
      }
    } finally {
      for (const reader of readers) reader.close();
    }
  }
}

/** A sorted file. */
interface Run {
  readonly path: string;
  /** How many times its lines were merged. */
  readonly level: number;
}

/** Moves the reader at `at` down to where none below it stands at a lesser line. */
function sink(heap: LineReader[], at: number): void {
  const reader = heap[at]!, line = reader.line!;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && heap[child + 1]!.line! < heap[child]!.line!) child++;
    if (line <= heap[child]!.line!) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = reader;
}

/**
 * Lines as bytes: texts put together from parts take several times their length, and as long as they
 * are held the collector copies them around.
 */
class HeldLines {
  readonly #encoder = new TextEncoder();
  #buffer = new Uint8Array(PIECE);
  #length = 0;

  /** Bytes held, line ends included. */
  get bytes(): number {
    return this.#length;
  }

  add(line: string): void {
    const most = this.#length + line.length * 3 + 1;
    if (most > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(most, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#length += this.#encoder.encodeInto(line, this.#buffer.subarray(this.#length)).written;
    this.#buffer[this.#length++] = 10;
  }

  sorted(): string[] {
    return this.#length === 0
      ? []
      : text(this.#buffer.subarray(0, this.#length - 1)).split("\n").sort();
  }

  clear(): void {
    this.#length = 0;
  }
}

class LineWriter {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #fd: number;
  #lines: string[] = [];
  #held = 0;
  #size = 0;

  constructor(path: string, fs: FileSystem) {
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
  readonly #fs: FileSystem;
  readonly #fd: number;
  #lines: string[] = [];
  #next = 0;
  #at = 0;
  #rest: Uint8Array = new Uint8Array(0);
  /** The line the reader stands at, or nothing at the end. */
  line: string | undefined;

  constructor(path: string, fs: FileSystem) {
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
