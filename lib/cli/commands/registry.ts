/**
 * The commands there are. A new one is a file beside this one, and a line here.
 *
 * @module
 */

import { register, type RegisteredCommand } from "../command.ts";
import { version } from "./version.ts";

/** Every command, in the order that help lists them. Their work is loaded when it is run. */
export const commands: readonly RegisteredCommand[] = [
  register("version", version, () => import("./bodies/version.ts")),
];

/** What each group of commands is for. */
export const groups: Readonly<Record<string, string>> = {
  crawl: "Fetch a page, crawl the web into WARC, watch and steer a crawl",
};
