/**
 * Releases of the web graph: which there are and which is the newest.
 *
 * @module
 */

export { newestFirst, releaseMonth } from "./release.ts";
