/**
 * The records that a fetch and a crawl give, one a page.
 *
 * @module
 */

/** One page of `crawl run` or `crawl fetch`, in the order of its columns. */
export interface CrawlRecord {
  /** URL asked for, canonical in a crawl. */
  readonly url: string;
  /** URL that the answer belongs to; a crawl takes a redirect's target as a page of its own. */
  readonly final_url: string;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Content-Type as served; empty where none was sent. */
  readonly content_type: string;
  /** Base32 SHA-1 of the decoded body; empty where there was no answer. */
  readonly digest: string;
  /** Bytes of the body as served, transfer coding removed. */
  readonly body_size: number;
  /** Distinct http and https links on the page. */
  readonly link_count: number;
  /** Links followed from a seed; absent in `crawl fetch`. */
  readonly depth?: number;
  /** Where a 3xx that was not followed in place points to; empty otherwise. */
  readonly redirect_to: string;
  /** RFC 3339, UTC. */
  readonly fetched_at: string;
  /** Milliseconds from the first request to the end of the answer, retries and hops counted in. */
  readonly duration_ms: number;
  /**
   * Name of the archive file that holds the record, without its folder; empty where none was
   * written.
   */
  readonly warc_file: string;
  /** Byte offset of the record in that file. */
  readonly warc_offset: number;
  /** `dns`, `timeout`, `refused`, `tls`, `skip`, `other`; empty where there was an answer. */
  readonly error: string;
  /** What happened, in words; for a refusal by robots.txt the line that did it. */
  readonly error_detail: string;
}

/** RFC 3339 in UTC with milliseconds. */
export function rfc3339(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
