/**
 * How many files and sockets the process may have open, and what a run makes of them. A run that has
 * none left can write nothing, and would take its own want for the failure of the hosts it asks.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { RunError } from "./errors.ts";

/**
 * Kept for all that is no connection to a host: the runtime's own, the state, the archive with its index
 * under way, look-ups, pipes. Some 60 are seen in use.
 */
const RESERVED = 128;
/** Assumed where the system does not say. */
const ASSUMED = 2048;
/** Connections kept between two requests to a host, at most. */
const MOST_IDLE = 256;
/** Abandoned handshakes that hold a connection, at most. */
const MOST_STUCK = 256;

/** How a run's descriptors are dealt out beside one for each worker. */
export interface DescriptorShares {
  /** Requests that go on beside the workers while nothing comes. */
  readonly stalled: number;
  /** Connections kept between requests. */
  readonly idle: number;
  /** TLS handshakes under way or abandoned. */
  readonly stuck: number;
}

/** The soft bound on open descriptors; undefined where the system does not say. */
export function descriptorLimit(): number | undefined {
  let text: string;
  try {
    text = readFileSync("/proc/self/limits", "utf8");
  } catch {
    return undefined; // not Linux, or not ours to read
  }
  const limit = /^Max open files +(\d+|unlimited)/m.exec(text)?.[1];
  if (limit === undefined) return undefined;
  return limit === "unlimited" ? Infinity : Number(limit);
}

/** Shares that, with the workers and what is reserved, stay within `limit`. */
export function descriptorShares(
  workers: number,
  limit: number = descriptorLimit() ?? ASSUMED,
): DescriptorShares {
  const rest = Math.max(0, limit - RESERVED - workers);
  const quarter = Math.floor(rest / 4);
  return {
    stalled: limit === Infinity ? Number.MAX_SAFE_INTEGER : 2 * quarter,
    idle: Math.min(Math.max(MOST_IDLE, 2 * workers), quarter),
    stuck: Math.min(MOST_STUCK, quarter),
  };
}

/**
 * @throws {RunError} Where so many workers cannot each have a connection.
 */
export function checkDescriptors(
  workers: number,
  limit: number = descriptorLimit() ?? ASSUMED,
): void {
  const most = limit - RESERVED;
  if (workers <= most) return;
  const fewer = most < 1 ? "" : `, or give fewer workers (-j ${most})`;
  throw new RunError(
    `Cannot run ${workers} workers: this process may open only ${limit} files and sockets. ` +
      `Allow more (ulimit -n ${Math.max(1024, 4 * workers + RESERVED)})${fewer}`,
  );
}
