/**
 * Figures for Prometheus, on an address of one's own choosing.
 *
 * @module
 */

import { Counter, Gauge, Registry } from "prom-client";
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
  let figures = sample();
  const registry = crawlRegistry(() => figures);
  const ending = new AbortController();
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({
      hostname: address.host,
      port: address.port,
      onListen: () => {},
      signal: ending.signal,
    }, async (request) => {
      if (new URL(request.url).pathname !== "/metrics") {
        return new Response("See /metrics\n", { status: 404 });
      }
      if (request.method !== "GET" && request.method !== "HEAD") {
        return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
      }
      figures = sample();
      return new Response(await registry.metrics(), {
        headers: { "content-type": registry.contentType },
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

/** The metrics there are; each is read from `sample` at a scrape. */
function crawlRegistry(sample: () => CrawlFigures): Registry {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, read: (f: CrawlFigures) => number): void => {
    new Gauge({
      name: `ccrawl_${name}`,
      help,
      registers,
      collect() {
        this.set(read(sample()));
      },
    });
  };
  const counter = (name: string, help: string, read: (f: CrawlFigures) => number): void => {
    new Counter({
      name: `ccrawl_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(Math.max(0, read(sample())));
      },
    });
  };
  counter("pages_fetched", "Pages answered in this run", (f) => f.fetched);
  counter("pages_failed", "Pages given up unanswered", (f) => failedTotal(f.failures));
  counter("pages_disallowed", "Pages that robots.txt kept us from", (f) => f.disallowed);
  counter("body_bytes", "Body bytes taken off the wire", (f) => f.bytes);
  counter("files", "Output files finished", (f) => f.files);
  counter("dns_lookups", "Hosts looked up", (f) => f.dns.lookedUp);
  counter("dns_unresolved", "Hosts that did not resolve", (f) => f.dns.unresolved);
  counter("robots_hosts", "Hosts whose robots.txt was asked for", (f) => f.robots?.hosts ?? 0);
  counter("writer_busy_seconds", "Time the writers worked", (f) => f.writerBusyMs / 1000);
  new Counter({
    name: "ccrawl_failures_total",
    help: "Pages given up unanswered, by class",
    labelNames: ["class"],
    registers,
    collect() {
      this.reset();
      for (const [name, count] of Object.entries(sample().failures)) {
        this.inc({ class: name }, count);
      }
    },
  });
  new Counter({
    name: "ccrawl_worker_seconds_total",
    help: "Time the workers spent, by what on",
    labelNames: ["phase"],
    registers,
    collect() {
      this.reset();
      const { robots, hostClock, fetching, queueing } = sample().workerTimes;
      this.inc({ phase: "robots" }, robots / 1000);
      this.inc({ phase: "host_clock" }, hostClock / 1000);
      this.inc({ phase: "fetching" }, fetching / 1000);
      this.inc({ phase: "queueing" }, queueing / 1000);
    },
  });
  gauge("queued_urls", "URLs in the queue", (f) => f.queued);
  gauge("in_flight", "Fetches in flight", (f) => f.inFlight);
  gauge("active_hosts", "Hosts with something queued or in flight", (f) => f.activeHosts);
  gauge("workers", "Fetches there can be at once", (f) => f.workers);
  gauge("write_queue_bound_bytes", "Bound of the write queue", (f) => f.queue.boundBytes);
  gauge("write_queue_peak_bytes", "Most held in the write queue", (f) => f.queue.peakBytes);
  gauge("dns_open_peak", "Most lookups open at once", (f) => f.dns.peak);
  gauge("elapsed_seconds", "Time since the run began", (f) => f.elapsedMs / 1000);
  return registry;
}
