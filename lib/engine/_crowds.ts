/**
 * Hosts whose address has as many requests in flight as it may have. A few of them wait near, in
 * their slots, to be there when a place comes free; the others are given back to the frontier, so
 * that an address with ten thousand names does not keep everybody else out.
 */

/** A host that may have to wait for a place at its address. */
export interface Waiter {
  /** The full address that it waits near. */
  crowd: string | undefined;
}

/** What a host that was turned away is to do. */
export interface TurnedAway {
  /** It keeps its slot. */
  readonly near: boolean;
  /** Milliseconds before it may ask again. */
  readonly waitMs: number;
}

interface Crowd {
  /** Hosts that wait in their slots. */
  near: number;
  /** `performance.now()` at which the last one sent away should find a place. */
  freeAt: number;
}

/** Wait, in ms, of a host that stays near. */
const NEAR_WAIT = 25;
/** Shortest and longest wait of one that is sent away: it costs a round through the frontier. */
const AWAY_LEAST = 250, AWAY_MOST = 600_000;

/** Who waits for which address. Memory follows the addresses that are full at the moment. */
export class Crowds {
  readonly #perIp: number;
  readonly #byIp = new Map<string, Crowd>();
  #sweepAt = 1024;

  /** @param perIp Requests that may be in flight at one address. */
  constructor(perIp: number) {
    this.#perIp = perIp;
  }

  /** Addresses with a crowd. */
  get size(): number {
    return this.#byIp.size;
  }

  /**
   * A host met a full address.
   *
   * @param serviceMs What a request takes there, roughly: those sent away come back at that pace.
   */
  turnAway(host: Waiter, ip: string, serviceMs: number, now: number): TurnedAway {
    if (host.crowd === ip) return { near: true, waitMs: NEAR_WAIT };
    this.leave(host);
    let crowd = this.#byIp.get(ip);
    if (crowd === undefined) {
      if (this.#byIp.size >= this.#sweepAt) this.#sweep(now);
      crowd = { near: 0, freeAt: 0 };
      this.#byIp.set(ip, crowd);
    }
    if (crowd.near < 2 * this.#perIp) {
      crowd.near++;
      host.crowd = ip;
      return { near: true, waitMs: NEAR_WAIT };
    }
    const next = Math.max(crowd.freeAt, now + AWAY_LEAST) + serviceMs / this.#perIp;
    crowd.freeAt = Math.min(next, now + AWAY_MOST);
    return { near: false, waitMs: crowd.freeAt - now };
  }

  /** A host found a place, or is given back for another reason: it waits near no address. */
  leave(host: Waiter): void {
    if (host.crowd === undefined) return;
    const crowd = this.#byIp.get(host.crowd);
    if (crowd !== undefined) crowd.near--;
    host.crowd = undefined;
  }

  #sweep(now: number): void {
    for (const [ip, { near, freeAt }] of this.#byIp) {
      if (near === 0 && freeAt <= now) this.#byIp.delete(ip);
    }
    this.#sweepAt = Math.max(1024, 2 * this.#byIp.size);
  }
}
