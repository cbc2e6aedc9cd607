/**
 * Strings from the values of a page, or where their bytes stand.
 *
 * @module
 */

/** Values of a page, without its nulls. */
export interface Values {
  readonly length: number;
  /** Appends the values `from` up to `to` to `out`. */
  strings(from: number, to: number, out: (string | undefined)[]): void;
  /** Where each value stands. */
  slices(): ByteSlices;
}

/** Values as places in bytes. */
export interface ByteSlices {
  readonly bytes: Uint8Array;
  /** Where each begins; -1 for a null. */
  readonly starts: Int32Array;
  /** Where each ends. */
  readonly ends: Int32Array;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Values decoded with one call. Each string cut out of one keeps all of it alive, so few. */
const RUN = 32;

/** Values that stand in bytes, each at a place of its own, in ascending order. */
export class SliceValues implements Values {
  readonly #bytes: Uint8Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;

  constructor(bytes: Uint8Array, starts: Int32Array, ends: Int32Array) {
    this.#bytes = bytes;
    this.#starts = starts;
    this.#ends = ends;
  }

  get length(): number {
    return this.#starts.length;
  }

  slices(): ByteSlices {
    return { bytes: this.#bytes, starts: this.#starts, ends: this.#ends };
  }

  strings(from: number, to: number, out: (string | undefined)[]): void {
    const bytes = this.#bytes;
    const starts = this.#starts;
    const ends = this.#ends;
    for (let first = from; first < to; first += RUN) {
      const behind = Math.min(first + RUN, to);
      const base = starts[first]!;
      const length = ends[behind - 1]! - base;
      const text = decoder.decode(bytes.subarray(base, base + length));
      // A run that has as many characters as bytes is one character a byte throughout: what is shorter
      // in characters by a sequence is never made up for.
      if (text.length === length) {
        for (let i = first; i < behind; i++) {
          out.push(text.substring(starts[i]! - base, ends[i]! - base));
        }
      } else {
        for (let i = first; i < behind; i++) {
          out.push(decoder.decode(bytes.subarray(starts[i]!, ends[i]!)));
        }
      }
    }
  }
}

/** The entries that other values refer to. */
export class Dictionary {
  readonly #slices: ByteSlices;
  #strings: (string | undefined)[] | undefined;

  /** Keeps its own copy of the entries' bytes. */
  constructor(values: SliceValues) {
    const { bytes, starts, ends } = values.slices();
    this.#slices = { bytes: bytes.slice(), starts, ends };
  }

  /** Count of entries. */
  get length(): number {
    return this.#slices.starts.length;
  }

  /** The entries as strings, decoded once. */
  get strings(): readonly (string | undefined)[] {
    if (this.#strings === undefined) {
      const { bytes, starts, ends } = this.#slices;
      this.#strings = [];
      new SliceValues(bytes, starts, ends).strings(0, starts.length, this.#strings);
    }
    return this.#strings;
  }

  /** Where the entries stand. */
  get slices(): ByteSlices {
    return this.#slices;
  }
}

/** Values that are entries of a dictionary. */
export class DictionaryValues implements Values {
  readonly #dictionary: Dictionary;
  readonly #indexes: Int32Array;

  constructor(dictionary: Dictionary, indexes: Int32Array) {
    this.#dictionary = dictionary;
    this.#indexes = indexes;
  }

  get length(): number {
    return this.#indexes.length;
  }

  slices(): ByteSlices {
    const { bytes, starts, ends } = this.#dictionary.slices;
    return {
      bytes,
      starts: this.#indexes.map((index) => starts[index]!),
      ends: this.#indexes.map((index) => ends[index]!),
    };
  }

  strings(from: number, to: number, out: (string | undefined)[]): void {
    const { strings } = this.#dictionary;
    for (let i = from; i < to; i++) out.push(strings[this.#indexes[i]!]);
  }
}
