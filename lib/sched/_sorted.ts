/**
 * Sorting a snapshot that is in no order, on disk.
 *
 * @module
 */

import { open } from "node:fs/promises";
import { hostOf } from "../url/mod.ts";
import { MergeSort } from "../warc/mod.ts";
import type { BlockColumn, RowBlock } from "./_blocks.ts";
import { type HostSelection, isSelected } from "./key_ranges.ts";

const PIECE = 1 << 20;
/** Of a host, a URL and a digest; what is longer is left out. */
const MOST_LINE = 64 << 10;
const TAB = 9;
const LF = 10;

/**
 * Writes a snapshot's rows to a file as lines of host, URL and digest, sorted.
 *
 * @returns Rows that were left out: no URL of a host, no digest, or too long.
 */
export async function sortRows(
  rows: AsyncIterable<RowBlock>,
  path: string,
  selection: HostSelection,
): Promise<number> {
  const sort = new MergeSort(path);
  let left = 0;
  try {
    for await (const block of rows) {
      for (let i = 0; i < block.count; i++) {
        const digest = text(block.digest, i);
        const given = text(block.url, i);
        const url = PLAIN.test(given) ? given : URL.parse(given)?.href ?? "";
        const host = hostOf(url);
        const line = `${host}\t${url}\t${digest}`;
        if (host === "" || !PLAIN.test(digest) || line.length > MOST_LINE) left++;
        else if (isSelected(host, selection)) sort.add(line);
      }
    }
    sort.finish();
  } finally {
    sort.discard();
  }
  return left;
}

const decoder = new TextDecoder();
/** What a line can hold: visible ASCII. */
const PLAIN = /^[!-~]+$/;

function text({ bytes, starts, ends, at }: BlockColumn, i: number): string {
  return decoder.decode(bytes.subarray(starts[at + i]!, ends[at + i]!));
}

/** The rows of a file that {@linkcode sortRows} wrote, by host and URL. */
export async function* sortedRows(path: string): AsyncGenerator<RowBlock, void, unknown> {
  const file = await open(path, "r");
  try {
    const bytes = new Uint8Array(MOST_LINE + PIECE);
    let kept = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, kept, PIECE);
      if (bytesRead === 0) return;
      const end = kept + bytesRead;
      const behind = bytes.subarray(0, end).lastIndexOf(LF) + 1;
      if (behind > 0) yield blockOf(bytes, behind);
      bytes.copyWithin(0, behind, end);
      kept = end - behind;
    }
  } finally {
    await file.close();
  }
}

function blockOf(bytes: Uint8Array, behind: number): RowBlock {
  let count = 0;
  for (let i = 0; i < behind; i++) if (bytes[i] === LF) count++;
  const [lines, firsts, seconds, stops] = [0, 0, 0, 0].map(() => new Int32Array(count));
  for (let n = 0, at = 0; n < count; n++) {
    lines![n] = at;
    at = firsts![n] = bytes.indexOf(TAB, at);
    at = seconds![n] = bytes.indexOf(TAB, at + 1);
    at = stops![n] = bytes.indexOf(LF, at + 1);
    at++;
  }
  const behindTab = (tabs: Int32Array) => tabs.map((at) => at + 1);
  return {
    count,
    key: { bytes, starts: lines!, ends: seconds!, at: 0 },
    url: { bytes, starts: behindTab(firsts!), ends: seconds!, at: 0 },
    digest: { bytes, starts: behindTab(seconds!), ends: stops!, at: 0 },
  };
}
