/**
 * What compresses and decompresses small pieces thousands of times a second, for the rooms that do.
 *
 * @module
 */

export { Engine } from "./engine.ts";
export { type Coder, reusing, ZSTD_END } from "./coder.ts";
