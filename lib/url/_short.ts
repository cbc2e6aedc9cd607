/**
 * The short ways to a canonical URL: links that the full parser would leave as they are, save
 * percent-encoding and tracking parameters, are told by one look at each character.
 */

import { dropTracking, normalisePercent } from "./_normalise.ts";

// Classes of ASCII characters for the fast path.
const OTHER = 0; // leave it to the full parser
const SAFE = 1; // stands for itself in a path and in a query, under the full parser too
const PATH_ONLY = 2; // so only in a path
const PERCENT = 3;
const DOT = 4;
const SLASH = 5;
const QUESTION = 6;
const HASH = 7;
const AMPERSAND = 8;
/** Initials of tracking parameters: `u`, `f`, `g`, `m`, `_` in either case. */
const INITIAL = 9;

const TAIL = new Uint8Array(128);
for (const c of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-~!$()*+,;=:@") {
  TAIL[c.charCodeAt(0)] = SAFE;
}
for (const c of "uUfFgGmM_") TAIL[c.charCodeAt(0)] = INITIAL;
for (const c of "[]") TAIL[c.charCodeAt(0)] = SAFE;
TAIL[0x27] = PATH_ONLY; // '
TAIL[0x25] = PERCENT;
TAIL[0x2e] = DOT;
TAIL[0x2f] = SLASH;
TAIL[0x3f] = QUESTION;
TAIL[0x23] = HASH;
TAIL[0x26] = AMPERSAND;

/** 1 for `a-z`, 2 for `0-9`, 3 for `-`, 4 for `.`. */
const HOST = new Uint8Array(128);
for (let c = 0x61; c <= 0x7a; c++) HOST[c] = 1;
for (let c = 0x30; c <= 0x39; c++) HOST[c] = 2;
HOST[0x2d] = 3;
HOST[0x2e] = 4;

// What scanTail found, beside what it returns; module variables so that nothing is allocated.
let tailEnd = 0;
let tailQuery = -1;
let tailPercent = false;
let tailInitial = false;

/**
 * Whether the path and query of `s` from `at` mean the same to the full parser as they are written,
 * save percent-encoding and tracking parameters. `at` is at a `/`, at a `?`, at a path segment's
 * start, or at the end.
 */
export function scanTail(s: string, at: number): boolean {
  tailEnd = s.length;
  tailQuery = -1;
  tailPercent = false;
  tailInitial = false;
  let segmentStart = true;
  let i = at;
  for (; i < s.length; i++) {
    const c = s.charCodeAt(i);
    const kind = c < 128 ? TAIL[c]! : OTHER;
    switch (kind) {
      case SAFE:
      case INITIAL:
      case AMPERSAND:
      case PATH_ONLY:
        segmentStart = false;
        break;
      case SLASH:
        segmentStart = true;
        break;
      case DOT:
        if (segmentStart) return false; // perhaps `.` or `..`
        break;
      case PERCENT:
        tailPercent = true;
        // `%2e` at a segment's start is a dot to the parser.
        if (segmentStart) return false;
        break;
      case QUESTION:
        tailQuery = i + 1;
        break;
      case HASH:
        tailEnd = i;
        return true;
      default:
        return false;
    }
    if (tailQuery >= 0) break;
  }
  if (tailQuery < 0) return true;
  let nameStart = true;
  for (i = tailQuery; i < s.length; i++) {
    const c = s.charCodeAt(i);
    const kind = c < 128 ? TAIL[c]! : OTHER;
    switch (kind) {
      case SAFE:
      case SLASH:
      case DOT:
      case QUESTION:
        nameStart = false;
        break;
      case INITIAL:
        if (nameStart) tailInitial = true;
        nameStart = false;
        break;
      case PERCENT:
        tailPercent = true;
        if (nameStart) tailInitial = true;
        nameStart = false;
        break;
      case AMPERSAND:
        nameStart = true;
        break;
      case HASH:
        tailEnd = i;
        return true;
      default:
        return false;
    }
  }
  return true;
}

/** `prefix` (canonical) and the tail of `s` that scanTail has just passed. */
export function joinTail(prefix: string, s: string, at: number): string {
  if (!tailPercent && !tailInitial) {
    // A bare `?` goes.
    const end = tailQuery >= 0 && tailQuery === tailEnd ? tailEnd - 1 : tailEnd;
    return at === 0 && end === s.length ? prefix + s : prefix + s.slice(at, end);
  }
  const path = s.slice(at, tailQuery < 0 ? tailEnd : tailQuery - 1);
  let query = tailQuery < 0 ? "" : s.slice(tailQuery, tailEnd);
  if (tailPercent) query = normalisePercent(query);
  if (tailInitial) query = dropTracking(query);
  return prefix + (tailPercent ? normalisePercent(path) : path) + (query === "" ? "" : "?" + query);
}

/**
 * End of the host that starts at `at`, or -1 where the full parser must judge it: a port, userinfo,
 * upper case, non-ASCII, an empty label, a trailing dot, punycode, anything like an address.
 */
function scanHost(s: string, at: number): number {
  let labelStart = at;
  let i = at;
  for (; i < s.length; i++) {
    const c = s.charCodeAt(i);
    const kind = c < 128 ? HOST[c]! : 0;
    if (kind === 0) {
      if (c === 0x2f || c === 0x3f || c === 0x23) break;
      return -1;
    }
    if (kind === 4) {
      if (i === labelStart) return -1;
      labelStart = i + 1;
    } else if (kind === 3 && s.charCodeAt(i + 1) === 0x2d && i - labelStart === 2) {
      return -1; // `xn--`, and its like
    }
  }
  // Addresses end in a label that begins with a digit.
  return i > labelStart && HOST[s.charCodeAt(labelStart)] === 1 ? i : -1;
}

/** An absolute URL whose scheme ends (with `//`) at `at`, or undefined where the full parser must. */
export function fastAbsolute(s: string, at: number, scheme: string): string | undefined {
  const end = scanHost(s, at);
  if (end < 0 || !scanTail(s, end)) return undefined;
  if (s.charCodeAt(end) === 0x2f) {
    if (at === scheme.length && !tailPercent && !tailInitial) {
      // The usual link: canonical as it stands, save the fragment.
      const stop = tailQuery >= 0 && tailQuery === tailEnd ? tailEnd - 1 : tailEnd;
      return stop === s.length ? s : s.slice(0, stop);
    }
    return joinTail(scheme + s.slice(at, end), s, end);
  }
  // No path: the `/` is added.
  return joinTail(scheme + s.slice(at, end) + "/", s, end);
}
