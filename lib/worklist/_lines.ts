/**
 * Work lists of one URL or one JSON object a line.
 *
 * @module
 */

import type { FailureFilter } from "./_failures.ts";
import type { Part, PartRows } from "./_part.ts";

/** No URL is as long; what is longer is passed over without being kept. */
const MAX_LINE = 1 << 20;
const SLICE = 4096;

/** How a line becomes a value. */
export type LineFormat = "text" | "jsonl";

/**
 * A file of lines as a part. Rows are its lines, with blank ones and, in text, comments (`#`) left out.
 * To come to a row the lines before it are read.
 *
 * @param field Which of a JSON object's holds the URL.
 * @param failed Takes the JSON objects alone whose `error` is asked for.
 */
export function linesPart(
  name: string,
  format: LineFormat | undefined,
  open: () => AsyncIterable<Uint8Array>,
  field = "url",
  failed?: FailureFilter,
): Part {
  return {
    name,
    async *read(wanted) {
      let row = 0;
      let next = 0;
      let start = 0;
      let values: (string | undefined | null)[] = [];
      const take = (): PartRows => {
        const rows = { row: start, values };
        values = [];
        return rows;
      };
      for await (const line of readLines(open())) {
        const value = parse(line, format, field, failed);
        if (value === NOTHING) continue;
        while (next < wanted.length && row >= wanted[next]!.end) next++;
        if (next === wanted.length) break;
        if (row >= wanted[next]!.start) {
          if (values.length === SLICE || (values.length > 0 && start + values.length !== row)) {
            yield take();
          }
          if (values.length === 0) start = row;
          values.push(value);
        }
        row++;
      }
      if (values.length > 0) yield take();
    },
  };
}

const NOTHING = Symbol();
const decoder = new TextDecoder();

function parse(
  line: Uint8Array | undefined,
  format: LineFormat | undefined,
  field: string,
  failed: FailureFilter | undefined,
): string | undefined | null | typeof NOTHING {
  if (line === undefined) return undefined;
  let start = 0;
  let end = line.length;
  while (start < end && isSpace(line[start]!)) start++;
  while (end > start && isSpace(line[end - 1]!)) end--;
  if (start === end) return NOTHING;
  const text = decoder.decode(line.subarray(start, end));
  if (format === "text" || (format === undefined && line[start] !== 0x7b)) {
    if (line[start] === 0x23) return NOTHING;
    return failed === undefined ? text : null;
  }
  try {
    const record = JSON.parse(text) as Record<string, unknown> | null;
    if (failed !== undefined && !failed(String(record?.error ?? ""))) return null;
    const value = record?.[field];
    return typeof value === "string" ? value : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 9 && byte <= 13);
}

/**
 * The lines of a text, without their ends and a byte order mark. `undefined` stands for one of more than
 * `most` bytes, which is not kept. Each lasts until the next is asked for.
 *
 * @param most Bytes of the longest line that is given. @default 1 MiB
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  most: number = MAX_LINE,
): AsyncGenerator<Uint8Array | undefined, void, unknown> {
  let kept: Uint8Array = new Uint8Array(0);
  let tooLong = false;
  let first = true;
  const whole = (line: Uint8Array) => {
    // A byte order mark stands before the first line of what some editors save.
    if (first && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3);
    first = false;
    return line;
  };
  for await (const chunk of source) {
    let at = 0;
    for (;;) {
      const end = chunk.indexOf(10, at);
      if (end < 0) break;
      if (tooLong || kept.length + end - at > most) yield undefined;
      else if (kept.length === 0) yield whole(chunk.subarray(at, end));
      else yield whole(join(kept, chunk.subarray(at, end)));
      kept = kept.length > 0 ? new Uint8Array(0) : kept;
      tooLong = false;
      at = end + 1;
    }
    if (tooLong) continue;
    if (kept.length + chunk.length - at > most) {
      tooLong = true;
      kept = new Uint8Array(0);
    } else if (at < chunk.length) kept = join(kept, chunk.subarray(at));
  }
  if (tooLong) yield undefined;
  else if (kept.length > 0) yield whole(kept);
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
