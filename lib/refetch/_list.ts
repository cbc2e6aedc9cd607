/**
 * Which pages of a shard are fetched again.
 *
 * @module
 */

import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { parse, type ParseDamage, type ParseOptions } from "../parse/mod.ts";
import type { Ledger } from "./ledger.ts";

/** What is taken of a shard. */
export interface Choice {
  /** Every response's URL, not only those of HTML pages that answered with 2xx. */
  readonly all: boolean;
  /** Pages in these languages, by their ISO 639-3 codes; empty for any. */
  readonly languages: readonly string[];
  /** One page of those that have the same payload digest. */
  readonly dedupDigest: boolean;
}

const PAGES: ParseOptions = {
  statuses: [{ first: 200, last: 299 }],
  mimes: ["text/html", "application/xhtml+xml"],
};
/** Characters that are written together. */
const PIECE = 1 << 16;

/** A choice in words, by which it is known again. */
export function describeChoice({ all, languages, dedupDigest }: Choice): string {
  const parts = [
    all ? "with --all" : "",
    languages.length > 0 ? `with --lang ${languages.toSorted().join(",")}` : "",
    dedupDigest ? "with --dedup-digest" : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "without --all, --lang and --dedup-digest" : parts.join(" and ");
}

/**
 * Writes the list of a shard's URLs, each once and none that another shard of the folder has, through a
 * temporary file.
 */
export async function writeList(
  shard: { readonly name: string; readonly path: string; readonly list: string },
  choice: Choice,
  ledger: Ledger,
  options: {
    readonly workers?: number;
    readonly onDamage: (damage: ParseDamage) => void;
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const { signal } = options;
  await ledger.choose(shard.name, async (isNew) => {
    let urls = 0, leftOut = 0, text = "";
    const fd = openSync(`${shard.list}.tmp`, "w");
    try {
      const flush = () => {
        for (let bytes = new TextEncoder().encode(text); bytes.length > 0;) {
          bytes = bytes.subarray(writeSync(fd, bytes));
        }
        text = "";
      };
      const pages = parse([shard.path], {
        ...options,
        ...(choice.all ? {} : PAGES),
        types: ["response"],
        ...(choice.languages.length === 0 ? {} : { languages: choice.languages }),
      });
      for await (const { record } of pages) {
        const url = URL.parse(record.url);
        if (url === null || !/^https?:$/.test(url.protocol)) continue;
        const digest = choice.dedupDigest ? record.payload_digest : "";
        if (!isNew(`url ${url.href}`) || (digest !== "" && !isNew(`digest ${digest}`))) {
          leftOut++;
          continue;
        }
        urls++;
        text += `${url.href}\n`;
        if (text.length >= PIECE) flush();
      }
      signal?.throwIfAborted(); // a list that was broken off is none
      flush();
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return { urls, leftOut };
  });
  renameSync(`${shard.list}.tmp`, shard.list);
}
