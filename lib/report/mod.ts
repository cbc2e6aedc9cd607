/**
 * What a run tells: progress, events, journal, metrics, summary.
 *
 * @module
 */

export type {
  CrawlFigures,
  DnsFigures,
  FailureCounts,
  ProgressMode,
  QueueFigures,
  RobotsFigures,
  UnclassifiedFigures,
  WorkerTimes,
} from "./types.ts";
export type {
  EndEvent,
  EventBase,
  MessageEvent,
  RunEvent,
  SealEvent,
  StartEvent,
  TickEvent,
} from "./events.ts";
export { formatBytes, formatElapsed, formatRate, percent, shares } from "./format.ts";
export { failedTotal, formatCrawlSummary } from "./summary.ts";
export { JournalError } from "./journal.ts";
export { peakMemory } from "./memory.ts";
export { type ReportClock, type ReportOptions, RunReport } from "./report.ts";
export type { MessageSink } from "./status_line.ts";
