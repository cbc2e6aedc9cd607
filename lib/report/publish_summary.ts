/**
 * The summary of publishing a run's files.
 *
 * @module
 */

import { counted, formatBytes, formatElapsed } from "./format.ts";
import type { PublishFigures } from "./types.ts";

/** The summary, one line a string, each beginning with `prefix` (`recrawl publish`). */
export function formatPublishSummary(f: PublishFigures, prefix = "recrawl publish"): string[] {
  const there = f.present === 0 ? "" : `, ${f.present} there already`;
  const rate = f.elapsedMs > 0 ? f.sentBytes * 1000 / f.elapsedMs : 0;
  const again = f.retries === 0 ? "" : `, ${counted(f.retries, "request")} sent again`;
  const memory = f.peakMemoryBytes === undefined
    ? ""
    : `, ${formatBytes(f.peakMemoryBytes)} of memory at the peak`;
  const left = f.complete
    ? "the list has been worked off, and all of it is published"
    : `${counted(f.waiting, "part")} waiting, ${formatBytes(f.waitingBytes)}`;
  return [
    `${counted(f.published, "part")} published in ${counted(f.commits, "commit")}, ` +
    `${counted(f.rows, "row")}, ${formatBytes(f.bytes)}${there}`,
    left,
    `${formatBytes(f.sentBytes)} sent, ${formatBytes(rate)} a second${again}`,
    `${formatElapsed(f.elapsedMs)}${memory}`,
  ].map((line) => `${prefix}: ${line}`);
}
