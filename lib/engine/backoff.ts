/**
 * How long a host is left alone after it said so, or stopped answering.
 *
 * @module
 */

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE;

/** How long a host that would be left out is left alone by a crawl that comes back. */
export const GIVEN_UP_MS: number = 24 * HOUR;
/** Failed pages in a row after which a host is left alone for a while. */
export const FAILURES_A_ROUND = 3;
/** Rounds in a row after which the host is left out: 1 + 2 + 4 + 8 + 16 + 32 minutes of waiting. */
export const MAX_ROUNDS = 7;
/**
 * Refusals in a row after which the wait grows no more, nor the count: a host that has said for a day to
 * come later must not be taken for one that is gone when it is out of reach once.
 */
export const MAX_REFUSALS = 7;
/** Times a host's URLs are put off because its robots.txt was answered with 429 or 5xx. */
export const MAX_DEFERRALS = 8;
/** The same where the host did not answer at all. */
export const MAX_SILENT_DEFERRALS = 3;

/**
 * The wait that a 429 or 503 asks for, in ms: Retry-After (RFC 9110, section 10.2.3, seconds or a
 * date) between a second and an hour; without one a minute, doubling with each refusal in a row.
 */
export function retryAfterMs(value: string, refusals: number, now: number): number {
  const text = value.trim();
  let wait: number | undefined;
  if (/^\d{1,9}$/.test(text)) wait = Number(text) * SECOND;
  else if (/^[A-Z][a-z]{2,8},? /.test(text)) { // Date.parse takes far more than HTTP dates
    const at = Date.parse(text);
    if (!Number.isNaN(at)) wait = at - now;
  }
  wait ??= MINUTE * 2 ** Math.min(Math.max(refusals - 1, 0), MAX_REFUSALS - 1);
  return Math.min(Math.max(wait, SECOND), HOUR);
}

/**
 * What a host's `failures`-th failed page in a row asks for: a wait in ms (0 for none), or undefined
 * when the host should be left out.
 */
export function failureWaitMs(failures: number): number | undefined {
  if (failures % FAILURES_A_ROUND !== 0) return 0;
  const round = failures / FAILURES_A_ROUND;
  return round >= MAX_ROUNDS ? undefined : Math.min(MINUTE * 2 ** (round - 1), HOUR);
}

/**
 * The wait before a host whose robots.txt could not be had is asked again: `first` ms, doubling, at
 * most an hour; undefined when it was put off often enough. `answered` says that the host is up.
 */
export function deferralMs(
  deferrals: number,
  first: number,
  answered: boolean,
): number | undefined {
  const most = answered ? MAX_DEFERRALS : MAX_SILENT_DEFERRALS;
  return deferrals >= most ? undefined : Math.min(first * 2 ** deferrals, HOUR);
}
