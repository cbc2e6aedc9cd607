/** What the fetch thread and an archive worker say to each other. Bodies travel as one transferred buffer. */

import type { Truncation } from "../net/mod.ts";
import type { ScopeOptions } from "../url/mod.ts";
import type { ArchivedExchange, RecordReference } from "../warc/mod.ts";

/** Sent once, when the worker starts. */
export interface WorkerSetup {
  readonly kind: "setup";
  readonly warc?: {
    readonly dir: string;
    readonly prefix: string;
    readonly firstNumber?: number;
    readonly maxBytes: number;
    readonly software: string;
    readonly command: string;
    readonly userAgent: string;
    readonly http: "clean" | "raw";
    readonly cdx: boolean;
    readonly dedup: boolean;
  };
  readonly scope: ScopeOptions;
  /** Pages this deep offer no links. */
  readonly maxDepth: number;
  readonly obeyRobotsMeta: boolean;
  /** Whether what sitemaps list is offered. @default false */
  readonly sitemaps?: boolean;
  /** Whether pages are come back to. @default false */
  readonly recrawl?: boolean;
  /** Whether pages are read for digest, links and directives, or only archived. */
  readonly readPages: boolean;
  /** Milliseconds that written records may wait for their fsync. */
  readonly syncMs: number;
}

/** One exchange inside a batch; its bytes follow each other in the batch's buffer. */
export interface PageMeta {
  /** The lease's id; -1 for robots.txt, which has none. */
  readonly id: number;
  readonly url: string;
  readonly depth: number;
  /** The lease's: sitemaps between it and its site. */
  readonly listed?: number;
  /** Of a page that was visited before: the record that holds what it had, and when that was, unix ms. */
  readonly refersTo?: ArchivedExchange["refersTo"];
  readonly visited?: number;
  readonly date: number;
  readonly ip: string;
  readonly status: number;
  readonly truncated?: Truncation;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly location: string;
  readonly robotsTag: string;
  /** Lengths of request, head, body and wire bytes, in this order in the buffer. */
  readonly lengths: readonly [number, number, number, number];
}

export interface PageBatch {
  readonly kind: "pages";
  /** JSON of {@linkcode PageMeta}[]: a flat string crosses threads cheaper than objects. */
  readonly metas: string;
  readonly bytes: ArrayBuffer;
}

/** What a page came to; in the same order as sent, once it is durable. */
export interface PageResult {
  readonly id: number;
  readonly digest: string;
  readonly links: number;
  readonly redirect?: string;
  /** Whether it is a sitemap. */
  readonly sitemap?: true;
  readonly file: string;
  readonly offset: number;
  /** Bytes of the record's gzip member. */
  readonly length: number;
  /** With its `sha1:`, or empty. */
  readonly payloadDigest: string;
  readonly type: "response" | "revisit" | "";
  /** The record that holds the payload, where the crawl comes back to pages. */
  readonly payloadRecord?: RecordReference;
  /** Where its outlinks lie in the message's buffer: start and end. */
  readonly outlinks: readonly [number, number];
  /** The same of the URLs that a sitemap lists: of its own site, and of others. */
  readonly listed?: readonly [number, number];
  readonly listedElsewhere?: readonly [number, number];
  /** And of lines that name a URL that a sitemap says has changed since it was read last, and when. */
  readonly modified?: readonly [number, number];
  /** Wire size of the exchange as batched, for the queue's books. */
  readonly size: number;
}

export interface DurableResults {
  readonly kind: "durable";
  /** JSON of {@linkcode PageResult}[]. */
  readonly results: string;
  readonly outlinks: ArrayBuffer;
  /** Totals since the start. */
  readonly busyMs: number;
  readonly files: number;
  /** Payloads that other writers may now refer to, as the WARC room packs them. */
  readonly learned: Uint8Array<ArrayBuffer>;
}

export type ToWorker =
  | WorkerSetup
  | PageBatch
  | { readonly kind: "learn"; readonly entries: Uint8Array<ArrayBuffer> }
  | { readonly kind: "finish" };

export type FromWorker =
  | DurableResults
  | { readonly kind: "ready" }
  /** A batch's buffer, read and given back. */
  | { readonly kind: "read"; readonly bytes: ArrayBuffer }
  | {
    readonly kind: "sealed";
    readonly file: string;
    readonly bytes: number;
    readonly records: number;
  }
  | { readonly kind: "finished"; readonly files: number; readonly busyMs: number }
  | { readonly kind: "error"; readonly message: string; readonly diskFull: boolean };
