/**
 * Figures for Prometheus, on an address of one's own choosing.
 *
 * @module
 */

import { EXPOSITION_TYPE, formatExposition, type Metric } from "./_exposition.ts";
import { failedTotal } from "./summary.ts";
import type { CrawlFigures } from "./types.ts";

/** The metrics address could not be used. */
export class MetricsError extends Error {
  override readonly name = "MetricsError";
}

/** A listening metrics server. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serve `/metrics` at `host`:`port` (0 picks a port). Figures are read when they are asked for.
 *
 * @throws {MetricsError} when the address cannot be bound.
 */
export function serveMetrics(
  address: { readonly host: string; readonly port: number },
  sample: () => CrawlFigures,
): MetricsServer {
  const ending = new AbortController();
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({
      hostname: address.host,
      port: address.port,
      onListen: () => {},
      signal: ending.signal,
    }, (request) => {
      if (new URL(request.url).pathname !== "/metrics") {
        return new Response("See /metrics\n", { status: 404 });
      }
      if (request.method !== "GET" && request.method !== "HEAD") {
        return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
      }
      return new Response(formatExposition(crawlMetrics(sample())), {
        headers: { "content-type": EXPOSITION_TYPE },
      });
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MetricsError(
      `Cannot serve metrics at ${address.host}:${address.port}: ${why}`,
      { cause },
    );
  }
  return {
    port: server.addr.port,
    close() {
      // A scraper that does not read its answer must not keep the run from ending.
      ending.abort();
      return server.finished;
    },
  };
}

/** The metrics there are. */
function crawlMetrics(f: CrawlFigures): Metric[] {
  const counter = (name: string, help: string, value: number): Metric => ({
    name: `ccrawl_${name}_total`,
    type: "counter",
    help,
    samples: [{ value }],
  });
  const gauge = (name: string, help: string, value: number): Metric => ({
    name: `ccrawl_${name}`,
    type: "gauge",
    help,
    samples: [{ value }],
  });
  const byLabel = (
    name: string,
    help: string,
    label: string,
    values: Readonly<Record<string, number>>,
  ): Metric => ({
    name: `ccrawl_${name}_total`,
    type: "counter",
    help,
    samples: Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value })),
  });
  const { robots, hostClock, fetching, queueing } = f.workerTimes;
  return [
    counter("pages_fetched", "Pages answered in this run", f.fetched),
    counter("pages_failed", "Pages given up unanswered", failedTotal(f.failures)),
    byLabel("failures", "Pages given up unanswered, by class", "class", { ...f.failures }),
    counter("pages_disallowed", "Pages that robots.txt kept us from", f.disallowed),
    counter("body_bytes", "Body bytes taken off the wire", f.bytes),
    counter("files", "Output files finished", f.files),
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
