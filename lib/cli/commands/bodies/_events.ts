/**
 * A run's events, for people.
 *
 * @module
 */

import type { CrawlEvent } from "../../../engine/mod.ts";
import { formatElapsed } from "../../../report/mod.ts";
import type { CommandIo } from "../../command.ts";

/** Waits that are told of. */
const LONG_MS = 5000;

/** Tells of a wait for a server that lasts, and why; of what passes at once there is nothing to say. */
export function tellWait(ms: number, reason: string, { report }: CommandIo): void {
  if (ms < LONG_MS) return;
  report.message(`waiting ${formatElapsed(ms)}: ${printable(reason)}`);
}

/** What the reasons that a host is left out for mean. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "crawl-delay": "it asks for a longer Crawl-delay than --max-crawl-delay",
  "robots-unreachable": "its robots.txt could not be had, however often it was asked for",
};

/** Tells what happened beside the pages. */
export function tell(event: CrawlEvent, io: CommandIo): void {
  const { report } = io;
  switch (event.type) {
    case "repaired":
      report.message(
        event.kept === 0
          ? `${event.file} was left open and holds no whole exchange: removed`
          : `${event.file} was left open: sealed, ${event.cut} bytes of a cut record dropped`,
      );
      break;
    case "host-left-out":
      report.message(
        `${printable(event.host)} is left out: ${
          LEFT_OUT[event.reason] ?? printable(event.reason)
        }`,
      );
      break;
    case "host-blocked": {
      const until = new Date(event.untilMs).toISOString();
      report.message(`${printable(event.host)} is left alone until ${until}: ${event.reason}`);
      break;
    }
    case "release":
      report.message(`reading release ${event.release}`);
      break;
    case "waiting":
      tellWait(event.ms, event.reason, io);
      break;
    case "worked-off":
      report.message(`${event.source} has been worked off: nothing is left to do`);
      break;
    case "warning":
      report.warn(event.text);
      break;
    case "control":
      report.message(`told to ${event.verb}${event.host === undefined ? "" : ` ${event.host}`}`);
      break;
    case "sealed":
      report.seal({ file: event.file, bytes: event.bytes, records: event.records });
      break;
    case "stopping":
      break;
  }
}

/** Why a run that ended before its work did, without an error, has ended: for its last event. */
export function outcomeOf(signal: AbortSignal): string {
  switch ((signal.reason as Error | undefined)?.name) {
    case "LimitReachedError":
      return "limit";
    case "PipeClosedError":
      return "reader gone";
    default:
      return "stopped";
  }
}

/** Text from outside, fit for a terminal. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, "?").slice(0, 200);
}
