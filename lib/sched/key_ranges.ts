/**
 * Where the URLs of a host or a domain are in an index sorted by SURT keys.
 *
 * @module
 */

import { surt } from "../url/mod.ts";

/** Keys from `least` up to before `behind`, by their bytes. */
export interface KeyRange {
  readonly least: Uint8Array;
  readonly behind: Uint8Array;
}

/** Which hosts are looked at. */
export interface HostSelection {
  /** These alone. */
  readonly hosts?: readonly string[];
  /** With every host under them. */
  readonly domains?: readonly string[];
}

/** Whether nothing is left out. */
export function selectsAll({ hosts = [], domains = [] }: HostSelection): boolean {
  return hosts.length === 0 && domains.length === 0;
}

/** Whether a host is selected. */
export function isSelected(host: string, selection: HostSelection): boolean {
  if (selectsAll(selection)) return true;
  const { hosts = [], domains = [] } = selection;
  return hosts.includes(host) ||
    domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/**
 * The ranges that hold every key of the selection, in ascending order and apart; `undefined` for all
 * keys. They hold keys of other hosts too, since a key does not tell `www.` from nothing.
 */
export function keyRanges(selection: HostSelection): KeyRange[] | undefined {
  if (selectsAll(selection)) return undefined;
  const prefixes = new Set<string>();
  for (const host of selection.hosts ?? []) {
    for (const key of hostKeys(host)) prefixes.add(`${key})`).add(`${key}:`);
  }
  for (const domain of selection.domains ?? []) {
    for (const key of hostKeys(domain)) prefixes.add(`${key})`).add(`${key}:`).add(`${key},`);
  }
  const ranges: { least: string; behind: string }[] = [];
  for (const least of [...prefixes].sort()) {
    const last = ranges.at(-1);
    if (last !== undefined && least < last.behind) continue;
    const behind = least.slice(0, -1) + String.fromCharCode(least.charCodeAt(least.length - 1) + 1);
    ranges.push({ least, behind });
  }
  const encoder = new TextEncoder();
  return ranges.map(({ least, behind }) => ({
    least: encoder.encode(least),
    behind: encoder.encode(behind),
  }));
}

/** The host's part of keys, of ours and of those that take `www3288.com` for a `www` of `com`. */
function hostKeys(host: string): string[] {
  const key = surt(`http://${host}/`);
  const keys = [key.slice(0, key.lastIndexOf(")"))];
  const labels = host.split(".");
  if (labels.length === 2 && /^www[0-9]*$/.test(labels[0]!)) keys.push(labels[1]!);
  return keys;
}

/** Whether values between two bounds may be in one of the ranges; an unknown bound is no bound. */
export function mayOverlap(
  ranges: readonly KeyRange[] | undefined,
  least: Uint8Array | undefined,
  most: Uint8Array | undefined,
): boolean {
  return ranges === undefined ||
    ranges.some((range) =>
      (most === undefined || compare(most, range.least) >= 0) &&
      (least === undefined || compare(least, range.behind) < 0)
    );
}

/** Order of bytes, as `memcmp` has it. */
export function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
