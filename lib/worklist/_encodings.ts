/**
 * The encodings of byte arrays (Parquet's Encodings.md).
 *
 * @module
 */

import { SliceValues } from "./_values.ts";

/** A page's bytes are not what its encoding says. */
export class EncodingError extends Error {}

/** Numbers of the encodings that byte arrays may have. */
export const Encoding = {
  plain: 0,
  plainDictionary: 2,
  deltaLength: 6,
  deltaBytes: 7,
  rleDictionary: 8,
} as const;

/** Prefixes of DELTA_BYTE_ARRAY may unfold to this many times what is there. */
const MAX_UNFOLDED = 256 << 20;

/** Where values stand, kept from one page to the next: arrays that are let go of are collected late. */
export class Places {
  #starts = new Int32Array(0);
  #ends = new Int32Array(0);

  /** Arrays of a length, of which those given before are no more. */
  take(count: number): { starts: Int32Array; ends: Int32Array } {
    if (this.#starts.length < count) {
      this.#starts = new Int32Array(count);
      this.#ends = new Int32Array(count);
    }
    return { starts: this.#starts.subarray(0, count), ends: this.#ends.subarray(0, count) };
  }
}

/** PLAIN: a length of four bytes, then that many. */
export function readPlain(
  bytes: Uint8Array,
  count: number,
  places: Places = new Places(),
): SliceValues {
  if (count * 4 > bytes.length) throw new EncodingError("more values are promised than there are");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { starts, ends } = places.take(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) throw new EncodingError("a value is cut");
    const start = at + 4;
    at = start + view.getUint32(at, true);
    if (at > bytes.length) throw new EncodingError("a value is cut");
    starts[i] = start;
    ends[i] = at;
  }
  return new SliceValues(bytes, starts, ends);
}

/** DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes. */
export function readDeltaLength(
  bytes: Uint8Array,
  count: number,
  places: Places = new Places(),
): SliceValues {
  const { starts, ends } = places.take(count);
  let at = unpackDeltas(bytes, 0, starts);
  for (let i = 0; i < count; i++) {
    const length = starts[i]!;
    starts[i] = at;
    at += length;
    if (length < 0 || at > bytes.length) throw new EncodingError("a value is cut");
    ends[i] = at;
  }
  return new SliceValues(bytes, starts, ends);
}

/** DELTA_BYTE_ARRAY: how much of the value before each begins with, and what follows. */
export function readDeltaBytes(bytes: Uint8Array, count: number): SliceValues {
  const prefixes = new Int32Array(count);
  const suffixes = new Int32Array(count);
  let at = unpackDeltas(bytes, unpackDeltas(bytes, 0, prefixes), suffixes);
  let total = 0;
  let before = 0;
  for (let i = 0; i < count; i++) {
    if (prefixes[i]! < 0 || prefixes[i]! > before || suffixes[i]! < 0) {
      throw new EncodingError("a value begins with more than the one before it has");
    }
    before = prefixes[i]! + suffixes[i]!;
    total += before;
    if (total > MAX_UNFOLDED) throw new EncodingError("the values of a page take too much memory");
  }
  const out = new Uint8Array(total);
  const ends = new Int32Array(count);
  let to = 0;
  let last = 0;
  for (let i = 0; i < count; i++) {
    const prefix = prefixes[i]!;
    const suffix = suffixes[i]!;
    if (at + suffix > bytes.length) throw new EncodingError("a value is cut");
    out.copyWithin(to, last, last + prefix);
    out.set(bytes.subarray(at, at + suffix), to + prefix);
    at += suffix;
    last = prefixes[i] = to;
    to += prefix + suffix;
    ends[i] = to;
  }
  return new SliceValues(out, prefixes, ends);
}

/**
 * DELTA_BINARY_PACKED of 32-bit numbers: fills `out`.
 *
 * @returns The offset behind it.
 */
export function unpackDeltas(bytes: Uint8Array, offset: number, out: Int32Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = offset;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (at >= bytes.length) throw new EncodingError("a list of lengths is cut");
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new EncodingError("a list of lengths is damaged");
  };
  // Differences of two 32-bit numbers need 33 bits; what is above the 32nd does not matter.
  const zigzag = (): number => {
    const value = varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const blockSize = varint();
  const miniblocks = varint();
  const total = varint();
  let value = zigzag() | 0;
  const perMiniblock = blockSize / miniblocks;
  if (
    blockSize === 0 || blockSize > 1 << 20 || blockSize % 128 !== 0 ||
    !Number.isInteger(perMiniblock) || perMiniblock % 32 !== 0
  ) throw new EncodingError("a list of lengths has blocks of an impossible size");
  if (total !== out.length) throw new EncodingError("there are more or fewer lengths than values");
  if (total === 0) return at;
  out[0] = value;
  for (let i = 1; i < total;) {
    const minimum = zigzag() | 0;
    const widths = at;
    at += miniblocks;
    if (at > bytes.length) throw new EncodingError("a list of lengths is cut");
    // The widths of miniblocks that no value is left for stand there, their bodies do not.
    for (let m = 0; m < miniblocks && i < total; m++) {
      const width = bytes[widths + m]!;
      if (width > 32) throw new EncodingError("a length has more than 32 bits");
      const body = at;
      at += perMiniblock * width / 8;
      if (at > bytes.length) throw new EncodingError("a list of lengths is cut");
      const stop = Math.min(i + perMiniblock, total);
      if (width === 0) {
        for (; i < stop; i++) out[i] = value = (value + minimum) | 0;
      } else if (width <= 25 && at + 4 <= bytes.length) {
        const mask = (1 << width) - 1;
        for (let bit = 0; i < stop; i++, bit += width) {
          const delta = view.getUint32(body + (bit >>> 3), true) >>> (bit & 7) & mask;
          out[i] = value = (value + minimum + delta) | 0;
        }
      } else {
        for (let bit = 0; i < stop; i++) {
          let delta = 0;
          for (let b = 0; b < width; b++, bit++) {
            delta |= (bytes[body + (bit >>> 3)]! >>> (bit & 7) & 1) << b;
          }
          out[i] = value = (value + minimum + delta) | 0;
        }
      }
    }
  }
  return at;
}

/**
 * The hybrid of run lengths and packed bits that levels and dictionary indexes are in: fills `out`.
 *
 * @param limit No value may be as large.
 */
export function unpackHybrid(
  bytes: Uint8Array,
  offset: number,
  end: number,
  width: number,
  out: Int32Array,
  limit: number,
): void {
  if (width > 32) throw new EncodingError("an index has more than 32 bits");
  let at = offset;
  for (let i = 0; i < out.length;) {
    let header = 0;
    for (let shift = 0;; shift += 7) {
      if (at >= end || shift > 28) throw new EncodingError("a run of indexes is cut");
      const byte = bytes[at++]!;
      header += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    if (header % 2 === 0) {
      const count = header / 2;
      const width8 = (width + 7) >> 3;
      if (count === 0 || at + width8 > end) throw new EncodingError("a run of indexes is cut");
      let value = 0;
      for (let b = 0; b < width8; b++) value += bytes[at++]! * 2 ** (8 * b);
      if (value >= limit) throw new EncodingError("an index points outside the dictionary");
      const stop = Math.min(i + count, out.length);
      out.fill(value, i, stop);
      i = stop;
    } else {
      const groups = (header - 1) / 2;
      const stop = Math.min(i + groups * 8, out.length);
      // A writer may leave out the padding of the last group.
      if (at + Math.ceil((stop - i) * width / 8) > end) {
        throw new EncodingError("a run of indexes is cut");
      }
      const mask = width === 32 ? 0xffff_ffff : 2 ** width - 1;
      for (let bit = 0; i < stop; i++, bit += width) {
        let value = 0;
        let unit = 1;
        // Five bytes hold any 32 bits.
        let byte = at + (bit >>> 3);
        let skip = bit & 7;
        for (let need = width + skip; need > 0; need -= 8, byte++) {
          value += (bytes[byte]! >>> skip) * unit;
          unit *= 2 ** (8 - skip);
          skip = 0;
        }
        if (value > mask) value -= Math.floor(value / (mask + 1)) * (mask + 1);
        if (value >= limit) throw new EncodingError("an index points outside the dictionary");
        out[i] = value;
      }
      at += groups * width;
    }
  }
}
