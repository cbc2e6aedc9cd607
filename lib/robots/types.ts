/**
 * What is asked of whoever fetches a robots.txt.
 *
 * @module
 */

/** Why a robots.txt could not be asked for. */
export type RobotsFailure = "dns" | "timeout" | "refused" | "tls" | "skip" | "other";

/** The end of one attempt to fetch a robots.txt, after redirects and retries. */
export interface RobotsAnswer {
  /** Status of the last answer; 0 when there was none. A 3xx is one redirect too many. */
  readonly status: number;
  /** Its body, content coding removed; of no account unless the status is 2xx. */
  readonly body: Uint8Array;
  /** Its Cache-Control header; several joined by commas. */
  readonly cacheControl?: string;
  /** Why there was no answer, with status 0. @default "other" */
  readonly failure?: RobotsFailure;
  /** What went wrong, in words; not kept beyond the process. */
  readonly detail?: string;
}
