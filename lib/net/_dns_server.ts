import type { NameServer } from "./resolv_conf.ts";

/** Lookups in a row that a server must leave without a word before it is no longer waited for. */
const MISSES = 16;
/** How often a server that is not waited for is asked along, in milliseconds. */
const PROBE_EVERY_MS = 5000;
/** Bounds of the head start that the server asked first has over the others, in milliseconds. */
const MIN_HEAD_START_MS = 30;
const MAX_HEAD_START_MS = 300;

/** A name server and how well it answers. */
export class ServerState implements NameServer {
  readonly address: string;
  readonly port: number;
  /** Smoothed milliseconds to an answer; a server not heard yet is taken for a fast one. */
  latency: number;
  #misses = 0;
  #probeAt = 0;

  /** @param rank Its place in the list, which decides while nothing is known. */
  constructor(server: NameServer, rank: number) {
    this.address = server.address;
    this.port = server.port;
    this.latency = rank;
  }

  /** Whether it is worth waiting for. */
  get alive(): boolean {
    return this.#misses < MISSES;
  }

  /** Whether it is to be asked along to see if it is back. */
  probeDue(now: number): boolean {
    if (now < this.#probeAt) return false;
    this.#probeAt = now + PROBE_EVERY_MS;
    return true;
  }

  /** Milliseconds it may take before the others are asked too. */
  get headStart(): number {
    return Math.min(Math.max(2 * this.latency, MIN_HEAD_START_MS), MAX_HEAD_START_MS);
  }

  /** Notes an answer; `ms` only where it is known which sending it answers. */
  heard(ms?: number): void {
    this.#misses = 0;
    if (ms !== undefined) this.latency += (ms - this.latency) / 8;
  }

  /** Notes that it was late, so that another is asked first if there is a better one. */
  late(ms: number): void {
    if (ms > this.latency) this.latency += (ms - this.latency) / 4;
  }

  /** Notes a lookup in which it said nothing though it had the time. */
  missed(): void {
    this.#misses++;
  }
}
