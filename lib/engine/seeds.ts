/**
 * Seed lists: the JSONL that `crawl seed` writes, or one URL a line.
 *
 * @module
 */

import { INTERVAL_HOURS, type Tier } from "../tiers/tiers.ts";
import { canonicalUrl, hostOf, type TrapReason, trapReason } from "../url/mod.ts";

/** A seed as the crawl takes it: canonical URL and its place in the order. */
export interface Seed {
  /** Absolute http or https URL in canonical form. */
  readonly url: string;
  /** Positive and finite; higher is sooner. 1 where the list says nothing. */
  readonly priority: number;
  /** Tier of its host, 1 to 5, where the list says so: how often a crawl that comes back does so. */
  readonly tier?: Tier;
}

/** A line that is no seed: counted and reported, never fatal. */
export interface BadSeed {
  /** Line number, from 1. */
  readonly line: number;
  /** What is wrong with it. */
  readonly reason: string;
  /** The line itself, cut to 200 characters. */
  readonly text: string;
}

/** Longest line looked at, in characters; what is longer is a bad line. */
const MAX_LINE = 65_536;

/** Smallest priority there is: zero and below are taken as this, so that they come last. */
const LEAST_PRIORITY = 2 ** -40;

/**
 * Reads one line. Returns undefined for a blank line or a `#` comment, and a string that says what
 * is wrong for a bad one.
 */
export function parseSeed(line: string): Seed | string | undefined {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return undefined;
  if (!text.startsWith("{")) {
    // The URL standard drops tabs and line ends: two columns would become one URL of nobody's.
    // deno-lint-ignore no-control-regex
    return /[\x00-\x1f\x7f]/.test(text) ? "a control character in it" : seedOf(text, 1);
  }
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch (e) {
    return `not JSON: ${(e as Error).message}`;
  }
  const { url, priority = 1, tier } = row as { url?: unknown; priority?: unknown; tier?: unknown };
  if (typeof url !== "string") return "no `url` in it";
  if (typeof priority !== "number" || !Number.isFinite(priority)) {
    return "`priority` is not a finite number";
  }
  const seed = seedOf(url, Math.max(priority, LEAST_PRIORITY));
  return typeof seed === "object" && isTier(tier) ? { ...seed, tier } : seed;
}

function isTier(value: unknown): value is Tier {
  return typeof value === "number" && Object.hasOwn(INTERVAL_HOURS, value);
}

/** The bounds that hold for links hold for seeds: told, as whoever wrote the list meant every line. */
const TRAPS: Readonly<Record<TrapReason, string>> = {
  "too-long": "its URL is over 4000 characters long",
  "repeated-segment": "its path repeats a segment more than three times",
};

function seedOf(text: string, priority: number): Seed | string {
  const url = canonicalUrl(withScheme(text));
  if (url === undefined) return "not an http or https URL";
  // The URL standard allows more in a host than names have: `1,example.com` and `"example.com"` are
  // rows of another kind of list, and a wildcard's zone would answer for them.
  if (!/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(hostOf(url))) return "no host name in it";
  const trap = trapReason(url);
  return trap === undefined ? { url, priority } : TRAPS[trap];
}

/** `example.com/x` → `https://example.com/x`; anything with a scheme is left alone. */
export function withScheme(text: string): string {
  return /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text) ? text : `https://${text}`;
}

/**
 * Reads a list as a stream, line by line; memory does not follow its length.
 *
 * @param onBad Called for each bad line.
 */
export async function* readSeeds(
  source: ReadableStream<Uint8Array>,
  onBad: (bad: BadSeed) => void,
): AsyncGenerator<Seed, void, void> {
  let number = 0;
  for await (const line of lines(source)) {
    number++;
    const seed = line === undefined ? `over ${MAX_LINE} characters long` : parseSeed(line);
    if (typeof seed === "object") yield seed;
    else if (typeof seed === "string") {
      onBad({ line: number, reason: seed, text: (line ?? "").trim().slice(0, 200) });
    }
  }
}

/** Lines of a UTF-8 stream, ended by LF, CRLF or CR; undefined stands for one that is too long. */
async function* lines(source: ReadableStream<Uint8Array>): AsyncGenerator<string | undefined> {
  let rest = "";
  let tooLong = false;
  let afterCr = false;
  for await (const chunk of source.pipeThrough(new TextDecoderStream())) {
    let from: number = afterCr && chunk.startsWith("\n") ? 1 : 0;
    if (chunk !== "") afterCr = false;
    let cr = chunk.indexOf("\r", from);
    let lf = chunk.indexOf("\n", from);
    while (cr >= 0 || lf >= 0) {
      const atCr = cr >= 0 && (lf < 0 || cr < lf);
      const end = atCr ? cr : lf;
      const line = rest + chunk.slice(from, end);
      yield tooLong || line.length > MAX_LINE ? undefined : line;
      rest = "";
      tooLong = false;
      from = end + (atCr && lf === cr + 1 ? 2 : 1);
      afterCr = atCr && from === chunk.length && lf !== cr + 1;
      if (cr >= 0 && cr < from) cr = chunk.indexOf("\r", from);
      if (lf >= 0 && lf < from) lf = chunk.indexOf("\n", from);
    }
    rest += chunk.slice(from);
    if (rest.length > MAX_LINE) {
      rest = "";
      tooLong = true;
    }
  }
  if (tooLong) yield undefined;
  else if (rest !== "") yield rest;
}
