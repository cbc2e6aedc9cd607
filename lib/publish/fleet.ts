/**
 * What a fleet has published.
 *
 * @module
 */

import { HubClient, hubOptions, type HubSettings } from "../hub/mod.ts";
import { HubMissingError } from "../hub/mod.ts";
import type { LedgerRow } from "./ledger.ts";
import { readLedgers } from "./ledgers.ts";
import { HubRepo } from "./repo.ts";

/** Options of {@linkcode fleetLedgers}. */
export interface FleetLedgersOptions extends HubSettings {
  /** Told of a file that is no ledger, which is left out. @default what is wrong is thrown */
  readonly onDamaged?: (path: string, error: Error) => void;
}

/**
 * The ledgers of all machines that publish to a repo, merged.
 *
 * @param repo `owner/name`.
 * @throws {HubError} If the hub does not give them; a {@linkcode HubMissingError} if there is no repo.
 * @throws {LedgerError} If one is damaged.
 */
export async function fleetLedgers(
  repo: string,
  options: FleetLedgersOptions = {},
): Promise<LedgerRow[]> {
  const stats = { requests: 0, retries: 0, bytes: 0 };
  const there = new HubRepo(new HubClient({ ...hubOptions(options), stats }), repo);
  const head = await there.head();
  if (head === undefined) {
    throw new HubMissingError(`Cannot read ${repo}: there is no such dataset`, there.url, 404);
  }
  const onDamaged = options.onDamaged ?? ((_path, error) => {
    throw error;
  });
  return await readLedgers(there, head, { onDamaged });
}
