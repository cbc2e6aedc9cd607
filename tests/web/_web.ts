/**
 * The state that the parts of a local web share: its scenario, its hosts, its log, its counters.
 *
 * @module
 */

import { isIP } from "node:net";
import { type HostCount, RequestLog } from "./_log.ts";
import { type PageLook, PageMaker } from "./_pages.ts";
import type { GraphPage } from "./graph.ts";
import { hostIndex, hostName, mix, mixText, pagesOf, type Scenario } from "./scenario.ts";
import { figure, TRAITS, type Traits, traitsOf } from "./traits.ts";

/** Counters of the process. */
export interface WebStats {
  connections: number;
  open: number;
  peakOpen: number;
  /** Connections closed as they came because too many were open. */
  turnedAway: number;
  bytesIn: number;
  bytesOut: number;
  dnsQueries: number;
  tlsHandshakes: number;
  /** The longest that the event loop may have been held up since the last reset: what arrival times may be off by. */
  maxLagMs: number;
}

/** One host name, its behaviour and its counters. */
export interface HostState {
  readonly name: string;
  /** Its number among the graph's hosts, or -1. */
  readonly index: number;
  readonly count: HostCount;
  traits: Traits;
  /** Nothing about its pages or connections is out of the ordinary. */
  plain: boolean;
  pages: number;
  look: PageLook;
  idleMs: number | undefined;
  /** Requests for pages and for robots.txt since the traits were set. */
  served: number;
  robotsServed: number;
}

/** Ports of the process's listeners. */
export interface WebPorts {
  http: number;
  https: number;
  /** Where connections are reset; answers nothing else. */
  reset: number;
  /** Where nobody listens. */
  closed: number;
}

/** A local web. */
export class Web {
  readonly scenario: Scenario;
  readonly log: RequestLog;
  readonly maker: PageMaker;
  readonly ports: WebPorts = { http: 0, https: 0, reset: 0, closed: 0 };
  readonly stats: WebStats = {
    connections: 0,
    open: 0,
    peakOpen: 0,
    turnedAway: 0,
    bytesIn: 0,
    bytesOut: 0,
    dnsQueries: 0,
    tlsHandshakes: 0,
    maxLagMs: 0,
  };
  /** Whether all of 127/8 is the local machine, as on Linux. */
  readonly manyAddresses: boolean;
  #hosts = new Map<string, HostState>();

  constructor(scenario: Scenario, manyAddresses: boolean) {
    this.scenario = scenario;
    this.manyAddresses = manyAddresses;
    this.log = new RequestLog(scenario.logMax);
    this.maker = new PageMaker(scenario);
  }

  /** Takes a place for a new connection to one of our addresses, or says that there is none. */
  admit(ip: string): boolean {
    const { stats } = this;
    // The listener of all of 127/8 hears the machine's other networks too.
    if (isIP(ip) !== 0 && !/^(127\.|::1$|::ffff:127\.)/.test(ip)) return false;
    if (stats.open >= this.scenario.maxConnections) {
      stats.turnedAway++;
      return false;
    }
    if (++stats.open > stats.peakOpen) stats.peakOpen = stats.open;
    const a = this.log.address(ip);
    if (++a.connections > a.maxConnections) a.maxConnections = a.connections;
    return true;
  }

  leave(ip: string): void {
    this.stats.open--;
    this.log.address(ip).connections--;
  }

  /** The host of a `Host` header or a name server's question. */
  host(spelled: string): HostState {
    const known = this.#hosts.get(spelled);
    if (known !== undefined) return known;
    const name = bareName(spelled);
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = this.#make(name);
      this.#hosts.set(name, host);
    }
    if (spelled !== name) this.#hosts.set(spelled, host);
    return host;
  }

  /** Gives a host another behaviour, in the words of its name; `undefined` gives it back its name's own. */
  set(name: string, traits: string | undefined): void {
    const host = this.host(name);
    const was = host.traits;
    host.traits = traitsOf(traits ?? host.name);
    // A host that moves to another trait starts its counts (outages, first answers) anew.
    if (was !== host.traits) host.served = host.robotsServed = 0;
    this.#derive(host);
  }

  /** Gives every host its name's own behaviour and forgets the log. */
  reset(): void {
    for (const host of new Set(this.#hosts.values())) this.set(host.name, undefined);
    this.log.reset();
    const { stats } = this;
    stats.peakOpen = stats.open;
    stats.maxLagMs =
      stats.bytesIn =
      stats.bytesOut =
      stats.dnsQueries =
        0;
    stats.tlsHandshakes = stats.turnedAway = 0;
  }

  /** A page of a host, as the graph's functions want it. */
  graphPage(host: HostState, page: number): GraphPage {
    return {
      kind: host.traits.has("mesh") ? "mesh" : this.scenario.graph,
      index: host.index,
      host: host.name,
      port: this.ports[this.scenario.scheme],
      pages: host.pages,
      page,
    };
  }

  /** The loopback address that is the host's own. */
  addressOf(host: HostState): string {
    if (!this.manyAddresses) return "127.0.0.1";
    const shared = host.traits.get("ip");
    if (shared !== undefined) return `127.200.${shared >> 8 & 255}.${shared & 255}`;
    if (host.index >= 0) {
      const n = Math.floor(host.index / Math.max(1, this.scenario.hostsPerIp)) + 1;
      return `127.${1 + (n >> 16)}.${n >> 8 & 255}.${n & 255}`;
    }
    const h = mixText(host.name);
    return `127.${64 + (h >>> 16) % 64}.${h >> 8 & 255}.${1 + (h & 255) % 254}`;
  }

  /** The graph's first host, where hosts that redirect elsewhere point. */
  firstHost(): string {
    return hostName(this.scenario, 0);
  }

  #make(name: string): HostState {
    const host: HostState = {
      name,
      index: hostIndex(this.scenario, name),
      count: this.log.host(name),
      traits: traitsOf(name),
      plain: true,
      pages: 0,
      look: { bytes: 0, version: 0, robotsMeta: "", extraHead: "", variant: 0 },
      idleMs: undefined,
      served: 0,
      robotsServed: 0,
    };
    this.#derive(host);
    return host;
  }

  #derive(host: HostState): void {
    const { traits, index } = host;
    host.pages = figure(traits, "pages", 1) ?? pagesOf(this.scenario, index);
    host.idleMs = figure(traits, "stale", 50);
    const meta = ["noindex", "nofollow", "noarchive"].filter((t) => traits.has(t)).join(", ");
    host.look = {
      bytes: figure(traits, "size", this.scenario.pageBytes) ?? this.scenario.pageBytes,
      version: 0,
      robotsMeta: meta,
      extraHead: traits.has("x-robots") ? "X-Robots-Tag: noindex, nofollow\r\n" : "",
      variant: mix(this.scenario.seed),
    };
    host.plain = host.look.bytes === this.scenario.pageBytes;
    for (const t of traits.keys()) {
      const group = TRAITS[t]![0];
      if ((group === "page" && !MERE_LOOKS.has(t)) || (group === "connection" && t !== "stale")) {
        host.plain = false;
      }
    }
  }
}

/** Page traits that {@linkcode PageLook} covers. */
const MERE_LOOKS: ReadonlySet<string> = new Set([
  "good",
  "noindex",
  "nofollow",
  "noarchive",
  "x-robots",
  "size",
]);

/** Host name without port and trailing dot, lower case. */
export function bareName(spelled: string): string {
  let name = spelled.toLowerCase();
  const colon = name.lastIndexOf(":");
  if (colon >= 0 && !name.endsWith("]")) name = name.slice(0, colon);
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
