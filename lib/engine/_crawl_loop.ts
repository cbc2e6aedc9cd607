/**
 * The loop of a crawl: hosts come under lease from the frontier, each is asked one page at a time by
 * its own clock, answers go to the archive, and what became durable is completed and yielded.
 */

import type { HttpClient, Resolver } from "../net/mod.ts";
import type { RobotsCache } from "../robots/mod.ts";
import type { ControlCommand, Frontier, HostRelease } from "../frontier/mod.ts";
import { Alarm } from "./_alarm.ts";
import type { Archived, Archiver } from "./archiver.ts";
import { Attempts, type Ending } from "./_attempt.ts";
import type { HostClocks } from "./clocks.ts";
import type { FilledCrawlOptions } from "./crawl_options.ts";
import { asRunError, RunError } from "./errors.ts";
import type { CrawlRecord } from "./records.ts";
import { MAX_UNCOMMITTED } from "./replay.ts";
import { offerSeeds } from "./_seeding.ts";
import { type Job, type Slot, SlotTable } from "./_slots.ts";
import { Outcomes } from "./_outcomes.ts";
import { RecordQueue } from "./_record_queue.ts";
import { Crowds } from "./_crowds.ts";
import { Endings } from "./_endings.ts";
import { Settling } from "./_settling.ts";
import type { SitemapDiscovery } from "./_sitemaps.ts";
import { type Attempt, Workers } from "./_workers.ts";
import type { CrawlStatistics } from "./statistics.ts";

export interface LoopParts {
  readonly options: FilledCrawlOptions;
  readonly headers: readonly (readonly [string, string])[];
  readonly frontier: Frontier;
  readonly archiver: Archiver;
  readonly resolver: Resolver;
  readonly client: HttpClient;
  readonly clocks: HostClocks;
  readonly robots: RobotsCache | undefined;
  readonly statistics: CrawlStatistics;
  /** Undefined where sitemaps are not read. */
  readonly sitemaps: SitemapDiscovery | undefined;
  /** Aborted when requests in flight must end. */
  readonly ended: AbortController;
  /** Aborted from outside: wind down. */
  readonly stop: AbortSignal;
}

/** Records that may wait for the reader before fetching pauses. */
const MAX_BACKLOG = 4096;
/** A host due within so many ms is worth holding a lease on. */
const HORIZON = 100;
/** First and longest wait, in ms, before a frontier that had nothing due is asked again. */
const POLL_FIRST = 10, POLL_LONGEST = 250;

/** How often requests are looked at for the worker that they hold, in ms. */
const SWEEP = 25;
/** How often the frontier is asked for its figures, in ms. */
const LOOK_EVERY = 1000;
export class CrawlLoop {
  #parts: LoopParts;
  #slots = new SlotTable();
  #records = new RecordQueue<CrawlRecord>();
  #attempts: Attempts;
  #outcomes: Outcomes;
  #workers: Workers;
  #crowds: Crowds;
  #endings: Endings;
  #sweep: ReturnType<typeof setInterval> | undefined;
  #look: ReturnType<typeof setInterval> | undefined;
  #looking = false;
  #awaitingRoom = false;
  #paused = false;
  #stopping = false;
  #error: Error | undefined;
  #told = false;
  #claiming = false;
  #nextClaimAt = 0;
  #poll = POLL_FIRST;
  readonly #alarm = new Alarm(() => this.#pump());
  #seeded = false;
  #settling = new Settling();
  #ending: Promise<void> | undefined;
  #perHost: number;
  #maxSlots: number;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    const { delayMs, workers } = parts.options;
    this.#perHost = delayMs <= 20 ? 32 : delayMs <= 500 ? 8 : 4;
    // to keep the workers busy takes as many hosts as pages are answered in a host's delay
    this.#maxSlots = Math.max(1024, 64 * workers);
    this.#workers = new Workers(parts.options.maxStalled);
    this.#crowds = new Crowds(parts.options.perIp);
    this.#attempts = new Attempts(parts);
    this.#outcomes = new Outcomes(parts, {
      ended: (record) => this.#records.push(record),
      committed: () => {
        this.#settling.settle();
        this.#freshen();
      },
      fail: (error, seal) => this.fail(error, { seal }),
    });
    this.#endings = new Endings(parts, this.#outcomes, this.#crowds, this.#workers);
    parts.statistics.workers = workers;
    // A look-up, or another page's fetch of robots.txt, may take no notice of the signal.
    parts.ended.signal.addEventListener("abort", () => {
      for (const { abandon } of [...this.#workers]) abandon();
    }, { once: true });
  }

  /** Whether nothing more is fetched. */
  get over(): boolean {
    return this.#stopping;
  }

  async start(): Promise<void> {
    const { statistics, stop, frontier, clocks } = this.#parts;
    const stats = await frontier.stats();
    this.#note(stats);
    statistics.answered = stats.answered;
    // an earlier run may have been killed with requests in flight, of which the state knows nothing
    if (stats.known > 0) clocks.resume();
    this.#look = setInterval(() => this.#lookAtFrontier(), LOOK_EVERY);
    this.#sweep = setInterval(() => this.#sweepStalled(), SWEEP);
    this.#listen();
    if (stop.aborted) this.#windDown(); // ends what was begun above
    else stop.addEventListener("abort", () => this.#windDown(), { once: true });
    offerSeeds(this.#parts, {
      over: () => this.#stopping,
      offered: () => this.#freshen(),
      fail: (error) => this.fail(error),
    }).then(() => {
      this.#seeded = true;
      this.#freshen();
    }, (e) => this.fail(e as Error));
    this.#pump();
  }

  #lookAtFrontier(): void {
    if (this.#looking || this.#stopping) return;
    this.#looking = true;
    this.#parts.frontier.stats().then((stats) => this.#note(stats), (e) => this.fail(e as Error))
      .finally(() => this.#looking = false);
  }

  #sweepStalled(): void {
    if (this.#workers.size === 0) return;
    const now = performance.now();
    this.#account(now);
    if (this.#workers.sweep(now)) this.#alarm.soon();
  }

  /** Yields records until the crawl is over; throws what ended it. */
  async *records(): AsyncGenerator<CrawlRecord, void, void> {
    for (;;) {
      const record = await this.#records.next();
      if (record === undefined) break;
      yield record;
      if (this.#records.size === MAX_BACKLOG - 1) this.#alarm.soon();
    }
    this.#tell();
  }

  /**
   * Resolves when everything is durable or given back; throws what ended the crawl where
   * {@linkcode records} did not come to it.
   */
  async end(): Promise<void> {
    this.#windDown();
    await this.#ending!;
    this.#tell();
  }

  /** Whether something went wrong. */
  get failed(): boolean {
    return this.#error !== undefined;
  }

  /** Throws what went wrong, once. */
  #tell(): void {
    if (this.#error === undefined || this.#told) return;
    this.#told = true;
    throw this.#error;
  }

  /**
   * The crawl cannot go on. What the archive still holds is sealed only where `seal` says that it
   * can be.
   */
  fail(error: Error, options: { seal?: boolean } = {}): void {
    if (this.#error !== undefined) return;
    this.#error = asRunError(error);
    if (options.seal !== true) this.#parts.ended.abort(this.#error);
    this.#windDown();
  }

  /** Obeys `crawl control` until the frontier closes. */
  async #listen(): Promise<void> {
    try {
      for await (const command of this.#parts.frontier.controls()) this.#control(command);
    } catch (e) {
      this.fail(e as Error);
    }
  }

  /** What is said of a host is in the frontier's books already. */
  #control(command: ControlCommand): void {
    this.#parts.options.onEvent({
      type: "control",
      verb: command.verb,
      ...(command.host === undefined ? {} : { host: command.host }),
    });
    const { verb, host } = command;
    if (verb === "pause") this.#paused = true;
    else if (verb === "resume") this.#paused = false;
    else if (verb === "stop") this.#windDown();
    else if (host !== undefined) this.#recall(host);
    this.#freshen();
  }

  /** Gives a host back, so that its next lease has what the operator changed. */
  #recall(host: string): void {
    const slot = this.#slots.withdraw(host);
    if (slot !== undefined) this.#release(slot, 0);
    else {
      const busy = this.#slots.get(host);
      if (busy !== undefined) busy.blocked = true;
    }
  }

  // ---- scheduling

  /** Something changed that may have made a host claimable. */
  #freshen(): void {
    this.#nextClaimAt = 0;
    this.#poll = POLL_FIRST;
    this.#alarm.soon();
  }

  #mayFetch(): boolean {
    const { options, archiver, statistics } = this.#parts;
    const { uncommitted } = this.#outcomes;
    const outstanding = this.#workers.size + uncommitted;
    return !this.#paused && !archiver.full && !this.#outcomes.full &&
      this.#records.size < MAX_BACKLOG &&
      uncommitted < MAX_UNCOMMITTED &&
      (options.maxPages === 0 || statistics.answered + outstanding < options.maxPages) &&
      (options.limit === 0 || statistics.records + outstanding < options.limit);
  }

  #pump(): void {
    const now = performance.now();
    this.#account(now);
    if (this.#stopping) return;
    const { options, statistics } = this.#parts;
    if (
      (options.maxPages > 0 && statistics.answered >= options.maxPages) ||
      (options.limit > 0 && statistics.records >= options.limit)
    ) return this.#windDown();
    let may = this.#mayFetch();
    while (may && this.#workers.busy < options.workers) {
      const slot = this.#slots.take(now);
      if (slot === undefined) break;
      this.#begin(slot);
      may = this.#mayFetch();
    }
    if (may && this.#workers.busy < options.workers) this.#refill(now);
    this.#arm(now, may);
  }

  /** Worker time since the last look is booked to what workers did, or to what kept them idle. */
  #account(now: number): void {
    const { statistics, archiver } = this.#parts;
    const waiting = this.#slots.waitingCount > 0 ? "hostClock" : undefined;
    statistics.account(now, this.#workers.active, archiver.full ? "queueing" : waiting);
  }

  #arm(now: number, may: boolean): void {
    let at = Infinity;
    if (may && this.#workers.busy < this.#parts.options.workers) {
      at = this.#slots.nextAt() ?? Infinity;
      if (!this.#claiming && this.#nextClaimAt > now) at = Math.min(at, this.#nextClaimAt);
    } else if (this.#parts.archiver.full && !this.#awaitingRoom) {
      this.#awaitingRoom = true;
      this.#parts.archiver.room().then(() => {
        this.#awaitingRoom = false;
        this.#alarm.soon();
      });
    }
    this.#alarm.at(at);
  }

  #refill(now: number): void {
    if (this.#claiming || this.#nextClaimAt > now) return;
    const { workers } = this.#parts.options;
    const soon = this.#workers.busy + this.#slots.countUntil(now + HORIZON, 2 * workers);
    let want = 2 * workers - soon;
    if (want <= 0) return;
    // hosts of stalled requests have places of their own
    const maxSlots = this.#maxSlots + this.#workers.stalled;
    const lacking = Math.min(want, workers) - (maxSlots - this.#slots.size);
    for (const slot of this.#slots.withdrawLast(lacking, now + 10 * HORIZON)) {
      this.#release(slot, this.#wallOf(slot.nextAt));
    }
    want = Math.min(want, maxSlots - this.#slots.size);
    if (want <= 0) return;
    this.#claiming = true;
    this.#parts.frontier.claim(want, this.#perHost, HORIZON).then((leases) => {
      this.#claiming = false;
      const now = performance.now();
      const wall = this.#parts.frontier.now();
      if (this.#stopping) {
        this.#parts.frontier.releaseHosts(leases.map((lease) => ({
          host: lease.host,
          notBefore: lease.notBefore,
          unused: lease.urls.map((url) => url.id),
        })));
        this.#settling.settle();
        return;
      }
      for (const lease of leases) {
        this.#slots.add(lease, this.#parts.options.timeoutMs, now, wall);
      }
      if (leases.length < want) {
        this.#nextClaimAt = now + this.#poll;
        this.#poll = leases.length > 0 ? POLL_FIRST : Math.min(2 * this.#poll, POLL_LONGEST);
      }
      if (leases.length === 0) this.#checkEnd();
      this.#alarm.soon();
    }, (e) => {
      this.#claiming = false;
      this.fail(e as Error);
      this.#settling.settle();
    });
  }

  /** Ends the crawl when nothing is left anywhere. */
  #checkEnd(): void {
    if (
      !this.#seeded || this.#workers.size > 0 || this.#slots.size > 0 || this.#stopping ||
      !this.#outcomes.archived || !this.#outcomes.booked
    ) return;
    this.#parts.frontier.stats().then((stats) => {
      this.#note(stats);
      const { waiting, due } = stats.visits ?? { waiting: 0, due: 0 };
      if (this.#parts.options.recrawl !== undefined && waiting + due > 0) return;
      if (stats.queued + stats.leased + stats.staged === 0 && !this.#paused) this.#windDown();
    }, (e) => this.fail(e as Error));
  }

  #note(stats: Awaited<ReturnType<Frontier["stats"]>>): void {
    const { statistics } = this.#parts;
    statistics.queued = stats.queued;
    statistics.activeHosts = stats.activeHosts;
    statistics.visits = stats.visits;
  }

  // ---- one page

  #begin(slot: Slot): void {
    const job = slot.jobs.shift()!;
    const end = (ending: Ending) => {
      if (this.#workers.has(attempt)) this.#ended(slot, job, attempt, ending);
    };
    const now = performance.now();
    this.#account(now);
    const attempt = this.#workers.begin(now, () => end({ kind: "aborted" }));
    this.#parts.statistics.inFlight = this.#workers.size;
    this.#attempts.attempt(slot, job, {
      arrived: () => this.#crowds.leave(slot),
      fetching: () => this.#enterFetching(attempt),
      progress: attempt.progress,
      answered: (ms) => this.#workers.answered(ms),
    }).then(
      end,
      (e) => {
        attempt.abandon();
        if (!this.#parts.ended.signal.aborted) this.fail(e as Error);
      },
    );
  }

  #enterFetching(attempt: Attempt): void {
    const now = performance.now();
    this.#account(now);
    this.#workers.fetching(attempt, now);
  }

  #ended(slot: Slot, job: Job, attempt: Attempt, ending: Ending): void {
    this.#account(performance.now());
    this.#workers.end(attempt);
    this.#parts.statistics.inFlight = this.#workers.size;
    const back = this.#endings.end(slot, job, ending);
    if (back !== undefined || slot.blocked || slot.jobs.length === 0 || this.#stopping) {
      this.#slots.remove(slot);
      const notBefore = Math.max(back?.notBefore ?? 0, this.#wallOf(slot.nextAt));
      this.#release(slot, notBefore, back?.exclude);
    } else this.#slots.park(slot);
    if (this.#stopping) this.#settling.settle();
    else this.#alarm.soon();
  }

  #release(slot: Slot, notBefore: number, exclude?: string): void {
    this.#crowds.leave(slot);
    const release: HostRelease = {
      host: slot.host,
      notBefore,
      unused: slot.jobs.map((job) => job.lease.id),
      failures: slot.failures,
      deferrals: slot.deferrals,
      ...(exclude === undefined ? {} : { exclude }),
    };
    try {
      this.#parts.frontier.releaseHosts([release]);
    } catch (e) {
      this.fail(e as Error); // the frontier has ended; the lease comes back at its next opening
    }
    this.#nextClaimAt = 0;
  }

  /** A `performance.now()` on the frontier's clock. */
  #wallOf(at: number): number {
    return this.#parts.frontier.now() + at - performance.now();
  }

  /** Pages whose records are synced. */
  durable(pages: readonly Archived[]): void {
    this.#outcomes.durable(pages);
  }

  // ---- the end

  #windDown(): void {
    this.#ending ??= this.#end();
  }

  async #end(): Promise<void> {
    this.#stopping = true;
    this.#alarm.clear();
    clearInterval(this.#sweep);
    clearInterval(this.#look);
    const { ended, options, frontier, archiver } = this.#parts;
    for (const slot of this.#slots.drain()) this.#release(slot, this.#wallOf(slot.nextAt));
    const abort = () => ended.abort(new RunError("stopped"));
    const grace = setTimeout(abort, options.graceMs);
    await this.#settling.until(() => this.#workers.size === 0 && !this.#claiming);
    clearTimeout(grace);
    abort();
    try {
      await archiver.finish();
      await this.#settling.until(() => this.#outcomes.booked);
      this.#note(await frontier.stats());
    } catch (e) {
      this.#error ??= asRunError(e);
    }
    this.#records.end();
  }
}
