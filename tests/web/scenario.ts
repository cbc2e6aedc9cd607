/**
 * What a local web holds: its settings, the names of its hosts, the addresses of its pages.
 * The same file is read by the process that serves the web and by the tests that judge a crawl of it.
 *
 * @module
 */

/** How the pages of a web link to each other. */
export type GraphKind = "tree" | "tree-across" | "mesh";

/** Settings of a local web. Every one has a default, see {@linkcode DEFAULT_SCENARIO}. */
export interface Scenario {
  /** Hosts that hold the graph: `h0000.good.test`, `h0001.good.test`, … */
  readonly hosts: number;
  /** Pages of the graph in all, dealt out evenly over the hosts. */
  readonly pages: number;
  /** Bytes of every page's body. */
  readonly pageBytes: number;
  /**
   * `tree`: each host's pages are a tree below `/p/0`; `tree-across`: one tree over all hosts, below `/p/0` of the
   * first; `mesh`: the trees of `tree`, and links at random in many spellings.
   * In both trees a page has exactly one parent, so that one lost link shows as a missing page.
   */
  readonly graph: GraphKind;
  /** Children of a page of the tree. */
  readonly fanout: number;
  /** Varies texts, random links and the name server's losses. */
  readonly seed: number;
  /** Labels between `hNNNN.` and `.test` of the graph's hosts; see the table of traits. */
  readonly kind: string;
  /** Registered domains that the graph's hosts are dealt out over; 1 keeps all below one. */
  readonly domains: number;
  /** Graph hosts that share one address. */
  readonly hostsPerIp: number;
  /** Scheme of the graph's links and of the seeds. */
  readonly scheme: "http" | "https";
  /** Ports; 0 takes a free one. */
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly dnsPort: number;
  /** Requests kept in the log; the summary counts beyond it. */
  readonly logMax: number;
  /** Connections open at once; more are closed as they come. */
  readonly maxConnections: number;
  /** Seconds after which a connection with nothing to do is closed; 0 never. */
  readonly idleSeconds: number;
}

/** The settings of a web that was asked for nothing. */
export const DEFAULT_SCENARIO: Scenario = {
  hosts: 20,
  pages: 1000,
  pageBytes: 20_000,
  graph: "tree",
  fanout: 10,
  seed: 1,
  kind: "good",
  domains: 1,
  hostsPerIp: 1,
  scheme: "http",
  httpPort: 0,
  httpsPort: 0,
  dnsPort: 0,
  logMax: 1_000_000,
  maxConnections: 20_000,
  idleSeconds: 0,
};

/** The name of the graph's host number `i`. */
export function hostName(s: Scenario, i: number): string {
  const id = `h${String(i).padStart(4, "0")}`;
  if (s.domains <= 1) return `${id}.${s.kind}.test`;
  return `${id}.${s.kind}-g${String(i % s.domains).padStart(4, "0")}.test`;
}

/** The number of the graph's host called `name`, or -1 if it is none of them. */
export function hostIndex(s: Scenario, name: string): number {
  if (name.charCodeAt(0) !== 104) return -1;
  const dot = name.indexOf(".");
  if (dot < 5) return -1;
  const i = Number(name.slice(1, dot));
  return Number.isInteger(i) && i >= 0 && i < s.hosts && hostName(s, i) === name ? i : -1;
}

/** How many of the graph's pages host `i` holds: `/p/0` … */
export function pagesOf(s: Scenario, i: number): number {
  if (i < 0) return Math.max(1, Math.ceil(s.pages / s.hosts));
  return Math.floor(s.pages / s.hosts) + (i < s.pages % s.hosts ? 1 : 0);
}

/** `http://h0001.good.test:8080`, without the port where it is the scheme's own. */
export function origin(scheme: "http" | "https", host: string, port: number): string {
  const own = scheme === "http" ? 80 : 443;
  return port === own ? `${scheme}://${host}` : `${scheme}://${host}:${port}`;
}

/** The pages that a crawl of the graph starts from. */
export function* seedUrls(s: Scenario, port: number): Generator<string> {
  const hosts = s.graph === "tree-across" ? 1 : s.hosts;
  for (let i = 0; i < hosts; i++) {
    if (pagesOf(s, i) > 0) yield `${origin(s.scheme, hostName(s, i), port)}/p/0`;
  }
}

/** Every page of the graph, in its canonical spelling: what a whole crawl of the seeds fetches. */
export function* graphUrls(s: Scenario, port: number): Generator<string> {
  for (let i = 0; i < s.hosts; i++) {
    const base = origin(s.scheme, hostName(s, i), port);
    for (let p = 0, n = pagesOf(s, i); p < n; p++) yield `${base}/p/${p}`;
  }
}

/** A 32-bit mix of up to three numbers: the web's only source of chance, so that a seed names a web. */
export function mix(a: number, b = 0, c = 0): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b ^ 0x27d4eb2f, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15) ^ c, 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}

/** The same for a name. */
export function mixText(text: string, seed = 0): number {
  let h = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h, seed);
}
