/**
 * A record on its way out, before anything costly was asked of it.
 *
 * @module
 */

import type { Payload } from "./_payload.ts";
import type { ParsedRecord } from "./types.ts";

/** What of a page is known without looking at its payload. */
export interface Known {
  readonly title?: string;
  readonly text?: string;
  readonly markdown?: string;
  readonly wordCount?: number;
  readonly language?: string;
  readonly confidence?: number;
  readonly base?: string | undefined;
  /** Links as the page has them. */
  readonly links?: readonly string[];
}

/** A record with the ways to the rest of it. */
export interface Item {
  /** The fields that every record has. */
  readonly record: ParsedRecord;
  /** The fields that `meta` adds. */
  meta(): Pick<ParsedRecord, "warc_headers" | "http_headers" | "metadata">;
  /** What it holds; nothing for a record without a payload of its own. */
  payload(): Payload | undefined;
  readonly known: Known;
}
