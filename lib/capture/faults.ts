/**
 * Faults of capture files.
 *
 * @module
 */

/** Kinds of faults. */
export type CaptureFaultCode =
  /** The file, or a page of it, cannot be read. */
  | "damaged"
  /** A column is missing, another one, or of another type. */
  | "schema"
  /** A row group is too large, or counts of rows do not agree. */
  | "footer"
  /** A length is not that of what it speaks of. */
  | "length"
  /** A digest is not that of the body. */
  | "digest"
  /** A string is not UTF-8. */
  | "utf8"
  /** A column of JSON is none. */
  | "json"
  /** Columns of one row contradict each other. */
  | "row"
  /** The ranges of rows are damaged, or two parts hold the same rows. */
  | "ranges";

/** Something wrong with a capture file. */
export interface CaptureFault {
  /** Path of the file. */
  readonly file: string;
  /** Byte offset: of the page that has the value, or of the footer. */
  readonly offset: number;
  /** Kind of fault. */
  readonly code: CaptureFaultCode;
  /** What is wrong, in words. */
  readonly message: string;
}

/** Faults of one file that wait to be given, so many of each kind. */
export class Faults {
  readonly #file: string;
  readonly #max: number;
  #waiting: CaptureFault[] = [];
  readonly #counts = new Map<CaptureFaultCode, number>();

  constructor(file: string, max: number) {
    this.#file = file;
    this.#max = max;
  }

  add(code: CaptureFaultCode, offset: number, message: string): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= this.#max) this.#waiting.push({ file: this.#file, offset, code, message });
  }

  take(): CaptureFault[] {
    if (this.#waiting.length === 0) return this.#waiting;
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** What was left out. */
  *rest(): Generator<CaptureFault> {
    for (const [code, count] of this.#counts) {
      if (count <= this.#max) continue;
      const message = `${count - this.#max} more of this kind`;
      yield { file: this.#file, offset: 0, code, message };
    }
  }
}
