/**
 * Bounds on URLs that a site's endless spaces (calendars, relative links that nest) would break.
 *
 * @module
 */

/** Why a URL is taken for a trap. */
export type TrapReason = "too-long" | "repeated-segment";

/** The bounds of {@linkcode trapReason}. */
export interface TrapLimits {
  /** Most characters of a URL. @default 4000 */
  readonly maxChars?: number;
  /** Most times that one path segment may occur, side by side or not. @default 3 */
  readonly maxRepeats?: number;
}

/**
 * Why a canonical URL is taken for a trap: it is longer than 4 000 characters, or one segment of its
 * path occurs more than 3 times (`/a/b/a/b/a/b/a/b`). Undefined when it is none.
 */
export function trapReason(canonicalUrl: string, limits: TrapLimits = {}): TrapReason | undefined {
  if (canonicalUrl.length > (limits.maxChars ?? 4000)) return "too-long";
  const maxRepeats = limits.maxRepeats ?? 3;
  const pathStart = canonicalUrl.indexOf("/", canonicalUrl.indexOf("//") + 2);
  if (pathStart < 0) return undefined;
  let end = canonicalUrl.indexOf("?", pathStart);
  if (end < 0) end = canonicalUrl.length;
  let slashes = 0;
  for (let i = pathStart; i < end; i++) if (canonicalUrl.charCodeAt(i) === 0x2f) slashes++;
  if (slashes <= maxRepeats) return undefined;
  const counts = new Map<string, number>();
  let from = pathStart + 1;
  while (from < end) {
    let to = canonicalUrl.indexOf("/", from);
    if (to < 0 || to > end) to = end;
    const segment = canonicalUrl.slice(from, to);
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > maxRepeats) return "repeated-segment";
    counts.set(segment, count);
    from = to + 1;
  }
  return undefined;
}
