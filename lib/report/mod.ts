/**
 * What a run tells: progress, events, journal, metrics, summary.
 *
 * @module
 */

export type {
  AnyFigures,
  CheckpointFigures,
  CrawlFigures,
  DnsFigures,
  ExtractFigures,
  FailureCounts,
  FeederFigures,
  HeldQueueFigures,
  ProgressMode,
  PublishFigures,
  QueueFigures,
  RecrawlFigures,
  ReportedFigures,
  RevisitFigures,
  RobotsFigures,
  RunFigures,
  UnclassifiedFigures,
  WorkerTimes,
} from "./types.ts";
export type {
  EndEvent,
  EventBase,
  MessageEvent,
  RunEvent,
  SealEvent,
  StartDetails,
  StartEvent,
  TickEvent,
} from "./events.ts";
export { formatBytes, formatElapsed, formatRate, percent, shares } from "./format.ts";
export { failedTotal } from "./_summary_lines.ts";
export { formatCrawlSummary } from "./summary.ts";
export { formatPublishSummary } from "./publish_summary.ts";
export { formatRecrawlSummary } from "./recrawl_summary.ts";
export type { Metric, Sample } from "./_exposition.ts";
export type { ProgressLines } from "./progress.ts";
export { crawlKind, publishKind, recrawlKind, type RunKind } from "./run_kind.ts";
export { JournalError } from "./journal.ts";
export { peakMemory } from "./memory.ts";
export { type ReportClock, type ReportOptions, RunReport } from "./report.ts";
export type { MessageSink } from "./status_line.ts";
