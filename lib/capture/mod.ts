/**
 * Captures: the rows a recrawl writes, one attempt to fetch one URL each, as Parquet files that any
 * reader opens.
 *
 * {@linkcode captureRow} and {@linkcode failureRow} make a row of what a fetch came to;
 * {@linkcode CaptureWriter} writes rows into a file; {@linkcode CAPTURE_COLUMNS} says what each
 * column is; {@linkcode readCaptures} reads what a run wrote, {@linkcode verifyCaptures} checks it.
 *
 * @example What a run wrote
 * ```ts ignore
 * import { readCaptures } from "@ccrawl/cli/capture";
 *
 * const columns = ["url", "title", "language"] as const;
 * for await (const row of readCaptures("captures/", { columns, where: { status: 200 } })) {
 *   console.log(row.language, row.url, row.title);
 * }
 * ```
 *
 * @example A file, written and read back
 * ```ts
 * import { CaptureWriter, failureRow, readCaptures } from "@ccrawl/cli/capture";
 * import assert from "node:assert/strict";
 *
 * const dir = await Deno.makeTempDir();
 * const writer = new CaptureWriter(`${dir}/captures.parquet`, { createdBy: "example 1.0" });
 * writer.add(failureRow({
 *   url: "https://gone.example/",
 *   fetchedAt: Date.now(),
 *   durationMs: 12,
 *   error: "dns",
 *   errorDetail: "no such name",
 * }));
 * assert.equal(writer.finish().rows, 1);
 * for await (const row of readCaptures(dir, { columns: ["host", "error"] })) {
 *   assert.deepEqual(row, { host: "gone.example", error: "dns" });
 * }
 * await Deno.remove(dir, { recursive: true });
 * ```
 *
 * @module
 */

export * from "./codec.ts";
export * from "./digest.ts";
export * from "./errors.ts";
export type { CaptureFault, CaptureFaultCode } from "./faults.ts";
export { diskFs as captureDiskFs, type WritingFs as CaptureFs } from "../files/mod.ts";
export * from "./part_sequence.ts";
export * from "./ranges.ts";
export * from "./reader.ts";
export * from "./row.ts";
export * from "./row_sender.ts";
export { RowView } from "./row_view.ts";
export * from "./schema.ts";
export * from "./small_row.ts";
export type { Truncation } from "../net/types.ts";
export { type CaptureSource, openSource } from "./source.ts";
export * from "./verify.ts";
export * from "./writer.ts";
export * from "./writer_pool.ts";
