/**
 * Hosts that answered 429 or 503, or did not answer at all: how long each is left alone, and when to
 * give it up.
 */

import { FAILURES_A_ROUND, failureWaitMs, MAX_ROUNDS, retryAfterMs } from "./backoff.ts";

/** Hosts remembered; the one that was heard of longest ago is forgotten first. */
const MOST = 16_384;
/** Failures in a row with which the last round of waiting has ended. */
const MOST_FAILURES = FAILURES_A_ROUND * MAX_ROUNDS;

interface Trouble {
  /** Answers 429 and 503 in a row. */
  refusals: number;
  /** Failures in a row. */
  failures: number;
}

/** What is known of hosts in trouble. Memory is bounded, and a host that answers is forgotten. */
export class HostTroubles {
  #hosts = new Map<string, Trouble>();

  /** Hosts remembered. */
  get size(): number {
    return this.#hosts.size;
  }

  /**
   * A host has answered. Returns the ms for which it is to be left alone, 0 for none.
   *
   * @param retryAfter Value of its Retry-After; empty where there is none.
   */
  answered(host: string, status: number, retryAfter: string): number {
    if (status !== 429 && status !== 503) {
      this.#hosts.delete(host);
      return 0;
    }
    const trouble = this.#of(host);
    trouble.failures = 0;
    return retryAfterMs(retryAfter, ++trouble.refusals, Date.now());
  }

  /** A host has not answered. Returns the ms for which it is to be left alone, 0 for none. */
  failed(host: string): number {
    return failureWaitMs(++this.#of(host).failures) ?? 0;
  }

  /** Whether a host has not answered so often that it is not to be asked again. */
  givenUp(host: string): boolean {
    return this.#hosts.size > 0 && (this.#hosts.get(host)?.failures ?? 0) >= MOST_FAILURES;
  }

  #of(host: string): Trouble {
    const trouble = this.#hosts.get(host) ?? { refusals: 0, failures: 0 };
    this.#hosts.delete(host);
    this.#hosts.set(host, trouble);
    if (this.#hosts.size > MOST) this.#hosts.delete(this.#hosts.keys().next().value!);
    return trouble;
  }
}
