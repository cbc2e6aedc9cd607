/**
 * Numbers for people. Byte units here are decimal (1 MB is 1 000 000 bytes): these are measurements;
 * the limits given as options are powers of 1024.
 *
 * @module
 */

const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"] as const;

/** `1.5 GB`, `67.1 MB`, `812 B`. */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  // 999.95 would print as 1000.0.
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? `${Math.round(value)} B` : `${value.toFixed(1)} ${UNITS[unit]}`;
}

/** `33.3 pages a second`; finer below one a second. */
export function formatRate(count: number, elapsedMs: number, what = "pages"): string {
  const rate = elapsedMs > 0 ? (count * 1000) / elapsedMs : 0;
  const text = rate === 0 || rate >= 0.95 ? rate.toFixed(1) : rate.toPrecision(2);
  return `${text} ${what} a second`;
}

/** `850ms`, `12.4s`, `3m 12s`, `2h 5m`, `3d 4h`. */
export function formatElapsed(ms: number): string {
  const value = Math.max(0, ms);
  if (value < 999.5) return `${Math.round(value)}ms`;
  if (value < 59_950) return `${(value / 1000).toFixed(1)}s`;
  const seconds = Math.round(value / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/**
 * Whole percentages of parts that make up a whole: they add up to 100, the remainders going to the
 * parts that rounding down cost the most. All 0 when there is nothing.
 */
export function shares(parts: readonly number[]): number[] {
  const whole = parts.reduce((sum, part) => sum + Math.max(0, part), 0);
  if (!(whole > 0)) return parts.map(() => 0);
  const exact = parts.map((part) => (Math.max(0, part) * 100) / whole);
  const rounded = exact.map(Math.floor);
  let missing = 100 - rounded.reduce((sum, share) => sum + share, 0);
  const order = exact.map((share, i) => ({ i, rest: share - rounded[i]! }));
  order.sort((a, b) => b.rest - a.rest || a.i - b.i);
  for (const { i } of order) {
    if (missing-- <= 0) break;
    rounded[i]!++;
  }
  return rounded;
}

/** `part` as a whole percentage of `whole`, 0 to 100. */
export function percent(part: number, whole: number): number {
  return whole > 0 ? Math.min(100, Math.max(0, Math.round((part * 100) / whole))) : 0;
}

/** `1 host`, `1234 hosts`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
