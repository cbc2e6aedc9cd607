/**
 * Answers to robots.txt, kept for as long as their hosts say.
 *
 * @module
 */

import { decodeEntry, encodeEntry } from "./_entry.ts";
import { LruMap } from "./_lru.ts";
import { parseRobots, Robots } from "./parse.ts";
import type { RobotsAnswer, RobotsFailure } from "./types.ts";

/**
 * What is known of a host: `ok`, its rules; `open`, it has none (4xx but 429, and redirects without
 * end); `unreachable`, it could not be asked (no answer, 5xx, 429), and nothing may be fetched until it
 * can (RFC 9309 section 2.3.1).
 */
export type RobotsState = "ok" | "open" | "unreachable";

/** The rules that hold for a host now. */
export interface RobotsVerdictSource {
  /** Parsed for the cache's user agent alone. */
  readonly rules: Robots;
  /** What is known of the host. */
  readonly state: RobotsState;
  /** When the host is asked again, unix ms. */
  readonly expires: number;
  /** False for the one call that fetched it. */
  readonly cached: boolean;
  /** Why it is unreachable: the failure, or `5xx` for an answer that is no answer. */
  readonly failure?: RobotsFailure | "5xx";
  /** The failure in words, where they are known. */
  readonly detail?: string;
}

/** A durable store behind the memory; `expires` is unix ms. */
export interface RobotsStore {
  /** The value kept under a key; undefined when there is none. */
  get(key: string): Promise<{ value: Uint8Array; expires: number } | undefined>;
  /** Keeps a value, in place of an older one; not waited for. */
  put(key: string, value: Uint8Array, expires: number): void;
}

/** What a {@linkcode RobotsCache} is made of. */
export interface RobotsCacheOptions {
  /** Product token of the crawler, or the User-Agent header that begins with it. */
  readonly userAgentToken: string;
  /**
   * Fetches a robots.txt, following up to 5 redirects; never called for a key while a call for it is
   * out. When it rejects, everyone who asked gets the rejection, and nothing is kept.
   *
   * @param robotsUrl `<scheme>://<host>[:<port>]/robots.txt`.
   * @param key Scheme, host and port, as in {@linkcode RobotsCache.keyOf}.
   */
  readonly fetch: (robotsUrl: URL, key: string) => Promise<RobotsAnswer>;
  /** Where answers survive the process and the memory's bound. */
  readonly store?: RobotsStore;
  /** Whether their Sitemap lines are kept too. @default false */
  readonly sitemaps?: boolean;
  /** Most hosts kept in memory. @default 200000 */
  readonly maxEntries?: number;
  /** Most bytes of them, roughly. @default 64 MiB */
  readonly maxBytes?: number;
  /** Ms after which a host that could not be asked is asked again, at most a day. @default 300000 */
  readonly unreachableMs?: number;
  /** The wall clock, unix ms. @default Date.now */
  readonly now?: () => number;
}

/** Counts over the life of a cache. */
export interface RobotsCacheStats {
  /** Hosts that were asked. */
  readonly fetched: number;
  /** Questions that were answered without asking the host. */
  readonly saved: number;
  /** Of the hosts asked, those that could not be; `failures` says why. */
  readonly unreachable: number;
  /** Of `unreachable`: tls and skip count as other, 429 as 5xx. */
  readonly failures: Readonly<Record<"dns" | "timeout" | "refused" | "5xx" | "other", number>>;
  /** Hosts in memory now. */
  readonly entries: number;
  /** Bytes of them, roughly. */
  readonly bytes: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How long a host that could not be asked is left alone. */
const UNREACHABLE_FOR = 5 * MINUTE;
/** Memory of an entry beside its rules and key. */
const ENTRY_BYTES = 300;

/**
 * How long an answer is kept, in ms: Cache-Control's max-age between a minute and a day, a minute for
 * no-store and no-cache, a day when nothing is said.
 */
export function robotsLifetime(cacheControl: string | undefined): number {
  if (cacheControl === undefined) return DAY;
  let lifetime = DAY;
  for (const part of cacheControl.slice(0, 2048).toLowerCase().split(",")) {
    const directive = part.trim();
    if (directive === "no-store" || directive === "no-cache") return MINUTE;
    const match = /^max-age *= *"?([0-9]{1,12})"?$/.exec(directive);
    if (match !== null) lifetime = Math.min(lifetime, Number(match[1]) * 1000);
  }
  return Math.max(MINUTE, lifetime);
}

/**
 * The robots.txt of every host, for one user agent. Each is fetched once however many ask at a time,
 * kept in memory within a bound of entries and bytes (the least recently used goes first), and behind
 * it in the store.
 */
export class RobotsCache {
  readonly #options: RobotsCacheOptions;
  readonly #now: () => number;
  readonly #entries: LruMap<RobotsVerdictSource>;
  readonly #pending = new Map<string, Promise<RobotsVerdictSource>>();
  #fetched = 0;
  #saved = 0;
  readonly #failures = { dns: 0, timeout: 0, refused: 0, "5xx": 0, other: 0 };

  /** Nothing is fetched before the first {@linkcode RobotsCache.get}. */
  constructor(options: RobotsCacheOptions) {
    this.#options = options;
    this.#entries = new LruMap(
      options.maxEntries ?? 200_000,
      options.maxBytes ?? 64 * 1024 * 1024,
    );
    this.#now = options.now ?? Date.now;
  }

  /**
   * Key of a URL: its scheme, host and port, as an origin (`https://example.com`, the default port
   * left out).
   *
   * @throws {TypeError} When the URL is not an absolute http(s) one.
   */
  static keyOf(url: string | URL): string {
    if (typeof url === "string") {
      const start = url.startsWith("https://") ? 8 : url.startsWith("http://") ? 7 : 0;
      let i = start;
      // A lower-case name without a port is what the parser gives.
      for (; start > 0 && i < url.length; i++) {
        const c = url.charCodeAt(i);
        if (c >= 0x61 && c <= 0x7a || c >= 0x30 && c <= 0x39 || c === 0x2e || c === 0x2d) continue;
        break;
      }
      const last = url.charCodeAt(i - 1);
      if (i > start && url.charCodeAt(i) === 0x2f && last >= 0x61 && last <= 0x7a) {
        return url.slice(0, i);
      }
    }
    const parsed = typeof url === "string" ? URL.parse(url) : url;
    if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
      throw new TypeError(`Cannot name the robots.txt of ${url}: it is not an http(s) URL`);
    }
    return parsed.protocol + "//" + parsed.host;
  }

  /**
   * The rules for a URL's host if they are in memory and have not expired; never asks anybody. Counted
   * as saved when they are.
   */
  peek(url: string | URL): RobotsVerdictSource | undefined {
    return this.#cached(RobotsCache.keyOf(url));
  }

  /**
   * The rules for a URL's host: from memory, from the store, or from the host itself.
   *
   * @throws {TypeError} When the URL is not an absolute http(s) one. It rejects with what the fetch or
   * the store rejects with.
   */
  get(url: string | URL): Promise<RobotsVerdictSource> {
    const key = RobotsCache.keyOf(url);
    const cached = this.#cached(key);
    if (cached !== undefined) return Promise.resolve(cached);
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      return pending.then((source) => {
        this.#saved++;
        return source.cached ? source : { ...source, cached: true };
      });
    }
    const answer = this.#find(key).finally(() => this.#pending.delete(key));
    this.#pending.set(key, answer);
    return answer;
  }

  /** Counts so far. */
  get stats(): RobotsCacheStats {
    const failures = { ...this.#failures };
    let unreachable = 0;
    for (const count of Object.values(failures)) unreachable += count;
    return {
      fetched: this.#fetched,
      saved: this.#saved,
      unreachable,
      failures,
      entries: this.#entries.size,
      bytes: this.#entries.bytes,
    };
  }

  /** Whether an answer that expires at `expires` still holds. */
  #holds(expires: number): boolean {
    const now = this.#now();
    // One that seems to hold longer than any may was kept under a clock that has since been set back.
    return expires > now && expires <= now + DAY + MINUTE;
  }

  #cached(key: string): RobotsVerdictSource | undefined {
    const source = this.#entries.get(key);
    if (source === undefined) return undefined;
    if (!this.#holds(source.expires)) {
      this.#entries.delete(key);
      return undefined;
    }
    this.#saved++;
    return source;
  }

  async #find(key: string): Promise<RobotsVerdictSource> {
    const stored = await this.#options.store?.get(key);
    if (stored !== undefined && this.#holds(stored.expires)) {
      const answer = decodeEntry(stored.value);
      if (answer !== undefined) {
        this.#saved++;
        const source = { ...this.#judge(answer), expires: stored.expires, cached: true };
        this.#keep(key, source);
        return source;
      }
    }
    const answer = await this.#options.fetch(new URL(key + "/robots.txt"), key);
    this.#fetched++;
    const verdict = this.#judge(answer);
    const lifetime = verdict.state === "unreachable"
      ? Math.min(this.#options.unreachableMs ?? UNREACHABLE_FOR, DAY)
      : robotsLifetime(answer.cacheControl);
    const expires = this.#now() + lifetime;
    if (verdict.failure !== undefined) {
      const { failure } = verdict;
      this.#failures[failure === "tls" || failure === "skip" ? "other" : failure]++;
    }
    this.#options.store?.put(key, encodeEntry(answer), expires);
    this.#keep(key, { ...verdict, expires, cached: true });
    return { ...verdict, expires, cached: false };
  }

  #judge(
    answer: RobotsAnswer,
  ): Pick<RobotsVerdictSource, "rules" | "state" | "failure" | "detail"> {
    const { status } = answer;
    if (status >= 200 && status < 300) {
      const { userAgentToken: agent, sitemaps = false } = this.#options;
      const rules = parseRobots(answer.body, { agent, sitemaps });
      return { rules, state: "ok" };
    }
    if (status >= 300 && status < 500 && status !== 429) {
      return { rules: Robots.allowAll(), state: "open" };
    }
    const failure = status === 0 ? answer.failure ?? "other" : "5xx";
    return {
      rules: Robots.disallowAll(),
      state: "unreachable",
      failure,
      ...(answer.detail === undefined ? {} : { detail: answer.detail }),
    };
  }

  #keep(key: string, source: RobotsVerdictSource): void {
    const shared = source.state !== "ok";
    const bytes = ENTRY_BYTES + key.length * 2 + (source.detail?.length ?? 0) * 2 +
      (shared ? 0 : source.rules.byteLength);
    this.#entries.set(key, source, bytes);
  }
}
