/**
 * A run on an address of one's own choosing: a page for people, metrics for Prometheus.
 *
 * @module
 */

import { EXPOSITION_TYPE, formatExposition, type Metric } from "./_exposition.ts";
import { PAGE_CSS, PAGE_HTML, PAGE_JS } from "./_page_assets.ts";

/** The metrics address could not be used. */
export class MetricsError extends Error {
  override readonly name = "MetricsError";
}

/** A listening metrics server. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** What is served, each asked for when it is. */
export interface MetricsSource {
  /** For a scrape. */
  readonly metrics: () => readonly Metric[];
  /** For the page; absent where there is none. */
  readonly figures?: () => unknown;
}

/** Nothing but what this server itself gives, and no page of others around it. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/**
 * Serve a page at `/` and metrics at `/metrics`, at `host`:`port` (0 picks a port).
 *
 * On a loopback address only requests that name one are answered, so that a site in the browser of who
 * runs this cannot read along under a name of its own.
 *
 * @throws {MetricsError} when the address cannot be bound.
 */
export function serveMetrics(
  address: { readonly host: string; readonly port: number },
  source: MetricsSource,
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
      const url = URL.parse(request.url);
      // A name that is none is the asker's affair, and no line in the log of the run.
      if (url === null) return answer("That is no address\n", "text/plain", 400);
      const { hostname, pathname } = url;
      if (isLoopback(address.host) && !isLoopback(hostname)) {
        return answer("Ask for this by its address, or as localhost\n", "text/plain", 403);
      }
      const known = page(pathname, source);
      if (known === undefined) {
        const pages = source.figures === undefined ? "/metrics" : "/ and /metrics";
        return answer(`See ${pages}\n`, "text/plain", 404);
      }
      if (request.method !== "GET" && request.method !== "HEAD") {
        return new Response(null, { status: 405, headers: { ...HEADERS, allow: "GET, HEAD" } });
      }
      return known();
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

function page(path: string, source: MetricsSource): (() => Response) | undefined {
  const { figures } = source;
  if (figures === undefined && path !== "/metrics") return undefined;
  switch (path) {
    case "/":
      return () => answer(PAGE_HTML, "text/html; charset=utf-8");
    case "/page.css":
      return () => answer(PAGE_CSS, "text/css; charset=utf-8");
    case "/page.js":
      return () => answer(PAGE_JS, "text/javascript; charset=utf-8");
    case "/figures":
      return () => answer(JSON.stringify(figures?.()), "application/json");
    case "/metrics":
      return () => answer(formatExposition(source.metrics()), EXPOSITION_TYPE);
    default:
      return undefined;
  }
}

function answer(body: string, type: string, status = 200): Response {
  return new Response(body, { status, headers: { ...HEADERS, "content-type": type } });
}

/** Whether a host, as an option or a URL has it, is this machine alone. */
function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}
