/**
 * A page that is visited again, as a row holds it.
 *
 * @module
 */

import { ByteReader, type ByteWriter } from "./_bytes.ts";
import { depthOf, foldDepth, levelOf, redirectsOf } from "./_listed.ts";

/** What is known of a page between two visits. */
export interface Visit {
  readonly url: string;
  readonly priority: number;
  /** With the level and redirects; see `_listed.ts`. */
  readonly depth: number;
  /** Ms from the last visit to the next. */
  readonly interval: number;
  /** The host's interval then, of which that one came, 0 for one visit; undefined in a row of old. */
  readonly base: number | undefined;
  /** The state's moment of the last visit. */
  readonly last: number;
  readonly memo: Uint8Array;
}

/** Writes a visit over what `out` holds. */
export function encodeVisit(out: ByteWriter, visit: Visit): Uint8Array {
  out.clear();
  out.text(visit.url);
  out.float(visit.priority);
  const depth = depthOf(visit.depth), redirects = redirectsOf(visit.depth);
  out.varint(foldDepth(depth, 0, redirects));
  out.varint(levelOf(visit.depth));
  out.varint(visit.interval);
  out.varint(visit.last);
  out.bytes(visit.memo);
  if (visit.base !== undefined) out.varint(visit.base);
  return out.view();
}

/** Reads a visit. */
export function decodeVisit(body: Uint8Array): Visit {
  const from = new ByteReader(body);
  const url = from.text(), priority = from.float(), near = from.varint();
  const visit = {
    url,
    priority,
    depth: foldDepth(depthOf(near), from.varint(), redirectsOf(near)),
    interval: from.varint(),
    last: from.varint(),
    memo: from.bytes(),
  };
  return { ...visit, base: from.done ? undefined : from.varint() };
}
