/**
 * Archiving a single fetch.
 *
 * @module
 */

import { surt } from "../url/mod.ts";
import { VERSION } from "../version.ts";
import { type ArchivedExchange, WarcWriter, type WrittenExchange } from "../warc/mod.ts";
import type { Exchange } from "../net/mod.ts";
import { pickHeaders } from "./archiver.ts";
import type { FetchedPage } from "./fetch_page.ts";
import { mimeOf } from "./page.ts";

/** Options of {@linkcode archivePage}. */
export interface ArchivePageOptions {
  /** Folder, made when missing. */
  readonly dir: string;
  /** Beginning of the file's name. @default "ccrawl-crawl" */
  readonly prefix?: string;
  /** Store what readers expect, or the wire bytes whole (the page was fetched with `keepWire`). @default "clean" */
  readonly http?: "clean" | "raw";
  /** Write a `.cdxj` beside the file. @default true */
  readonly cdx?: boolean;
  /** The command, as it goes into warcinfo. @default "ccrawl (library)" */
  readonly command?: string;
}

/**
 * Writes every exchange of a fetch, robots.txt and redirects too, into a WARC file of its own.
 *
 * @returns Where the result went; undefined when the page had no answer.
 * @throws {WarcWriteError} When the folder cannot be written to.
 */
export function archivePage(
  page: FetchedPage,
  options: ArchivePageOptions,
): WrittenExchange | undefined {
  const exchanges = [...page.robotsHops, ...page.hops];
  if (exchanges.length === 0) return undefined;
  using writer = new WarcWriter({
    dir: options.dir,
    prefix: options.prefix ?? "ccrawl-crawl",
    software: `ccrawl/${VERSION}`,
    command: options.command ?? "ccrawl (library)",
    http: options.http ?? "clean",
    cdx: options.cdx ?? true,
    surt,
  });
  let last: WrittenExchange | undefined;
  for (const x of exchanges) last = writer.write(archived(x));
  return page.hops.length > 0 && page.error === undefined ? last : undefined;
}

function archived(x: Exchange): ArchivedExchange {
  const { url, date, ip, request, status, head, body, wire, truncated } = x;
  return {
    url: url.href,
    date,
    ip,
    request,
    status,
    head,
    body,
    mime: mimeOf(pickHeaders(x).contentType),
    ...(wire === undefined ? {} : { wire }),
    ...(truncated === undefined ? {} : { truncated }),
  };
}
