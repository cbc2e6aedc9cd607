/**
 * Records on stdout, in the format asked for.
 *
 * @module
 */

export type { FieldSpec, OutputRecord } from "./fields.ts";
export { OUTPUT_FORMATS, type OutputFormat } from "./formats_list.ts";
export { openOutput, type OutputOptions, type RecordWriter } from "./writer.ts";
export { escapeForTerminal } from "./escape.ts";
