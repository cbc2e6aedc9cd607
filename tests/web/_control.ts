/**
 * The web's back door, for tests: its log, its judgement, its levers. JSON over http on a port of its own.
 *
 * @module
 */

import { isRobots, type RequestEntry } from "./_log.ts";
import type { NameServer } from "./_dns.ts";
import { graphUrls } from "./scenario.ts";
import type { Web } from "./_web.ts";

/** How a crawl of the graph compares with the graph. */
export interface Coverage {
  /** Pages of the graph. */
  expected: number;
  /** Distinct pages of the graph that were asked for. */
  fetched: number;
  /** Requests for pages of the graph beyond the first for each. */
  repeated: number;
  /** Requests for anything else on the graph's hosts, robots.txt left out. */
  strangers: number;
  /** Up to 20 of each, to look at. */
  missingSample: string[];
  repeatedSample: string[];
  strangersSample: string[];
}

/** What {@linkcode Web} counts for a name. */
export interface DnsCount {
  name: string;
  queries: number;
}

/** Starts the back door on a free port; returns the server. */
export function startControl(
  web: Web,
  servers: readonly NameServer[],
  stop: () => void,
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const url = new URL(request.url);
    switch (`${request.method} ${url.pathname}`) {
      case "GET /requests":
        return jsonLines(filtered(web, url.searchParams));
      case "GET /summary":
        return Response.json(web.log.summary());
      case "GET /stats":
        return Response.json({ ...web.stats, memory: Deno.memoryUsage().rss });
      case "GET /coverage":
        return Response.json(coverage(web));
      case "GET /dns":
        return jsonLines(dnsCounts(servers, url.searchParams));
      case "POST /set": {
        const { host, traits } = await request.json();
        if (typeof host !== "string" || (typeof traits !== "string" && traits !== null)) {
          return new Response("Cannot set: host and traits are needed\n", { status: 400 });
        }
        web.set(host, traits ?? undefined);
        return new Response(null, { status: 204 });
      }
      case "POST /reset":
        web.reset();
        for (const s of servers) s.reset();
        return new Response(null, { status: 204 });
      case "POST /stop":
        stop();
        return new Response(null, { status: 204 });
      default:
        return new Response(
          "GET /requests /summary /stats /coverage /dns, POST /set /reset /stop\n",
          { status: 404 },
        );
    }
  });
}

function* filtered(web: Web, q: URLSearchParams): Generator<RequestEntry> {
  const host = q.get("host");
  const path = q.get("path");
  const since = Number(q.get("since") ?? -1);
  let left = Number(q.get("limit") ?? Infinity);
  for (const e of web.log.entries) {
    if (left <= 0) return;
    if (host !== null && e.host !== host) continue;
    if (path !== null && e.path !== path) continue;
    if (e.t <= since) continue;
    left--;
    yield e;
  }
}

function* dnsCounts(servers: readonly NameServer[], q: URLSearchParams): Generator<DnsCount> {
  const only = q.get("server");
  const sum = new Map<string, number>();
  for (const s of servers) {
    if (only !== null && Number(only) !== s.number) continue;
    for (const [name, n] of s.queries) sum.set(name, (sum.get(name) ?? 0) + n);
  }
  for (const [name, queries] of sum) yield { name, queries };
}

function coverage(web: Web): Coverage {
  const s = web.scenario;
  const times = new Map<string, number>();
  for (const url of graphUrls(s, web.ports[s.scheme])) times.set(url, 0);
  const out: Coverage = {
    expected: times.size,
    fetched: 0,
    repeated: 0,
    strangers: 0,
    missingSample: [],
    repeatedSample: [],
    strangersSample: [],
  };
  for (const e of web.log.entries) {
    if (isRobots(e.path) || web.host(e.host).index < 0) continue;
    const url = `${e.scheme}://${e.host}:${e.port}${e.path}`;
    const n = times.get(url);
    if (n === undefined) {
      out.strangers++;
      if (out.strangersSample.length < 20) out.strangersSample.push(url);
      continue;
    }
    times.set(url, n + 1);
    if (n === 0) out.fetched++;
    else {
      out.repeated++;
      if (out.repeatedSample.length < 20) out.repeatedSample.push(url);
    }
  }
  for (const [url, n] of times) {
    if (n === 0 && out.missingSample.push(url) === 20) break;
  }
  return out;
}

/** One JSON value a line, sent as it is made: a log of a million requests is never one string. */
function jsonLines(values: Iterator<unknown>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      let text = "";
      for (let i = 0; i < 2000; i++) {
        const next = values.next();
        if (next.done === true) {
          if (text !== "") controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += JSON.stringify(next.value) + "\n";
      }
      controller.enqueue(encoder.encode(text));
    },
  });
  return new Response(body, { headers: { "content-type": "application/jsonl" } });
}
