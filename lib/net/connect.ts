/**
 * Connections: TCP, and TLS over it, to one address. Nothing here resolves names.
 *
 * @module
 */
import { FetchError, toFetchError } from "./errors.ts";
import { connectNodeTls, type Trust } from "./_node_tls.ts";

/** Bytes in, bytes out: what the client needs of a connection. `Deno.Conn` is one. */
export interface Transport {
  /** Reads some bytes; `null` at the end. One read at a time. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes some of the bytes and says how many. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes both ways; a read that waits is rejected. */
  close(): void;
}

/** How a {@linkcode Dialer} connects. */
export interface DialerOptions {
  /** Take any certificate. @default false */
  readonly insecure?: boolean;
  /** PEM certificates to trust besides the built-in ones. @default [] */
  readonly caCerts?: readonly string[];
  /**
   * Most handshakes by the runtime's TLS at a time, abandoned ones included, which are held open until
   * their peers end them. Beyond it, TLS goes by a path that costs more and holds none. @default 256
   */
  readonly maxStuck?: number;
}

/** Where to, and under what name. */
export interface DialTarget {
  /** Address, without brackets. */
  readonly ip: string;
  /** TCP port. */
  readonly port: number;
  /** The name for SNI and the certificate (an address, unbracketed, for one); `null` for plain TCP. */
  readonly tlsName: string | null;
  /** Ends the attempt; the promise rejects with its reason. */
  readonly signal: AbortSignal;
  /** Called when the TCP connection stands, before any handshake. */
  readonly onTcp?: () => void;
}

/** A failure in TLS, after TCP stood: trying another address of the same host would not help. */
function toTlsError(e: unknown, target: DialTarget): FetchError {
  const doing = `open TLS to ${target.tlsName} (${target.ip}:${target.port})`;
  const hungUp = e instanceof Deno.errors.UnexpectedEof ||
    // What node:tls says of a peer that closes in mid-handshake, under the code of a reset.
    (e instanceof Error && e.message.includes("before secure TLS connection"));
  if (hungUp) {
    return new FetchError("tls", `Cannot ${doing}: the peer hung up`, {
      cause: e,
      reason: "handshake",
    });
  }
  if (e instanceof TypeError && e.message.startsWith("Invalid hostname")) {
    return new FetchError("tls", `Cannot ${doing}: no certificate can be for this name`, {
      cause: e,
      reason: "name",
    });
  }
  return toFetchError(e, doing);
}

/**
 * Opens connections, plain and TLS.
 *
 * The runtime's TLS is the cheapest there is, and has one flaw: a connection closed in mid-handshake keeps
 * its descriptor until the peer closes, and peers exist that never do. So an abandoned handshake is kept
 * and counted until its end; with {@linkcode DialerOptions.maxStuck} under way or held, further ones go
 * through `node:tls`, whose sockets can be destroyed at any time. Descriptors and memory are thus bounded
 * whatever the web answers.
 */
export class Dialer {
  readonly #insecure: boolean;
  readonly #trust: Trust;
  readonly #maxStuck: number;
  readonly #stuck = new Set<Deno.TlsConn>();
  #handshaking = 0;

  /** A dialer. */
  constructor(options: DialerOptions = {}) {
    this.#insecure = options.insecure ?? false;
    this.#trust = { caCerts: options.caCerts ?? [] };
    this.#maxStuck = options.maxStuck ?? 256;
  }

  /** How many abandoned handshakes hold a descriptor. */
  get stuck(): number {
    return this.#stuck.size;
  }

  /**
   * Connects, and for TLS ends the handshake.
   *
   * @throws {FetchError} If it cannot: of kind `tls` for a handshake or certificate, `other` for a peer
   * that speaks no TLS, else what the system said.
   */
  async dial(target: DialTarget): Promise<Transport> {
    if (target.tlsName === null) return await this.#tcp(target);
    if (this.#insecure || this.#stuck.size + this.#handshaking >= this.#maxStuck) {
      return await this.#viaNode(target);
    }
    // Counted from here, so that a burst cannot pass the bound before the first has failed.
    this.#handshaking++;
    try {
      return await this.#secure(await this.#tcp(target), target);
    } finally {
      this.#handshaking--;
    }
  }

  /** Lets go of everything held. */
  close(): void {
    for (const conn of this.#stuck) conn.close();
  }

  async #tcp({ ip, port, signal, onTcp }: DialTarget): Promise<Deno.TcpConn> {
    let conn: Deno.TcpConn;
    try {
      conn = await Deno.connect({ hostname: ip, port, signal });
    } catch (e) {
      throw signal.aborted ? signal.reason : toFetchError(e, `connect to ${ip}:${port}`);
    }
    if (signal.aborted) {
      conn.close();
      throw signal.reason;
    }
    onTcp?.();
    try {
      // Before TLS: a handshake is small packets both ways, and Nagle's algorithm holds them back.
      conn.setNoDelay(true);
      // So that the kernel ends an abandoned handshake whose peer is gone.
      conn.setKeepAlive(true);
    } catch (e) {
      // The peer may be gone already.
      conn.close();
      throw toFetchError(e, `connect to ${ip}:${port}`);
    }
    return conn;
  }

  async #secure(tcp: Deno.TcpConn, target: DialTarget): Promise<Transport> {
    const { signal } = target;
    const { caCerts } = this.#trust;
    let conn: Deno.TlsConn;
    try {
      conn = await Deno.startTls(tcp, {
        hostname: target.tlsName!,
        alpnProtocols: ["http/1.1"],
        ...(caCerts.length === 0 ? {} : { caCerts: [...caCerts] }),
      });
    } catch (e) {
      tcp.close();
      throw toTlsError(e, target);
    }
    const handshake = conn.handshake();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#abandon(conn, handshake);
        reject(signal.reason);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      handshake.then(() => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      }, (e) => {
        signal.removeEventListener("abort", onAbort);
        if (this.#stuck.has(conn)) return;
        conn.close();
        reject(toTlsError(e, target));
      });
    });
    return conn;
  }

  /** Keeps a handshake that nobody waits for until it ends, and closes it then. */
  #abandon(conn: Deno.TlsConn, handshake: Promise<unknown>): void {
    this.#stuck.add(conn);
    const end = () => {
      this.#stuck.delete(conn);
      try {
        conn.close();
      } catch (e) {
        // Closed by close(), which is what ended the handshake.
        if (!(e instanceof Deno.errors.BadResource)) throw e;
      }
    };
    handshake.then(end, end);
  }

  async #viaNode(target: DialTarget): Promise<Transport> {
    const name = target.tlsName!;
    let tcp = false;
    try {
      return await connectNodeTls({
        ip: target.ip,
        port: target.port,
        name: name.endsWith(".") ? name.slice(0, -1) : name,
        nameIsAddress: name === target.ip,
        insecure: this.#insecure,
        trust: this.#trust,
        signal: target.signal,
        onTcp: () => {
          tcp = true;
          target.onTcp?.();
        },
      });
    } catch (e) {
      if (target.signal.aborted) throw target.signal.reason;
      throw tcp ? toTlsError(e, target) : toFetchError(e, `connect to ${target.ip}:${target.port}`);
    }
  }
}
