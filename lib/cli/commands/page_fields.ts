/**
 * Fields of a page's record, as `crawl fetch` and `crawl run` write it.
 *
 * @module
 */

import type { FieldSpec } from "../output/fields.ts";

const DEPTH: FieldSpec = {
  name: "depth",
  type: "integer",
  help: "links followed from a seed",
};

const FIELDS: readonly FieldSpec[] = [
  { name: "url", type: "string", help: "URL asked for" },
  {
    name: "final_url",
    type: "string",
    help: "URL after redirects, empty when it did not move",
    table: false,
  },
  { name: "status", type: "integer", help: "HTTP status, 0 when there was no answer" },
  { name: "content_type", type: "string", help: "Content-Type as served" },
  { name: "digest", type: "string", help: "base32 SHA-1 of the decoded body", table: false },
  { name: "body_size", type: "integer", help: "bytes of the body as served" },
  { name: "link_count", type: "integer", help: "links on the page" },
  { name: "redirect_to", type: "string", help: "target of a redirect", table: false },
  { name: "fetched_at", type: "string", help: "when, RFC 3339 UTC", table: false },
  { name: "duration_ms", type: "integer", help: "milliseconds from request to last byte" },
  { name: "warc_file", type: "string", help: "WARC file that holds the record", table: false },
  { name: "warc_offset", type: "integer", help: "byte offset of the record in it", table: false },
  {
    name: "error",
    type: "string",
    help: "dns, timeout, refused, tls, skip or other; empty when answered",
  },
  { name: "error_detail", type: "string", help: "what the failure was", table: false },
];

/** Fields of `crawl fetch`. */
export const fetchFields: readonly FieldSpec[] = FIELDS;

/** Fields of `crawl run`: `depth` stands after `link_count`. */
export const runFields: readonly FieldSpec[] = FIELDS.flatMap((field) =>
  field.name === "link_count" ? [field, DEPTH] : [field]
);
