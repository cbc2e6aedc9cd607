/**
 * What a worker does with one page, step by step; every step is synchronous and runs guarded.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { isHtml } from "./html.ts";
import { base32 } from "./_base32.ts";
import type { PageOutcome, PoolParts, WorkerPage } from "./pool_types.ts";

/** Most bytes of markup that become text. */
const MOST_MARKUP = 16 * 2 ** 20;

/** What is known of a page before it is rendered. */
export type Prepared = Omit<PageOutcome, "page" | "failed">;

/** A page whose content coding is undone. */
export function prepare(page: WorkerPage, maxDecoded: number, parts: PoolParts): Prepared {
  const { body } = page;
  const { bytes, decoded, truncated, error } = parts.decodeBody(
    body,
    page.contentEncoding,
    maxDecoded,
  );
  return {
    digest: digestOf(decoded ? bytes : body),
    decoded: bytes,
    whole: decoded,
    bounded: truncated,
    decodeError: error ?? "",
    html: bytes.length > 0 && isHtml(page.contentType, bytes),
    charset: "",
    cut: bytes.length > MOST_MARKUP,
  };
}

/** A page of which nothing is looked at. */
export function untouched(page: WorkerPage, reason: string): PageOutcome {
  const coded = page.contentEncoding !== "" && page.body.length > 0;
  return {
    digest: digestOf(page.body),
    decoded: page.body,
    whole: !coded,
    bounded: false,
    decodeError: coded ? reason : "",
    html: false,
    charset: "",
    cut: false,
    failed: reason,
  };
}

/** The text of an HTML page. */
export function textOf(
  page: WorkerPage,
  { decoded }: Prepared,
  parts: PoolParts,
): { readonly text: string; readonly charset: string; readonly source: string } {
  const bytes = decoded.length > MOST_MARKUP ? decoded.subarray(0, MOST_MARKUP) : decoded;
  return parts.decodeText(bytes, page.contentType);
}

function digestOf(bytes: Uint8Array): string {
  return base32(createHash("sha1").update(bytes).digest());
}
