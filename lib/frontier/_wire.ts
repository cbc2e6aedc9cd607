/**
 * Batches as they cross between the threads: bytes and typed arrays, handed over and not copied.
 * Cloning an object a URL costs ten times as much.
 *
 * @module
 */

import { ByteReader, ByteWriter } from "./_bytes.ts";
import { foldDepth } from "./_listed.ts";
import { checkOffer } from "./_url.ts";
import { FrontierError } from "./errors.ts";
import type { Completion, DiscoveredUrl, HostLease, HostRelease, LeasedUrl } from "./types.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Offers, as {@linkcode FrontierEngine.putBytes} takes them. */
export interface WirePut {
  readonly urls: Bytes;
  readonly priorities: Float64Array<ArrayBuffer>;
  readonly depths: Uint32Array<ArrayBuffer>;
  readonly seed: boolean;
}

const encoder = new TextEncoder();
const NO_BYTES = new Uint8Array();

/** @throws {FrontierError} when an offer is malformed. */
export function packPut(urls: readonly DiscoveredUrl[], seed: boolean): WirePut {
  const priorities = new Float64Array(urls.length);
  const depths = new Uint32Array(urls.length);
  const lines: string[] = [];
  urls.forEach(({ url, priority, depth, listed }, at) => {
    checkOffer(url, priority, depth);
    priorities[at] = priority;
    depths[at] = foldDepth(depth, listed);
    lines.push(url);
  });
  return { urls: encoder.encode(lines.join("\n")), priorities, depths, seed };
}

const VERDICTS = ["unknown", "changed", "unchanged"] as const;
const OUTCOMES = ["done", "failed", "skipped", "again"] as const;

/** Completions, outlinks and all, in one buffer. */
export function packCompletions(batch: readonly Completion[]): Bytes {
  const out = new ByteWriter(batch.length * 64 + 64);
  for (const one of batch) {
    out.varint(leaseId(one.id));
    out.byte(OUTCOMES.indexOf(one.outcome));
    out.varint(whole(one.status));
    out.text(one.error);
    out.text(one.reason);
    out.text(one.warcFile);
    out.varint(whole(one.warcOffset));
    out.bytes(one.outlinks ?? NO_BYTES);
    out.bytes(one.listed ?? NO_BYTES);
    out.bytes(one.listedElsewhere ?? NO_BYTES);
    out.bytes(one.modified ?? NO_BYTES);
    out.byte(VERDICTS.indexOf(one.verdict ?? "unknown"));
    out.byte(one.memo === undefined ? 0 : 1);
    out.bytes(one.memo ?? NO_BYTES);
    out.text(one.redirect ?? "");
  }
  return out.view().slice();
}

export function unpackCompletions(bytes: Bytes): Completion[] {
  const from = new ByteReader(bytes);
  const batch: Completion[] = [];
  while (!from.done) {
    const completion = {
      id: from.varint(),
      outcome: OUTCOMES[from.byte()]!,
      status: from.varint(),
      error: from.text(),
      reason: from.text(),
      warcFile: from.text(),
      warcOffset: from.varint(),
      outlinks: from.bytes(),
      listed: from.bytes(),
      listedElsewhere: from.bytes(),
      modified: from.bytes(),
      verdict: VERDICTS[from.byte()]!,
    };
    const keeps = from.byte() === 1, memo = from.bytes();
    batch.push({ ...completion, ...(keeps ? { memo } : {}), redirect: from.text() });
  }
  return batch;
}

/** Leases in one buffer. */
export function packLeases(hosts: readonly HostLease[]): Bytes {
  const out = new ByteWriter(1024);
  for (const host of hosts) {
    out.text(host.host);
    out.float(host.notBefore);
    out.float(host.delayMs ?? -1);
    out.varint(host.failures);
    out.varint(host.deferrals);
    out.varint(host.urls.length);
    for (const url of host.urls) {
      out.varint(url.id);
      out.text(url.url);
      out.float(url.priority);
      out.varint(url.depth);
      out.varint(url.attempts);
      out.varint(url.listed ?? 0);
      out.byte(url.memo === undefined ? 0 : 1);
      if (url.memo !== undefined) out.bytes(url.memo);
    }
  }
  return out.view().slice();
}

export function unpackLeases(bytes: Bytes): HostLease[] {
  const from = new ByteReader(bytes);
  const hosts: HostLease[] = [];
  while (!from.done) {
    const host = from.text(), notBefore = from.float(), delayMs = from.float();
    const failures = from.varint(), deferrals = from.varint();
    const urls: LeasedUrl[] = [];
    for (let count = from.varint(); count > 0; count--) {
      const url = {
        id: from.varint(),
        url: from.text(),
        priority: from.float(),
        depth: from.varint(),
        attempts: from.varint(),
      };
      const listed = from.varint();
      const memo = from.byte() === 0 ? undefined : from.bytes().slice();
      urls.push({
        ...url,
        ...(listed === 0 ? {} : { listed }),
        ...(memo === undefined ? {} : { memo }),
      });
    }
    hosts.push({ host, notBefore, ...(delayMs < 0 ? {} : { delayMs }), failures, deferrals, urls });
  }
  return hosts;
}

/** Hosts given back, in one buffer. */
export function packReleases(releases: readonly HostRelease[]): Bytes {
  const out = new ByteWriter(1024);
  for (const one of releases) {
    out.text(one.host);
    out.float(one.notBefore);
    out.varint(one.unused.length);
    for (const id of one.unused) out.varint(leaseId(id));
    out.varint(one.failures === undefined ? 0 : whole(one.failures) + 1);
    out.varint(one.deferrals === undefined ? 0 : whole(one.deferrals) + 1);
    out.byte(one.exclude === undefined ? 0 : 1);
    out.text(one.exclude ?? "");
  }
  return out.view().slice();
}

export function unpackReleases(bytes: Bytes): HostRelease[] {
  const from = new ByteReader(bytes);
  const releases: HostRelease[] = [];
  while (!from.done) {
    const host = from.text(), notBefore = from.float();
    const unused: number[] = [];
    for (let count = from.varint(); count > 0; count--) unused.push(from.varint());
    const failures = from.varint(), deferrals = from.varint();
    const excludes = from.byte() === 1, exclude = from.text();
    releases.push({
      host,
      notBefore,
      unused,
      ...(failures === 0 ? {} : { failures: failures - 1 }),
      ...(deferrals === 0 ? {} : { deferrals: deferrals - 1 }),
      ...(excludes ? { exclude } : {}),
    });
  }
  return releases;
}

function leaseId(id: number): number {
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new FrontierError(`Cannot name the lease ${id}: it is none.`);
}

function whole(value: number): number {
  return Number.isFinite(value) && value > 0 ? Math.ceil(value) : 0;
}
