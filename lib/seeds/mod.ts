/**
 * Seeds: releases of the web graph, their rank tables, and the hosts that a crawl begins with.
 *
 * {@linkcode openRanks} finds a table, {@linkcode readSeeds} picks hosts from it, and
 * {@linkcode readRanks} gives its rows. Tables of hundreds of millions of rows stream.
 *
 * @example Hosts of a rank table
 * ```ts
 * import { hostAt, readRanks, valueAt } from "@ccrawl/cli/seeds";
 * import assert from "node:assert/strict";
 *
 * const table = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n" +
 *   "1\t25000000\t2\t0.01\tcom.example.www\n";
 * const bytes = new Blob([table]).stream();
 * const hosts: [string, number][] = [];
 * for await (const rows of readRanks(bytes)) {
 *   for (let i = 0; i < rows.count; i++) hosts.push([hostAt(rows, i), valueAt(rows, i)]);
 * }
 * assert.deepEqual(hosts, [["www.example.com", 25_000_000]]);
 * ```
 *
 * @module
 */

export { RankTableError, ReleaseError } from "./errors.ts";
export { DATA_ENDPOINT, RELEASES_PAGE } from "./places.ts";
export { findRelease, rankTableUrl, type ReleaseOptions } from "./release.ts";
export { openRanks, type OpenRanksOptions, type RankTable } from "./open.ts";
export { hostAt, type RankRows, type RankStats, rankStats, readRanks, valueAt } from "./ranks.ts";
export {
  type HostSeed,
  type RateLookup,
  readSeeds,
  type SeedBatch,
  type SeedOptions,
} from "./seeds.ts";
export {
  assign,
  type Assignment,
  type BadHost,
  type HostFacts,
  hostsOfRanks,
  hostsOfSeeds,
} from "./assign.ts";
export type { RemoteOptions } from "../worklist/mod.ts";
export type { Tier } from "../sched/mod.ts";
