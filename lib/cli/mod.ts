/**
 * The command line of ccrawl.
 *
 * @module
 */

export { main } from "./app.ts";
