/**
 * robots.txt as RFC 9309 reads it.
 *
 * @module
 */

import { MAX_CRAWL_DELAY, Parser, productToken } from "./_parser.ts";
import { NO_RULE, RuleSet, UNDECIDED } from "./_rules.ts";
import { requestTarget } from "./_target.ts";

export { MAX_CRAWL_DELAY, productToken };

/** Bytes of a robots.txt that are read (RFC 9309 section 2.5): 500 KiB. */
export const PARSE_LIMIT = 512_000;

/** What {@linkcode parseRobots} takes beside the file. */
export interface ParseRobotsOptions {
  /**
   * Keep only what concerns this user agent, in the least memory; asking for another is then an
   * error.
   */
  readonly agent?: string;
  /** Whether Sitemap lines are kept. @default true, unless `agent` is given */
  readonly sitemaps?: boolean;
  /** Bytes that are read; a rule cut by the end of them is dropped. @default 512000 */
  readonly limit?: number;
}

/** What a robots.txt says about a URL. */
export interface RobotsVerdict {
  /** Whether the URL may be fetched. */
  readonly allowed: boolean;
  /** Line of the rule that decided, from 1; undefined when none did. */
  readonly line?: number;
  /** The rule that decided, percent-encoding normalised: `Disallow: /private/`. */
  readonly rule?: string;
  /** Longest Crawl-delay of the user agent's group, in seconds. */
  readonly crawlDelay?: number;
  /** Set when the rules were too costly to hold against this URL, which is then refused. */
  readonly undecided?: true;
}

/** Makes a {@linkcode Robots}; the class hands it out, so that its own types stay inside. */
let make: (
  parser: Parser | undefined,
  token: string | undefined,
  rules: RuleSet,
  sitemaps?: readonly string[],
) => Robots;

/**
 * What a robots.txt says, to whom. Made by {@linkcode parseRobots}; immutable.
 *
 * Where the file names a user agent in several groups they are one; the groups for `*` count only for
 * an agent that no group names, and a group without rules counts. The rule with the most octets wins,
 * Allow where two have as many. `/robots.txt` itself is always allowed.
 */
export class Robots {
  /** Sitemap lines in their order, where they were kept. */
  readonly sitemaps: readonly string[];
  readonly #parser: Parser | undefined;
  #token: string | undefined;
  #rules: RuleSet;

  static {
    make = (parser, token, rules, sitemaps) => new Robots(parser, token, rules, sitemaps);
  }

  private constructor(
    parser: Parser | undefined,
    token: string | undefined,
    rules: RuleSet,
    sitemaps: readonly string[] = [],
  ) {
    this.#parser = parser;
    this.#token = token;
    this.#rules = rules;
    this.sitemaps = sitemaps;
  }

  /** Rules that allow everything to everybody: a file that is not there. */
  static allowAll(): Robots {
    return ALLOW_ALL;
  }

  /** Rules that allow nothing to anybody: a file that could not be asked for. */
  static disallowAll(): Robots {
    return DISALLOW_ALL;
  }

  /**
   * Whether a user agent may fetch a URL.
   *
   * @param userAgent Its product token, or the whole header value that begins with it.
   * @param url An absolute http(s) URL, or a path beginning with `/`. One that cannot be parsed is
   * not allowed.
   * @throws {TypeError} When the file was parsed for another agent alone.
   */
  check(userAgent: string, url: string): RobotsVerdict {
    const rules = this.#rulesFor(userAgent);
    const delay = rules.crawlDelay;
    const extra = delay === undefined ? {} : { crawlDelay: delay };
    const target = requestTarget(url);
    if (target === undefined) return { allowed: false, ...extra };
    if (target === "/robots.txt") return { allowed: true, ...extra };
    const index = rules.match(target);
    if (index === NO_RULE) return { allowed: true, ...extra };
    if (index === UNDECIDED) return { allowed: false, undecided: true, ...extra };
    // A file that could not be asked for has no line to show.
    if (rules.line(index) === 0) return { allowed: false, ...extra };
    return {
      allowed: rules.isAllow(index),
      line: rules.line(index),
      rule: rules.text(index),
      ...extra,
    };
  }

  /**
   * Longest Crawl-delay of the user agent's groups in seconds, at most {@linkcode MAX_CRAWL_DELAY};
   * undefined when they have none.
   *
   * @throws {TypeError} When the file was parsed for another agent alone.
   */
  crawlDelay(userAgent: string): number | undefined {
    return this.#rulesFor(userAgent).crawlDelay;
  }

  /** Memory held, roughly, in bytes (of the rules for one agent, when parsed for one; and of sitemaps). */
  get byteLength(): number {
    let bytes = 100 + this.#rules.byteLength;
    for (const sitemap of this.sitemaps) bytes += 2 * sitemap.length + 24;
    return bytes;
  }

  #rulesFor(userAgent: string): RuleSet {
    if (this.#token === undefined && this.#parser === undefined) return this.#rules;
    const token = productToken(userAgent);
    if (token === this.#token) return this.#rules;
    if (this.#parser === undefined) {
      throw new TypeError(
        `Cannot check for ${token}: this robots.txt was parsed for ${this.#token} alone`,
      );
    }
    // The last agent asked for is kept: mostly it is the only one.
    this.#rules = this.#parser.rulesFor(token);
    this.#token = token;
    return this.#rules;
  }
}

const ALLOW_ALL = make(undefined, undefined, new RuleSet([], undefined));
const DISALLOW_ALL = make(
  undefined,
  undefined,
  new RuleSet(
    [{
      allow: false,
      anchored: false,
      pattern: Uint8Array.of(0x2f),
      mask: 1 << (0x2f & 31),
      line: 0,
    }],
    undefined,
  ),
);

/**
 * Reads a robots.txt. Never fails: what cannot be understood is skipped, and any input takes time in
 * proportion to its length.
 *
 * @param body The file's bytes, content coding removed. Beyond 500 KiB nothing is read.
 *
 * @example
 * ```ts
 * import { parseRobots } from "@ccrawl/cli/robots";
 *
 * const rules = parseRobots(new TextEncoder().encode("User-agent: *\nDisallow: /private/"));
 * rules.check("CCrawl", "https://example.com/private/x").allowed; // false
 * ```
 */
export function parseRobots(body: Uint8Array, options: ParseRobotsOptions = {}): Robots {
  const token = options.agent === undefined ? undefined : productToken(options.agent);
  const keepSitemaps = options.sitemaps ?? token === undefined;
  const parser = new Parser(body, options.limit ?? PARSE_LIMIT, token, keepSitemaps);
  return token === undefined
    ? make(parser, undefined, new RuleSet([], undefined), parser.sitemaps)
    : make(undefined, token, parser.rulesFor(token), parser.sitemaps);
}
