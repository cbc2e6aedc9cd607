/**
 * The compact protocol of Thrift, as far as Parquet's page headers and offset indexes use it.
 *
 * @module
 */

/** More bytes are needed than are there. */
export class ThriftEnd extends Error {}

/** What is there is no Thrift. */
export class ThriftError extends Error {}

const MAX_DEPTH = 16;

/** Types of fields, as they stand in field headers. */
export const ThriftType = {
  stop: 0,
  true: 1,
  false: 2,
  i32: 5,
  i64: 6,
  list: 9,
  struct: 12,
} as const;

/** Reads values one after the other. */
export class ThriftReader {
  /** Offset of the next byte. */
  at = 0;
  readonly #bytes: Uint8Array;
  /** Id and type of the field whose header was read last. */
  field = 0;
  type = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    if (this.at >= this.#bytes.length) throw new ThriftEnd();
    return this.#bytes[this.at++]!;
  }

  /** An unsigned varint below 2^53. */
  varint(): number {
    let value = 0;
    let unit = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      unit *= 128;
    }
    throw new ThriftError("a number is out of range");
  }

  /** A signed number in zigzag form. */
  int(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Reads a field's header into `field` and `type`; false at the end of the struct. */
  next(last: number): boolean {
    const byte = this.byte();
    this.type = byte & 15;
    if (this.type === ThriftType.stop) return false;
    const delta = byte >> 4;
    this.field = delta === 0 ? this.int() : last + delta;
    return true;
  }

  /** Reads a list's header: its length, with the type of its elements left in `type`. */
  list(): number {
    const byte = this.byte();
    this.type = byte & 15;
    const short = byte >> 4;
    return short === 15 ? this.varint() : short;
  }

  /** Passes over a value of a type. */
  skip(type: number, depth = 0): void {
    if (depth > MAX_DEPTH) throw new ThriftError("it is nested too deeply");
    switch (type) {
      case 1:
      case 2:
        return;
      case 3:
        this.#pass(1);
        return;
      case 4:
      case 5:
      case 6: {
        for (let i = 0; this.byte() >= 0x80; i++) {
          if (i >= 9) throw new ThriftError("a number is out of range");
        }
        return;
      }
      case 7:
        this.#pass(8);
        return;
      case 8:
        this.#pass(this.varint());
        return;
      case 9:
      case 10: {
        const count = this.list();
        const element = this.type;
        // Elements take a byte at least, booleans in a list too.
        for (let i = 0; i < count; i++) {
          if (element === 1 || element === 2) this.#pass(1);
          else this.skip(element, depth + 1);
        }
        return;
      }
      case 11: {
        const count = this.varint();
        if (count === 0) return;
        const types = this.byte();
        for (let i = 0; i < count; i++) {
          this.skip(types >> 4, depth + 1);
          this.skip(types & 15, depth + 1);
        }
        return;
      }
      case 12: {
        let last = 0;
        while (this.next(last)) {
          last = this.field;
          this.skip(this.type, depth + 1);
        }
        return;
      }
      default:
        throw new ThriftError(`there is no type ${type}`);
    }
  }

  #pass(count: number): void {
    if (count > this.#bytes.length - this.at) throw new ThriftEnd();
    this.at += count;
  }
}
