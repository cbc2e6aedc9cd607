/**
 * Reading what archives hold: WARC, WAT and WET files, whoever wrote them, and capture files.
 *
 * @module
 */

export * from "./errors.ts";
export { expandPaths, type FileKind, kindOf, type WantedFiles, WARC_FILES } from "./files.ts";
export { matchesGlob, parseStatusRange, type RecordTest, recordTest } from "./filter.ts";
export * from "./parse.ts";
export type * from "./types.ts";
