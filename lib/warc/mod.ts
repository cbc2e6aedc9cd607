/**
 * Archives: writing, reading, repairing, indexing and checking WARC files.
 *
 * {@linkcode WarcWriter} archives exchanges; {@linkcode readWarc} reads what any writer left,
 * damage included; {@linkcode repairFolder} makes whole what a killed run left;
 * {@linkcode verifyWarcs} and {@linkcode verifyCdxj} find faults.
 *
 * @module
 */

export * from "./cdxj.ts";
export * from "./errors.ts";
export { diskFs, type WarcFs } from "./fs.ts";
export * from "./headers.ts";
export * from "./http.ts";
export * from "./reader.ts";
export * from "./repair.ts";
export * from "./types.ts";
export type { Truncation } from "../net/types.ts";
export * from "./verify.ts";
export * from "./verify_cdxj.ts";
export * from "./writer.ts";
