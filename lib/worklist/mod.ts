/**
 * Work lists: hundreds of millions of URLs in files on the hub or on disk, read in order, resumed
 * anywhere.
 *
 * @module
 */

export * from "./types.ts";
export * from "./errors.ts";
export { countRows, LAST_ROW, MAX_PARTS, normalRanges, subtractRanges } from "./ranges.ts";
export type { RowRange } from "../capture/mod.ts";
export type { WarcFs } from "../warc/mod.ts";
export { FlightSet } from "./flight.ts";
export { openWorkList, type OpenWorkListOptions } from "./open.ts";
export { type ReadState, WorkProgress } from "./progress.ts";
export { ReorderBuffer, type ReorderOptions } from "./reorder.ts";
export { ShardFilter } from "./shard_filter.ts";
export {
  type Checkpoint,
  CHECKPOINT_VERSION,
  CheckpointFile,
  type OpenCheckpointOptions,
  readCheckpoint,
  type RunIdentity,
} from "./checkpoint.ts";
export { type PartOnDisk, type PartRowsInfo, reconcile, type Reconciled } from "./reconcile.ts";
