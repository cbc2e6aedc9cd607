/**
 * robots.txt as RFC 9309 reads it.
 *
 * @module
 */

import { Octets, patternOctets } from "./_octets.ts";
import { NO_RULE, type ParsedRule, RuleSet, UNDECIDED } from "./_rules.ts";

/** Bytes of a robots.txt that are read (RFC 9309 section 2.5): 500 KiB. */
export const PARSE_LIMIT = 512_000;

/** Longest Crawl-delay that is told apart, in seconds: a day. */
export const MAX_CRAWL_DELAY = 86_400;

/** Most Sitemap lines kept. */
const MAX_SITEMAPS = 10_000;

/** What {@linkcode parseRobots} takes beside the file. */
export interface ParseRobotsOptions {
  /**
   * Keep only what concerns this user agent, in the least memory; asking for another is then an
   * error, and sitemaps are not kept.
   */
  readonly agent?: string;
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

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const HASH = 0x23;
const DOLLAR = 0x24;
const SLASH = 0x2f;
const STAR = 0x2a;

type Field = "agent" | "allow" | "disallow" | "delay" | "sitemap";

// The names as they are written, with the misspellings that robots.txt files in the wild hold.
const FIELDS = new Map<string, Field>([
  ["user-agent", "agent"],
  ["useragent", "agent"],
  ["user agent", "agent"],
  ["allow", "allow"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["crawl-delay", "delay"],
  ["crawldelay", "delay"],
  ["sitemap", "sitemap"],
  ["site-map", "sitemap"],
]);
const LONGEST_FIELD = 11;

const ALLOW = new TextEncoder().encode("allow");
const DISALLOW = new TextEncoder().encode("disallow");
const USER_AGENT = new TextEncoder().encode("user-agent");

/** Whether the bytes from `from` are a lower-case word, in any case. */
function isWord(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) {
    const c = bytes[from + i]!;
    if (c !== word[i] && (c < 0x41 || c > 0x5a || (c | 0x20) !== word[i])) return false;
  }
  return true;
}

/** The field that a name of a line means; no text is made for the three that most lines have. */
function fieldOf(bytes: Uint8Array, from: number, to: number): Field | undefined {
  const length = to - from;
  if (length === 8 && isWord(bytes, from, DISALLOW)) return "disallow";
  if (length === 5 && isWord(bytes, from, ALLOW)) return "allow";
  if (length === 10 && isWord(bytes, from, USER_AGENT)) return "agent";
  return length > LONGEST_FIELD ? undefined : FIELDS.get(lowerCase(bytes, from, to));
}

function lowerCase(bytes: Uint8Array, from: number, to: number): string {
  let out = "";
  for (let i = from; i < to; i++) {
    const c = bytes[i]!;
    out += String.fromCharCode(c >= 0x41 && c <= 0x5a ? c | 0x20 : c);
  }
  return out;
}

/**
 * Product token of a user agent, in lower case: what stands before the first `/`, white space, `(`,
 * `;` or `,` (RFC 9309 section 2.2.1).
 */
export function productToken(userAgent: string): string {
  let end = 0;
  for (; end < userAgent.length; end++) {
    const c = userAgent.charCodeAt(end);
    if (c <= SPACE || c === SLASH || c === 0x28 || c === 0x3b || c === 0x2c) break;
  }
  return userAgent.slice(0, end).toLowerCase();
}

/** The same of bytes; those beyond ASCII, which no token has, as Latin-1. */
function tokenOf(bytes: Uint8Array, from: number, to: number): string {
  let end = from;
  for (; end < to; end++) {
    const c = bytes[end]!;
    if (c <= SPACE || c === SLASH || c === 0x28 || c === 0x3b || c === 0x2c) break;
  }
  return lowerCase(bytes, from, end);
}

/** Seconds of a Crawl-delay line; undefined for what is no decimal number. */
function parseDelay(text: string): number | undefined {
  if (text.length > 20 || !/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/.test(text)) return undefined;
  return Math.min(Number(text), MAX_CRAWL_DELAY);
}

/** One run of user-agent lines and what follows it; its rules are a range of all rules. */
interface Group {
  /** Whether its rules are kept: always, unless the file is read for one agent. */
  wanted: boolean;
  readonly firstRule: number;
  endRule: number;
  crawlDelay: number | undefined;
}

/** The rules and groups of a file, line by line. */
class Parser {
  readonly rules: ParsedRule[] = [];
  readonly groups: Group[] = [];
  /** The groups that name a token. */
  readonly byToken = new Map<string, number[]>();
  readonly sitemaps: string[] = [];
  readonly #body: Uint8Array;
  /** The one token whose groups (and those of `*`) are kept; undefined for all. */
  readonly #only: string | undefined;
  readonly #scratch = new Octets(256);
  readonly #decoder = new TextDecoder();
  /** Whether the last line that counts was a user-agent line. */
  #naming = false;

  constructor(body: Uint8Array, limit: number, only: string | undefined) {
    this.#body = body;
    this.#only = only;
    let end = Math.min(body.length, limit);
    if (body.length > limit && body[limit] !== LF && body[limit] !== CR) {
      // The last line goes on beyond the limit.
      while (end > 0 && body[end - 1] !== LF && body[end - 1] !== CR) end--;
    }
    let from = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
    for (let line = 1; from < end; line++) {
      let to = from;
      while (to < end && body[to] !== LF && body[to] !== CR) to++;
      this.#line(from, to, line);
      from = body[to] === CR && to + 1 < end && body[to + 1] === LF ? to + 2 : to + 1;
    }
  }

  #line(from: number, to: number, line: number): void {
    const body = this.#body;
    let colon = -1;
    for (let i = from; i < to; i++) {
      const c = body[i]!;
      if (c === HASH) to = i;
      else if (c === COLON && colon < 0) colon = i;
    }
    while (from < to && (body[from] === SPACE || body[from] === TAB)) from++;
    while (to > from && (body[to - 1] === SPACE || body[to - 1] === TAB)) to--;
    if (from === to) return;
    let keyEnd = colon;
    if (colon < 0) {
      // `Disallow /path`: white space for the colon, if that leaves two words.
      keyEnd = from;
      while (keyEnd < to && body[keyEnd] !== SPACE && body[keyEnd] !== TAB) keyEnd++;
      colon = keyEnd;
    }
    while (keyEnd > from && (body[keyEnd - 1] === SPACE || body[keyEnd - 1] === TAB)) keyEnd--;
    if (keyEnd === from) return;
    const field = fieldOf(body, from, keyEnd);
    if (field === undefined) return;
    let value = Math.min(colon + 1, to);
    while (value < to && (body[value] === SPACE || body[value] === TAB)) value++;
    if (body[colon] !== COLON) {
      if (value === to) return;
      for (let i = value; i < to; i++) if (body[i] === SPACE || body[i] === TAB) return;
    }
    switch (field) {
      case "agent":
        this.#agent(value, to);
        break;
      case "allow":
      case "disallow":
        this.#naming = false;
        this.#rule(field === "allow", value, to, line);
        break;
      case "delay":
        this.#naming = false;
        this.#delay(value, to);
        break;
      case "sitemap":
        if (value < to && this.#only === undefined && this.sitemaps.length < MAX_SITEMAPS) {
          this.sitemaps.push(this.#decoder.decode(body.subarray(value, to)));
        }
        break;
    }
  }

  #agent(from: number, to: number): void {
    if (!this.#naming) {
      const at = this.rules.length;
      this.groups.push({
        wanted: this.#only === undefined,
        firstRule: at,
        endRule: at,
        crawlDelay: undefined,
      });
      this.#naming = true;
    }
    const token = tokenOf(this.#body, from, to);
    if (token === "") return;
    const group = this.groups.length - 1;
    if (this.#only !== undefined) {
      if (token !== this.#only && token !== "*") return;
      this.groups[group]!.wanted = true;
    }
    const groups = this.byToken.get(token);
    if (groups === undefined) this.byToken.set(token, [group]);
    else if (groups.at(-1) !== group) groups.push(group);
  }

  #rule(allow: boolean, from: number, to: number, line: number): void {
    const group = this.groups.at(-1);
    // A rule before any user-agent line concerns nobody; an empty one says nothing; a path that does
    // not begin as paths do can match none.
    if (group === undefined || !group.wanted || from === to) return;
    const first = this.#body[from];
    if (first !== SLASH && first !== STAR) return;
    const anchored = this.#body[to - 1] === DOLLAR;
    patternOctets(this.#scratch, this.#body, from, anchored ? to - 1 : to);
    this.rules.push({
      allow,
      anchored,
      pattern: this.#scratch.bytes.slice(0, this.#scratch.length),
      mask: this.#scratch.mask,
      line,
    });
    group.endRule = this.rules.length;
  }

  #delay(from: number, to: number): void {
    const group = this.groups.at(-1);
    if (group === undefined) return;
    const delay = parseDelay(lowerCase(this.#body, from, Math.min(to, from + 21)));
    if (delay !== undefined) group.crawlDelay = Math.max(group.crawlDelay ?? 0, delay);
  }

  /** The rules of all groups that name `token`, or of those for `*` when none does. */
  rulesFor(token: string): RuleSet {
    const groups = this.byToken.get(token) ?? this.byToken.get("*") ?? [];
    const rules: ParsedRule[] = [];
    let crawlDelay: number | undefined;
    for (const index of groups) {
      const group = this.groups[index]!;
      for (let i = group.firstRule; i < group.endRule; i++) rules.push(this.rules[i]!);
      if (group.crawlDelay !== undefined) {
        crawlDelay = Math.max(crawlDelay ?? 0, group.crawlDelay);
      }
    }
    return new RuleSet(rules, crawlDelay);
  }
}

/**
 * Path and query of a URL as they are requested; undefined when it cannot be parsed. The URL
 * parser is asked only where the text is not plainly what it would give.
 */
function requestTarget(url: string): string | undefined {
  let start = 0;
  if (url.charCodeAt(0) !== SLASH) {
    const authority = url.startsWith("https://") ? 8 : url.startsWith("http://") ? 7 : -1;
    if (authority < 0) return parsedTarget(url);
    start = authority;
    while (start < url.length) {
      const c = url.charCodeAt(start);
      if (c === SLASH) break;
      if (c === 0x3f || c === HASH || c === 0x5c || c <= SPACE) return parsedTarget(url);
      start++;
    }
    if (start === url.length || start === authority) return parsedTarget(url);
  }
  let end = url.length;
  for (let i = start; i < end; i++) {
    const c = url.charCodeAt(i);
    if (c === HASH) end = i;
    else if (c <= SPACE || c === 0x5c) return parsedTarget(url);
    else if (c === 0x2e || c === 0x25) {
      // Perhaps a dot segment.
      if (url.charCodeAt(i - 1) === SLASH) return parsedTarget(url);
    }
  }
  return start === 0 && end === url.length ? url : url.slice(start, end);
}

function parsedTarget(url: string): string | undefined {
  const parsed = url.charCodeAt(0) === SLASH ? URL.parse("http://a" + url) : URL.parse(url);
  return parsed === null ? undefined : parsed.pathname + parsed.search;
}

/** Makes a {@linkcode Robots}; the class hands it out, so that its own types stay inside. */
let make: (parser: Parser | undefined, token: string | undefined, rules: RuleSet) => Robots;

/**
 * What a robots.txt says, to whom. Made by {@linkcode parseRobots}; immutable.
 *
 * Where the file names a user agent in several groups they are one; the groups for `*` count only for
 * an agent that no group names, and a group without rules counts. The rule with the most octets wins,
 * Allow where two have as many. `/robots.txt` itself is always allowed.
 */
export class Robots {
  /** Sitemap lines in their order; empty when the file was parsed for one agent. */
  readonly sitemaps: readonly string[];
  readonly #parser: Parser | undefined;
  #token: string | undefined;
  #rules: RuleSet;

  static {
    make = (parser, token, rules) => new Robots(parser, token, rules);
  }

  private constructor(parser: Parser | undefined, token: string | undefined, rules: RuleSet) {
    this.#parser = parser;
    this.#token = token;
    this.#rules = rules;
    this.sitemaps = parser?.sitemaps ?? [];
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

  /** Memory held, roughly, in bytes (of the rules for one agent, when parsed for one). */
  get byteLength(): number {
    return 100 + this.#rules.byteLength;
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
      pattern: Uint8Array.of(SLASH),
      mask: 1 << (SLASH & 31),
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
  const parser = new Parser(body, options.limit ?? PARSE_LIMIT, token);
  return token === undefined
    ? make(parser, undefined, new RuleSet([], undefined))
    : make(undefined, token, parser.rulesFor(token));
}
