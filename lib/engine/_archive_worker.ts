/**
 * The archive worker: reads each answer, writes it to WARC, and reports it once it is durable.
 * It is the only thread that compresses and digests; the fetch thread never waits for it save by
 * the queue's byte bound.
 */

import { mimeOf, type PageFacts, readPage } from "./page.ts";
import type {
  FromWorker,
  PageBatch,
  PageMeta,
  PageResult,
  ToWorker,
  WorkerSetup,
} from "./_protocol.ts";
import { isDiskFull } from "./errors.ts";
import { type ListingRules, listingRules, siteOf, staysOnSite } from "./_sitemaps.ts";
import { Scope, surt, trapReason } from "../url/mod.ts";
import { WarcWriter } from "../warc/mod.ts";

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  close(): void;
};

/** Results held back for one fsync at most; a sync is forced when so many wait, or so many bytes of links. */
const MAX_UNSYNCED = 512, MAX_LINK_BYTES = 4 << 20;
/** A sitemap may say of a page only on what day it was changed. */
const DAY = 86_400_000;
/** The pages that are said to have changed since the sitemap was read last, each with when that was. */
function modifiedSince(
  visited: number | undefined,
  urls: readonly string[],
  lastmods: ReadonlyMap<string, number> | undefined,
): string[] {
  const lines: string[] = [];
  if (visited === undefined || lastmods === undefined) return lines;
  for (const url of urls) {
    const at = lastmods.get(url);
    if (at !== undefined && at > visited - DAY) lines.push(`${url}\t${at}`);
  }
  return lines;
}
const encoder = new TextEncoder();
const NOTHING = [0, 0] as const;

class Archive {
  #setup: WorkerSetup;
  #scope: Scope;
  #warc: WarcWriter | undefined;
  #results: PageResult[] = [];
  #outlinks: Uint8Array[] = [];
  #outlinkBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #busyMs = 0;
  #files = 0;
  #failed = false;

  constructor(setup: WorkerSetup) {
    this.#setup = setup;
    this.#scope = new Scope(setup.scope);
    if (setup.warc === undefined) return;
    this.#warc = new WarcWriter({
      ...setup.warc,
      surt,
      onSealed: ({ file, bytes, exchanges }) => {
        this.#files++;
        scope.postMessage({ kind: "sealed", file, bytes, records: exchanges });
      },
    });
  }

  /** Runs one message's work; a failure is told once and ends all further work. */
  guard(work: () => void): void {
    if (this.#failed) return;
    const start = performance.now();
    try {
      work();
    } catch (e) {
      this.#failed = true;
      this.#salvage();
      const error = e as Error;
      scope.postMessage({ kind: "error", message: error.message, diskFull: isDiskFull(error) });
    }
    this.#busyMs += performance.now() - start;
  }

  /** What was written before a failure is kept, as far as the disk lets us. */
  #salvage(): void {
    clearTimeout(this.#timer);
    try {
      this.flush();
      this.#warc?.close();
    } catch {
      // The failure that is being told stands; the next run repairs the file.
    }
  }

  pages(batch: PageBatch): void {
    const metas = JSON.parse(batch.metas) as PageMeta[];
    const bytes = new Uint8Array(batch.bytes);
    let at = 0;
    const take = (length: number) => bytes.subarray(at, at += length);
    for (const meta of metas) {
      const [requestLength, headLength, bodyLength, wireLength] = meta.lengths;
      this.#page(meta, take(requestLength), take(headLength), take(bodyLength), take(wireLength));
      if (this.#outlinkBytes >= MAX_LINK_BYTES) this.flush();
    }
    scope.postMessage({ kind: "read", bytes: batch.bytes }, [batch.bytes]);
    if (this.#results.length >= MAX_UNSYNCED || this.#warc === undefined) this.flush();
    else this.#timer ??= setTimeout(() => this.guard(() => this.flush()), this.#setup.syncMs);
  }

  #page(
    meta: PageMeta,
    request: Uint8Array,
    head: Uint8Array,
    body: Uint8Array,
    wire: Uint8Array,
  ): void {
    const robots = meta.id < 0 || !this.#setup.readPages;
    // directives decide about the record only where they are obeyed: else its digest is read, not made again
    const listing = listingRules(meta.depth, meta.listed ?? 0);
    const page = {
      ...meta,
      body,
      ...(this.#setup.sitemaps === true ? { sitemap: { expected: listing.expected } } : {}),
    };
    const early = this.#setup.obeyRobotsMeta && !robots ? readPage(page) : undefined;
    const obey = (word: string) =>
      early !== undefined && (early.directives.includes(word) || early.directives.includes("none"));
    const written = this.#warc === undefined || obey("noarchive") ? undefined : this.#warc.write({
      url: meta.url,
      date: meta.date,
      ip: meta.ip,
      request,
      status: meta.status,
      head,
      body,
      mime: mimeOf(meta.contentType),
      ...(wire.length > 0 ? { wire } : {}),
      ...(meta.truncated === undefined ? {} : { truncated: meta.truncated }),
      ...(meta.refersTo === undefined ? {} : { refersTo: meta.refersTo }),
    });
    const facts = robots ? undefined : early ?? readPage({
      ...page,
      ...(written !== undefined && wire.length === 0 && written.payloadDigest !== ""
        ? { bodyDigest: written.payloadDigest.slice("sha1:".length) }
        : {}),
    });
    this.#results.push({
      id: meta.id,
      digest: facts?.digest ?? "",
      links: facts?.links.length ?? 0,
      file: written?.file ?? "",
      offset: written?.offset ?? 0,
      length: written?.length ?? 0,
      payloadDigest: written?.payloadDigest ?? "",
      type: written?.type ?? "",
      ...(this.#setup.recrawl === true && written?.payloadRecord !== undefined && !robots
        ? { payloadRecord: written.payloadRecord }
        : {}),
      ...(facts === undefined || obey("nofollow")
        ? { outlinks: NOTHING }
        : this.#linksOf(meta, facts, listing)),
      ...(facts?.sitemap === undefined ? {} : { sitemap: true }),
      size: request.length + head.length + body.length + wire.length,
      ...this.#redirectOf(meta, facts),
    });
  }

  #linksOf(
    meta: PageMeta,
    { links, sitemap, lastmods }: PageFacts,
    listing: ListingRules,
  ): Pick<PageResult, "outlinks" | "listed" | "listedElsewhere" | "modified"> {
    const follows = meta.depth < this.#setup.maxDepth;
    if (sitemap === undefined || !listing.others) {
      return { outlinks: follows ? this.#pack(this.#inScope(links)) : NOTHING };
    }
    const site = siteOf(meta.url);
    const own: string[] = [], others: string[] = [];
    for (const link of links) (listing.own && siteOf(link) === site ? own : others).push(link);
    // What is to be fetched is said of pages, and sitemaps are how to come to them.
    const listed = sitemap === "index"
      ? own.filter((link) => trapReason(link) === undefined && this.#scope.admitsSeed(link))
      : this.#inScope(own);
    const elsewhere = this.#pack(this.#inScope(others));
    return {
      outlinks: follows ? elsewhere : NOTHING,
      listed: this.#pack(listed),
      listedElsewhere: elsewhere,
      ...(this.#setup.recrawl === true
        ? { modified: this.#pack(modifiedSince(meta.visited, own, lastmods)) }
        : {}),
    };
  }

  #inScope(links: readonly string[]): readonly string[] {
    return links.filter((link) => trapReason(link) === undefined && this.#scope.inScope(link));
  }

  #pack(links: readonly string[]): readonly [number, number] {
    if (links.length === 0) return NOTHING;
    const bytes = encoder.encode(links.join("\n"));
    const start = this.#outlinkBytes;
    this.#outlinks.push(bytes);
    this.#outlinkBytes += bytes.length;
    return [start, this.#outlinkBytes];
  }

  /** A seed's redirect is followed wherever it leads (but never into another shard), a sitemap's on its site. */
  #redirectOf(meta: PageMeta, facts: PageFacts | undefined): { redirect?: string } {
    const redirect = facts?.redirect;
    if (redirect === undefined || trapReason(redirect) !== undefined) return {};
    const { listed } = meta;
    if (listed !== undefined && !staysOnSite(meta.url, redirect, listed)) return {};
    const inScope = meta.depth === 0 && (listed === undefined || listingRules(0, listed).expected)
      ? this.#scope.admitsSeed(redirect)
      : this.#scope.inScope(redirect);
    return inScope ? { redirect } : {};
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const start = performance.now();
    this.#warc?.sync();
    const outlinks = new Uint8Array(this.#outlinkBytes);
    let at = 0;
    for (const bytes of this.#outlinks) {
      outlinks.set(bytes, at);
      at += bytes.length;
    }
    scope.postMessage({
      kind: "durable",
      results: JSON.stringify(this.#results),
      outlinks: outlinks.buffer,
      busyMs: this.#busyMs + performance.now() - start,
      files: this.#files,
      learned: this.#warc?.drainDurable() ?? new Uint8Array(0),
    }, [outlinks.buffer]);
    this.#results = [];
    this.#outlinks = [];
    this.#outlinkBytes = 0;
  }

  learn(entries: Uint8Array): void {
    this.#warc?.learn(entries);
  }

  get totals(): { files: number; busyMs: number } {
    return { files: this.#files, busyMs: this.#busyMs };
  }

  finish(): void {
    this.flush();
    this.#warc?.close();
    this.#warc = undefined;
  }
}

let archive: Archive | undefined;

scope.onmessage = ({ data }) => {
  if (data.kind === "setup") {
    try {
      archive = new Archive(data);
      scope.postMessage({ kind: "ready" });
    } catch (e) {
      const error = e as Error;
      scope.postMessage({ kind: "error", message: error.message, diskFull: isDiskFull(error) });
    }
    return;
  }
  if (archive === undefined) return;
  const current = archive;
  if (data.kind === "pages") current.guard(() => current.pages(data));
  else if (data.kind === "learn") current.guard(() => current.learn(data.entries));
  else {
    current.guard(() => current.finish());
    scope.postMessage({ kind: "finished", ...current.totals });
    scope.close();
  }
};
