/**
 * The summary of a pass over a work list: the crawl's lines, and what rendering and reading the list
 * cost.
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
import { formatElapsed, formatRate, shares } from "./format.ts";
import type { ExtractFigures, FeederFigures, RecrawlFigures } from "./types.ts";

/**
 * The summary of a pass over a work list, one line a string, each beginning with `prefix`
 * (`recrawl run`).
 */
export function formatRecrawlSummary(figures: RecrawlFigures, prefix = "recrawl run"): string[] {
  const f = figures;
  const { part, row } = f.position;
  const lines = [
    `${pagesLine(f, outputFiles(f))}, at part ${part} row ${row}`,
    ...webLines(f),
    ...(f.unchanged > 0 ? [`unchanged: ${f.unchanged} of ${f.fetched} fetched`] : []),
    workerLine(f),
    ...(f.extract === undefined ? [] : [extractLine(f.extract, f.elapsedMs)]),
    queuesLine(f),
    feederLine(f.feeder),
    endLine(f),
  ];
  return lines.map((line) => `${prefix}: ${line}`);
}

function outputFiles({ parquetFiles, warcFiles }: RecrawlFigures): string {
  const texts: string[] = [];
  if (parquetFiles !== undefined) texts.push(filesText(parquetFiles, "parquet"));
  if (warcFiles !== undefined) texts.push(filesText(warcFiles, "warc"));
  return texts.length === 0 ? "no files" : texts.join(", ");
}

/** Shares of the pool's own width times the clock, not of the workers'. */
function extractLine({ width, renderingMs, sinkMs }: ExtractFigures, elapsedMs: number): string {
  const idleMs = width * elapsedMs - renderingMs - sinkMs;
  const [rendering, sink, idle] = shares([renderingMs, sinkMs, idleMs]);
  return `extract pool: ${width} wide, rendering ${rendering}% of it, ` +
    `waiting for the sink ${sink}%, idle ${idle}%`;
}

function queuesLine({ extract, queue }: RecrawlFigures): string {
  const write = queueText("write queue", queue);
  return extract === undefined ? write : `${queueText("extract queue", extract.queue)}, ${write}`;
}

/**
 * Leads with how long the feeder was alive, for the rest is a share of that: it ends with the list or
 * at the limit, and the run when the last straggler has. The rows a second are the run's ceiling.
 */
function feederLine({ aliveMs, readingMs, waitingMs, rows }: FeederFigures): string {
  const restMs = aliveMs - readingMs - waitingMs;
  const [reading, waiting, rest] = shares([readingMs, waitingMs, restMs]);
  return `feeder: alive ${formatElapsed(aliveMs)}, reading ${reading}% of it, ` +
    `waiting for a free worker ${waiting}%, ${rest! > 0 ? `neither ${rest}%, ` : ""}` +
    formatRate(rows, aliveMs, "rows");
}
