/**
 * The loop of a crawl: hosts come under lease from the frontier, each is asked one page at a time by
 * its own clock, answers go to the archive, and what became durable is completed and yielded.
 */

import {
  type Exchange,
  FetchError,
  type HttpClient,
  type Resolver,
  toFetchError,
} from "../net/mod.ts";
import type { RobotsCache } from "../robots/mod.ts";
import type {
  Completion,
  ControlCommand,
  DiscoveredUrl,
  Frontier,
  HostRelease,
  LeasedUrl,
} from "../frontier/mod.ts";
import { Scope, trapReason } from "../url/mod.ts";
import { acceptedLinks, acceptsRedirect } from "./_accept.ts";
import { type Archived, type Archiver, pickHeaders } from "./archiver.ts";
import { deferralMs, failureWaitMs, MAX_REFUSALS, retryAfterMs } from "./backoff.ts";
import type { HostClocks } from "./clocks.ts";
import type { FilledCrawlOptions } from "./crawl_options.ts";
import { asRunError, RunError } from "./errors.ts";
import { isRedirect } from "./page.ts";
import { type CrawlRecord, rfc3339 } from "./records.ts";
import { isTransient } from "./robots_fetch.ts";
import { parseSeed } from "./seeds.ts";
import { MAX_UNCOMMITTED } from "./replay.ts";
import { type Job, type Slot, SlotTable } from "./_slots.ts";
import { RecordQueue } from "./_record_queue.ts";
import { Crowds } from "./_crowds.ts";
import { Settling } from "./_settling.ts";
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
  /** Aborted when requests in flight must end. */
  readonly ended: AbortController;
  /** Aborted from outside: wind down. */
  readonly stop: AbortSignal;
}

/** Seeds offered to the frontier at a time. */
const SEED_BATCH = 2000;
/** How long a seed waits for others, in ms. */
const SEED_WAIT = 100;
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

/** How long a page waits, in ms, when the process has no descriptor left for its connection. */
const NO_DESCRIPTOR_WAIT = 1000;

/** How an attempt at a page ended. */
type Ending =
  | { readonly kind: "answered"; readonly x: Exchange }
  | { readonly kind: "failed"; readonly error: FetchError }
  | { readonly kind: "refused"; readonly reason: string; readonly detail: string }
  | { readonly kind: "leave-out"; readonly reason: string; readonly detail: string }
  | { readonly kind: "defer"; readonly answered: boolean }
  | { readonly kind: "park"; readonly until: number }
  | { readonly kind: "crowded"; readonly ip: string }
  | { readonly kind: "aborted" };

/** What is kept of a page between its answer and its being durable. */
interface Pending {
  readonly lease: LeasedUrl;
  /** What the archive adds to it stands empty. */
  readonly record: CrawlRecord;
}

export class CrawlLoop {
  #parts: LoopParts;
  #slots = new SlotTable();
  #records = new RecordQueue<CrawlRecord>();
  #pending = new Map<number, Pending>();
  #completions: { completion: Completion; record: CrawlRecord }[] = [];
  #completing = 0;
  #workers: Workers;
  #crowds: Crowds;
  #sweep: ReturnType<typeof setInterval> | undefined;
  #look: ReturnType<typeof setInterval> | undefined;
  #looking = false;
  #awaitingRoom = false;
  /** Pages begun and not yet yielded, of those that may count as answered. */
  #outstanding = 0;
  #paused = false;
  #stopping = false;
  #error: Error | undefined;
  #told = false;
  #toldOfDescriptors = false;
  #claiming = false;
  #nextClaimAt = 0;
  #poll = POLL_FIRST;
  #pumpQueued = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Infinity;
  #seeding: Promise<void> = Promise.resolve();
  #seeded = false;
  #accountedAt = performance.now();
  #settling = new Settling();
  #ending: Promise<void> | undefined;
  #perHost: number;
  #maxSlots: number;
  #seedScope: Scope;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    const { delayMs, workers } = parts.options;
    this.#perHost = delayMs <= 20 ? 32 : delayMs <= 500 ? 8 : 4;
    // to keep the workers busy takes as many hosts as pages are answered in a host's delay
    this.#maxSlots = Math.max(1024, 64 * workers);
    this.#workers = new Workers(parts.options.maxStalled);
    this.#crowds = new Crowds(parts.options.perIp);
    this.#seedScope = new Scope(parts.options.scope);
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
    this.#listen();
    if (stop.aborted) this.#windDown();
    else stop.addEventListener("abort", () => this.#windDown(), { once: true });
    this.#seeding = this.#seed().then(() => {
      this.#seeded = true;
      this.#freshen();
    }, (e) => this.fail(e as Error));
    this.#sweep = setInterval(() => this.#sweepStalled(), SWEEP);
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
    if (this.#workers.sweep(now)) this.#wake();
  }

  /** Yields records until the crawl is over; throws what ended it. */
  async *records(): AsyncGenerator<CrawlRecord, void, void> {
    for (;;) {
      const record = await this.#records.next();
      if (record === undefined) break;
      yield record;
      if (this.#records.size === MAX_BACKLOG - 1) this.#wake();
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

  // ---- seeds

  async #seed(): Promise<void> {
    const { frontier, options, statistics } = this.#parts;
    let batch: DiscoveredUrl[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = async () => {
      clearTimeout(timer);
      timer = undefined;
      if (batch.length === 0 || this.#stopping) return;
      const urls = batch;
      batch = [];
      await frontier.put(urls, { seed: true });
      this.#freshen();
    };
    for await (const item of options.seeds) {
      if (this.#stopping) return;
      const seed = typeof item === "string" ? parseSeed(item) : item;
      if (seed === undefined) continue;
      if (typeof seed === "string") {
        statistics.badSeeds++;
        continue;
      }
      if (trapReason(seed.url) !== undefined || !this.#seedScope.admitsSeed(seed.url)) continue;
      statistics.seeds++;
      batch.push({ url: seed.url, priority: seed.priority, depth: 0 });
      if (batch.length >= SEED_BATCH) await flush();
      // a list that comes slowly is crawled as it comes
      else timer ??= setTimeout(() => flush().catch((e) => this.fail(e)), SEED_WAIT);
    }
    await flush();
  }

  // ---- scheduling

  /** Something changed that may have made a host claimable. */
  #freshen(): void {
    this.#nextClaimAt = 0;
    this.#poll = POLL_FIRST;
    this.#wake();
  }

  #wake(): void {
    if (this.#pumpQueued) return;
    this.#pumpQueued = true;
    queueMicrotask(() => {
      this.#pumpQueued = false;
      this.#pump();
    });
  }

  #mayFetch(): boolean {
    const { options, archiver, statistics } = this.#parts;
    return !this.#paused && !archiver.full && this.#records.size < MAX_BACKLOG &&
      this.#outstanding - this.#workers.size < MAX_UNCOMMITTED &&
      (options.maxPages === 0 || statistics.answered + this.#outstanding < options.maxPages) &&
      (options.limit === 0 || statistics.records + this.#outstanding < options.limit);
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

  /** Worker time since the last look is booked to what kept idle workers idle. */
  #account(now: number): void {
    const { workerMs } = this.#parts.statistics;
    const { workers } = this.#parts.options;
    const passed = now - this.#accountedAt;
    this.#accountedAt = now;
    workerMs.robots += passed * this.#workers.active.robots;
    workerMs.fetching += passed * this.#workers.active.fetching;
    const idle = passed * Math.max(0, workers - this.#workers.busy);
    if (this.#parts.archiver.full) workerMs.queueing += idle;
    else if (this.#slots.waitingCount > 0) workerMs.hostClock += idle;
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
        this.#wake();
      });
    }
    if (at >= this.#timerAt && this.#timerAt > now) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    if (at === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      this.#pump();
    }, Math.max(0, Math.ceil(at - now)));
  }

  #refill(now: number): void {
    if (this.#claiming || this.#nextClaimAt > now) return;
    const { workers } = this.#parts.options;
    const soon = this.#workers.busy + this.#slots.countUntil(now + HORIZON, 2 * workers);
    let want = 2 * workers - soon;
    if (want <= 0) return;
    // hosts of stalled requests have places of their own
    const maxSlots = this.#maxSlots + this.#workers.stalled;
    for (let room = maxSlots - this.#slots.size; room < Math.min(want, workers); room++) {
      const slot = this.#slots.farthest();
      if (slot === undefined || slot.nextAt < now + 10 * HORIZON || slot.jobs[0]!.tries > 0) break;
      this.#slots.withdraw(slot.host);
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
      this.#wake();
    }, (e) => {
      this.#claiming = false;
      this.fail(e as Error);
      this.#settling.settle();
    });
  }

  /** Ends the crawl when nothing is left anywhere. */
  #checkEnd(): void {
    if (
      !this.#seeded || this.#workers.size > 0 || this.#slots.size > 0 || this.#completing > 0 ||
      this.#pending.size > 0 || this.#stopping || this.#completions.length > 0
    ) return;
    this.#parts.frontier.stats().then((stats) => {
      this.#note(stats);
      if (stats.queued + stats.leased + stats.staged === 0 && !this.#paused) this.#windDown();
    }, (e) => this.fail(e as Error));
  }

  #note(stats: Awaited<ReturnType<Frontier["stats"]>>): void {
    const { statistics } = this.#parts;
    statistics.queued = stats.queued;
    statistics.activeHosts = stats.activeHosts;
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
    this.#outstanding++;
    this.#parts.statistics.inFlight = this.#workers.size;
    this.#attempt(slot, job, attempt).then(
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

  async #attempt(slot: Slot, job: Job, attempt: Attempt): Promise<Ending> {
    const { options, client, resolver, clocks, headers, statistics, ended } = this.#parts;
    const url = new URL(job.lease.url);
    const { host } = slot;
    try {
      const addresses = resolver.peek(url.hostname) ?? await resolver.resolve(url.hostname);
      const ip = addresses[0];
      if (ip !== undefined && client.busyAt(ip)) return { kind: "crowded", ip };
      this.#leaveCrowd(slot);
      const delayMs = slot.delayMs ?? options.delayMs;
      const allowed = await this.#allowed(url, host, delayMs);
      if (typeof allowed === "object") return allowed;
      this.#enterFetching(attempt);
      await clocks.enter(host, { spaced: true, signal: ended.signal });
      const begun = performance.now();
      job.startedAt ??= begun;
      clocks.sent(host, begun); // a connection that fails is a visit too
      try {
        const x = await client.exchange({
          url,
          headers,
          timeoutMs: Math.max(1, job.leftMs),
          bodyCap: options.bodyCap,
          keepWire: options.warc?.http === "raw",
          progress: attempt.progress,
          onSent: (at) => clocks.sent(host, at),
          signal: ended.signal,
        });
        this.#workers.answered(x.firstByteAt - begun);
        return { kind: "answered", x };
      } finally {
        job.leftMs -= performance.now() - begun;
        slot.nextAt = clocks.leave(host, allowed);
      }
    } catch (e) {
      if (ended.signal.aborted) return { kind: "aborted" };
      const error = toFetchError(e);
      const now = performance.now();
      if (error.reason === "descriptors") {
        this.#tellOfDescriptors(error);
        return { kind: "park", until: now + NO_DESCRIPTOR_WAIT };
      }
      const again = Math.max(slot.nextAt, now);
      if (job.tries < options.retries && isTransient(error) && job.leftMs > again - now) {
        job.leftMs -= again - now;
        job.tries++;
        statistics.retries++;
        return { kind: "park", until: again };
      }
      return { kind: "failed", error };
    }
  }

  /** Once is enough: it lasts. */
  #tellOfDescriptors({ message }: FetchError): void {
    if (this.#toldOfDescriptors) return;
    this.#toldOfDescriptors = true;
    const text = `${message}; pages wait. Allow more (ulimit -n), or give fewer workers`;
    this.#parts.options.onEvent({ type: "warning", text });
  }

  /** The delay to keep, in ms, where robots.txt (or its absence) lets us in; how it ends otherwise. */
  async #allowed(url: URL, host: string, delayMs: number): Promise<number | Ending> {
    const { options, robots } = this.#parts;
    if (robots === undefined) return this.#spaced(host, delayMs);
    const { state, failure, detail, rules } = robots.peek(url.href) ?? await robots.get(url);
    if (state === "unreachable") {
      // a page would meet the same refusal: it fails now, not after hours of asking again
      if (failure === "tls" || failure === "skip") {
        throw new FetchError(
          failure,
          detail ?? `robots.txt of ${url.host} could not be had: ${failure}`,
        );
      }
      return { kind: "defer", answered: failure === "5xx" };
    }
    const { allowed, line, crawlDelay } = rules.check(options.userAgent, url.href);
    if (!allowed) {
      return {
        kind: "refused",
        reason: "robots",
        detail: line === undefined ? "robots.txt" : `robots.txt line ${line}`,
      };
    }
    const asked = (crawlDelay ?? 0) * 1000;
    if (asked > options.maxCrawlDelayMs) {
      return {
        kind: "leave-out",
        reason: "crawl-delay",
        detail: `robots.txt asks for ${crawlDelay} s between requests`,
      };
    }
    return this.#spaced(host, Math.max(delayMs, asked));
  }

  /** The delay, unless the page before was asked for too short a while ago. */
  #spaced(host: string, delayMs: number): number | Ending {
    const due = this.#parts.clocks.space(host, delayMs);
    return due > performance.now() ? { kind: "park", until: due } : delayMs;
  }

  #ended(slot: Slot, job: Job, attempt: Attempt, ending: Ending): void {
    this.#account(performance.now());
    this.#workers.end(attempt);
    const { statistics, archiver, options } = this.#parts;
    statistics.inFlight = this.#workers.size;
    let notBefore = 0;
    let exclude: string | undefined;
    let release = slot.blocked;
    switch (ending.kind) {
      case "answered": {
        const { x } = ending;
        this.#pending.set(job.lease.id, { lease: job.lease, record: this.#record(job, x) });
        archiver.push(job.lease.id, job.lease.depth, job.lease.url, x);
        slot.deferrals = 0;
        if (x.status === 429 || x.status === 503) {
          slot.failures = Math.min(slot.failures + 1, MAX_REFUSALS);
          const value = x.headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? "";
          const wait = retryAfterMs(value, slot.failures, Date.now());
          notBefore = this.#block(slot, wait, `status ${x.status}`);
          release = true;
        } else slot.failures = 0;
        break;
      }
      case "failed": {
        this.#finish(job, "failed", ending.error.kind, ending.error.message);
        if (ending.error.kind === "skip" || ending.error.kind === "dns") break;
        const wait = failureWaitMs(++slot.failures);
        if (wait === undefined) exclude = `unreachable: ${ending.error.kind}`;
        else if (wait > 0) {
          notBefore = this.#block(slot, wait, `${slot.failures} failures in a row`);
          release = true;
        }
        break;
      }
      case "refused":
        this.#finish(job, "skipped", ending.reason, ending.detail);
        break;
      case "leave-out":
        exclude = ending.reason;
        this.#finish(job, "skipped", ending.reason, ending.detail);
        break;
      case "defer": {
        this.#putBack(slot, job);
        const wait = deferralMs(slot.deferrals, options.robotsRetryMs, ending.answered);
        if (wait === undefined) exclude = "robots-unreachable";
        else {
          slot.deferrals++;
          notBefore = this.#block(slot, wait, "robots.txt could not be had");
          release = true;
        }
        break;
      }
      case "park":
        this.#putBack(slot, job);
        slot.nextAt = ending.until;
        break;
      case "crowded": {
        this.#putBack(slot, job);
        const now = performance.now();
        const near = slot.crowd === ending.ip;
        if (!near) this.#leaveCrowd(slot);
        const turned = this.#crowds.turnAway(ending.ip, near, this.#workers.typicalMs, now);
        if (turned.near) slot.crowd = ending.ip;
        else release = true;
        slot.nextAt = now + turned.waitMs;
        break;
      }
      case "aborted":
        this.#putBack(slot, job);
        release = true;
    }
    if (exclude !== undefined) {
      options.onEvent({ type: "host-left-out", host: slot.host, reason: exclude });
    }
    if (release || exclude !== undefined || slot.jobs.length === 0 || this.#stopping) {
      this.#slots.remove(slot);
      this.#release(slot, Math.max(notBefore, this.#wallOf(slot.nextAt)), exclude);
    } else this.#slots.park(slot);
    if (this.#stopping) this.#settling.settle();
    else this.#wake();
  }

  #leaveCrowd(slot: Slot): void {
    if (slot.crowd === undefined) return;
    this.#crowds.leave(slot.crowd);
    slot.crowd = undefined;
  }

  #putBack(slot: Slot, job: Job): void {
    slot.jobs.unshift(job);
    this.#outstanding--;
  }

  #block(slot: Slot, waitMs: number, reason: string): number {
    const untilMs = this.#wallOf(performance.now() + waitMs);
    this.#parts.options.onEvent({ type: "host-blocked", host: slot.host, untilMs, reason });
    return untilMs;
  }

  #release(slot: Slot, notBefore: number, exclude?: string): void {
    this.#leaveCrowd(slot);
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

  // ---- what became of it

  #record(job: Job, x: Exchange): CrawlRecord {
    const { contentType, location } = pickHeaders(x);
    const target = isRedirect(x.status) && location !== ""
      ? URL.parse(location, x.url)?.href ?? ""
      : "";
    return {
      url: job.lease.url,
      final_url: job.lease.url,
      status: x.status,
      content_type: contentType,
      digest: "",
      body_size: x.body.length,
      link_count: 0,
      depth: job.lease.depth,
      redirect_to: target,
      fetched_at: rfc3339(x.date),
      duration_ms: Math.round(x.endedAt - (job.startedAt ?? x.sentAt)),
      warc_file: "",
      warc_offset: 0,
      error: "",
      error_detail: "",
    };
  }

  /** Ends a page that has no answer. */
  #finish(job: Job, outcome: "failed" | "skipped", error: string, detail: string): void {
    const { statistics } = this.#parts;
    const kind = outcome === "skipped" ? "skip" : error;
    if (outcome === "failed") {
      statistics.failedBy[error as keyof typeof statistics.failedBy]++;
      if (error === "other") statistics.shapes.add(detail);
    } else if (error === "robots") statistics.disallowed++;
    const now = performance.now();
    this.#completions.push({
      completion: {
        id: job.lease.id,
        outcome,
        status: 0,
        error: kind,
        reason: outcome === "skipped" ? error : "",
        warcFile: "",
        warcOffset: 0,
      },
      record: {
        url: job.lease.url,
        final_url: job.lease.url,
        status: 0,
        content_type: "",
        digest: "",
        body_size: 0,
        link_count: 0,
        depth: job.lease.depth,
        redirect_to: "",
        fetched_at: rfc3339(this.#wallOf(job.startedAt ?? now)),
        duration_ms: Math.round(now - (job.startedAt ?? now)),
        warc_file: "",
        warc_offset: 0,
        error: kind,
        error_detail: detail,
      },
    });
    if (this.#completions.length === 1) queueMicrotask(() => this.#complete());
  }

  /** Pages whose records are synced: complete them, then yield them. */
  durable(pages: readonly Archived[]): void {
    const { statistics, options } = this.#parts;
    const archived = options.warc !== undefined;
    for (const page of pages) {
      const pending = this.#pending.get(page.id);
      if (pending === undefined) continue; // robots.txt
      this.#pending.delete(page.id);
      const { lease, record } = pending;
      const onward = this.#onward(page, lease);
      if (onward === undefined) break; // what is not completed is fetched again by the next run
      statistics.fetched++;
      statistics.bodyBytes += record.body_size;
      this.#completions.push({
        completion: {
          id: lease.id,
          outcome: "done",
          status: record.status,
          error: "",
          // the page itself asked for it, or else there is no archive at all
          reason: page.file === "" && archived ? "noarchive" : "",
          warcFile: page.file,
          warcOffset: page.offset,
          ...onward,
        },
        record: {
          ...record,
          digest: page.digest,
          link_count: page.links,
          warc_file: page.file,
          warc_offset: page.offset,
        },
      });
    }
    this.#complete();
  }

  /** Where a page leads; undefined where the caller's own word on it could not be had. */
  #onward(
    page: Archived,
    lease: LeasedUrl,
  ): Pick<Completion, "outlinks" | "redirect"> | undefined {
    const { accept } = this.#parts.options;
    let outlinks = page.outlinkBytes;
    let { redirect } = page;
    if (accept !== undefined) {
      try {
        outlinks = acceptedLinks(outlinks, lease, accept);
        if (redirect !== undefined && !acceptsRedirect(redirect, lease, accept)) {
          redirect = undefined;
        }
      } catch (e) {
        this.fail(e as Error, { seal: true });
        return undefined;
      }
    }
    return {
      ...(outlinks.length > 0 ? { outlinks } : {}),
      ...(redirect === undefined ? {} : { redirect }),
    };
  }

  #complete(): void {
    if (this.#completions.length === 0) return;
    const batch = this.#completions;
    this.#completions = [];
    this.#completing++;
    const { frontier, statistics } = this.#parts;
    frontier.complete(batch.map(({ completion }) => completion)).then(() => {
      this.#completing--;
      for (const { completion, record } of batch) {
        if (completion.outcome === "done") statistics.answered++;
        statistics.records++;
        this.#outstanding--;
        this.#records.push(record);
      }
      this.#settling.settle();
      this.#freshen();
    }, (e) => {
      this.#completing--;
      this.fail(e as Error);
      this.#settling.settle();
    });
  }

  // ---- the end

  #windDown(): void {
    this.#ending ??= this.#end();
  }

  async #end(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
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
      await this.#settling.until(() => this.#completing === 0 && this.#completions.length === 0);
      this.#note(await frontier.stats());
    } catch (e) {
      this.#error ??= asRunError(e);
    }
    this.#records.end();
  }
}
