/**
 * Seeds: releases of the web graph, their rank tables, and the hosts that a crawl begins with.
 *
 * {@linkcode openRanks} finds a table, {@linkcode readSeeds} picks hosts from it, and
 * {@linkcode readRanks} gives its rows. Tables of hundreds of millions of rows stream.
 *
 * @module
 */

export { RankTableError, ReleaseError } from "./errors.ts";
export {
  DATA_ENDPOINT,
  findRelease,
  rankTableUrl,
  type ReleaseOptions,
  RELEASES_PAGE,
} from "./release.ts";
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
