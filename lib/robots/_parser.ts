/** The lines, groups and rules of a robots.txt. */

import { Octets, patternOctets } from "./_octets.ts";
import { type ParsedRule, RuleSet } from "./_rules.ts";

/** Longest Crawl-delay that is told apart, in seconds: a day. */
export const MAX_CRAWL_DELAY = 86_400;

/** Most Sitemap lines kept. */
const MAX_SITEMAPS = 10_000;

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
export class Parser {
  readonly rules: ParsedRule[] = [];
  readonly groups: Group[] = [];
  /** The groups that name a token. */
  readonly byToken = new Map<string, number[]>();
  readonly sitemaps: string[] = [];
  readonly #body: Uint8Array;
  /** The one token whose groups (and those of `*`) are kept; undefined for all. */
  readonly #only: string | undefined;
  readonly #keepSitemaps: boolean;
  readonly #scratch = new Octets(256);
  readonly #decoder = new TextDecoder();
  /** Whether the last line that counts was a user-agent line. */
  #naming = false;

  /** @param keepSitemaps Whether Sitemap lines are kept. */
  constructor(
    body: Uint8Array,
    limit: number,
    only: string | undefined,
    keepSitemaps: boolean,
  ) {
    this.#body = body;
    this.#only = only;
    this.#keepSitemaps = keepSitemaps;
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
        if (value < to && this.#keepSitemaps && this.sitemaps.length < MAX_SITEMAPS) {
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
