/**
 * The index format before CDXJ: eleven fields a line, divided by blanks.
 *
 * @module
 */

import { asciiWord } from "./_bytes.ts";
import type { CdxjEntry } from "./cdxj.ts";

/**
 * The line that says which fields there are
 * (https://iipc.github.io/warc-specifications/specifications/cdx-format/cdx-2015/). Its leading blank
 * sorts it before all others.
 */
export const CDX11_HEADER = " CDX N b a m s k r M S V g";

/**
 * An entry as a line, without a line end; ASCII only. What is not known is `-`; the digest stands
 * without its algorithm where that is SHA-1, as readers of the format expect it.
 */
export function cdx11Line(entry: CdxjEntry): string {
  const digest = entry.digest.replace(/^sha1:/i, "");
  return [
    entry.key,
    entry.timestamp,
    entry.url,
    entry.mime,
    entry.status,
    digest,
    "", // redirect
    "", // meta tags
    String(entry.length),
    String(entry.offset),
    entry.filename,
  ].map(asciiWord).join(" ");
}
