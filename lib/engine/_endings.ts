/** What an attempt at a page leaves behind: what becomes of the page, and of its host. */

import type { Exchange, FailureKind } from "../net/mod.ts";
import type { Frontier } from "../frontier/mod.ts";
import type { Archiver } from "./archiver.ts";
import type { Ending } from "./_attempt.ts";
import { deferralMs, failureWaitMs, GIVEN_UP_MS, MAX_REFUSALS, retryAfterMs } from "./backoff.ts";
import type { FilledCrawlOptions } from "./crawl_options.ts";
import type { Crowds } from "./_crowds.ts";
import { isAskedOnCondition } from "./_memo.ts";
import type { Outcomes } from "./_outcomes.ts";
import type { Job, Slot } from "./_slots.ts";
import type { Workers } from "./_workers.ts";

/** What endings work with. */
export interface EndingParts {
  readonly options: FilledCrawlOptions;
  readonly frontier: Frontier;
  readonly archiver: Archiver;
}

/** A host is to be given back to the frontier. */
export interface GiveBack {
  /** Unix ms before which it is left alone; 0 where nothing but its clock says so. */
  readonly notBefore: number;
  /** Why it is left out of the crawl from now on. */
  readonly exclude?: string;
}

/**
 * The frontier's clock and that of what is kept of robots.txt differ by milliseconds: a host that came back
 * before the verdict on it has run out would be put off once more without being asked.
 */
const CLOCKS_DIFFER_MS = 50;

/** Passes pages on when an attempt at them is over, and judges their hosts by how it ended. */
export class Endings {
  readonly #parts: EndingParts;
  readonly #outcomes: Outcomes;
  readonly #crowds: Crowds;
  readonly #workers: Workers;

  /** Answered and failed pages go to `outcomes`; `workers` know how long an address with a crowd takes. */
  constructor(parts: EndingParts, outcomes: Outcomes, crowds: Crowds, workers: Workers) {
    this.#parts = parts;
    this.#outcomes = outcomes;
    this.#crowds = crowds;
    this.#workers = workers;
  }

  /**
   * An attempt at a page is over: the page has its outcome, or is first in its host's line again. Gives
   * what the host must go back for; undefined where it may stay.
   */
  end(slot: Slot, job: Job, ending: Ending): GiveBack | undefined {
    switch (ending.kind) {
      case "answered":
        return this.#answered(slot, job, ending.x);
      case "failed":
        this.#outcomes.failed(job, ending.error);
        return this.#failed(slot, ending.error.kind);
      case "refused":
        this.#outcomes.skipped(job, ending.reason, ending.detail);
        return undefined;
      case "leave-out":
        this.#outcomes.skipped(job, ending.reason, ending.detail);
        return this.#leaveOut(slot, ending.reason);
      case "defer":
        slot.jobs.unshift(job);
        return this.#deferred(slot, ending.answered);
      case "park":
        slot.jobs.unshift(job);
        slot.nextAt = ending.until;
        return undefined;
      case "crowded":
        slot.jobs.unshift(job);
        return this.#crowded(slot, ending.ip);
      case "aborted":
        slot.jobs.unshift(job);
        return { notBefore: 0 };
    }
  }

  #answered(slot: Slot, job: Job, x: Exchange): GiveBack | undefined {
    this.#outcomes.answered(job, x);
    const { id, depth, url, listed } = job.lease;
    const { memo } = job;
    this.#parts.archiver.push(id, depth, url, x, {
      ...(listed === undefined ? {} : { listed }),
      ...(memo?.record === undefined || x.status === 304 && !isAskedOnCondition(memo)
        ? {}
        : { refersTo: memo.record }),
      ...(memo === undefined ? {} : { visited: memo.visited }),
    });
    slot.deferrals = 0;
    if (x.status !== 429 && x.status !== 503) {
      slot.failures = 0;
      return undefined;
    }
    slot.failures = Math.min(slot.failures + 1, MAX_REFUSALS);
    const value = x.headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? "";
    return this.#block(slot, retryAfterMs(value, slot.failures, Date.now()), `status ${x.status}`);
  }

  #failed(slot: Slot, kind: FailureKind): GiveBack | undefined {
    if (kind === "skip" || kind === "dns") return undefined;
    const wait = failureWaitMs(++slot.failures);
    if (wait === undefined && this.#parts.options.recrawl === undefined) {
      return this.#leaveOut(slot, `unreachable: ${kind}`);
    }
    if (wait === 0) return undefined;
    return this.#block(slot, wait ?? GIVEN_UP_MS, `${slot.failures} failures in a row`);
  }

  #deferred(slot: Slot, answered: boolean): GiveBack {
    const { robotsRetryMs, recrawl } = this.#parts.options;
    const wait = deferralMs(slot.deferrals, robotsRetryMs, answered);
    if (wait === undefined && recrawl === undefined) {
      return this.#leaveOut(slot, "robots-unreachable");
    }
    if (wait !== undefined) slot.deferrals++;
    const pause = (wait ?? GIVEN_UP_MS) + CLOCKS_DIFFER_MS;
    return this.#block(slot, pause, "robots.txt could not be had");
  }

  #crowded(slot: Slot, ip: string): GiveBack | undefined {
    const now = performance.now();
    const { near, waitMs } = this.#crowds.turnAway(slot, ip, this.#workers.typicalMs, now);
    slot.nextAt = now + waitMs;
    return near ? undefined : { notBefore: 0 };
  }

  #block({ host }: Slot, waitMs: number, reason: string): GiveBack {
    const untilMs = this.#parts.frontier.now() + waitMs;
    this.#parts.options.onEvent({ type: "host-blocked", host, untilMs, reason });
    return { notBefore: untilMs };
  }

  #leaveOut({ host }: Slot, reason: string): GiveBack {
    this.#parts.options.onEvent({ type: "host-left-out", host, reason });
    return { notBefore: 0, exclude: reason };
  }
}
