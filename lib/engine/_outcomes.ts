/** What became of pages: between answer and durable record, and between that and the frontier's books. */

import type { Exchange, FetchError } from "../net/mod.ts";
import type { Completion, Frontier, LeasedUrl } from "../frontier/mod.ts";
import { acceptedLinks, acceptsRedirect } from "./_accept.ts";
import { type Archived, pickHeaders } from "./archiver.ts";
import type { FilledCrawlOptions } from "./crawl_options.ts";
import {
  encodeMemo,
  isAskedOnCondition,
  judgeVisit,
  type PageMemo,
  validatorsOf,
  type VisitAnswer,
} from "./_memo.ts";
import { isRedirect } from "./page.ts";
import { type CrawlRecord, rfc3339 } from "./records.ts";
import type { Job } from "./_slots.ts";
import type { CrawlStatistics } from "./statistics.ts";

/** What is kept of a page between its answer and its being durable. */
interface Pending {
  readonly lease: LeasedUrl;
  /** What the archive adds to it stands empty. */
  readonly record: CrawlRecord;
  /** What was known of the page, and what the answer says of itself, where the crawl comes back to pages. */
  readonly visit?: { readonly before: PageMemo | undefined; readonly answer: VisitAnswer };
}

/** Where a page leads. */
type Onward = "outlinks" | "redirect" | "listed" | "listedElsewhere" | "modified";

/** What outcomes work with. */
export interface OutcomeParts {
  readonly options: FilledCrawlOptions;
  readonly frontier: Frontier;
  readonly statistics: CrawlStatistics;
}

/** What the loop hears of outcomes. */
export interface OutcomeHooks {
  /** A page is over, committed, and its record may be told. */
  ended(record: CrawlRecord): void;
  /** A batch is over, committed or not. */
  committed(): void;
  /** The crawl cannot go on; `seal` when what the archive still holds can be sealed. */
  fail(error: Error, seal: boolean): void;
}

/** Sitemaps may list far more than pages link to, and faster than the frontier takes it. */
const MAX_LINK_BYTES = 32 << 20;

function linkBytes({ outlinks, listed, listedElsewhere }: Completion): number {
  return (outlinks?.length ?? 0) + (listed?.length ?? 0) + (listedElsewhere?.length ?? 0);
}

/** Pages that are on their way to the frontier's books. */
export class Outcomes {
  readonly #parts: OutcomeParts;
  readonly #hooks: OutcomeHooks;
  readonly #pending: Map<number, Pending> = new Map();
  #completions: { completion: Completion; record: CrawlRecord }[] = [];
  #completing = 0;
  #uncommitted = 0;
  /** Bytes of links that are on their way. */
  #linkBytes = 0;

  constructor(parts: OutcomeParts, hooks: OutcomeHooks) {
    this.#parts = parts;
    this.#hooks = hooks;
  }

  /** Whether the archive holds no page that has not ended. */
  get archived(): boolean {
    return this.#pending.size === 0;
  }

  /** Whether the frontier knows all there is to know. */
  get booked(): boolean {
    return this.#completing === 0 && this.#completions.length === 0;
  }

  /** Pages that are over and not told yet, as they are not committed. */
  get uncommitted(): number {
    return this.#uncommitted;
  }

  /** Whether so many links are on their way to the frontier that no page should bring more. */
  get full(): boolean {
    return this.#linkBytes >= MAX_LINK_BYTES;
  }

  /** A page was answered: its answer is with the archive now, and it ends when that is durable. */
  answered(job: Job, x: Exchange): void {
    const record = this.#record(job, x);
    this.#uncommitted++;
    this.#pending.set(job.lease.id, {
      lease: job.lease,
      record,
      ...(this.#parts.options.recrawl === undefined ? {} : {
        visit: {
          before: job.memo,
          answer: {
            status: x.status,
            date: x.date,
            truncated: x.truncated !== undefined,
            target: record.redirect_to,
            ...validatorsOf(x),
          },
        },
      }),
    });
  }

  #record(job: Job, x: Exchange): CrawlRecord {
    const { contentType, location } = pickHeaders(x);
    const target = isRedirect(x.status) && location !== ""
      ? URL.parse(location, x.url)?.href ?? ""
      : "";
    return {
      url: job.lease.url,
      final_url: job.lease.url,
      status: x.status,
      content_type: contentType,
      digest: "",
      body_size: x.body.length,
      link_count: 0,
      depth: job.lease.depth,
      redirect_to: target,
      fetched_at: rfc3339(x.date),
      duration_ms: Math.round(x.endedAt - (job.startedAt ?? x.sentAt)),
      warc_file: "",
      warc_offset: 0,
      error: "",
      error_detail: "",
    };
  }

  /** Ends a page that was given up unanswered. */
  failed(job: Job, { kind, message }: FetchError): void {
    this.#parts.statistics.failed(kind, message);
    this.#unanswered(job, { outcome: "failed", error: kind, reason: "" }, message);
  }

  /** Ends a page that was not asked for. */
  skipped(job: Job, reason: string, detail: string): void {
    if (reason === "robots") this.#parts.statistics.disallowed++;
    this.#unanswered(job, { outcome: "skipped", error: "skip", reason }, detail);
  }

  #unanswered(
    job: Job,
    why: Pick<Completion, "outcome" | "error" | "reason">,
    detail: string,
  ): void {
    const now = performance.now();
    this.#uncommitted++;
    this.#completions.push({
      completion: {
        id: job.lease.id,
        ...why,
        status: 0,
        warcFile: "",
        warcOffset: 0,
      },
      record: {
        url: job.lease.url,
        final_url: job.lease.url,
        status: 0,
        content_type: "",
        digest: "",
        body_size: 0,
        link_count: 0,
        depth: job.lease.depth,
        redirect_to: "",
        fetched_at: rfc3339(this.#parts.frontier.now() + (job.startedAt ?? now) - now),
        duration_ms: Math.round(now - (job.startedAt ?? now)),
        warc_file: "",
        warc_offset: 0,
        error: why.error,
        error_detail: detail,
      },
    });
    if (this.#completions.length === 1) queueMicrotask(() => this.#complete());
  }

  /** Pages whose records are synced: complete them, then yield them. */
  durable(pages: readonly Archived[]): void {
    const { statistics, options } = this.#parts;
    const archived = options.warc !== undefined;
    for (const page of pages) {
      const pending = this.#pending.get(page.id);
      if (pending === undefined) continue; // robots.txt
      this.#pending.delete(page.id);
      const { lease, record, visit } = pending;
      const unchanged = record.status === 304 && isAskedOnCondition(visit?.before);
      const onward = this.#onward(page, lease);
      if (onward === undefined) break; // what is not completed is fetched again by the next run
      statistics.fetched++;
      statistics.bodyBytes += record.body_size;
      const visited = visit && judgeVisit(visit.before, visit.answer, page, archived);
      if (visit?.before !== undefined) statistics.revisited(record.status, visited!.verdict);
      if (page.sitemap) {
        statistics.sitemaps.read++;
        statistics.sitemaps.listed += page.links;
      }
      this.#completions.push({
        completion: {
          id: lease.id,
          outcome: "done",
          status: record.status,
          error: "",
          // the page itself asked for it, or else there is no archive at all
          reason: page.file === "" && archived ? "noarchive" : "",
          warcFile: page.file,
          warcOffset: page.offset,
          ...onward,
          ...(visited === undefined ? {} : { verdict: visited.verdict }),
          ...(visited?.memo === undefined ? {} : { memo: encodeMemo(visited.memo) }),
        },
        record: {
          ...record,
          digest: unchanged ? visit!.before!.digest : page.digest,
          link_count: page.links,
          warc_file: page.file,
          warc_offset: page.offset,
        },
      });
    }
    this.#complete();
  }

  /** Where a page leads; undefined where the caller's own word on it could not be had. */
  #onward(
    page: Archived,
    lease: LeasedUrl,
  ): Pick<Completion, Onward> | undefined {
    const { accept } = this.#parts.options;
    let { outlinkBytes: outlinks, listedBytes: listed, elsewhereBytes: elsewhere, redirect } = page;
    if (accept !== undefined) {
      try {
        outlinks = acceptedLinks(outlinks, lease, accept);
        const sitemap = { url: lease.url, depth: lease.depth - 1 }; // it lists at its own depth
        listed &&= acceptedLinks(listed, sitemap, accept);
        elsewhere &&= acceptedLinks(elsewhere, sitemap, accept);
        if (redirect !== undefined && !acceptsRedirect(redirect, lease, accept)) {
          redirect = undefined;
        }
      } catch (e) {
        this.#hooks.fail(e as Error, true);
        return undefined;
      }
    }
    return {
      ...(outlinks.length > 0 ? { outlinks } : {}),
      ...(listed === undefined ? {} : { listed }),
      ...(page.modifiedBytes === undefined ? {} : { modified: page.modifiedBytes }),
      ...(elsewhere === undefined ? {} : { listedElsewhere: elsewhere }),
      ...(redirect === undefined ? {} : { redirect }),
    };
  }

  #complete(): void {
    if (this.#completions.length === 0) return;
    const batch = this.#completions;
    const bytes = batch.reduce((sum, { completion }) => sum + linkBytes(completion), 0);
    this.#linkBytes += bytes;
    this.#completions = [];
    this.#completing++;
    const { frontier, statistics } = this.#parts;
    frontier.complete(batch.map(({ completion }) => completion)).then(() => {
      this.#completing--;
      this.#linkBytes -= bytes;
      for (const { completion, record } of batch) {
        if (completion.outcome === "done") statistics.answered++;
        statistics.records++;
        this.#uncommitted--;
        this.#hooks.ended(record);
      }
      this.#hooks.committed();
    }, (e) => {
      this.#completing--;
      this.#hooks.fail(e as Error, false);
      this.#hooks.committed();
    });
  }
}
