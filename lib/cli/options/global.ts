/**
 * Options that every command takes, before or after its name.
 *
 * @module
 */

import type { ProgressMode } from "../../report/types.ts";
import { USER_AGENT } from "../../version.ts";
import { OUTPUT_FORMATS, type OutputFormat } from "../output/formats_list.ts";
import { flag, list, type OptionTable, value } from "./spec.ts";
import {
  choice,
  count,
  duration,
  type HostPort,
  hostPort,
  path,
  type ResolverAddress,
  resolverAddress,
  text,
} from "./types.ts";

/** Resolved values of the global options. */
export interface GlobalOptions {
  readonly output: OutputFormat;
  readonly fields: readonly string[];
  readonly template: string | undefined;
  readonly header: boolean;
  /** Records; 0 for no limit. */
  readonly limit: number;
  /** Undefined where the command has no default of its own. */
  readonly workers: number | undefined;
  /** Milliseconds; undefined where the command has no default of its own. */
  readonly timeout: number | undefined;
  readonly retries: number | undefined;
  readonly userAgent: string;
  /** Empty asks the system's and the public name servers. */
  readonly resolver: readonly ResolverAddress[];
  readonly allowPrivate: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: "auto" | "always" | "never";
  readonly progress: ProgressMode;
  readonly journal: string | undefined;
  readonly metricsAddr: HostPort | undefined;
  /** Undefined for the user's own file. */
  readonly config: string | undefined;
  readonly profile: string | undefined;
}

/** The widest pool: each worker can hold a socket. */
const MOST_WORKERS = 65_536;

/** `-j`, with a command's own default. */
export const workersType = count({ min: 1, max: MOST_WORKERS });
/** `--timeout`, with a command's own default. */
export const timeoutType = duration({ min: 1 });
/** `--retries`, with a command's own default. */
export const retriesType = count({ max: 100 });

/** A user agent goes into a header line and names a product that robots.txt can name. */
const userAgentType = {
  ...text("TEXT"),
  parse(value: string): string {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\/|\s|$)/.test(value)) {
      throw new RangeError("must begin with a product name, such as CCrawl/2.0");
    }
    if (/[^\x20-\x7e]/.test(value)) throw new RangeError("must be printable ASCII");
    return value;
  },
};

/** The table of them. */
export const globalOptions: OptionTable<GlobalOptions> = {
  output: value(
    choice(OUTPUT_FORMATS),
    "auto",
    "Format of records: auto is a table on a terminal, else jsonl",
    {
      short: "o",
    },
  ),
  fields: list(text("NAME,NAME"), "Fields to write, in this order, in every format", {
    commas: true,
  }),
  template: value(
    text("TEXT"),
    undefined,
    "Write a line a record by this template, such as '{{url}} {{status}}'",
  ),
  header: flag(true, "Write csv, tsv and tables without a header line"),
  limit: value(count(), 0, "Stop after this many records, as at any stop; 0 for no limit", {
    short: "n",
  }),
  workers: value(workersType, undefined, "Fetches in flight at once", { short: "j" }),
  timeout: value(timeoutType, undefined, "Budget of one fetch with its retries and redirects"),
  retries: value(
    retriesType,
    undefined,
    "Retries after a transport failure; a status is an answer",
  ),
  userAgent: value(userAgentType, USER_AGENT, "User-Agent for robots.txt and pages alike"),
  resolver: list(
    resolverAddress,
    "Name server to ask; repeatable, and then no others are asked",
    { commas: true },
  ),
  allowPrivate: flag(false, "Connect to loopback, private and other special addresses too"),
  quiet: flag(false, "No progress, messages or summary; warnings and errors stay", "q"),
  verbose: flag(false, "Show stack traces of errors", "v"),
  color: value(
    choice(["auto", "always", "never"]),
    "auto",
    "Colour; auto is on a terminal, and not when NO_COLOR is set",
  ),
  progress: value(
    choice(["auto", "text", "json", "none"]),
    "auto",
    "Progress on stderr: a line, or events as JSON lines",
  ),
  journal: value(path(), undefined, "Append the run's events to this file as JSON lines"),
  metricsAddr: value(
    hostPort,
    undefined,
    "Serve a page about the run here, and Prometheus metrics at /metrics; loopback when no host is given",
  ),
  config: value(path(), undefined, "Configuration to read instead of the user's own"),
  profile: value(text("NAME"), undefined, "Table of the configuration to take before [default]"),
};
