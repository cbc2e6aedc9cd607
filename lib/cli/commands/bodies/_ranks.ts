/**
 * What the commands that read a rank table share.
 *
 * @module
 */

import { whyUnread } from "../../../files/mod.ts";
import { RatesError, RateStore, readHostRates } from "../../../sched/mod.ts";
import { openRanks, type RankStats, type RankTable } from "../../../seeds/mod.ts";
import { openBytes, WorkListError } from "../../../worklist/mod.ts";
import type { CommandIo } from "../../command.ts";
import { CommandError, ExitCode } from "../../errors.ts";
import type { GlobalOptions } from "../../options/global.ts";
import type { RankOptions } from "../rank_options.ts";
import { tellWait } from "./_events.ts";
import { stdinOf } from "./_stdin.ts";

/** Bad lines that are shown one by one. */
const SHOWN = 3;
const PIECE = 1 << 20;

/** The table that the options name. What it is read from is told to a person. */
export async function rankTable(
  options: GlobalOptions & RankOptions,
  io: CommandIo,
): Promise<RankTable> {
  const table = await openRanks({
    graph: options.graph,
    ...(options.ranks === undefined ? {} : { ranks: options.ranks }),
    dataEndpoint: options.dataEndpoint,
    releasesPage: options.releasesPage,
    userAgent: options.userAgent,
    stdin: () => stdinOf(io),
    signal: io.signal,
    onWait: (ms, reason) => tellWait(ms, reason, io),
    ...(options.timeout === undefined ? {} : { idle: options.timeout }),
  });
  if (table.release !== "") io.report.message(`reading the host ranks of ${table.release}`);
  return table;
}

/** The bytes of a file, or of stdin for `-`. */
export async function* inputBytes(path: string, io: CommandIo): AsyncGenerator<Uint8Array> {
  if (path === "-") {
    yield* stdinOf(io);
    return;
  }
  await using source = await openBytes(path);
  for (let at = 0; at < source.size; at += PIECE) {
    const bytes = new Uint8Array(Math.min(PIECE, source.size - at));
    await source.read(at, bytes);
    yield bytes;
  }
}

/** Tells of the first lines of a list that say nothing, and in the end of how many there were. */
export function badLines(
  path: string,
  lacks: string,
  io: CommandIo,
): {
  add(bad: { readonly line: number; readonly reason: string }): void;
  tell(): void;
  readonly count: number;
} {
  let bad = 0;
  return {
    get count() {
      return bad;
    },
    add({ line, reason }) {
      if (++bad <= SHOWN) io.report.warn(`${path}:${line} has ${lacks}: ${reason}`);
    },
    tell() {
      if (bad > SHOWN) io.report.warn(`${path}: ${bad.toLocaleString("en")} lines have ${lacks}`);
    },
  };
}

/** The change rates of a file, on disk. */
export async function rateStore(path: string, io: CommandIo): Promise<RateStore> {
  const bad = badLines(path, "no change rate", io);
  try {
    const store = await RateStore.load(path, readHostRates(inputBytes(path, io), bad.add));
    if (io.signal.aborted) {
      store[Symbol.dispose](); // it holds what came until the stop
      io.signal.throwIfAborted();
    }
    bad.tell();
    if (store.hosts === 0 && bad.count > 0) {
      store[Symbol.dispose](); // to go on would be to assume what was to be measured
      throw new RatesError(path, noneOf(bad.count, "says a rate"));
    }
    const rates = store.hosts === 1 ? "rate" : "rates";
    io.report.message(`${store.hosts.toLocaleString("en")} change ${rates} from ${path}`);
    return store;
  } catch (error) {
    if (!(error instanceof WorkListError)) throw error;
    const { cause } = error;
    throw new RatesError(path, cause instanceof Error ? whyUnread(cause) : error.message, {
      cause: error,
    });
  }
}

function noneOf(lines: number, what: string): string {
  return lines === 1
    ? `its one line is none that ${what}`
    : `not one of its ${lines.toLocaleString("en")} lines ${what}`;
}

/** Tells what reading a table met that a person should know. */
export function tellMalformed(table: RankTable, stats: RankStats, io: CommandIo): void {
  const { malformed, firstMalformed: first } = stats;
  if (malformed > 0 && first !== undefined) {
    const all = (malformed + stats.rows).toLocaleString("en");
    const text = `line ${first.line}: ${JSON.stringify(first.text)}`;
    io.report.warn(
      malformed === 1
        ? `${table.name}: 1 of ${all} rows is malformed and was passed over, ${text}`
        : `${table.name}: ${
          malformed.toLocaleString("en")
        } of ${all} rows are malformed and were ` +
          `passed over; the first is ${text}`,
    );
  }
  if (malformed > 0 && stats.rows === 0) {
    throw new CommandError(
      `Cannot read the rank table ${table.name}: ${noneOf(malformed, "is a row")}`,
      ExitCode.error,
      "a row is: position, harmonic value, PageRank position, PageRank value, reversed host",
    );
  }
}
