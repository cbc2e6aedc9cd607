/**
 * Which shard of a fleet a URL belongs to.
 *
 * @module
 */

import { hostOf, registeredDomain } from "./host.ts";

// The prime 2^40 + 0x1b3 of FNV-1a 64 is applied in two 32-bit halves: a step of BigInt would cost
// forty times as much.
let hashHigh = 0;
let hashLow = 0;

function start(): void {
  hashHigh = 0xcbf29ce4;
  hashLow = 0x84222325;
}

function step(byte: number): void {
  const low = hashLow ^ byte;
  // low · 0x1b3 in 48 bits at most, exact in a double.
  const product = (low >>> 0) * 0x1b3;
  const carry = Math.floor(product / 0x1_0000_0000);
  hashHigh = (Math.imul(hashHigh, 0x1b3) + carry + (low << 8)) >>> 0;
  hashLow = product >>> 0;
}

/**
 * FNV-1a, 64 bits.
 *
 * @example
 * ```ts
 * import { fnv1a64 } from "@ccrawl/cli/url";
 *
 * fnv1a64(new TextEncoder().encode("a")); // 0xaf63dc4c8601ec8cn
 * ```
 */
export function fnv1a64(bytes: Uint8Array): bigint {
  start();
  for (let i = 0; i < bytes.length; i++) step(bytes[i]!);
  return BigInt(hashHigh) << 32n | BigInt(hashLow);
}

const encoder = new TextEncoder();

/**
 * Shard that owns a host: FNV-1a 64 of its registered domain, modulo the number of shards. Every host
 * of a domain belongs to one shard, so that one machine keeps all its clocks.
 *
 * @throws {RangeError} When `shards` is not an integer from 1 to 2^20.
 */
export function shardOfHost(host: string, shards: number): number {
  if (!Number.isInteger(shards) || shards < 1 || shards > 1 << 20) {
    throw new RangeError(
      `Cannot pick a shard: the number of shards is ${shards}; it must be an integer from 1 to 1048576`,
    );
  }
  if (shards === 1 || host === "") return 0;
  const key = registeredDomain(host);
  start();
  let ascii = true;
  for (let i = 0; i < key.length; i++) {
    const c = key.charCodeAt(i);
    if (c >= 128) {
      ascii = false;
      break;
    }
    step(c);
  }
  if (!ascii) {
    start();
    for (const byte of encoder.encode(key)) step(byte);
  }
  // (high · 2^32 + low) mod shards, each term below 2^53.
  return ((hashHigh % shards) * (0x1_0000_0000 % shards) + hashLow % shards) % shards;
}

/**
 * Shard that owns a URL, as {@linkcode shardOfHost}; a URL without a host belongs to shard 0.
 *
 * @throws {RangeError} When `shards` is not an integer from 1 to 2^20.
 */
export function shardOf(url: string, shards: number): number {
  return shardOfHost(hostOf(url), shards);
}
