/**
 * How many files and sockets the process may have open.
 *
 * @module
 */

import { readFileSync } from "node:fs";

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
