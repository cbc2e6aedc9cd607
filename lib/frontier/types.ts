/**
 * The frontier's verbs, those of crawler-commons' URLFrontier: put discovered URLs, claim URLs by
 * host queue under a lease, complete them, block a host until, set a host's delay, statistics.
 * All verbs are asynchronous and batched, so that an engine may live in a Worker or on another machine.
 *
 * @module
 */

import type { VisitVerdict } from "../tiers/revisit.ts";

/** A URL offered to the frontier. It is in canonical form already. */
export interface DiscoveredUrl {
  /** Absolute, canonical. */
  readonly url: string;
  /** Positive, finite; higher is sooner. Ordered in classes of a factor of two (⌊log2⌋). */
  readonly priority: number;
  /** Links followed from a seed; a seed is 0. */
  readonly depth: number;
  /** Sitemaps between it and the site that it was listed by; see {@linkcode LeasedUrl.listed}. @default 0 */
  readonly listed?: number;
}

/** What became of an offer. */
export interface PutResult {
  /** New URLs that were queued. */
  readonly added: number;
  /** Already known. */
  readonly known: number;
  /**
   * Refused: by `maxUrlsPerHost`, by `sameHost` for a host no seed named, because the host is
   * excluded, or because it is no absolute URL with a host.
   */
  readonly refused: number;
  /**
   * Held until the next sieve: once the seen set has outgrown its memory, whether a URL is new is
   * decided in batches. What comes of it shows in {@linkcode FrontierStats} only.
   */
  readonly staged: number;
}

/** How often the pages of a host are visited, where a crawl comes back. */
export interface HostPace {
  /** Host name, lower case, without a port. */
  readonly host: string;
  /** Milliseconds between two visits, before what they show moves them; 0 for one visit only. */
  readonly intervalMs: number;
}

/** How a crawl comes back to pages. */
export interface RecrawlSettings {
  /**
   * Milliseconds between two visits of a page, for all hosts. @default the host's pace, or that of
   * tier 3
   */
  readonly intervalMs?: number;
}

/** One URL under lease. */
export interface LeasedUrl {
  /** Names the lease in `complete`; unique within this opening of the state. */
  readonly id: number;
  /** As it was put. */
  readonly url: string;
  /** As it was put, or as an operator has set it since. */
  readonly priority: number;
  /** Links followed from a seed. */
  readonly depth: number;
  /** Failed attempts so far (the URL was given back with `again`). */
  readonly attempts: number;
  /**
   * Set for what a sitemap listed, and for sitemaps that a robots.txt named: how many were gone through
   * to come to it, at most 255. Such a URL at depth 0 is no seed: a redirect of it names no host.
   */
  readonly listed?: number;
  /** Set for a page that is visited again: what was last kept about it ({@linkcode Completion.memo}). */
  readonly memo?: Uint8Array;
}

/**
 * A host whose queue has been handed out. While it is leased no other claim returns it, so that the
 * holder alone keeps its clock. The holder gives it back with `releaseHost`.
 */
export interface HostLease {
  /** Host name, lower case, without a port. */
  readonly host: string;
  /** Unix ms before which no page may be asked for. 0 when the host is free now. */
  readonly notBefore: number;
  /** Milliseconds set for this host by `setDelay` (an operator's word); undefined when none is. */
  readonly delayMs?: number;
  /** Numbers the engine keeps about the host: consecutive failed rounds, robots deferrals. */
  readonly failures: number;
  /** Consecutive rounds put off because robots.txt could not be had. */
  readonly deferrals: number;
  /** What is to be fetched, in order. */
  readonly urls: readonly LeasedUrl[];
}

/** How a host is given back. */
export interface HostRelease {
  /** Host of the lease. */
  readonly host: string;
  /** Unix ms before which the host must not be handed out again; 0 for at once. */
  readonly notBefore: number;
  /** Leases of this host not started: they return to the head of their queue, unchanged. */
  readonly unused: readonly number[];
  /** New values of the engine's numbers; unchanged where left out. Persisted. */
  readonly failures?: number;
  /** New count of robots deferrals. */
  readonly deferrals?: number;
  /**
   * Leave the host out for good: every URL queued, and any put later, ends as `skipped` with class
   * `skip` and this reason.
   */
  readonly exclude?: string;
}

/**
 * The end of one lease. `done` is an answered fetch (counts towards `answered`); `failed` was not
 * answered and is given up; `skipped` was refused by robots or by ourselves; `again` puts the URL
 * back at the end of its queue with `attempts` one higher.
 */
export interface Completion {
  /** Id of the lease. */
  readonly id: number;
  /** What became of it. */
  readonly outcome: "done" | "failed" | "skipped" | "again";
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Class and reason of a failure or refusal (`dns`, `timeout`, …; `robots`, …); empty otherwise. */
  readonly error: string;
  /** Words for people; empty where there are none. */
  readonly reason: string;
  /** Where its record is; empty and 0 when none was written. */
  readonly warcFile: string;
  /** Byte offset in `warcFile`. */
  readonly warcOffset: number;
  /**
   * Canonical URLs found on the page and in scope, joined by "\n", UTF-8; put at `depth + 1` and half
   * the priority in the same transaction. Undefined or empty for none.
   */
  readonly outlinks?: Uint8Array;
  /**
   * The same for URLs that the page, a sitemap, listed of its own site: put at the same depth and half
   * the priority, `listed` one higher.
   */
  readonly listed?: Uint8Array;
  /** And for those that it listed of others: put like `listed` where a seed has named their host. */
  readonly listedElsewhere?: Uint8Array;
  /** Where the page was visited before: whether it has changed since. @default "unknown" */
  readonly verdict?: VisitVerdict;
  /** What to keep about it for its next visit, in place of what was kept before. */
  readonly memo?: Uint8Array;
  /**
   * Pages that a sitemap says have changed: a line each of the canonical URL, a tab, Unix ms. Those
   * last visited before are due at once.
   */
  readonly modified?: Uint8Array;
  /** Canonical target of a redirect, put at the same depth and priority in the same transaction. */
  readonly redirect?: string;
}

/** The frontier's own figures. Times are unix ms. */
export interface FrontierStats {
  /** URLs that wait. */
  readonly queued: number;
  /** URLs under lease. */
  readonly leased: number;
  /** Answered page fetches over the life of the state. */
  readonly answered: number;
  /** Pages given up unanswered. */
  readonly failed: number;
  /** Pages refused by robots.txt or by ourselves. */
  readonly skipped: number;
  /** Count by class of `failed`, and by reason of `skipped`. */
  readonly failedBy: Readonly<Record<string, number>>;
  /** Count by reason of `skipped`. */
  readonly skippedBy: Readonly<Record<string, number>>;
  /** Distinct URLs ever admitted. */
  readonly known: number;
  /** Offers that wait for the next sieve; a crawl is not finished while there are any. */
  readonly staged: number;
  /** Hosts ever seen. */
  readonly hosts: number;
  /** Hosts with something queued, and those of them that must wait (blocked or cooling past now). */
  readonly activeHosts: number;
  /** Of `activeHosts`, those that must wait. */
  readonly blockedHosts: number;
  /** Hosts left out for good. */
  readonly excludedHosts: number;
  /** When the host that has been due longest became due; undefined when none is queued. */
  readonly oldestDue?: number;
  /** Soonest moment a waiting host becomes due; undefined when none waits. */
  readonly nextDue?: number;
  /** Pages that are to be visited again, where the crawl comes back. */
  readonly visits?: {
    /** Those that wait for their time. */
    readonly waiting: number;
    /** Those whose time has come: queued, under lease, or about to be queued. */
    readonly due: number;
    /** When the next one is due. */
    readonly next?: number;
  };
  /** Bytes of memory the seen set holds, and of the state on disk. */
  readonly seenBytes: number;
  /** Bytes of the state on disk. */
  readonly diskBytes: number;
  /** Whether the last of `pause` and `resume` was a pause. An opening starts unpaused. */
  readonly paused: boolean;
  /** Answered page fetches a second over the last minute. */
  readonly pagesPerSecond: number;
}

/** How a URL ended, as the state's log keeps it. */
export interface DoneUrl {
  /** Canonical URL. */
  readonly url: string;
  /** How it ended. */
  readonly outcome: "done" | "failed" | "skipped";
  /** Links followed from a seed. */
  readonly depth: number;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Class of a failure or refusal; empty otherwise. */
  readonly error: string;
  /** Why it was refused; empty otherwise. */
  readonly reason: string;
  /** Archive file that holds its record, without a folder; empty where none was written. */
  readonly warcFile: string;
  /** Byte offset of the record in that file. */
  readonly warcOffset: number;
}

/** A URL that waits (or was under lease) in a state. */
export interface QueuedUrl {
  /** Host name, lower case, without a port. */
  readonly host: string;
  /** Canonical URL. */
  readonly url: string;
  /** Higher is sooner. */
  readonly priority: number;
  /** Links followed from a seed. */
  readonly depth: number;
  /** Failed attempts so far. */
  readonly attempts: number;
}

/** What a state is opened with. */
export interface FrontierOptions {
  /** Path of the SQLite file; undefined keeps everything in memory. */
  readonly path?: string;
  /** Memory bound of the seen set in bytes. @default 512 MiB */
  readonly seenBytes?: number;
  /** Most URLs ever admitted of one host; 0 for no bound. @default 0 */
  readonly maxUrlsPerHost?: number;
  /** Admit outlinks only on hosts that a seed (or a seed's redirect) named. @default false */
  readonly sameHost?: boolean;
  /**
   * What must be the same at every opening of one state (scope, shard, suffix-list hash …). A
   * different value of a key is refused with both named, unless the key is in `accept`.
   */
  readonly identity?: Readonly<Record<string, string>>;
  /** Keys of `identity` whose new value replaces the state's. @default [] */
  readonly accept?: readonly string[];
  /** Come back to pages. Undefined fetches each once. */
  readonly recrawl?: RecrawlSettings;
  /** Told of what is wrong and not fatal (a malformed control file). @default console.warn */
  readonly onWarning?: (message: string) => void;
}

/** A command from `crawl control`, seen by the frontier and handed to the engine. */
export interface ControlCommand {
  /** What is to be done. */
  readonly verb: "pause" | "resume" | "stop" | "block" | "unblock" | "delay" | "priority";
  /** Host for block, unblock, delay and priority. */
  readonly host?: string;
  /** For delay; left out to clear it. */
  readonly delayMs?: number;
  /** For priority: the new one, positive and finite. */
  readonly priority?: number;
}

/**
 * The frontier. Every verb that changes the state resolves once the change is durable, save `claim`
 * (a lease that is lost with the process is returned to its queue at the next opening).
 */
export interface Frontier extends AsyncDisposable {
  /** Offer seeds (or anything else found outside a page). `seed: true` marks their hosts as named. */
  put(urls: readonly DiscoveredUrl[], options?: { seed?: boolean }): Promise<PutResult>;
  /**
   * Hand out up to `hosts` hosts that are due (`notBefore` ≤ now + `horizonMs`), highest priority
   * class first, each with up to `perHost` of its URLs, best class first, then oldest first.
   */
  claim(hosts: number, perHost: number, horizonMs?: number): Promise<HostLease[]>;
  /**
   * Give hosts back. Durable with the next commit; not waited for. Leases neither named in `unused`
   * nor completed stay out until they are completed.
   */
  releaseHosts(releases: readonly HostRelease[]): void;
  /** End leases; all of one call in one transaction. */
  complete(batch: readonly Completion[]): Promise<void>;
  /** Hold a host back until `until` (unix ms; Infinity for an operator's block, 0 unblocks). Persisted. */
  blockHost(host: string, until: number): Promise<void>;
  /** Fix a host's delay (operator's word); undefined clears it. Persisted. */
  setDelay(host: string, delayMs: number | undefined): Promise<void>;
  /** Move everything queued of a host to the class of `priority`. Persisted. */
  setPriority(host: string, priority: number): Promise<void>;
  /** Say how often hosts are visited; of no effect on a state that is not come back to. Persisted. */
  setPaces(paces: readonly HostPace[]): Promise<void>;
  /** A small durable store beside the queue (robots answers); `expires` is unix ms. */
  getCached(key: string): Promise<{ value: Uint8Array; expires: number } | undefined>;
  /** Keeps a value; durable with the next commit, not waited for. */
  putCached(key: string, value: Uint8Array, expires: number): void;
  /** The figures at this moment. */
  stats(): Promise<FrontierStats>;
  /** The frontier's clock: Unix ms that do not jump within an opening. `notBefore` is on it. */
  now(): number;
  /**
   * Commands from `crawl control`, each once it has taken effect on the state; ends with `close`.
   * One reader.
   */
  controls(): AsyncIterable<ControlCommand>;
  /** Commit what is pending, fold the log into the file, close. Leases are returned to their queues. */
  close(): Promise<void>;
}
