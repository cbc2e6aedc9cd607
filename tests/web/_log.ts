/**
 * Every request as the server saw it, and the judgement of a crawl's politeness that follows from it.
 * Summaries are kept as requests come, so that they hold however many the log itself has room for.
 *
 * `t` is when the request's bytes had been read. `end` is when the last bytes of the answer were about to
 * be handed to the kernel: no client can have had them earlier, so a request that comes after `end` is never
 * taken for an overlap.
 *
 * @module
 */

/** One request. Times are milliseconds of the web process's monotonic clock. */
export interface RequestEntry {
  readonly t: number;
  /** -1 while the answer is not finished. */
  end: number;
  /** Host name as asked for, without port, lower case, no trailing dot. */
  readonly host: string;
  readonly scheme: "http" | "https";
  /** Path and query as sent. */
  readonly path: string;
  /** The address of ours that the client connected to. */
  readonly ip: string;
  readonly port: number;
  /** 0 where nothing that has a status was sent. */
  status: number;
  /** Number of the connection. */
  readonly conn: number;
  /** Requests in flight at this host when it came, itself included. */
  readonly concurrent: number;
  readonly userAgent: string;
}

/** What one host saw. Gaps leave robots.txt out; concurrency does not. */
export interface HostSummary {
  host: string;
  requests: number;
  /** Requests for /robots.txt. */
  robots: number;
  maxConcurrent: number;
  /** Shortest time between the starts of two requests for pages; -1 before there were two. */
  minStartGap: number;
  /** Shortest time between the end of one page and the start of the next; 0 where they overlapped. */
  minEndGap: number;
  /** Requests by status. */
  statuses: Record<string, number>;
  connections: number;
  firstAt: number;
  lastAt: number;
}

/** What one of our addresses saw. */
export interface AddressSummary {
  ip: string;
  requests: number;
  maxConcurrent: number;
  /** Most connections open at once. */
  maxConnections: number;
}

/** The whole log, judged. */
export interface WebSummary {
  requests: number;
  robots: number;
  maxConcurrent: number;
  /** The largest of the hosts' figures, and the smallest gaps. */
  worstHostConcurrent: number;
  minStartGap: number;
  minEndGap: number;
  hosts: HostSummary[];
  addresses: AddressSummary[];
}

/** Counters of one host while it is served. */
export interface HostCount extends HostSummary {
  current: number;
  pagesOpen: number;
  lastPageStart: number;
  lastPageEnd: number;
}

/** Counters of one address while it is served. */
export interface AddressCount extends AddressSummary {
  current: number;
  connections: number;
}

/** The log. */
export class RequestLog {
  readonly entries: RequestEntry[] = [];
  readonly hosts = new Map<string, HostCount>();
  readonly addresses = new Map<string, AddressCount>();
  readonly #max: number;
  readonly #now: () => number;
  #requests = 0;
  #robots = 0;
  #current = 0;
  #maxConcurrent = 0;

  /** Keeps at most `max` entries; `now` is the monotonic clock. */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#now = now;
  }

  get requests(): number {
    return this.#requests;
  }

  host(name: string): HostCount {
    let h = this.hosts.get(name);
    if (h === undefined) {
      h = {
        host: name,
        requests: 0,
        robots: 0,
        maxConcurrent: 0,
        minStartGap: -1,
        minEndGap: -1,
        statuses: {},
        connections: 0,
        firstAt: -1,
        lastAt: -1,
        current: 0,
        pagesOpen: 0,
        lastPageStart: -1,
        lastPageEnd: -1,
      };
      this.hosts.set(name, h);
    }
    return h;
  }

  address(ip: string): AddressCount {
    let a = this.addresses.get(ip);
    if (a === undefined) {
      a = { ip, requests: 0, maxConcurrent: 0, maxConnections: 0, current: 0, connections: 0 };
      this.addresses.set(ip, a);
    }
    return a;
  }

  /** Notes a request as it comes. */
  begin(
    h: HostCount,
    a: AddressCount,
    scheme: "http" | "https",
    path: string,
    port: number,
    conn: number,
    userAgent: string,
  ): RequestEntry {
    const t = this.#now();
    this.#requests++;
    if (++this.#current > this.#maxConcurrent) this.#maxConcurrent = this.#current;
    if (++a.current > a.maxConcurrent) a.maxConcurrent = a.current;
    if (++h.current > h.maxConcurrent) h.maxConcurrent = h.current;
    a.requests++;
    h.requests++;
    if (h.firstAt < 0) h.firstAt = t;
    h.lastAt = t;
    if (isRobots(path)) {
      h.robots++;
      this.#robots++;
    } else {
      if (h.lastPageStart >= 0) {
        const gap = t - h.lastPageStart;
        if (h.minStartGap < 0 || gap < h.minStartGap) h.minStartGap = gap;
        const idle = h.pagesOpen > 0 ? 0 : t - h.lastPageEnd;
        if (h.minEndGap < 0 || idle < h.minEndGap) h.minEndGap = idle;
      }
      h.lastPageStart = t;
      h.pagesOpen++;
    }
    const entry: RequestEntry = {
      t,
      end: -1,
      host: h.host,
      scheme,
      path,
      ip: a.ip,
      port,
      status: 0,
      conn,
      concurrent: h.current,
      userAgent,
    };
    if (this.entries.length < this.#max) this.entries.push(entry);
    return entry;
  }

  /** Notes that the last bytes of the answer are about to go out. A second call does nothing. */
  end(e: RequestEntry, h: HostCount, a: AddressCount, status: number): void {
    if (e.end >= 0) return;
    e.end = this.#now();
    e.status = status;
    this.#current--;
    a.current--;
    h.current--;
    if (!isRobots(e.path)) {
      h.pagesOpen--;
      h.lastPageEnd = e.end;
    }
    h.statuses[status] = (h.statuses[status] ?? 0) + 1;
  }

  summary(): WebSummary {
    const hosts: HostSummary[] = [];
    let worst = 0;
    let startGap = -1;
    let endGap = -1;
    for (
      const { current: _c, pagesOpen: _p, lastPageStart: _s, lastPageEnd: _e, ...h } of this.hosts
        .values()
    ) {
      if (h.requests === 0) continue;
      hosts.push(h);
      if (h.maxConcurrent > worst) worst = h.maxConcurrent;
      if (h.minStartGap >= 0 && (startGap < 0 || h.minStartGap < startGap)) {
        startGap = h.minStartGap;
      }
      if (h.minEndGap >= 0 && (endGap < 0 || h.minEndGap < endGap)) endGap = h.minEndGap;
    }
    const addresses: AddressSummary[] = [];
    for (const { current: _c, connections: _n, ...a } of this.addresses.values()) {
      if (a.requests > 0 || a.maxConnections > 0) addresses.push(a);
    }
    return {
      requests: this.#requests,
      robots: this.#robots,
      maxConcurrent: this.#maxConcurrent,
      worstHostConcurrent: worst,
      minStartGap: startGap,
      minEndGap: endGap,
      hosts,
      addresses,
    };
  }

  /** Forgets everything but what is in flight. Counters stay the same objects: connections hold them. */
  reset(): void {
    this.entries.length = 0;
    this.#requests = 0;
    this.#robots = 0;
    this.#maxConcurrent = this.#current;
    for (const h of this.hosts.values()) {
      h.requests = 0;
      h.robots = 0;
      h.maxConcurrent = h.current;
      h.minStartGap =
        h.minEndGap =
        h.firstAt =
        h.lastAt =
        h.lastPageStart =
        h.lastPageEnd =
          -1;
      h.statuses = {};
      h.connections = 0;
    }
    for (const a of this.addresses.values()) {
      a.requests = 0;
      a.maxConcurrent = a.current;
      a.maxConnections = a.connections;
    }
  }
}

/** Whether a path asks for the robots file. */
export function isRobots(path: string): boolean {
  return path === "/robots.txt";
}
