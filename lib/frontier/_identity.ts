/**
 * What a state keeps about itself: whose it is, its key, its figures.
 *
 * @module
 */

import type { Counters } from "./_counters.ts";
import { newCounters } from "./_counters.ts";
import { FrontierIdentityError } from "./errors.ts";
import type { Store } from "./_store.ts";

/**
 * Compares what must stay the same with what the state holds, and stores what is new or accepted.
 *
 * @throws {FrontierIdentityError} when a value differs and its key is not in `accept`.
 */
export function checkIdentity(
  store: Store,
  path: string,
  identity: Readonly<Record<string, string>>,
  accept: readonly string[],
): void {
  const stored = new Map(
    Object.entries(JSON.parse(String(store.getMeta("identity") ?? "{}")) as Record<string, string>),
  );
  let changed = false;
  for (const [key, given] of Object.entries(identity)) {
    const before = stored.get(key);
    if (before === given) continue;
    if (before !== undefined && !accept.includes(key)) {
      throw new FrontierIdentityError(path, key, before, given);
    }
    stored.set(key, given);
    changed = true;
  }
  if (changed) store.setMeta("identity", JSON.stringify(Object.fromEntries(stored)));
}

/** The key of the state's fingerprints; made at its first opening. */
export function loadKey(store: Store, given: Uint8Array | undefined): Uint8Array {
  const stored = storedKey(store);
  if ((stored === undefined) !== (store.getMeta("counters") === undefined)) {
    throw new RangeError("what it keeps about itself is not whole");
  }
  if (stored !== undefined) return stored;
  const key = given ?? crypto.getRandomValues(new Uint8Array(16));
  store.setMeta("key", key);
  return key;
}

/** The key that the state has. */
export function storedKey(store: Store): Uint8Array | undefined {
  const stored = store.getMeta("key");
  return stored instanceof Uint8Array ? stored : undefined;
}

/** The figures of the last commit; undefined in a new state. */
export function loadCounters(store: Store): Counters | undefined {
  const text = store.getMeta("counters");
  if (text === undefined) return undefined;
  return { ...newCounters(), ...JSON.parse(String(text)) as Counters };
}
