/**
 * The named fields of a record.
 *
 * @module
 */

/** Fields of a record in their order; names are looked up in any case. */
export class WarcHeaders implements Iterable<readonly [name: string, value: string]> {
  readonly #fields: readonly (readonly [name: string, value: string])[];

  /** Takes the fields as names and values, in order. */
  constructor(fields: readonly (readonly [name: string, value: string])[]) {
    this.#fields = fields;
  }

  /** First value of a field. */
  get(name: string): string | undefined {
    for (const [known, value] of this.#fields) if (same(known, name)) return value;
    return undefined;
  }

  /** All values of a field that may repeat, as WARC-Concurrent-To. */
  getAll(name: string): string[] {
    return this.#fields.filter(([known]) => same(known, name)).map(([, value]) => value);
  }

  /** Names and values in the order they stand in. */
  [Symbol.iterator](): Iterator<readonly [name: string, value: string]> {
    return this.#fields[Symbol.iterator]();
  }
}

function same(a: string, b: string): boolean {
  return a === b || (a.length === b.length && a.toLowerCase() === b.toLowerCase());
}
