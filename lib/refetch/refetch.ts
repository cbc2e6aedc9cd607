/**
 * Fetching the pages of WARC shards again, live.
 *
 * @module
 */

import { existsSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { listParts, type SmallRow } from "../capture/mod.ts";
import { checkFloor } from "../engine/disk.ts";
import { recrawl, type RecrawlRun } from "../engine/recrawl.ts";
import type { RecrawlOptions } from "../engine/recrawl_options.ts";
import type { ParseDamage } from "../parse/mod.ts";
import { readCheckpoint } from "../worklist/mod.ts";
import { type Choice, describeChoice, writeList } from "./_list.ts";
import { RefetchError } from "./errors.ts";
import { Ledger, type LedgerEntry } from "./ledger.ts";

/** Told of a refetch's steps. */
export type RefetchEvent =
  /** A shard was done before. */
  | { readonly type: "skipped"; readonly entry: LedgerEntry }
  /** Fetching begins, or goes on. */
  | { readonly type: "begun"; readonly entry: LedgerEntry; readonly run: RecrawlRun }
  /** A shard is done, or was left where it is. */
  | { readonly type: "left"; readonly entry: LedgerEntry }
  /** A record of a shard cannot be read. */
  | { readonly type: "damage"; readonly damage: ParseDamage };

/** Options of {@linkcode refetch}: the choice of pages, and those of a recrawl. */
export interface RefetchOptions extends
  Partial<Choice>,
  Omit<
    RecrawlOptions,
    | "from"
    | "column"
    | "release"
    | "state"
    | "prefix"
    | "format"
    | "records"
    | "stdin"
    | "shard"
    | "shards"
  > {
  /** Told of each step. */
  readonly onStep?: (event: RefetchEvent) => void;
}

/**
 * Fetches the pages of WARC files again, one file after the other, as a recrawl does: a row for each of
 * their URLs, in `<out>/<name>-NNNNN.parquet`. `<out>/ledger.csv` says what is done; what is done is not
 * done again, and what was begun goes on, when it is called with the same folder.
 *
 * @param shards Paths of WARC files, of different names.
 * @returns The rows, without their large columns.
 * @throws {RefetchError} When two have the same name, or one was begun with another choice.
 * @throws {StateLockedError} When another process refetches into the folder.
 * @throws What a recrawl throws.
 */
export async function* refetch(
  shards: readonly string[],
  options: RefetchOptions,
): AsyncGenerator<SmallRow, void, undefined> {
  const { all = false, languages = [], dedupDigest = false, onStep, ...rest } = options;
  const choice: Choice = { all, languages, dedupDigest };
  const names = shards.map(nameOf);
  const twice = names.findIndex((name, i) => names.indexOf(name) !== i);
  if (twice >= 0) {
    throw new RefetchError(
      `Cannot refetch ${
        shards[twice]
      }: another of the files has the same name; give it another --out`,
      { exitCode: 2 },
    );
  }
  using ledger = new Ledger(options.out);
  let left = { limit: options.limit ?? 0, maxPages: options.maxPages ?? 0 };
  for (const [i, path] of shards.entries()) {
    const name = names[i]!;
    const known = ledger.entry(name);
    if (known?.done === true) {
      onStep?.({ type: "skipped", entry: known });
      continue;
    }
    if (options.signal?.aborted) return;
    ledger.begin(name, describeChoice(choice));
    const list = join(options.out, `${name}.urls.txt`);
    checkFloor([options.out], options.minFree ?? 2 ** 30);
    let damaged = false;
    if (!existsSync(list)) {
      const onDamage = (damage: ParseDamage): void => {
        damaged = true;
        onStep?.({ type: "damage", damage });
      };
      // As a download leaves it that never began.
      if (statSync(path).size === 0) {
        onDamage({ file: path, offset: 0, reason: "the file is empty" });
      }
      await writeList({ name, path, list }, choice, ledger, {
        ...(options.extractors === undefined ? {} : { workers: options.extractors }),
        onDamage,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
    }
    if (ledger.entry(name)!.urls === 0) {
      // A file that cannot be read is not done: it may be whole the next time.
      const nothing = { rows: 0, fetched: 0, files: 0, bytes: 0, done: !damaged };
      onStep?.({ type: "left", entry: ledger.update(name, nothing) });
      rmSync(list);
      continue;
    }
    const state = join(options.out, `${name}.state.json`);
    const run = recrawl({ ...rest, ...left, from: list, state, prefix: name });
    onStep?.({ type: "begun", entry: ledger.entry(name)!, run });
    let rows = 0;
    try {
      for await (const row of run) {
        rows++;
        yield row;
      }
    } finally {
      await run[Symbol.asyncDispose]();
      const entry = ledger.update(name, progressOf(options.out, name, state));
      if (entry.done) rmSync(list, { force: true });
      onStep?.({ type: "left", entry });
    }
    if (options.signal?.aborted) return;
    // What is left of a bound; one that is used up ends it.
    if (left.limit > 0 && rows >= left.limit) return;
    const { fetched } = run.figures;
    if (left.maxPages > 0 && fetched >= left.maxPages) return;
    left = {
      limit: left.limit > 0 ? left.limit - rows : 0,
      maxPages: left.maxPages > 0 ? left.maxPages - fetched : 0,
    };
  }
}

/** What a shard is called: its file's name, without what all such names end in. */
function nameOf(path: string): string {
  const name = basename(path).replace(/\.gz$/, "").replace(/\.warc$/, "")
    .replaceAll(/[^\w.@+=,-]/g, "_").replace(/^\.+/, "").slice(0, 100);
  if (name !== "") return name;
  throw new RefetchError(`Cannot refetch ${path}: its name is no name for files`, { exitCode: 2 });
}

function progressOf(
  out: string,
  name: string,
  state: string,
): Pick<LedgerEntry, "rows" | "fetched" | "files" | "bytes" | "done"> {
  const { rows = 0, fetched = 0, done = false } = readCheckpoint(state) ?? {};
  const parts = listParts(out, name);
  const bytes = parts.reduce((sum, part) => sum + statSync(join(out, part)).size, 0);
  return { rows, fetched, done, files: parts.length, bytes };
}
