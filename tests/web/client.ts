/**
 * The tests' side of a local web: starts the process, asks it what it saw, changes what it does.
 *
 * @module
 */

import type { Coverage, DnsCount } from "./_control.ts";
import type { RequestEntry, WebSummary } from "./_log.ts";
import type { Ready } from "./main.ts";
import { graphUrls, hostName, origin, type Scenario, seedUrls } from "./scenario.ts";
import type { WebStats } from "./_web.ts";

/** Which requests of the log to give. */
export interface RequestFilter {
  readonly host?: string;
  /** Path and query, whole. */
  readonly path?: string;
  /** Only requests that came later than this time of the web's clock. */
  readonly since?: number;
  readonly limit?: number;
}

/**
 * A running local web. Dispose of it (`await using`) and the process ends; it also ends with this process.
 *
 * @example
 * ```ts ignore
 * await using web = await startWeb({ hosts: 5, pages: 100 });
 * const url = web.url("h1.robots-404.test", "/p/0");
 * ```
 */
export class LocalWeb implements AsyncDisposable {
  readonly ready: Ready;
  readonly scenario: Scenario;
  /** `127.0.0.1:PORT` of the first name server. */
  readonly resolver: string;
  /** Of both. */
  readonly resolvers: readonly string[];
  /** PEM file of the certificate authority that the https hosts' certificates come from. */
  readonly caFile: string;
  readonly #child: Deno.ChildProcess;
  readonly #stdout: ReadableStreamDefaultReader<Uint8Array>;

  /** @ignore use {@linkcode startWeb} */
  constructor(
    child: Deno.ChildProcess,
    stdout: ReadableStreamDefaultReader<Uint8Array>,
    ready: Ready,
  ) {
    this.#child = child;
    this.#stdout = stdout;
    this.ready = ready;
    this.scenario = ready.scenario;
    this.resolver = ready.dns;
    this.resolvers = ready.resolvers;
    this.caFile = ready.caFile;
  }

  /** URL of a path on a host of the web, on the port where its kind listens. */
  url(host: string, path = "/", scheme: "http" | "https" = "http"): string {
    const reset = host.split(".").some((l) => l === "reset" || l.startsWith("reset-"));
    return origin(scheme, host, reset ? this.ready.reset : this.ready[scheme]) + path;
  }

  /** URL of a path on a port where nobody listens. */
  closedUrl(host: string, path = "/"): string {
    return `http://${host}:${this.ready.closed}${path}`;
  }

  /** The name of the graph's host `i`. */
  hostName(i: number): string {
    return hostName(this.scenario, i);
  }

  /** Where a crawl of the graph starts. */
  seeds(): string[] {
    return [...seedUrls(this.scenario, this.ready[this.scenario.scheme])];
  }

  /** Every page that a whole crawl of the seeds fetches, in canonical spelling. */
  expectedUrls(): Generator<string> {
    return graphUrls(this.scenario, this.ready[this.scenario.scheme]);
  }

  /** The log, in the order requests came. */
  async requests(filter: RequestFilter = {}): Promise<RequestEntry[]> {
    const query = new URLSearchParams();
    for (const [k, v] of Object.entries(filter)) query.set(k, String(v));
    return await this.#lines<RequestEntry>(`/requests?${query}`);
  }

  /** The log, judged at the server. */
  async summary(): Promise<WebSummary> {
    return await (await this.#ask("/summary")).json();
  }

  /** What of the graph was fetched, how often, and what else, judged at the server. */
  async coverage(): Promise<Coverage> {
    return await (await this.#ask("/coverage")).json();
  }

  /** Counters of the process. */
  async stats(): Promise<WebStats & { memory: number }> {
    return await (await this.#ask("/stats")).json();
  }

  /** How often each name was asked for, by all or by one of the name servers (from 1). */
  async dnsQueries(server?: number): Promise<Map<string, number>> {
    const lines = await this.#lines<DnsCount>(
      `/dns${server === undefined ? "" : `?server=${server}`}`,
    );
    return new Map(lines.map((l) => [l.name, l.queries]));
  }

  /** Gives a host another behaviour, in the words of the traits (`"robots-404.slow-50"`); null: its name's own again. */
  async set(host: string, traits: string | null): Promise<void> {
    await this.#post("/set", { host, traits });
  }

  /** Forgets log and counters, and gives every host its name's own behaviour. */
  async reset(): Promise<void> {
    await this.#post("/reset", {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.close();
    await this.#child.status;
    await this.#stdout.cancel();
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(this.ready.control + path, init);
    if (!response.ok) {
      throw new Error(
        `Cannot ask the local web for ${path}: ${response.status} ${await response.text()}`,
      );
    }
    return response;
  }

  async #post(path: string, value: unknown): Promise<void> {
    const response = await this.#ask(path, { method: "POST", body: JSON.stringify(value) });
    await response.body?.cancel();
  }

  async #lines<T>(path: string): Promise<T[]> {
    const text = await (await this.#ask(path)).text();
    return text.split("\n").filter((l) => l !== "").map((l) => JSON.parse(l) as T);
  }
}

/**
 * Starts a local web in a process of its own and resolves when it listens.
 *
 * @throws {Error} if the process ends before it listens; what it said is on stderr.
 */
export async function startWeb(scenario: Partial<Scenario> = {}): Promise<LocalWeb> {
  const args = [
    "run",
    "-A",
    "--quiet",
    "--no-check",
    new URL("./main.ts", import.meta.url).href,
    "--watch-stdin",
  ];
  for (const [key, value] of Object.entries(scenario)) {
    args.push(`--${key.replaceAll(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`, String(value));
  }
  const child = new Deno.Command(Deno.execPath(), {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) {
      await child.stdin.close();
      const { code } = await child.status;
      throw new Error(`Cannot start the local web: it ended with code ${code} before it listened`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return new LocalWeb(child, reader, JSON.parse(text.slice(0, text.indexOf("\n"))) as Ready);
}
