import type { Connection } from "./_connection.ts";
import type { Expiring, Sweep } from "./_sweep.ts";

/** A connection between two exchanges. */
interface Idle extends Expiring {
  readonly connection: Connection;
  readonly since: number;
}

/** Bounds of an {@linkcode IdlePool}. */
export interface IdlePoolOptions {
  readonly sweep: Sweep;
  readonly now: () => number;
  /** Most connections in all. */
  readonly max: number;
  /** How long one is kept, in milliseconds. */
  readonly idleMs: number;
}

/**
 * Connections kept between exchanges, one a host: politeness never needs a second. The one that has idled
 * longest makes room. One on which anything happens, be it bytes nobody asked for or the end, is closed.
 */
export class IdlePool {
  readonly #options: IdlePoolOptions;
  /** In the order they were put in. */
  readonly #idle = new Map<string, Idle>();

  /** An empty pool. */
  constructor(options: IdlePoolOptions) {
    this.#options = options;
  }

  /** How many connections idle. */
  get size(): number {
    return this.#idle.size;
  }

  /** Takes the host's connection out, if there is one; with how long it idled, in milliseconds. */
  take(key: string): { connection: Connection; idleMs: number } | undefined {
    const idle = this.#idle.get(key);
    if (idle === undefined) return undefined;
    this.#idle.delete(key);
    this.#options.sweep.delete(idle);
    return { connection: idle.connection, idleMs: this.#options.now() - idle.since };
  }

  /** Puts a connection in that has ended an exchange in good order. */
  put(connection: Connection): void {
    const { now, idleMs, max, sweep } = this.#options;
    if (max < 1) return connection.close();
    const before = this.#idle.get(connection.key);
    if (before !== undefined) this.#drop(before);
    else if (this.#idle.size >= max) {
      for (const oldest of this.#idle.values()) {
        this.#drop(oldest);
        break;
      }
    }
    const since = now();
    const idle: Idle = {
      connection,
      since,
      deadline: since + idleMs,
      expire: () => this.#drop(idle),
    };
    this.#idle.set(connection.key, idle);
    sweep.add(idle);
    connection.watch(() => {
      if (this.#idle.get(connection.key) === idle) this.#drop(idle);
    });
  }

  /** Closes all. */
  close(): void {
    for (const idle of this.#idle.values()) this.#drop(idle);
  }

  #drop(idle: Idle): void {
    this.#idle.delete(idle.connection.key);
    this.#options.sweep.delete(idle);
    idle.connection.close();
  }
}
