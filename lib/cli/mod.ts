/**
 * The command line of ccrawl.
 *
 * @module
 */

export { main } from "./main.ts";
