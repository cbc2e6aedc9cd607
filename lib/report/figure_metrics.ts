/**
 * Figures as metrics. What both kinds of run count has one name for both.
 *
 * @module
 */

import type { Metric } from "./_exposition.ts";
import { failedTotal } from "./_summary_lines.ts";
import type {
  CheckpointFigures,
  CrawlFigures,
  HeldQueueFigures,
  PublishFigures,
  RecrawlFigures,
  RunFigures,
} from "./types.ts";

/** Metrics of a crawl. */
export function crawlMetrics(f: CrawlFigures): Metric[] {
  const { revisits, sitemaps } = f;
  return [
    ...runMetrics(f),
    fileMetric({ warc: f.files }),
    ...(sitemaps === undefined ? [] : [
      counter("sitemaps", "Sitemaps read", sitemaps.read),
      counter("sitemap_urls", "URLs that they list", sitemaps.listed),
    ]),
    ...(revisits === undefined ? [] : [
      byLabel("revisits", "Pages visited again, by what was found", "found", {
        changed: revisits.changed,
        unchanged: revisits.unchanged - revisits.notModified,
        not_modified: revisits.notModified,
        not_well: revisits.failing,
      }),
      gauge("revisits_waiting", "Pages that wait for their next visit", revisits.waiting),
      gauge("revisits_due", "Pages whose next visit is due", revisits.due),
    ]),
  ];
}

/** Metrics of a pass over a work list. */
export function recrawlMetrics(f: RecrawlFigures): Metric[] {
  const { extract, feeder } = f;
  return [
    ...runMetrics(f),
    fileMetric({
      ...(f.parquetFiles === undefined ? {} : { parquet: f.parquetFiles }),
      ...(f.warcFiles === undefined ? {} : { warc: f.warcFiles }),
    }),
    gauge("position_part", "Part of the work list that is being read", f.position.part),
    gauge("position_row", "Next row to read in that part", f.position.row),
    gauge("rows_done", "Rows that are durable, over the life of the state", f.rowsDone),
    ...checkpointMetrics(f.checkpoint),
    counter("pages_unchanged", "Answers 304 Not Modified", f.unchanged),
    counter("feeder_rows", "Rows handed to the workers", feeder.rows),
    gauge("feeder_alive_seconds", "How long the work list has been read", feeder.aliveMs / 1000),
    byLabel("feeder_seconds", "Time the feeder spent, by what on", "phase", {
      reading: feeder.readingMs / 1000,
      waiting: feeder.waitingMs / 1000,
    }),
    gauge("write_queue_held_bytes", "Held in the write queue", f.queue.heldBytes),
    ...(extract === undefined ? [] : [
      gauge("extractors", "Pages that can be rendered at once", extract.width),
      byLabel("extract_seconds", "Time the extract pool spent, by what on", "phase", {
        rendering: extract.renderingMs / 1000,
        sink: extract.sinkMs / 1000,
      }),
      ...extractQueueMetrics(extract.queue),
    ]),
  ];
}

function checkpointMetrics(checkpoint: CheckpointFigures | undefined): Metric[] {
  if (checkpoint === undefined) return [];
  const { ageMs, rowsAhead, partsWaiting } = checkpoint;
  return [
    gauge("checkpoint_age_seconds", "Time since the checkpoint was written", ageMs / 1000),
    gauge("rows_ahead", "Rows that have ended and are in no sealed file yet", rowsAhead),
    ...(partsWaiting === undefined
      ? []
      : [gauge("parts_waiting", "Sealed parts that are still on this disk", partsWaiting)]),
  ];
}

/** Metrics of publishing. */
export function publishMetrics(f: PublishFigures): Metric[] {
  return [
    counter("parts_published", "Parts that were published", f.published),
    counter("parts_present", "Parts that were on the hub already", f.present),
    counter("rows_published", "Rows of the parts that were published", f.rows),
    counter("bytes_published", "Bytes of the parts that were published", f.bytes),
    counter("upload_bytes", "Bytes sent to the store, again ones too", f.sentBytes),
    counter("commits", "Commits made", f.commits),
    counter("hub_retries", "Requests to the hub that were sent again", f.retries),
    gauge("parts_waiting", "Sealed parts that are still on this disk", f.waiting),
    gauge("parts_waiting_bytes", "Their size", f.waitingBytes),
    gauge("memory_peak_bytes", "Most memory the process has had", f.peakMemoryBytes ?? 0),
    gauge("elapsed_seconds", "Time since the run began", f.elapsedMs / 1000),
  ];
}

function extractQueueMetrics(queue: HeldQueueFigures): Metric[] {
  return [
    gauge("extract_queue_bound_bytes", "Bound of the extract queue", queue.boundBytes),
    gauge("extract_queue_peak_bytes", "Most held in the extract queue", queue.peakBytes),
    gauge("extract_queue_held_bytes", "Held in the extract queue", queue.heldBytes),
  ];
}

function fileMetric(files: Readonly<Record<string, number>>): Metric {
  return byLabel("files", "Output files finished, by format", "format", files);
}

function runMetrics(f: RunFigures): Metric[] {
  const { robots, hostClock, fetching, queueing } = f.workerTimes;
  return [
    counter("pages_fetched", "Pages answered in this run", f.fetched),
    counter("pages_failed", "Pages given up unanswered", failedTotal(f.failures)),
    byLabel("failures", "Pages given up unanswered, by class", "class", { ...f.failures }),
    counter("pages_disallowed", "Pages that robots.txt kept us from", f.disallowed),
    counter("body_bytes", "Body bytes taken off the wire", f.bytes),
    counter("dns_lookups", "Hosts looked up", f.dns.lookedUp),
    counter("dns_cache_hits", "Lookups answered from the cache", f.dns.cached),
    counter("dns_unresolved", "Hosts that did not resolve", f.dns.unresolved),
    gauge("dns_open_peak", "Most lookups open at once", f.dns.peak),
    counter("robots_hosts", "Hosts whose robots.txt was asked for", f.robots?.hosts ?? 0),
    counter("robots_unreachable", "Pages held by a silent robots.txt", f.robots?.unreachable ?? 0),
    byLabel("worker_seconds", "Time the workers spent, by what on", "phase", {
      robots: robots / 1000,
      host_clock: hostClock / 1000,
      fetching: fetching / 1000,
      queueing: queueing / 1000,
    }),
    counter("writer_busy_seconds", "Time the writers worked", f.writerBusyMs / 1000),
    gauge("workers", "Fetches there can be at once", f.workers),
    gauge("in_flight", "Fetches in flight", f.inFlight),
    gauge("queued_urls", "URLs in the queue", f.queued),
    gauge("active_hosts", "Hosts with something queued or in flight", f.activeHosts),
    gauge("write_queue_bound_bytes", "Bound of the write queue", f.queue.boundBytes),
    gauge("write_queue_peak_bytes", "Most held in the write queue", f.queue.peakBytes),
    gauge("memory_peak_bytes", "Most memory the process has had", f.peakMemoryBytes ?? 0),
    gauge("elapsed_seconds", "Time since the run began", f.elapsedMs / 1000),
  ];
}

function counter(name: string, help: string, value: number): Metric {
  return { name: `ccrawl_${name}_total`, type: "counter", help, samples: [{ value }] };
}

function gauge(name: string, help: string, value: number): Metric {
  return { name: `ccrawl_${name}`, type: "gauge", help, samples: [{ value }] };
}

function byLabel(
  name: string,
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): Metric {
  return {
    name: `ccrawl_${name}_total`,
    type: "counter",
    help,
    samples: Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value })),
  };
}
