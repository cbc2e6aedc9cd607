/**
 * Publishing what a recrawl writes: finished parts go to a dataset repo of the hub while the run goes
 * on, with a ledger of what this machine has published and a card made of all machines' ledgers.
 *
 * {@linkcode publish} does it; {@linkcode fleetLedgers} reads what a fleet has published;
 * {@linkcode datasetCard} writes the card.
 *
 * @example What has come of a work list
 * ```ts ignore
 * import { fleetLedgers, ledgerTotals } from "@ccrawl/cli/publish";
 *
 * const ledgers = await fleetLedgers("open-index/ccrawl-recrawl-domains");
 * for (const { server, shard, rows, done } of ledgers) console.log(server, shard, rows, done);
 * console.log(ledgerTotals(ledgers).rows, "rows in all");
 * ```
 *
 * @example A card, made of the ledgers of two machines
 * ```ts
 * import { datasetCard, ledgerTotals, parseLedger } from "@ccrawl/cli/publish";
 * import assert from "node:assert/strict";
 *
 * const ledgers = parseLedger(
 *   "server,shard,shards,files,rows,bytes,part,row,done,first_committed,last_committed\n" +
 *     "a,0,2,4,100,5000,3,17,false,2026-01-01T00:00:00Z,2026-01-02T00:00:00Z\n" +
 *     "b,1,2,2,50,2500,2,4,false,2026-01-01T00:00:00Z,2026-01-03T00:00:00Z\n",
 * );
 * assert.equal(ledgerTotals(ledgers).rows, 150);
 * assert.match(datasetCard(ledgers, { repo: "me/captures", kind: "urls" }), /a-shard0of2/);
 * ```
 *
 * @module
 */

export type { HubSettings } from "../hub/mod.ts";
export {
  HubAccessError,
  HubAddressError,
  HubBusyError,
  HubConflictError,
  HubError,
  HubMissingError,
  HubNetworkError,
  HubQuotaError,
} from "../hub/mod.ts";
export * from "./card.ts";
export * from "./errors.ts";
export * from "./fleet.ts";
export * from "./ledger.ts";
export * from "./names.ts";
export { publish, type Publishing } from "./publisher.ts";
export * from "./types.ts";
