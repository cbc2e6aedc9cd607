/**
 * A resolver of its own: names to addresses by asking name servers directly, bounded, raced and cached.
 *
 * @module
 */
import { formatAddress, parseAddress } from "./address.ts";
import { FetchError } from "./errors.ts";
import { type NameServer, parseNameServer } from "./resolv_conf.ts";
import { DnsCache } from "./_dns_cache.ts";
import { Lookup, type Outcome } from "./_dns_lookup.ts";
import { ServerState } from "./_dns_server.ts";
import { UdpClient } from "./_dns_udp.ts";
import { encodeName } from "./_dns_wire.ts";
import { SystemDns } from "./_system_dns.ts";

export type { NameServer };

/** How a {@linkcode Resolver} works. Everything has a default. */
export interface ResolverOptions {
  /** Name servers, `IP`, `IP:PORT` or `[IPv6]:PORT`: if given and not empty, the only ones asked. */
  readonly servers?: readonly string[];
  /** Most lookups at a time; more wait their turn. @default 16 */
  readonly maxInFlight?: number;
  /** Most lookups that wait; past it a lookup fails at once. @default 65536 */
  readonly maxWaiting?: number;
  /** Milliseconds a lookup may take once it has its turn. @default 5000 */
  readonly timeoutMs?: number;
  /** Most names kept in the cache. @default 65536 */
  readonly cacheEntries?: number;
  /** The table looked at before anyone is asked; `""` for none. @default the system's */
  readonly hostsFile?: string;
  /** Where the system's name servers are listed; `""` for none. @default "/etc/resolv.conf" */
  readonly resolvConf?: string;
  /** Servers raced against the system's. @default 8.8.8.8, 1.1.1.1, 9.9.9.9 */
  readonly publicServers?: readonly string[];
  /** Monotonic milliseconds by which the cache ages. @default performance.now */
  readonly now?: () => number;
  /** Numbers from 0 up to 1 for query ids and sockets, which others must not guess. @default from the system */
  readonly random?: () => number;
}

/** How a name is resolved. */
export interface ResolveOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /**
   * Whether the answer is for a call that follows, which then counts as the lookup that this one was and
   * not as an answer from the cache. @default false
   */
  readonly ahead?: boolean;
}

/** What a resolver did so far. */
export interface ResolverStats {
  /** Names asked about, not counting those answered from the cache, the hosts file or as literal addresses. */
  readonly lookedUp: number;
  /** Answers from the cache, or from a lookup of the same name that was already out. */
  readonly cached: number;
  /** Lookups that brought no address. */
  readonly unresolved: number;
  /** Those of the unresolved whose name does not exist. */
  readonly nonexistent: number;
  /** Most lookups that were out at a time. */
  readonly peakOpen: number;
  /** Most that may be. */
  readonly bound: number;
}

const PUBLIC_SERVERS = ["8.8.8.8", "1.1.1.1", "9.9.9.9"];
/** How often lookups that are out are looked after, in milliseconds. */
const TICK_MS = 20;
const LOOPBACK: readonly string[] = Object.freeze(["127.0.0.1", "::1"]);

/** A lookup from the first who wants it to the last. */
interface Flight {
  readonly name: string;
  readonly wire: string;
  readonly promise: Promise<readonly string[]>;
  readonly settle: (addresses: readonly string[]) => void;
  readonly fail: (error: FetchError) => void;
  lookup: Lookup | undefined;
  wanted: number;
}

/**
 * Turns host names into addresses. A name that is not in the cache is looked up in the hosts file, then asked
 * of the system's name servers and of public ones, of which the first usable answer wins. Answers are kept
 * for their TTL, held between a minute and an hour; that a name does not exist is kept only if every server
 * said so, since anything less may be a server that failed.
 *
 * @example
 * ```ts
 * import { Resolver } from "@ccrawl/cli/dns";
 *
 * using resolver = new Resolver({ servers: ["127.0.0.1:5353"] });
 * await resolver.resolve("192.0.2.1"); // ["192.0.2.1"], nobody asked
 * ```
 */
export class Resolver implements Disposable {
  readonly #bound: number;
  readonly #maxWaiting: number;
  readonly #timeoutMs: number;
  readonly #system: SystemDns;
  readonly #fixed: boolean;
  readonly #public: readonly NameServer[];
  readonly #udp: UdpClient;
  #servers: ServerState[] = [];
  readonly #cache: DnsCache;
  readonly #flights = new Map<string, Flight>();
  /** Flights that wait for their turn, in order; those before `#head` have had it. */
  #waiting: Flight[] = [];
  #head = 0;
  readonly #open = new Set<Flight>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #closed = false;
  #lookedUp = 0;
  #cached = 0;
  #unresolved = 0;
  #nonexistent = 0;
  #peakOpen = 0;

  /**
   * Makes a resolver; sockets are opened when first needed.
   *
   * @throws {RangeError} If a server is not an address with an optional port, or a number is out of range.
   */
  constructor(options: ResolverOptions = {}) {
    this.#bound = positive("maxInFlight", options.maxInFlight ?? 16);
    this.#maxWaiting = positive("maxWaiting", options.maxWaiting ?? 65536);
    this.#timeoutMs = positive("timeoutMs", options.timeoutMs ?? 5000);
    this.#cache = new DnsCache(
      positive("cacheEntries", options.cacheEntries ?? 65536),
      options.now ?? (() => performance.now()),
    );
    this.#udp = new UdpClient(options.random ?? systemRandom());
    this.#fixed = options.servers !== undefined && options.servers.length > 0;
    this.#public = (this.#fixed ? options.servers! : options.publicServers ?? PUBLIC_SERVERS)
      .map(parseNameServer);
    this.#system = new SystemDns(
      options.hostsFile ?? systemHostsFile(),
      this.#fixed ? "" : options.resolvConf ?? "/etc/resolv.conf",
    );
    this.#refresh();
  }

  /** What it did so far. */
  get stats(): ResolverStats {
    return {
      lookedUp: this.#lookedUp,
      cached: Math.max(0, this.#cached),
      unresolved: this.#unresolved,
      nonexistent: this.#nonexistent,
      peakOpen: this.#peakOpen,
      bound: this.#bound,
    };
  }

  /** Lookups that wait for their turn, because as many as may be are out. */
  get waiting(): number {
    return this.#waiting.length - this.#head;
  }

  /** The servers asked now, in canonical form. */
  get servers(): NameServer[] {
    return this.#servers.map(({ address, port }) => ({ address, port }));
  }

  /**
   * Gives the addresses of a name, IPv4 before IPv6, never empty. A literal address (IPv6 also in brackets)
   * is its own answer.
   *
   * @throws {FetchError} Of kind `dns`, with `reason` `nxdomain` (no such name), `no-address` (the name is
   * there but has none) or `resolver` (servers failed or kept silent).
   * @throws The signal's reason when it fires; the lookup itself goes on for whoever else wants it.
   */
  resolve(name: string, options: ResolveOptions = {}): Promise<readonly string[]> {
    try {
      options.signal?.throwIfAborted();
      const key = canonical(name);
      const { ahead = false } = options, before = this.#cached;
      const known = this.#known(key);
      if (ahead && known !== null) this.#cached = before;
      if (known === null) return Promise.reject(noSuchName(key));
      if (known !== undefined) return Promise.resolve(known);
      const found = this.#await(this.#flight(key), options.signal);
      return !ahead ? found : found.then((addresses) => {
        this.#cached--;
        return addresses;
      });
    } catch (e) {
      return Promise.reject(e);
    }
  }

  /** Gives what is known of a name without asking anyone; `undefined` if that is nothing, or no address. */
  peek(name: string): readonly string[] | undefined {
    return this.#known(canonical(name)) ?? undefined;
  }

  /** Drops a name from the cache, as when none of its addresses connects. */
  forget(name: string): void {
    this.#cache.delete(canonical(name));
  }

  /** Fails all lookups that are out and closes the sockets. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    for (const flight of this.#flights.values()) {
      flight.lookup?.cancel();
      flight.fail(failure(flight.name, "resolver", "the resolver was closed"));
    }
    this.#flights.clear();
    this.#open.clear();
    this.#waiting = [];
    this.#head = 0;
    this.#udp.close();
  }

  /** Same as {@linkcode Resolver.close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Addresses known, `null` for a name known not to exist, `undefined` where someone has to be asked. */
  #known(key: string): readonly string[] | null | undefined {
    const cached = this.#cache.get(key);
    if (cached !== undefined) {
      this.#cached++;
      return cached;
    }
    const literal = parseLiteral(key);
    if (literal !== null) return [literal];
    const hosts = this.#system.hosts.get(key);
    if (hosts) return hosts;
    // RFC 6761 section 6.3: never asked of anyone.
    if (key === "localhost" || key.endsWith(".localhost")) return LOOPBACK;
    return undefined;
  }

  /** Joins the lookup of a name that is out, or starts one. */
  #flight(key: string): Flight {
    const out = this.#flights.get(key);
    if (out) {
      this.#cached++;
      return out;
    }
    if (this.#closed) throw failure(key, "resolver", "the resolver was closed");
    const wire = encodeName(key);
    if (wire === null) {
      this.#lookedUp++;
      this.#unresolved++;
      this.#nonexistent++;
      throw noSuchName(key);
    }
    if (this.#waiting.length - this.#head >= this.#maxWaiting) {
      throw failure(key, "resolver", `${this.#maxWaiting} lookups are waiting already`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    // Whoever waits sees the failure; when all have gone, it is nobody's.
    promise.catch(() => {});
    const flight: Flight = {
      name: key,
      wire,
      promise,
      settle: resolve,
      fail: reject,
      lookup: undefined,
      wanted: 0,
    };
    this.#flights.set(key, flight);
    this.#waiting.push(flight);
    this.#startNext();
    return flight;
  }

  async #await(flight: Flight, signal?: AbortSignal): Promise<readonly string[]> {
    flight.wanted++;
    if (!signal) return await flight.promise;
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([flight.promise, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      // One that nobody waits for any more gives up its place in the queue.
      if (--flight.wanted === 0 && !flight.lookup && this.#flights.get(flight.name) === flight) {
        this.#flights.delete(flight.name);
      }
    }
  }

  /** Starts lookups in the order they came while there is room. */
  #startNext(): void {
    while (this.#open.size < this.#bound && this.#head < this.#waiting.length) {
      const flight = this.#waiting[this.#head++]!;
      if (this.#head >= 1024 && this.#head * 2 >= this.#waiting.length) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      if (this.#flights.get(flight.name) === flight) this.#start(flight);
    }
  }

  #start(flight: Flight): void {
    this.#refresh();
    const now = performance.now();
    const alive = this.#servers.filter((s) => s.alive);
    const servers = alive.length > 0 ? alive : this.#servers.slice();
    const dead = alive.length > 0 ? this.#servers.filter((s) => !s.alive) : [];
    let best = 0;
    for (let i = 1; i < servers.length; i++) {
      if (servers[i]!.latency < servers[best]!.latency) best = i;
    }
    servers.unshift(...servers.splice(best, 1));
    this.#open.add(flight);
    this.#lookedUp++;
    this.#peakOpen = Math.max(this.#peakOpen, this.#open.size);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    flight.lookup = new Lookup(flight.wire, {
      udp: this.#udp,
      timeoutMs: this.#timeoutMs,
      servers,
      probes: dead.filter((s) => s.probeDue(now)),
      onEnd: (outcome) => this.#end(flight, outcome),
    }, now);
    flight.lookup.start();
  }

  #tick(): void {
    const now = performance.now();
    for (const flight of [...this.#open]) flight.lookup!.tick(now);
  }

  #end(flight: Flight, outcome: Outcome): void {
    this.#open.delete(flight);
    this.#flights.delete(flight.name);
    if (outcome.kind === "found") {
      this.#cache.set(flight.name, outcome.addresses, outcome.ttl);
      flight.settle(outcome.addresses);
    } else {
      this.#unresolved++;
      if (outcome.kind === "nxdomain") {
        this.#nonexistent++;
        if (outcome.nxdomains === this.#servers.length) {
          this.#cache.set(flight.name, null, outcome.ttl);
        }
        flight.fail(noSuchName(flight.name));
      } else if (outcome.kind === "no-address") {
        flight.fail(failure(flight.name, "no-address", "the name has no address"));
      } else {
        flight.fail(failure(flight.name, "resolver", this.#complaint(outcome)));
      }
    }
    this.#startNext();
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #complaint(o: { nxdomains: number; failed: number; silent: number }): string {
    if (this.#servers.length === 0) {
      return "there is no name server to ask: give one with --resolver, or list one in resolv.conf";
    }
    const parts: string[] = [];
    if (o.silent > 0) parts.push(`${o.silent} did not answer within ${this.#timeoutMs} ms`);
    if (o.failed > 0) parts.push(`${o.failed} failed`);
    if (o.nxdomains > 0) parts.push(`${o.nxdomains} said there is no such name`);
    return `of the name servers asked, ${parts.join(", ")}`;
  }

  /** Keeps up with the system's files; servers that stay keep what is known of them. */
  #refresh(): void {
    const changed = this.#system.refresh(performance.now());
    if (!changed && (this.#servers.length > 0 || this.#public.length === 0)) return;
    const known = new Map(this.#servers.map((s) => [`${s.address} ${s.port}`, s]));
    const next = new Map<string, ServerState>();
    for (const server of [...this.#system.servers, ...this.#public]) {
      const key = `${server.address} ${server.port}`;
      if (!next.has(key)) next.set(key, known.get(key) ?? new ServerState(server, next.size));
    }
    this.#servers = [...next.values()];
  }
}

/** The form under which a name is kept: lower case, no trailing dot, no brackets. */
function canonical(name: string): string {
  let key = name.toLowerCase();
  if (key.endsWith(".")) key = key.slice(0, -1);
  return key.startsWith("[") && key.endsWith("]") ? key.slice(1, -1) : key;
}

/** The canonical form of a literal address; `null` for a name, mostly by its last character alone. */
function parseLiteral(key: string): string | null {
  const last = key.charCodeAt(key.length - 1);
  if (!(last >= 0x30 && last <= 0x39) && !key.includes(":")) return null;
  const bytes = parseAddress(key);
  return bytes === null ? null : formatAddress(bytes);
}

function failure(name: string, reason: string, why: string): FetchError {
  return new FetchError("dns", `Cannot resolve ${name.slice(0, 300)}: ${why}`, { reason });
}

function noSuchName(name: string): FetchError {
  return failure(name, "nxdomain", "no such name");
}

function positive(what: string, value: number): number {
  if (!(value >= 1)) throw new RangeError(`Cannot use ${value} as ${what}: it must be 1 or more`);
  return value;
}

function systemHostsFile(): string {
  return Deno.build.os === "windows" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
}

/** Random numbers from the system's source, fetched a few hundred at a time. */
function systemRandom(): () => number {
  const numbers = new Uint32Array(256);
  let next = numbers.length;
  return () => {
    if (next === numbers.length) {
      crypto.getRandomValues(numbers);
      next = 0;
    }
    return numbers[next++]! / 2 ** 32;
  };
}
