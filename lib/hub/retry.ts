/**
 * Asking again: how long, how often, and what is said when it was of no use.
 *
 * @module
 */

import { HubBusyError, HubNetworkError } from "./errors.ts";

/** A failure after which the same may be asked again. */
export class Again extends Error {
  /** Status of the answer; 0 when there was none. */
  readonly status: number;
  /** Ms that the server wants to be left alone. */
  readonly after: number | undefined;

  /** `message` is the end of the sentence "Cannot read …: ". */
  constructor(message: string, status: number, after: number | undefined) {
    super(message);
    this.status = status;
    this.after = after;
  }
}

/** How {@linkcode retrying} goes about it. */
export interface RetryOptions {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Waits; a test's own. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Ms for which the same is tried again and again without progress. */
  readonly retryFor: number;
  /** Ends it with its reason. */
  readonly signal: AbortSignal | undefined;
  /** Told of each wait, before it. */
  readonly onWait: (ms: number, why: string) => void;
}

/** What is tried, for the message of its failure. */
export interface Tried {
  /** `read`, `write to`, … */
  readonly verb: string;
  /** Address without its query. */
  readonly place: string;
}

const FIRST_WAIT = 1000;
const MOST_WAIT = 60_000;

/**
 * Does `work` until it does not throw {@linkcode Again}, for as long as `retryFor` without progress.
 * `work` tells of progress by the function that it is given. A server's own wish how long to wait
 * goes before the growing wait.
 *
 * @throws {HubNetworkError} If no answer came for so long.
 * @throws {HubBusyError} If the answer was no for so long.
 */
export async function retrying<T>(
  options: RetryOptions,
  tried: () => Tried,
  work: (progressed: () => void) => Promise<T>,
): Promise<T> {
  const { now, sleep, retryFor, signal, onWait } = options;
  let since = now();
  let wait = FIRST_WAIT;
  const progressed = () => {
    since = now();
    wait = FIRST_WAIT;
  };
  for (let tries = 1;; tries++) {
    try {
      return await work(progressed);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof Again)) throw error;
      // Jitter keeps the machines of a fleet from coming back as one.
      const pause = error.after ?? wait * (0.75 + Math.random() / 2);
      wait = Math.min(wait * 2, MOST_WAIT);
      if (now() - since + pause > retryFor) throw givenUp(error, tried(), tries);
      onWait(pause, `${error.message} (attempt ${tries}; tried for ${spoken(retryFor)} at most)`);
      await sleep(pause, signal);
    }
  }
}

/** A time for a sentence: whole minutes, or seconds where it is less than one. */
function spoken(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

function givenUp(again: Again, { verb, place }: Tried, tries: number): Error {
  const message = `Cannot ${verb} ${place}: ${again.message}, after ${tries} ` +
    `${tries === 1 ? "attempt" : "attempts"}. `;
  return again.status === 0
    ? new HubNetworkError(message + "Look at the network, and run it again.", place, 0)
    : new HubBusyError(message + "Run it again later.", place, again.status);
}
