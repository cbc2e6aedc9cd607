/**
 * Work lists: hundreds of millions of URLs in files on the hub or on disk, read in order and resumed
 * anywhere.
 *
 * {@linkcode openWorkList} finds the files, {@linkcode ReorderBuffer} gives each worker a host of its own,
 * {@linkcode WorkProgress} knows what is not durable yet, {@linkcode CheckpointFile} keeps that, and
 * {@linkcode reconcile} makes it agree with the parts that a stopped run left.
 *
 * @example A list sorted by host, handed out host by host
 * ```ts
 * import { openWorkList, ReorderBuffer } from "@ccrawl/cli/worklist";
 * import assert from "node:assert/strict";
 *
 * const path = await Deno.makeTempFile({ suffix: ".txt" });
 * await Deno.writeTextFile(path, "https://a.example/1\nhttps://a.example/2\nhttps://b.example/1\n");
 * const list = await openWorkList({ from: path });
 * const rows = new ReorderBuffer(list.read(), { workers: 2 });
 * const urls: string[] = [];
 * for (let row; (row = await rows.next()) !== undefined;) urls.push(row.url);
 * assert.deepEqual(urls, ["https://a.example/1", "https://b.example/1", "https://a.example/2"]);
 * await Deno.remove(path);
 * ```
 *
 * @module
 */

export * from "./types.ts";
export * from "./errors.ts";
export type { HubSettings } from "../hub/mod.ts";
export { countRows, LAST_ROW, MAX_PARTS, normalRanges, subtractRanges } from "./ranges.ts";
export type { RowRange } from "../capture/mod.ts";
export type { FileSystem as WarcFs } from "../files/mod.ts";
export { type ByteSource, fetchText, isRemote, openBytes, type RemoteOptions } from "./bytes.ts";
export {
  ColumnFile,
  type ColumnSlices,
  type GroupBounds,
  type PageBounds,
  type RowSpan,
} from "./columns.ts";
export { readLines } from "./_lines.ts";
export { FlightSet } from "./flight.ts";
export {
  type HubFile,
  openHubFiles,
  type OpenHubFilesOptions,
  openWorkList,
  type OpenWorkListOptions,
} from "./open.ts";
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
