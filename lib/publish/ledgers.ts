/**
 * The ledgers of a fleet, as its repo has them.
 *
 * @module
 */

import { LedgerError } from "./errors.ts";
import { type LedgerRow, mergeLedgers, parseLedger } from "./ledger.ts";
import { LEDGER_FOLDER } from "./names.ts";
import type { HubRepo } from "./repo.ts";

/** Most bytes of one ledger. */
const MAX_BYTES = 1 << 20;
/** Most ledgers of a repo, and rows in all of them: a line each on the card, and in memory for months. */
const MAX_LEDGERS = 10_000, MAX_ROWS = 10_000;

/** Options of {@linkcode readLedgers}. */
export interface ReadLedgersOptions {
  /** What was read before, by path: a file that is the same is not read again. */
  readonly known?: Map<string, { oid: string; rows: readonly LedgerRow[] }>;
  /** Told of a file that is no ledger, which is left out. What it throws ends the reading. */
  readonly onDamaged: (path: string, error: LedgerError) => void;
}

/**
 * The rows of all ledgers of a commit, merged.
 *
 * @throws {HubError} If the hub does not give them.
 */
export async function readLedgers(
  repo: HubRepo,
  commit: string,
  { known = new Map(), onDamaged }: ReadLedgersOptions,
): Promise<LedgerRow[]> {
  const files = (await repo.list(LEDGER_FOLDER, commit)).filter(({ path }) =>
    path.endsWith(".csv")
  );
  if (files.length > MAX_LEDGERS) {
    throw new LedgerError(
      `Cannot read the ledgers of ${repo.name}: more than ${MAX_LEDGERS} files`,
    );
  }
  const rows: LedgerRow[] = [];
  for (const { path, oid, size } of files) {
    let entry = known.get(path);
    if (entry?.oid !== oid) {
      try {
        if (size > MAX_BYTES) throw new LedgerError(`it is longer than ${MAX_BYTES} bytes`);
        entry = { oid, rows: parseLedger(await repo.text(path, commit, MAX_BYTES)) };
        if (rows.length + entry.rows.length > MAX_ROWS) {
          throw new LedgerError(`with it the ledgers have more than ${MAX_ROWS} rows`);
        }
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        onDamaged(path, error);
        continue;
      }
      known.set(path, entry);
    }
    rows.push(...entry.rows);
  }
  return mergeLedgers(rows);
}
