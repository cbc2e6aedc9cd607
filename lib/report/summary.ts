/**
 * The summary of a crawl: the lines that say what the web cost and what the machine cost, in the order
 * they are read in.
 *
 * @module
 */

import {
  endLine,
  filesText,
  pagesLine,
  queueText,
  webLines,
  workerLine,
} from "./_summary_lines.ts";
import { counted } from "./format.ts";
import type { CrawlFigures } from "./types.ts";

function sitemapLines({ sitemaps }: CrawlFigures): string[] {
  if (sitemaps === undefined) return [];
  return [`sitemaps: ${sitemaps.read} read, ${counted(sitemaps.listed, "URL")} listed`];
}

function revisitLines({ revisits }: CrawlFigures): string[] {
  if (revisits === undefined) return [];
  const { changed, unchanged, notModified, failing, waiting, due } = revisits;
  return [
    `revisits: ${changed + unchanged + failing}, ${changed} changed, ` +
    `${unchanged} unchanged of which ${notModified} by 304, ${failing} not well; ` +
    `${due} due, ${waiting} waiting`,
  ];
}

/**
 * The summary of a crawl, one line a string, each beginning with `prefix` (`crawl run`).
 */
export function formatCrawlSummary(figures: CrawlFigures, prefix = "crawl run"): string[] {
  const lines = [
    pagesLine(figures, filesText(figures.files, "warc")),
    ...webLines(figures),
    ...sitemapLines(figures),
    ...revisitLines(figures),
    workerLine(figures),
    queueText("write queue", figures.queue),
    endLine(figures),
  ];
  return lines.map((line) => `${prefix}: ${line}`);
}
