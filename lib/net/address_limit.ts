/**
 * A bound on how many requests are in flight at one address, whatever the host names in front of it.
 *
 * @module
 */

/** Someone waiting for a place, in a list that gives up any of its members at once. */
interface Waiter {
  readonly admit: () => void;
}

interface Address {
  inFlight: number;
  /** In the order they came: a Set keeps it, and forgets one that gave up without a search. */
  readonly waiting: Set<Waiter>;
}

/**
 * Counts requests in flight by address and lets no more than a bound through; the others wait in the order
 * they came. An address is remembered only while something is in flight or waiting there.
 *
 * @example
 * ```ts
 * import { AddressLimit } from "./address_limit.ts";
 *
 * const limit = new AddressLimit(1);
 * limit.tryAcquire("192.0.2.1"); // true
 * limit.isBusy("192.0.2.1"); // true
 * limit.release("192.0.2.1");
 * ```
 */
export class AddressLimit {
  readonly #bound: number;
  readonly #addresses = new Map<string, Address>();
  #waiting = 0;

  /**
   * A limit of `bound` requests an address.
   *
   * @throws {RangeError} If the bound is not an integer of at least 1.
   */
  constructor(bound: number) {
    if (!Number.isInteger(bound) || bound < 1) {
      throw new RangeError(`Cannot bound requests by address: ${bound} is not an integer above 0`);
    }
    this.#bound = bound;
  }

  /** How many addresses have something in flight or waiting. */
  get addresses(): number {
    return this.#addresses.size;
  }

  /** How many requests wait for a place. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many requests are in flight at an address. */
  inFlight(ip: string): number {
    return this.#addresses.get(ip)?.inFlight ?? 0;
  }

  /** Whether a request to the address would have to wait. */
  isBusy(ip: string): boolean {
    return this.inFlight(ip) >= this.#bound;
  }

  /** Takes a place if there is one. */
  tryAcquire(ip: string): boolean {
    const address = this.#addresses.get(ip);
    if (address === undefined) {
      this.#addresses.set(ip, { inFlight: 1, waiting: new Set() });
      return true;
    }
    if (address.inFlight >= this.#bound) return false;
    address.inFlight++;
    return true;
  }

  /**
   * Takes a place, waiting for one. Rejects with the signal's reason when it aborts first, and has then
   * taken none.
   */
  acquire(ip: string, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.tryAcquire(ip)) return Promise.resolve();
    const address = this.#addresses.get(ip)!;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        if (address.waiting.delete(waiter)) this.#waiting--;
        reject(signal?.reason);
      };
      address.waiting.add(waiter);
      this.#waiting++;
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /**
   * Gives a place back, to the one that has waited longest.
   *
   * @throws {TypeError} If no place is taken there.
   */
  release(ip: string): void {
    const address = this.#addresses.get(ip);
    if (address === undefined) {
      throw new TypeError(`Cannot give back a place at ${ip}: none is taken`);
    }
    for (const waiter of address.waiting) {
      address.waiting.delete(waiter);
      this.#waiting--;
      waiter.admit();
      return;
    }
    if (--address.inFlight === 0) this.#addresses.delete(ip);
  }
}
