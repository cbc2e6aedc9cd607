/**
 * Deciding on offers: whether a URL is new, may come in, and where it goes. Most of what is offered is
 * known already, and none of it becomes a string.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { asBuffer } from "./_bytes.ts";
import { type Counters, countKind } from "./_counters.ts";
import type { DoneWriter } from "./_done.ts";
import { RawEntry } from "./_entry.ts";
import { depthOf, foldDepth, levelOf } from "./_listed.ts";
import type { Fingerprints } from "./_fingerprint.ts";
import type { Host } from "./_host.ts";
import type { JournalWriter } from "./_journal.ts";
import type { Queues } from "./_queues.ts";
import type { SeenSet } from "./_seen.ts";
import type { Staging } from "./_staging.ts";
import type { DiscoveredUrl, PutResult } from "./types.ts";
import { eachLine, hostEnd, hostStart } from "./_url.ts";

/** URLs longer than this (bytes) are refused. */
const MAX_URL = 16384;

const ADDED = 0, KNOWN = 1, REFUSED = 2, STAGED = 3;
type Offer = typeof ADDED | typeof KNOWN | typeof REFUSED | typeof STAGED;

/** What admission works with. */
export interface AdmissionParts {
  readonly counters: Counters;
  readonly fingerprints: Fingerprints;
  readonly seen: SeenSet;
  readonly queues: Queues;
  readonly journal: JournalWriter;
  readonly done: DoneWriter;
  /** Most URLs ever admitted of one host; 0 for no bound. */
  readonly maxPerHost: number;
  /** Whether outlinks come in only on hosts that a seed named. */
  readonly sameHost: boolean;
}

/** Takes offers in. */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #raw = new RawEntry();
  /** Where offers go that only a sieve can decide. */
  #staging: Staging | undefined;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Says where undecided offers wait, which itself hands them to {@linkcode Admission.admitStaged}. */
  stageIn(staging: Staging): void {
    this.#staging = staging;
  }

  /** Offers URLs. */
  put(urls: readonly DiscoveredUrl[], seed: boolean): PutResult {
    const counts = [0, 0, 0, 0];
    for (const { url, priority, depth, listed } of urls) {
      const bytes = Buffer.from(url);
      const folded = foldDepth(depth, listed);
      counts[this.#offer(bytes, 0, bytes.length, priority, folded, seed)]!++;
    }
    return toResult(counts);
  }

  /** Offers URLs joined by "\n", each with its priority and depth. */
  putBytes(
    bytes: Uint8Array,
    priorities: Float64Array,
    depths: Uint32Array,
    seed: boolean,
  ): PutResult {
    const counts = [0, 0, 0, 0];
    const buffer = asBuffer(bytes);
    let at = 0;
    eachLine(bytes, (start, end) => {
      counts[this.#offer(buffer, start, end, priorities[at]!, depths[at]!, seed)]!++;
      at++;
    });
    return toResult(counts);
  }

  /** Offers URLs joined by "\n" that were found on one page. */
  putLinks(bytes: Uint8Array, priority: number, depth: number): void {
    const buffer = asBuffer(bytes);
    eachLine(bytes, (start, end) => {
      this.#offer(buffer, start, end, priority, depth, false);
    });
  }

  /** Offers those of such URLs whose hosts a seed has named. */
  putWhereNamed(bytes: Uint8Array, priority: number, depth: number): void {
    const buffer = asBuffer(bytes);
    eachLine(bytes, (start, end) => {
      const from = hostStart(buffer, start, end);
      const to = from < 0 ? -1 : hostEnd(buffer, from, end);
      if (to <= from || this.#parts.queues.at(buffer, from, to, false)?.named !== true) return;
      this.#offer(buffer, start, end, priority, depth, false);
    });
  }

  /** Offers the target of a redirect; that of a seed names its host. */
  putRedirect(url: string, priority: number, depth: number): void {
    const bytes = Buffer.from(url);
    this.#offer(bytes, 0, bytes.length, priority, depth, depthOf(depth) + levelOf(depth) === 0);
  }

  #offer(
    bytes: Buffer,
    start: number,
    end: number,
    priority: number,
    depth: number,
    seed: boolean,
  ): Offer {
    const { queues, fingerprints, seen, maxPerHost, sameHost } = this.#parts;
    const nameStart = hostStart(bytes, start, end);
    const nameEnd = nameStart < 0 ? -1 : hostEnd(bytes, nameStart, end);
    if (nameEnd <= nameStart || end - start > MAX_URL) return REFUSED;
    let host: Host | undefined;
    if (seed || sameHost) {
      host = queues.at(bytes, nameStart, nameEnd, seed);
      if (seed && !host!.named) {
        host!.named = true;
        queues.touch(host!);
      }
      if (sameHost && host?.named !== true) return REFUSED;
    }
    fingerprints.ofBytes(bytes, start, end);
    const { hi, lo } = fingerprints;
    const sight = seen.look(hi, lo);
    if (sight === "known") return KNOWN;
    if (sight === "unsure") {
      this.#staging!.add(bytes, start, end, priority, depth, hi, lo);
      return STAGED;
    }
    host ??= queues.at(bytes, nameStart, nameEnd, true)!;
    if (maxPerHost > 0 && host.admitted >= maxPerHost) return REFUSED;
    // The look-up of a host may not come between `look` and `insert` of the set: it does not touch it.
    seen.insert(hi, lo);
    this.#raw.setUrl(bytes, start, nameStart, nameEnd, end);
    return this.#admit(host, priority, depth, hi, lo);
  }

  /** Admits an offer that a sieve has found to be new. */
  admitStaged(
    bytes: Buffer,
    start: number,
    end: number,
    priority: number,
    depth: number,
    hi: number,
    lo: number,
  ): void {
    const { queues, seen, maxPerHost } = this.#parts;
    const nameStart = hostStart(bytes, start, end), nameEnd = hostEnd(bytes, nameStart, end);
    const host = queues.at(bytes, nameStart, nameEnd, true)!;
    if (maxPerHost > 0 && host.admitted >= maxPerHost) return;
    if (!seen.add(hi, lo)) return;
    this.#raw.setUrl(bytes, start, nameStart, nameEnd, end);
    this.#admit(host, priority, depth, hi, lo);
  }

  /** Queues the URL in `#raw`, whose fingerprint has just been put into the seen set. */
  #admit(host: Host, priority: number, depth: number, hi: number, lo: number): Offer {
    const { counters, queues, journal } = this.#parts;
    const raw = this.#raw;
    counters.known++;
    // The entry's record says so, too, so that no numbers need be written.
    host.admitted++;
    if (host.excluded !== null) {
      queues.touch(host);
      journal.seen(hi, lo);
      this.logSkip(raw.url(host.name), depth, host.excluded);
      return REFUSED;
    }
    raw.priority = priority;
    raw.depth = depth;
    raw.attempts = 0;
    raw.seq = counters.nextSeq++;
    counters.live++;
    queues.append(host, raw, true);
    return ADDED;
  }

  /** Counts and logs a URL of a host that is left out. */
  logSkip(url: string, depth: number, reason: string): void {
    const { counters, done } = this.#parts;
    counters.skipped++;
    countKind(counters.skippedBy, reason);
    done.add({
      url,
      outcome: "skipped",
      depth: depthOf(depth),
      status: 0,
      error: "skip",
      reason,
      warcFile: "",
      warcOffset: 0,
    });
  }
}

function toResult(counts: readonly number[]): PutResult {
  return {
    added: counts[ADDED]!,
    known: counts[KNOWN]!,
    refused: counts[REFUSED]!,
    staged: counts[STAGED]!,
  };
}
