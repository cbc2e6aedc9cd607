/**
 * The fetch client: one GET to one host at a time, over connections it keeps, to addresses it has judged.
 *
 * @module
 */
import { isBadPort, isGlobalAddress } from "./address.ts";
import { AddressLimit } from "./address_limit.ts";
import { Dialer, type DialTarget, type Transport } from "./connect.ts";
import { FetchError, toFetchError } from "./errors.ts";
import { converse, type Conversed, encodeRequest, StaleConnection } from "./http1.ts";
import { Connection } from "./_connection.ts";
import { Job } from "./_job.ts";
import type { AnswerLimits } from "./_parser.ts";
import { IdlePool } from "./_pool.ts";
import { Sweep } from "./_sweep.ts";
import type { Exchange, ExchangeRequest } from "./types.ts";

/** How often deadlines are looked at, in milliseconds. */
const SWEEP_MS = 50;
/** Longest wait before a request that may have been read is sent again, in milliseconds. */
const MAX_AGAIN_MS = 3_600_000;
/** A connection that rested less than this is given a turn of the event loop to show stray bytes. */
const FRESHLY_IDLE_MS = 20;

/** How an {@linkcode HttpClient} behaves. */
export interface HttpClientOptions {
  /**
   * The addresses of a host name, at least one. Never asked for a literal address. The signal aborts when
   * the exchange that asks is over.
   */
  readonly resolve: (
    host: string,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<readonly string[]>;
  /** Told of a host none of whose addresses connected. */
  readonly forget?: (host: string) => void;
  /** Connect to addresses that are not globally reachable too. @default false */
  readonly allowPrivate?: boolean;
  /** Take any certificate. @default false */
  readonly insecure?: boolean;
  /** PEM certificates to trust besides the built-in ones. @default [] */
  readonly caCerts?: readonly string[];
  /** Most requests in flight at one address. @default 16 */
  readonly perIp?: number;
  /** Longest wait for a place at an address, in milliseconds. @default 300_000 */
  readonly perIpWaitMs?: number;
  /** Most connections kept between exchanges. @default 256 */
  readonly maxIdle?: number;
  /** How long a connection is kept between exchanges, in milliseconds. @default 15_000 */
  readonly idleMs?: number;
  /** Most body bytes, where a request names no bound of its own. @default 10 MiB */
  readonly bodyCap?: number;
  /** Most bytes of status line and headers. @default 256 KiB */
  readonly headCap?: number;
  /** Opens connections in place of a {@linkcode Dialer} of these options. */
  readonly dial?: (target: DialTarget) => Promise<Transport>;
  /** Most TLS handshakes by the cheap way at a time, see {@linkcode Dialer}. @default 256 */
  readonly maxStuck?: number;
  /** The monotonic clock, in milliseconds. @default performance.now */
  readonly now?: () => number;
  /** The wall clock, in unix milliseconds. @default Date.now */
  readonly wallClock?: () => number;
}

/** What an {@linkcode HttpClient} holds and has done. */
export interface HttpClientStats {
  /** Connections that stand, idle ones included, abandoned handshakes not. */
  readonly open: number;
  /** Connections kept between exchanges. */
  readonly idle: number;
  /** Abandoned TLS handshakes that hold a descriptor until their peers close. */
  readonly stuck: number;
  /** Exchanges under way, those that wait for a place at an address included. */
  readonly active: number;
  /** Exchanges that wait for a place at an address. */
  readonly waiting: number;
  /** Connections opened in all. */
  readonly opened: number;
  /** Exchanges in all that a kept connection carried. */
  readonly reused: number;
}

/** Where a URL leads. */
interface Destination {
  readonly key: string;
  /** The name, or the literal address without brackets. */
  readonly host: string;
  readonly literal: boolean;
  readonly port: number;
  readonly secure: boolean;
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

function destinationOf(url: URL): Destination {
  const { protocol, hostname } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw new FetchError("skip", `Cannot fetch ${protocol} URLs: only http and https`, {
      reason: "scheme",
    });
  }
  const secure = protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  if (isBadPort(port)) {
    throw new FetchError(
      "skip",
      `Cannot connect to port ${port} of ${hostname}: it is not for the web`,
      {
        reason: "bad-port",
      },
    );
  }
  const bracketed = hostname.startsWith("[");
  return {
    key: `${protocol}${url.host}`,
    host: bracketed ? hostname.slice(1, -1) : hostname,
    // The URL parser has brought every form of an IPv4 address to this one.
    literal: bracketed || IPV4.test(hostname),
    port,
    secure,
  };
}

/** IPv4 first, each family in the order it was given. */
function byFamily(addresses: readonly string[]): string[] {
  const four = addresses.filter((ip) => !ip.includes(":"));
  return four.length === addresses.length
    ? four
    : [...four, ...addresses.filter((ip) => ip.includes(":"))];
}

/**
 * An HTTP/1.1 client for crawling. It speaks to addresses that it has judged, keeps at most one idle
 * connection a host, bounds what a server can make it hold, and gives answers as the server's own bytes,
 * those too that strict clients refuse. It follows no redirects and decodes nothing.
 *
 * Close it when done: idle connections keep a process alive.
 *
 * @example
 * ```ts ignore
 * import { HttpClient } from "@ccrawl/cli/fetch";
 *
 * await using client = new HttpClient({ resolve: (host) => Deno.resolveDns(host, "A") });
 * const answer = await client.exchange({
 *   url: new URL("https://example.com/"),
 *   headers: [["User-Agent", "example/1.0"]],
 *   timeoutMs: 30_000,
 * });
 * console.log(answer.status, answer.ip, answer.body.length);
 * ```
 */
export class HttpClient implements AsyncDisposable {
  /** The bound on requests in flight at one address. */
  readonly limit: AddressLimit;
  readonly #options: HttpClientOptions;
  readonly #now: () => number;
  readonly #wallClock: () => number;
  readonly #limits: AnswerLimits;
  readonly #sweep: Sweep;
  readonly #pool: IdlePool;
  readonly #dialer: Dialer;
  readonly #dial: (target: DialTarget) => Promise<Transport>;
  readonly #jobs = new Set<Job>();
  #closed = false;
  #open = 0;
  #opened = 0;
  #reused = 0;

  /**
   * A client without connections.
   *
   * @throws {RangeError} If {@linkcode HttpClientOptions.perIp} is not an integer above 0.
   */
  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#wallClock = options.wallClock ?? Date.now;
    this.#limits = {
      bodyCap: options.bodyCap ?? 10 * 1024 * 1024,
      headCap: options.headCap ?? 256 * 1024,
      keepWire: false,
    };
    this.limit = new AddressLimit(options.perIp ?? 16);
    this.#sweep = new Sweep(this.#now, SWEEP_MS);
    this.#pool = new IdlePool({
      sweep: this.#sweep,
      now: this.#now,
      max: options.maxIdle ?? 256,
      idleMs: options.idleMs ?? 15_000,
    });
    this.#dialer = new Dialer({
      insecure: options.insecure ?? false,
      caCerts: options.caCerts ?? [],
      ...(options.maxStuck === undefined ? {} : { maxStuck: options.maxStuck }),
    });
    this.#dial = options.dial ?? ((target) => this.#dialer.dial(target));
  }

  /** What the client holds and has done. */
  get stats(): HttpClientStats {
    return {
      open: this.#open,
      idle: this.#pool.size,
      stuck: this.#dialer.stuck,
      active: this.#jobs.size,
      waiting: this.limit.waiting,
      opened: this.#opened,
      reused: this.#reused,
    };
  }

  /** Whether an address has as many requests in flight as it may have. */
  busyAt(ip: string): boolean {
    return this.limit.isBusy(ip);
  }

  /**
   * Sends one GET and gives the final answer. A kept connection that turns out to be over is replaced by a
   * fresh one, once; nothing else is tried again. {@linkcode ExchangeRequest.onSent} is called for each.
   *
   * @throws {FetchError} If no answer came: `skip` for a port or address that is refused (reason `bad-port`,
   * `private-address`), else what went wrong.
   * @throws {TypeError} If a header cannot be sent.
   * @throws The reason of {@linkcode ExchangeRequest.signal} when it aborts.
   */
  async exchange(request: ExchangeRequest): Promise<Exchange> {
    if (this.#closed) throw new FetchError("other", "Cannot fetch: the client is closed");
    const { signal, url } = request;
    signal?.throwIfAborted();
    const destination = destinationOf(url);
    const bytes = encodeRequest(url, request.headers);
    const job = new Job(this.#sweep, this.#now, request.timeoutMs, url.host);
    const onAbort = () => job.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#jobs.add(job);
    try {
      try {
        const answer = await this.#onKept(job, request, destination, bytes);
        if (answer !== undefined) return answer;
      } catch (e) {
        if (!(e instanceof StaleConnection)) throw e;
        await this.#again(job, request, destination);
      }
      return await this.#onFresh(job, request, destination, bytes);
    } finally {
      this.#jobs.delete(job);
      job.end();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Closes every connection; exchanges under way are rejected. */
  close(): void {
    this.#closed = true;
    for (const job of this.#jobs) {
      job.abort(new FetchError("other", "Cannot go on fetching: the client was closed"));
    }
    this.#pool.close();
    this.#dialer.close();
    this.#sweep.close();
  }

  /** Closes the client. */
  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  /** Waits as long as the caller wants to before a request goes out for the second time. */
  async #again(job: Job, { beforeAgain }: ExchangeRequest, { key }: Destination): Promise<void> {
    job.check();
    if (beforeAgain === undefined) return;
    await job.pause(
      MAX_AGAIN_MS,
      () =>
        new FetchError("refused", `Cannot fetch from ${key}: it ended the connection`, {
          reason: "stale",
        }),
      beforeAgain,
      () => {},
    );
  }

  /**
   * Tries the host's kept connection; `undefined` if there is none that lives.
   *
   * @throws {StaleConnection} If it ended once the request was on its way.
   */
  async #onKept(
    job: Job,
    request: ExchangeRequest,
    { key }: Destination,
    bytes: Uint8Array,
  ): Promise<Exchange | undefined> {
    const kept = this.#pool.take(key);
    if (kept === undefined) return undefined;
    const { connection, idleMs } = kept;
    try {
      await this.#admit(job, connection.ip);
    } catch (e) {
      connection.close();
      throw e;
    }
    try {
      // What a server sent past its answer's end may be on its way up from the socket still.
      if (idleMs < FRESHLY_IDLE_MS) await new Promise<void>((resolve) => setImmediate(resolve));
      job.check();
      if (connection.disturbed) return undefined;
      return await this.#converse(job, request, connection, bytes);
    } finally {
      if (connection.disturbed) connection.close();
      this.limit.release(connection.ip);
    }
  }

  async #onFresh(
    job: Job,
    request: ExchangeRequest,
    destination: Destination,
    bytes: Uint8Array,
  ): Promise<Exchange> {
    const addresses = await this.#addresses(job, destination);
    let first: unknown;
    for (let i = 0; i < addresses.length; i++) {
      const ip = addresses[i]!;
      await this.#admit(job, ip);
      try {
        const connection = await this.#connect(job, destination, ip, addresses.length - i);
        if (connection instanceof FetchError) {
          first ??= connection;
          continue;
        }
        return await this.#converse(job, request, connection, bytes);
      } finally {
        this.limit.release(ip);
      }
    }
    throw first;
  }

  /** The addresses that may be connected to, in the order to try them. */
  async #addresses(job: Job, { host, literal }: Destination): Promise<string[]> {
    let found: readonly string[] = [host];
    if (!literal) {
      try {
        found = await job.run((signal) => this.#options.resolve(host, { signal }));
      } catch (e) {
        job.check();
        throw toFetchError(e, `resolve ${host}`);
      }
      if (found.length === 0) {
        throw new FetchError("dns", `Cannot resolve ${host}: it has no address`, {
          reason: "no-address",
        });
      }
    }
    const { allowPrivate = false } = this.#options;
    const allowed = byFamily(allowPrivate ? found : found.filter(isGlobalAddress));
    if (allowed.length === 0) {
      throw new FetchError(
        "skip",
        `Cannot connect to ${host}: ${found[0]} is not a public address`,
        { reason: "private-address" },
      );
    }
    return allowed;
  }

  /** Takes a place at an address. The time it takes is not the exchange's. */
  async #admit(job: Job, ip: string): Promise<void> {
    if (this.limit.tryAcquire(ip)) return;
    await job.pause(
      this.#options.perIpWaitMs ?? 300_000,
      (waited) =>
        new FetchError(
          "timeout",
          `Cannot fetch: ${ip} had all the requests in flight it may have for ${waited} ms`,
          { reason: "per-ip" },
        ),
      (signal) => this.limit.acquire(ip, signal),
      () => this.limit.release(ip),
    );
  }

  /**
   * Connects to one of `left` addresses still to try, in its share of the time. Gives the error if the
   * address does not connect; throws those that end the exchange.
   */
  async #connect(
    job: Job,
    { host, key, literal, port, secure }: Destination,
    ip: string,
    left: number,
  ): Promise<Connection | FetchError> {
    let tcp = false;
    job.share(left);
    try {
      const transport = await job.run((signal) =>
        this.#dial({
          ip,
          port,
          tlsName: secure ? host : null,
          signal,
          onTcp: () => {
            tcp = true;
            job.share(1);
          },
        }), (late) => late.close());
      this.#open++;
      this.#opened++;
      const connection = new Connection(transport, key, ip, port);
      connection.onClose = () => this.#open--;
      return connection;
    } catch (e) {
      if (!tcp && left === 1 && !literal && !job.aborted) this.#options.forget?.(host);
      job.check();
      if (tcp) throw e;
      return toFetchError(e, `connect to ${ip}:${port}`);
    } finally {
      job.share(1);
    }
  }

  #limitsOf({ bodyCap, keepWire = false }: ExchangeRequest): AnswerLimits {
    if (bodyCap === undefined && !keepWire) return this.#limits;
    return { ...this.#limits, bodyCap: bodyCap ?? this.#limits.bodyCap, keepWire };
  }

  async #converse(
    job: Job,
    request: ExchangeRequest,
    connection: Connection,
    bytes: Uint8Array,
  ): Promise<Exchange> {
    const { url } = request;
    const reused = connection.carried > 0;
    const date = this.#wallClock();
    const sentAt = this.#now();
    let conversed: Conversed;
    try {
      job.check();
      job.own(connection);
      request.onSent?.(sentAt);
      conversed = await converse(connection, bytes, {
        limits: this.#limitsOf(request),
        now: this.#now,
        progress: request.progress,
        onWritten: request.onWritten,
        job,
      });
    } catch (e) {
      connection.close();
      throw e;
    } finally {
      job.own(undefined);
    }
    connection.carried++;
    if (reused) this.#reused++;
    const kept = conversed.reusable && !connection.closed && !this.#closed;
    if (kept) this.#pool.put(connection);
    else connection.close();
    const { answer } = conversed;
    const exchange: { -readonly [K in keyof Exchange]: Exchange[K] } = {
      url,
      status: answer.status,
      version: answer.version,
      head: answer.head,
      headers: answer.headers,
      body: answer.body,
      request: bytes,
      ip: connection.ip,
      port: connection.port,
      reused,
      kept,
      date,
      sentAt,
      firstByteAt: conversed.firstByteAt,
      endedAt: conversed.endedAt,
    };
    if (answer.wire !== undefined) exchange.wire = answer.wire;
    if (answer.truncated !== undefined) exchange.truncated = answer.truncated;
    return exchange;
  }
}
