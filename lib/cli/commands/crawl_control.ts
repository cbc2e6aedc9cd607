/**
 * `crawl control`: tell a running crawl something.
 *
 * @module
 */

import type { ControlCommand } from "../../frontier/types.ts";
import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { GlobalOptions } from "../options/global.ts";
import { required } from "../options/spec.ts";
import { duration, path } from "../options/types.ts";
import { didYouMean } from "../suggest.ts";
import { parseHostArgument } from "./arguments.ts";

/** Resolved options of `crawl control`. */
export interface CrawlControlOptions extends GlobalOptions {
  readonly state: string;
}

/** Its arguments. */
export interface CrawlControlArguments {
  readonly command: ControlCommand;
}

/** Each verb with what follows it. */
const VERBS: Readonly<Record<ControlCommand["verb"], string>> = {
  pause: "",
  resume: "",
  stop: "",
  block: "HOST",
  unblock: "HOST",
  delay: "HOST DURATION",
  priority: "HOST N",
};

/**
 * Read a verb and what follows it.
 *
 * @throws {UsageError}
 */
export function parseControl(args: readonly string[]): ControlCommand {
  const [word = "", ...rest] = args;
  const names = Object.keys(VERBS) as ControlCommand["verb"][];
  const verb = names.find((name) => name === word);
  if (verb === undefined) {
    const near = didYouMean(word, names);
    throw new UsageError(
      `unknown verb ${JSON.stringify(word)}${near === undefined ? "" : `; ${near}`}`,
      `verbs: ${names.join(", ")}`,
    );
  }
  const wanted = VERBS[verb] === "" ? 0 : VERBS[verb].split(" ").length;
  if (rest.length !== wanted) {
    throw new UsageError(
      `${verb} ${wanted === 0 ? "stands alone" : `needs ${VERBS[verb]}`}`,
      `write: ccrawl crawl control --state FILE ${`${verb} ${VERBS[verb]}`.trim()}`,
    );
  }
  if (wanted === 0) return { verb };
  const host = parseHostArgument(rest[0]!);
  switch (verb) {
    case "delay":
      return { verb, host, delayMs: parseDelay(rest[1]!) };
    case "priority": {
      const priority = Number(rest[1]);
      if (rest[1]!.trim() === "" || !Number.isFinite(priority) || priority <= 0) {
        throw new UsageError(`priority ${rest[1]}: must be a number above 0`);
      }
      return { verb, host, priority };
    }
    default:
      return { verb, host };
  }
}

function parseDelay(text: string): number {
  try {
    return duration().parse(text);
  } catch (cause) {
    throw new UsageError(`delay ${text}: ${(cause as Error).message}`, undefined, { cause });
  }
}

/** The command. */
export const crawlControl: CommandSpec<CrawlControlOptions, CrawlControlArguments> = {
  brief: "Pause, resume or stop a running crawl, or steer one of its hosts",
  description: [
    "A running crawl acts on it within a second. What is said about a host is kept in the state.",
  ],
  args: {
    usage: "VERB [HOST [VALUE]]",
    help: "pause, resume, stop, block HOST, unblock HOST, delay HOST DURATION, priority HOST N",
    min: 1,
    max: 3,
    complete: Object.keys(VERBS),
    parse: (args) => ({ command: parseControl(args) }),
  },
  options: {
    state: required(path(), "File that holds the crawl's frontier"),
  },
  fields: [],
  examples: [
    ["ccrawl crawl control --state crawl.db pause", "start nothing new until resume"],
    ["ccrawl crawl control --state crawl.db block www.example.com", "leave a host alone"],
    ["ccrawl crawl control --state crawl.db delay www.example.com 10s", "slow down at a host"],
    ["ccrawl crawl control --state crawl.db priority www.example.com 1000", "a host sooner"],
  ],
};
