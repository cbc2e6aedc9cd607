/**
 * From what a fetch came to, to a row in a file: through the archive, the renderers and the writers,
 * each of which takes as much at a time as it has room for.
 */

import {
  captureRow,
  decodeRow,
  encodeRow,
  type FailedFetch,
  failureRow,
  type NewCaptureRow,
  NO_ARCHIVE,
  RowBatch,
  type RowSender,
  type SmallRow,
  smallRow,
  type WriterPool,
} from "../capture/mod.ts";
import type { RenderPool } from "../render/mod.ts";
import type { WorkRow } from "../worklist/mod.ts";
import { type Archived, type Archiver, pickHeaders } from "./archiver.ts";
import type { Fetched } from "./fetcher.ts";
import { directivesOf } from "./page.ts";
import { type AnsweredFacts, encodeFacts } from "./_recrawl_facts.ts";
import type { RecrawlLedger } from "./_recrawl_ledger.ts";
import type { RecrawlStatistics } from "./recrawl_statistics.ts";
import { Settling } from "./_settling.ts";
import { conditionsOf, type Validator } from "./validators.ts";

/** What {@linkcode RecrawlRows} sends rows through. Without writers there are records, but no rows. */
export interface RowWays {
  /** Header lines of every request, as rows keep them. */
  readonly headers: readonly (readonly [string, string])[];
  readonly pool: RenderPool | undefined;
  readonly writers: WriterPool | undefined;
  readonly sender: RowSender | undefined;
  readonly archiver: Archiver | undefined;
  readonly statistics: RecrawlStatistics;
}

/** What {@linkcode RecrawlRows} tells. */
export interface RowEvents {
  /** A row that no writer tells of. */
  onRow(row: SmallRow): void;
  /** There may be room again. */
  onRoom(): void;
  /** What renders or writes is broken. */
  onBroken(error: Error): void;
}

/** Failure rows are sent when they are so many bytes, or after so many ms. */
const BATCH_BYTES = 64 * 1024, BATCH_MS = 100;
/** Without a row for so many ms, none is under way to writers that answer. */
const GIVE_UP = 10_000;
const NOTHING = new Uint8Array(0);

/** An answer on its way to its row. */
interface Answer {
  readonly row: WorkRow;
  readonly facts: AnsweredFacts;
  readonly url: string;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: Uint8Array;
}

/** Makes rows of fetches and sees them to the files. */
export class RecrawlRows {
  #ways: RowWays;
  #ledger: RecrawlLedger;
  #events: RowEvents;
  /** Pages for which the render queue has no room yet. */
  #crowded = 0;
  #batch = new RowBatch();
  #batchTimer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();
  #archiving = new Map<number, Answer>();
  #nextId = 0;
  #settling = new Settling();

  constructor(ways: RowWays, ledger: RecrawlLedger, events: RowEvents) {
    this.#ways = ways;
    this.#ledger = ledger;
    this.#events = events;
  }

  /** Whether nothing more is to be fetched for now. */
  get full(): boolean {
    return this.#crowded > 0 || (this.#ways.archiver?.full ?? false);
  }

  /** A row was answered. */
  answered(row: WorkRow, fetched: Fetched, validator: Validator | undefined): void {
    const { statistics, archiver, headers } = this.#ways;
    const x = fetched.hops.at(-1)!;
    this.#ledger.end(row, true);
    const { contentType, contentEncoding, robotsTag } = pickHeaders(x);
    statistics.fetched++;
    statistics.bodyBytes += x.body.length;
    const unchanged = x.status === 304;
    if (unchanged) statistics.unchanged++;
    const known = validator?.url === x.url.href ? validator : undefined;
    const conditions = conditionsOf(known);
    // without conditions a 304 speaks of nothing that we have
    const asked = conditions.length > 0 ? known : undefined;
    const robotsMeta = directivesOf(robotsTag);
    const answer: Answer = {
      row,
      url: x.url.href,
      contentType,
      contentEncoding,
      body: x.body,
      facts: {
        url: row.url,
        host: row.host,
        fetchedAt: fetched.date,
        durationMs: fetched.durationMs,
        ip: x.ip,
        requestHeaders: [["host", x.url.host], ...headers, ...conditions],
        redirects: fetched.hops.slice(0, -1).map((hop, i) => ({
          status: hop.status,
          url: fetched.hops[i + 1]!.url.href,
        })),
        position: { part: row.part, row: row.row },
        status: x.status,
        headers: x.headers,
        ttfbMs: x.firstByteAt - x.sentAt,
        finalUrl: x.url.href === new URL(row.url).href ? row.url : x.url.href,
        ...(x.truncated === undefined ? {} : { truncated: x.truncated }),
        ...(robotsMeta.length === 0 ? {} : { robotsMeta }),
        ...(unchanged && asked !== undefined ? { refersTo: asked } : {}),
      },
    };
    if (archiver === undefined) {
      this.#hand(answer);
      return;
    }
    const id = this.#nextId++;
    this.#archiving.set(id, answer);
    for (const hop of fetched.hops.slice(0, -1)) archiver.push(-1, 0, hop.url.href, hop);
    archiver.push(id, 0, x.url.href, x);
  }

  /** A row was not answered. */
  failed(row: WorkRow, fetched: Fetched): void {
    const { statistics } = this.#ways;
    const { kind, message, reason } = fetched.error!;
    if (kind === "skip" && reason.startsWith("robots")) statistics.disallowed++;
    else statistics.failed(kind, message);
    const last = fetched.hops.at(-1);
    this.#failure(row, {
      fetchedAt: fetched.date,
      durationMs: fetched.durationMs,
      error: kind,
      errorDetail: message,
      ...(last === undefined ? {} : { ip: last.ip }),
      ...(reason === "" ? {} : { reason }),
      redirects: fetched.hops.map((hop) => ({ status: hop.status, url: hop.url.href })),
    });
  }

  /** A row was not asked for. */
  refused(row: WorkRow, detail: string, reason: string): void {
    this.#ways.statistics.failed("skip", detail);
    const at = { fetchedAt: Date.now(), durationMs: 0 };
    this.#failure(row, { ...at, error: "skip", errorDetail: detail, reason });
  }

  /** What is archived and synced: its row knows where, and a run without rows is through with it. */
  durable(pages: readonly Archived[]): void {
    for (const page of pages) {
      const answer = this.#archiving.get(page.id);
      if (answer === undefined) continue; // robots.txt, or a hop
      this.#archiving.delete(page.id);
      const facts: AnsweredFacts = {
        ...answer.facts,
        ...(page.payloadDigest === "" ? {} : { payloadDigest: page.payloadDigest }),
        ...(page.file === "" ? { reason: NO_ARCHIVE } : {
          warc: { file: page.file, offset: page.offset, length: page.length },
        }),
      };
      if (this.#ways.writers !== undefined) this.#hand({ ...answer, facts });
      else {
        this.#tell(captureRow({ ...facts, digest: page.digest, body: NOTHING }));
        this.#ledger.retire(answer.row);
      }
    }
    this.#events.onRoom();
  }

  /**
   * Sees everything to the files and seals them. Each step is taken whatever the others come to.
   *
   * @param broken Whether what renders or writes is, so that there is no use in waiting for it.
   * @returns What went wrong.
   */
  async finish(broken: () => boolean): Promise<Error[]> {
    const { archiver, pool, writers, sender } = this.#ways;
    const errors: Error[] = [];
    const step = (work: () => Promise<unknown>) => work().catch((e) => errors.push(e as Error));
    if (archiver !== undefined) await step(() => archiver.finish());
    await this.#settling.until(() => this.#crowded === 0);
    if (pool !== undefined) await step(() => broken() ? pool.abort() : pool.close());
    if (sender !== undefined) {
      this.#sendBatch();
      await step(async () => {
        await this.#sending;
        await sender.drain();
      });
    }
    if (writers !== undefined) {
      await this.#taken(writers, broken);
      await step(() => writers.close());
    }
    sender?.close();
    return errors;
  }

  /** To the render pool, which sends the row on. */
  #hand(answer: Answer): void {
    const { row, facts, url, contentType, contentEncoding, body } = answer;
    this.#crowded++;
    this.#ways.pool!.push({
      key: `${row.part}:${row.row}:${row.url}`,
      url,
      contentType,
      contentEncoding,
      body,
      rest: encodeFacts(facts),
      render: facts.status !== 304,
      // an archive may have the same bytes
      owned: this.#ways.archiver === undefined,
    }).catch((e) => this.#events.onBroken(e as Error)).then(() => {
      this.#crowded--;
      this.#settling.settle();
      this.#events.onRoom();
    });
  }

  #failure(
    row: WorkRow,
    fetch: Omit<FailedFetch, "url" | "host" | "requestHeaders" | "position">,
  ): void {
    this.#ledger.end(row, false);
    const made = failureRow({
      url: row.url,
      host: row.host,
      requestHeaders: this.#ways.headers,
      position: { part: row.part, row: row.row },
      ...fetch,
    });
    if (this.#ways.sender === undefined) {
      this.#tell(made);
      this.#ledger.retire(row);
      return;
    }
    this.#batch.add(made);
    if (this.#batch.length >= BATCH_BYTES) this.#sendBatch();
    else this.#batchTimer ??= setTimeout(() => this.#sendBatch(), BATCH_MS);
  }

  #sendBatch(): void {
    clearTimeout(this.#batchTimer);
    this.#batchTimer = undefined;
    if (this.#batch.rows === 0) return;
    const batch = this.#batch;
    this.#batch = new RowBatch();
    this.#sending = this.#sending.then(() => this.#ways.sender!.send(batch))
      .catch((e) => this.#events.onBroken(e as Error));
  }

  /** A run that writes no rows still tells of them. */
  #tell(row: NewCaptureRow): void {
    this.#events.onRow(smallRow(decodeRow(encodeRow(row))));
  }

  /** Waits until every row is with a writer: what renders may have ended with rows under way. */
  async #taken(writers: WriterPool, broken: () => boolean): Promise<void> {
    let before = -1, since = performance.now(), answered = false;
    while (writers.error === undefined && !broken()) {
      const rows = writers.figures.writers.reduce((sum, { rows }) => sum + rows, 0);
      if (rows >= this.#ledger.ended) return;
      if (rows !== before) {
        since = performance.now();
        answered = false;
      } else if (performance.now() - since > GIVE_UP) {
        if (answered) return;
        // One may be at a slow disk all the while, its rows behind that: it seals when it is through.
        await writers.seal().catch(() => {/* told by closing them */});
        since = performance.now();
        answered = true;
      }
      before = rows;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
