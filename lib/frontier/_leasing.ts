/**
 * Handing hosts out, taking them back, and ending leases.
 *
 * @module
 */

import type { Admission } from "./_admission.ts";
import type { StateClock } from "./_clock.ts";
import { type Counters, countKind } from "./_counters.ts";
import type { DoneWriter } from "./_done.ts";
import { type Entry, RawEntry } from "./_entry.ts";
import { type Host, type Lease, toMoment, whole } from "./_host.ts";
import { depthOf, foldDepth, levelOf, MAX_REDIRECTS, redirectsOf } from "./_listed.ts";
import type { JournalWriter } from "./_journal.ts";
import type { Queues } from "./_queues.ts";
import type { Visits } from "./_visits.ts";
import { FrontierError } from "./errors.ts";
import type { Completion, HostLease, HostRelease } from "./types.ts";

/** What leasing works with. */
export interface LeasingParts {
  readonly clock: StateClock;
  readonly counters: Counters;
  readonly queues: Queues;
  readonly journal: JournalWriter;
  readonly done: DoneWriter;
  readonly admission: Admission;
  readonly visits: Visits;
}

/** The leases of this opening. */
export class Leasing {
  /** The last claim found nothing. */
  starved = false;
  readonly #parts: LeasingParts;
  readonly #leases: Map<number, Lease> = new Map();
  readonly #raw = new RawEntry();
  #next = 1;

  constructor(parts: LeasingParts) {
    this.#parts = parts;
  }

  /** Leases that are out. */
  get size(): number {
    return this.#leases.size;
  }

  /** Hands out hosts. See {@linkcode Frontier.claim}. */
  claim(hosts: number, perHost: number, horizonMs: number): HostLease[] {
    const { clock, queues, visits } = this.#parts;
    const now = clock.now();
    const limit = now + Math.max(0, horizonMs);
    const out: HostLease[] = [];
    while (out.length < hosts) {
      const host = queues.next(limit);
      if (host === undefined) break;
      host.held = true;
      const urls = [];
      while (urls.length < perHost) {
        const entry = queues.take(host);
        if (entry === undefined) break;
        const lease: Lease = { id: this.#next++, host, entry };
        this.#leases.set(lease.id, lease);
        host.addLease(lease);
        const { url, priority, attempts } = entry;
        const depth = depthOf(entry.depth), listed = levelOf(entry.depth);
        const memo = visits.memo(url);
        urls.push({
          id: lease.id,
          url,
          priority,
          depth,
          attempts,
          ...(listed === 0 ? {} : { listed }),
          ...(memo === undefined ? {} : { memo }),
        });
      }
      out.push({
        host: host.name,
        notBefore: host.dueAt <= now ? 0 : clock.toWall(host.dueAt),
        ...(host.delay < 0 ? {} : { delayMs: host.delay }),
        failures: host.failures,
        deferrals: host.deferrals,
        urls,
      });
    }
    this.starved = out.length === 0;
    return out;
  }

  /** @throws {FrontierError} when a host is not handed out, or a lease not of its host. */
  checkReleases(releases: readonly HostRelease[]): void {
    for (const release of releases) {
      const host = this.#parts.queues.inMemory(release.host);
      if (host === undefined || !host.held) {
        throw new FrontierError(`Cannot release the host "${release.host}": it is not handed out.`);
      }
      for (const id of release.unused) this.#lease(id, "release", host);
    }
  }

  /** Takes hosts back that were checked. See {@linkcode Frontier.releaseHosts}. */
  release(releases: readonly HostRelease[]): void {
    const { clock, counters, queues } = this.#parts;
    for (const release of releases) {
      const host = queues.inMemory(release.host)!;
      const entries: Entry[] = [];
      for (const id of release.unused) {
        const lease = this.#leases.get(id);
        if (lease === undefined) continue;
        this.#leases.delete(id);
        host.dropLease(lease);
        entries.push(lease.entry);
      }
      queues.giveBack(host, entries);
      host.held = false;
      host.notBefore = Math.max(clock.now(), toMoment(clock, release.notBefore));
      if (release.failures !== undefined) host.failures = whole(release.failures);
      if (release.deferrals !== undefined) host.deferrals = whole(release.deferrals);
      if (release.exclude !== undefined && host.excluded === null) {
        host.excluded = release.exclude;
        counters.excludedHosts++;
      }
      queues.touch(host);
      queues.place(host);
    }
  }

  /** @throws {FrontierError} when a lease is not held, or named twice. */
  checkCompletions(batch: readonly Completion[]): void {
    const ids = new Set<number>();
    for (const { id } of batch) {
      this.#lease(id, "complete");
      if (ids.has(id)) throw new FrontierError(`Cannot complete lease ${id} twice.`);
      ids.add(id);
    }
  }

  #lease(id: number, verb: string, host?: Host): Lease {
    const lease = this.#leases.get(id);
    if (lease === undefined || (host !== undefined && lease.host !== host)) {
      throw new FrontierError(`Cannot ${verb} lease ${id}: it is not held.`);
    }
    return lease;
  }

  /** Ends a lease that was checked. See {@linkcode Frontier.complete}. */
  end(completion: Completion): void {
    const { counters, queues, journal, done, admission, visits } = this.#parts;
    const lease = this.#leases.get(completion.id)!;
    const { host, entry } = lease;
    this.#leases.delete(lease.id);
    host.dropLease(lease);
    journal.gone(entry.seq);
    host.dirty = true;
    if (completion.outcome === "again") {
      const raw = this.#raw;
      raw.setEntry(host.name, entry);
      raw.attempts++;
      raw.seq = counters.nextSeq++;
      queues.append(host, raw, false);
    } else {
      counters.live--;
      const { outcome, status, error, reason, warcFile, warcOffset } = completion;
      if (outcome === "done") counters.answered++;
      else if (outcome === "failed") {
        counters.failed++;
        countKind(counters.failedBy, error);
      } else {
        counters.skipped++;
        countKind(counters.skippedBy, reason);
      }
      done.add({
        url: entry.url,
        outcome,
        depth: depthOf(entry.depth),
        status: whole(status),
        error,
        reason,
        warcFile,
        warcOffset: whole(warcOffset),
      });
      visits.ended(entry, completion);
      queues.place(host);
    }
    const { outlinks, listed, listedElsewhere, redirect } = completion;
    const depth = depthOf(entry.depth), priority = entry.priority / 2 || Number.MIN_VALUE;
    const onward = foldDepth(depth, levelOf(entry.depth) + 1);
    if (listed !== undefined) admission.putLinks(listed, priority, onward);
    if (listedElsewhere !== undefined) admission.putWhereNamed(listedElsewhere, priority, onward);
    if (completion.modified !== undefined) visits.changed(completion.modified);
    if (outlinks !== undefined) admission.putLinks(outlinks, priority, depth + 1);
    if (redirect !== undefined && redirect !== "") {
      const redirects = redirectsOf(entry.depth) + 1;
      if (redirects > MAX_REDIRECTS) return;
      const listed = levelOf(entry.depth);
      admission.putRedirect(redirect, entry.priority, foldDepth(depth, listed, redirects));
    }
  }
}
