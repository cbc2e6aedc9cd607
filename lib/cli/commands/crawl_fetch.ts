/**
 * `crawl fetch`: one URL, fetched as a crawl would.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { type GlobalOptions, retriesType, timeoutType } from "../options/global.ts";
import { flag, value } from "../options/spec.ts";
import { choice, filePrefix, path, size } from "../options/types.ts";
import { parseUrlArgument } from "./arguments.ts";
import { fetchFields } from "./page_fields.ts";

/** Resolved options of `crawl fetch`. */
export interface CrawlFetchOptions extends GlobalOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly robots: boolean;
  /** Folder to archive into. */
  readonly warcDir: string | undefined;
  readonly warcHttp: "clean" | "raw";
  readonly prefix: string;
  readonly cdx: boolean;
  /** Bytes off the wire. */
  readonly maxBody: number;
  readonly insecure: boolean;
  /** PEM file. */
  readonly caCert: string | undefined;
}

/** Its argument. */
export interface CrawlFetchArguments {
  readonly url: URL;
}

/** The command. */
export const crawlFetch: CommandSpec<CrawlFetchOptions, CrawlFetchArguments> = {
  brief: "Fetch one URL with the crawler's configuration",
  description: [
    "Follows up to 5 redirects and reports the status, the final URL, the content type, the digest " +
    "of the body and the number of links. -o raw writes the decoded body itself.",
  ],
  args: {
    usage: "URL",
    help: "the URL; https:// is added when it has no scheme",
    min: 1,
    max: 1,
    parse: ([url]) => ({ url: parseUrlArgument(url ?? "") }),
  },
  options: {
    robots: flag(false, "Ask robots.txt first, and refuse what it disallows"),
    warcDir: value(path("DIR"), undefined, "Archive the fetch into a WARC file in this folder"),
    warcHttp: value(
      choice(["clean", "raw"]),
      "clean",
      "What a WARC record holds: the answer without its transfer coding, or the wire bytes",
    ),
    prefix: value(filePrefix, "ccrawl-crawl", "Beginning of the WARC file's name"),
    cdx: flag(true, "Write no .cdxj beside the WARC file"),
    maxBody: value(size({ min: 1 }), 10 * 1024 ** 2, "Cut the body at this size"),
    insecure: flag(false, "Accept any certificate"),
    caCert: value(path(), undefined, "Trust the certificates in this PEM file too"),
    timeout: value(timeoutType, 30_000, "Budget of the fetch with its retries and redirects"),
    retries: value(retriesType, 2, "Retries after a transport failure; a status is an answer"),
  },
  fields: fetchFields,
  raw: true,
  examples: [
    ["ccrawl crawl fetch https://golang.org/ -o json", "the record of one page"],
    ["ccrawl crawl fetch example.com", "https:// is added"],
    ["ccrawl crawl fetch https://example.com/ --robots", "ask robots.txt first"],
    ["ccrawl crawl fetch https://example.com/ --warc-dir warc/", "archive it"],
    ["ccrawl crawl fetch https://example.com/ -o raw > page.html", "the body"],
  ],
};
