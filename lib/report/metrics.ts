/**
 * Metrics for Prometheus, on an address of one's own choosing.
 *
 * @module
 */

import { EXPOSITION_TYPE, formatExposition, type Metric } from "./_exposition.ts";

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
 * Serve `/metrics` at `host`:`port` (0 picks a port). `sample` is called for each scrape.
 *
 * @throws {MetricsError} when the address cannot be bound.
 */
export function serveMetrics(
  address: { readonly host: string; readonly port: number },
  sample: () => readonly Metric[],
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
      return new Response(formatExposition(sample()), {
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
