/**
 * Named fields: of headers, and of blocks of type `application/warc-fields`.
 *
 * @module
 */

import type { FieldMap } from "./types.ts";

/** Fields of a block that are read, and its bytes. */
const MOST_FIELDS = 1000;
const MOST_BYTES = 1 << 18;

/** Fields as an object, in their order; an array where a name repeats. */
export function fieldMap(
  fields: Iterable<readonly [name: string, value: string]>,
  lower: boolean,
): FieldMap {
  const map = new Map<string, string | string[]>();
  for (const [name, value] of fields) {
    const key = lower ? name.toLowerCase() : name;
    const known = map.get(key);
    if (known === undefined) map.set(key, value);
    else if (typeof known === "string") map.set(key, [known, value]);
    else known.push(value);
  }
  return Object.fromEntries(map);
}

/** What a block of `name: value` lines says; a value that is a JSON object is read. */
export function blockFields(block: Uint8Array): Readonly<Record<string, unknown>> {
  const lines = new TextDecoder().decode(block.subarray(0, MOST_BYTES)).split("\n", MOST_FIELDS);
  const fields: [string, string][] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    const colon = line.indexOf(":");
    if (line.startsWith(" ") || line.startsWith("\t")) {
      if (last !== undefined) last[1] = `${last[1]} ${line.trim()}`;
    } else if (colon > 0) fields.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  return Object.fromEntries(
    Object.entries(fieldMap(fields, false)).map(([name, value]) => [
      name,
      typeof value === "string" && value.startsWith("{") ? jsonOr(value) : value,
    ]),
  );
}

/** A text as the JSON it is, or as it stands. */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text; // it only looked like JSON
  }
}
