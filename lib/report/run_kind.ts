/**
 * The kinds of run there are: how the figures of each are put into words and numbers.
 *
 * @module
 */

import type { Metric } from "./_exposition.ts";
import { crawlMetrics, publishMetrics, recrawlMetrics } from "./figure_metrics.ts";
import { crawlProgress, type ProgressLines, publishProgress, recrawlProgress } from "./progress.ts";
import { formatPublishSummary } from "./publish_summary.ts";
import { formatRecrawlSummary } from "./recrawl_summary.ts";
import { formatCrawlSummary } from "./summary.ts";
import type {
  AnyFigures,
  CrawlFigures,
  PublishFigures,
  RecrawlFigures,
  ReportedFigures,
} from "./types.ts";

/** How one kind of run reports its figures. */
export interface RunKind<F extends ReportedFigures> {
  /** Lines of the summary, each beginning with `prefix`. */
  summary(figures: F, prefix: string): string[];
  /** Progress lines of one run. */
  progress(): ProgressLines<F>;
  /** What a scrape is answered with. */
  metrics(figures: F): Metric[];
  /** What the page about the run shows; absent where there is no page. */
  page?(figures: F): AnyFigures;
}

/** A crawl from seeds. */
export const crawlKind: RunKind<CrawlFigures> = {
  summary: formatCrawlSummary,
  progress: crawlProgress,
  metrics: crawlMetrics,
  page: (figures) => figures,
};

/** A pass over a work list. */
export const recrawlKind: RunKind<RecrawlFigures> = {
  summary: formatRecrawlSummary,
  progress: recrawlProgress,
  metrics: recrawlMetrics,
  page: (figures) => figures,
};

/** Publishing what a pass writes. */
export const publishKind: RunKind<PublishFigures> = {
  summary: formatPublishSummary,
  progress: publishProgress,
  metrics: publishMetrics,
};
