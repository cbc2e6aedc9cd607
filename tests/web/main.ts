/**
 * The local web as a process: `deno task web`, or started by tests. When everything listens it prints one line
 * of JSON on stdout; on a terminal it also says on stderr how to point the crawler at it.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { startControl } from "./_control.ts";
import { NameServer } from "./_dns.ts";
import { acceptAll } from "./_http.ts";
import { listenReset } from "./_reset.ts";
import { TlsFront } from "./_tls.ts";
import { DEFAULT_SCENARIO, hostName, type Scenario, seedUrls } from "./scenario.ts";
import { Web } from "./_web.ts";

/** What the process says once it listens. */
export interface Ready {
  readonly http: number;
  readonly https: number;
  readonly reset: number;
  readonly closed: number;
  /** `127.0.0.1:PORT` of the name servers; the first is the one to use where one is enough. */
  readonly dns: string;
  readonly resolvers: readonly string[];
  /** PEM file of the web's certificate authority. */
  readonly caFile: string;
  readonly control: string;
  /** Names of the graph's hosts, the first hundred. */
  readonly hosts: readonly string[];
  readonly scenario: Scenario;
  readonly pid: number;
  /** Whether every host has an address of its own. */
  readonly manyAddresses: boolean;
}

const STRINGS = ["graph", "kind", "scheme"] as const;

/** Reads the scenario from arguments such as `--hosts 100 --pages 5000`. */
export function scenarioOf(args: readonly string[]): { scenario: Scenario; watchStdin: boolean } {
  const options: Record<string, { type: "string" | "boolean" }> = {
    "watch-stdin": { type: "boolean" },
  };
  for (const key of Object.keys(DEFAULT_SCENARIO)) options[dashed(key)] = { type: "string" };
  const { values } = parseArgs({ args: [...args], options, strict: true });
  const scenario: Record<string, string | number> = { ...DEFAULT_SCENARIO };
  for (const key of Object.keys(DEFAULT_SCENARIO)) {
    const value = values[dashed(key)];
    if (typeof value !== "string") continue;
    if ((STRINGS as readonly string[]).includes(key)) scenario[key] = value;
    else {
      const n = Number(value);
      if (!Number.isSafeInteger(n) || n < 0) {
        throw new TypeError(
          `Cannot start the web: --${dashed(key)} takes a whole number, not "${value}"`,
        );
      }
      scenario[key] = n;
    }
  }
  if (!["tree", "tree-across", "mesh"].includes(String(scenario.graph))) {
    throw new TypeError("Cannot start the web: --graph is tree, tree-across or mesh");
  }
  if (scenario.scheme !== "http" && scenario.scheme !== "https") {
    throw new TypeError("Cannot start the web: --scheme is http or https");
  }
  return { scenario: scenario as unknown as Scenario, watchStdin: values["watch-stdin"] === true };
}

/** The scenario of a command line; one that is wrong, or asks, is told what there is, and ends. */
function understand(args: readonly string[]): ReturnType<typeof scenarioOf> {
  const usage = `deno task web [OPTIONS], with these defaults:
${Object.entries(DEFAULT_SCENARIO).map(([key, value]) => `  --${dashed(key)} ${value}`).join("\n")}
What they mean is in tests/web/README.md.`;
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usage);
    Deno.exit(0);
  }
  try {
    return scenarioOf(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n${usage}`);
    Deno.exit(2);
  }
}

async function main(): Promise<void> {
  const { scenario, watchStdin } = understand(Deno.args);
  const web = new Web(scenario, hasManyAddresses());
  const listeners: Deno.TcpListener[] = [];
  // On Linux one listener on 0.0.0.0 has all of 127/8; where only 127.0.0.1 exists nothing else is opened.
  const any = web.manyAddresses ? "0.0.0.0" : "127.0.0.1";
  const http = Deno.listen({ hostname: any, port: scenario.httpPort });
  web.ports.http = http.addr.port;
  listeners.push(http);
  const http6 = listen6(web.ports.http);
  if (http6 !== undefined) listeners.push(http6);
  for (const l of listeners) acceptAll(web, l);

  const tls = new TlsFront(web);
  const https = Deno.listen({ hostname: any, port: scenario.httpsPort });
  web.ports.https = https.addr.port;
  tls.acceptAll(https);
  const https6 = listen6(web.ports.https);
  if (https6 !== undefined) tls.acceptAll(https6);
  const folder = Deno.makeTempDirSync({ prefix: "local-web-" });
  const caFile = `${folder}/ca.pem`;
  Deno.writeTextFileSync(caFile, tls.caPem);
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

  web.ports.reset = await listenReset(web, any);
  web.ports.closed = closedPort();

  const servers = [new NameServer(web, 1), new NameServer(web, 2)];
  await servers[0]!.listen(scenario.dnsPort);
  await servers[1]!.listen(0);

  const stop = () => Deno.exit(0);
  const control = startControl(web, servers, stop);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, stop);
  }
  if (watchStdin) exitWithStdin();
  watchLag(web);

  const resolvers = servers.map((s) => `127.0.0.1:${s.port}`);
  const ready: Ready = {
    ...web.ports,
    dns: resolvers[0]!,
    resolvers,
    caFile,
    control: `http://127.0.0.1:${control.addr.port}`,
    hosts: Array.from({ length: Math.min(100, scenario.hosts) }, (_, i) => hostName(scenario, i)),
    scenario,
    pid: Deno.pid,
    manyAddresses: web.manyAddresses,
  };
  console.log(JSON.stringify(ready));
  if (Deno.stdout.isTerminal()) explain(ready);
}

function explain(r: Ready): void {
  const [seed = ""] = seedUrls(r.scenario, r[r.scenario.scheme]);
  console.error(`
The local web is up: ${r.scenario.hosts} hosts, ${r.scenario.pages} pages. Point the crawler at it with

  --resolver ${r.dns} --allow-private --ca-cert ${r.caFile}

for example

  ccrawl crawl fetch ${seed} --resolver ${r.dns} --allow-private
  echo ${seed} | ccrawl crawl run --seeds - --max-depth 9 --delay 100ms --resolver ${r.dns} --allow-private

What hosts do is in their names (h1.robots-404.slow-500.test); the table is in tests/web/README.md.
See what was asked of it: ${r.control}/summary and ${r.control}/requests. Ctrl-C ends it.
`);
}

/** Whether addresses such as 127.1.2.3 can be listened on. */
function hasManyAddresses(): boolean {
  try {
    Deno.listen({ hostname: "127.1.2.3", port: 0 }).close();
    return true;
  } catch {
    // Not this machine's: only 127.0.0.1 is.
    return false;
  }
}

function listen6(port: number): Deno.TcpListener | undefined {
  try {
    return Deno.listen({ hostname: "::1", port });
  } catch {
    // No IPv6 here, or the number is taken there: hosts with ::1 alone cannot be reached.
    return undefined;
  }
}

/** A port that was free a moment ago. */
function closedPort(): number {
  const l = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = l.addr;
  l.close();
  return port;
}

/** Ends with whoever started it: a parent that dies closes the pipe. */
async function exitWithStdin(): Promise<void> {
  const buffer = new Uint8Array(256);
  while (await Deno.stdin.read(buffer) !== null);
  Deno.exit(0);
}

function watchLag(web: Web): void {
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    // Whatever held the loop up since the last look took no longer than that is ago.
    web.stats.maxLagMs = Math.max(web.stats.maxLagMs, now - last);
    last = now;
  }, 5);
}

function dashed(key: string): string {
  return key.replaceAll(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    console.error(
      "A port that was asked for is taken by another process: give other numbers to --http-port, " +
        "--https-port and --dns-port, or none, and free ones are taken.",
    );
    Deno.exit(1);
  }
}
