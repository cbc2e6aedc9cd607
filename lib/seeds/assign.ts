/**
 * Tiers, intervals and scores of hosts: the schedule that a list of them comes to.
 *
 * @module
 */

import {
  ASSUMED_RATE,
  INTERVAL_HOURS,
  LAST_POSITION,
  scoreOf,
  type Tier,
  tierOf,
} from "../sched/mod.ts";
import { hostOf } from "../url/mod.ts";
import { readLines } from "../worklist/mod.ts";
import { hostAt, type RankStats, readRanks, valueAt } from "./ranks.ts";
import type { RateLookup } from "./seeds.ts";

/** What is known of a host. */
export interface HostFacts {
  /** Name of the host. */
  readonly host: string;
  /** Position by harmonic centrality, from 1; 0 where it is not known. */
  readonly position: number;
  /** Harmonic centrality; 0 where it is not known. */
  readonly harmonic: number;
  /** Measured change rate, 0 to 1; `undefined` where there is none. */
  readonly rate: number | undefined;
  /**
   * Tier that the host was given with a position that is no longer known, and the rate assumed. It
   * stands for the last position of that tier.
   */
  readonly tier?: Tier;
}

/** A host and its place in the schedule. */
export interface Assignment {
  /** Name of the host. */
  readonly host: string;
  /** Position by harmonic centrality, from 1; 0 where it is not known. */
  readonly position: number;
  /** Harmonic centrality; 0 where it is not known. */
  readonly harmonic: number;
  /** Measured, or {@linkcode ASSUMED_RATE}. */
  readonly rate: number;
  /** By position and rate. */
  readonly tier: Tier;
  /** Hours between two passes; `null` for never. */
  readonly intervalHours: number | null;
  /** Rate times the logarithm of one plus the centrality. */
  readonly score: number;
}

/** A line that tells of no host: counted and reported, never fatal. */
export interface BadHost {
  /** Number of the line, from 1. */
  readonly line: number;
  /** What is wrong with it. */
  readonly reason: string;
}

/** The hosts of a rank table, unpacked, in its order. */
export async function* hostsOfRanks(
  table: AsyncIterable<Uint8Array>,
  stats: RankStats,
): AsyncGenerator<HostFacts, void, unknown> {
  for await (const rows of readRanks(table, stats)) {
    for (let i = 0; i < rows.count; i++) {
      yield {
        host: hostAt(rows, i),
        position: rows.positions[i]!,
        harmonic: valueAt(rows, i),
        rate: undefined,
      };
    }
  }
}

const decoder = new TextDecoder();

/**
 * The hosts of a list of JSON lines: seeds as `crawl seed` writes them, or what `sched diff`,
 * `sched rates` and `sched assign` write. Read are `host` or `url`, `harmonic_pos`, `harmonic_val` or
 * `priority`, `tier` and `change_rate`. Blank lines and `#` comments are passed over.
 *
 * @param onBad Called for each bad line.
 */
export async function* hostsOfSeeds(
  list: AsyncIterable<Uint8Array>,
  onBad: (bad: BadHost) => void,
): AsyncGenerator<HostFacts, void, unknown> {
  let line = 0;
  for await (const bytes of readLines(list)) {
    line++;
    const text = bytes === undefined ? undefined : decoder.decode(bytes).trim();
    if (text === "" || text?.startsWith("#")) continue;
    const facts = text === undefined ? "it is too long" : factsOf(text);
    if (typeof facts === "string") onBad({ line, reason: facts });
    else yield facts;
  }
}

function factsOf(text: string): HostFacts | string {
  let row: Record<string, unknown>;
  try {
    row = JSON.parse(text);
  } catch (error) {
    return `it is no JSON: ${(error as Error).message}`;
  }
  if (typeof row !== "object" || row === null) return "it is no JSON object";
  const host = typeof row.host === "string" ? row.host : hostOf(String(row.url ?? ""));
  if (host === "" || host.length > 255) return "it names no host";
  const position = number(row.harmonic_pos, 0, Number.MAX_SAFE_INTEGER);
  const harmonic = number(row.harmonic_val ?? row.priority, 0, Number.MAX_VALUE);
  const rate = number(row.change_rate, 0, 1);
  const tier = number(row.tier, 1, 5);
  return {
    host,
    position: position === undefined ? 0 : Math.floor(position),
    harmonic: harmonic ?? 0,
    rate,
    ...(tier !== undefined && Number.isInteger(tier) ? { tier: tier as Tier } : {}),
  };
}

function number(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}

/**
 * Gives each host its tier, interval and score, in the order they come.
 *
 * @param rates Measured change rates, which go before those that the hosts came with.
 */
export async function* assign(
  hosts: AsyncIterable<HostFacts>,
  rates?: RateLookup,
): AsyncGenerator<Assignment, void, unknown> {
  for await (const { host, position, harmonic, rate, tier: given } of hosts) {
    const measured = rates?.rateOf(host) ?? rate;
    const known = measured ?? ASSUMED_RATE;
    const stands = position > 0 || given === undefined
      ? position
      // Tier 5 holds whatever is beyond the last position of tier 4.
      : Math.min(LAST_POSITION[given], LAST_POSITION[4] + 1);
    const tier = tierOf(stands, known);
    yield {
      host,
      position,
      harmonic,
      rate: known,
      tier,
      intervalHours: INTERVAL_HOURS[tier],
      score: scoreOf(known, harmonic),
    };
  }
}
