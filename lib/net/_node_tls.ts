import type { Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import type { Transport } from "./connect.ts";

interface Reader {
  readonly into: Uint8Array;
  resolve(n: number | null): void;
  reject(e: unknown): void;
}

/** Whom to trust besides the built-in authorities. */
export interface Trust {
  /** In PEM. */
  readonly caCerts: readonly string[];
  /** Made of them at first use: reading a hundred and fifty certificates is not for every connection. */
  context?: SecureContext;
}

/** What is asked of a TLS connection that node's own code makes. */
export interface NodeTlsTarget {
  readonly ip: string;
  readonly port: number;
  /** The host's name, or its address. */
  readonly name: string;
  readonly nameIsAddress: boolean;
  /** Take any certificate. */
  readonly insecure: boolean;
  readonly trust: Trust;
  readonly signal: AbortSignal;
  /** Called when the TCP connection stands and the handshake begins. */
  readonly onTcp: () => void;
}

/** A `node:tls` socket with the read and write of a `Deno.Conn`. */
class NodeTlsTransport implements Transport {
  readonly #socket: TLSSocket;
  readonly #tcp: Socket;
  /** What came before it was asked for. The socket is paused while it is not empty. */
  #ready: Uint8Array[] = [];
  #reader: Reader | undefined;
  #ended = false;
  #error: unknown;

  constructor(socket: TLSSocket, tcp: Socket) {
    this.#socket = socket;
    this.#tcp = tcp;
    socket.on("data", (bytes: Uint8Array) => {
      this.#ready.push(bytes);
      socket.pause();
      this.#serve();
    });
    socket.on("end", () => {
      this.#ended = true;
      this.#serve();
    });
    socket.on("error", (e) => this.#fail(e));
    socket.on("close", () => this.#fail(new Deno.errors.Interrupted("connection closed")));
  }

  read(into: Uint8Array): Promise<number | null> {
    return new Promise((resolve, reject) => {
      this.#reader = { into, resolve, reject };
      this.#serve();
    });
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (e) => e ? reject(e) : resolve(bytes.length));
    });
  }

  close(): void {
    this.#socket.destroy();
    this.#tcp.destroy();
  }

  #fail(e: unknown): void {
    this.#error ??= e;
    this.#serve();
  }

  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const next = this.#ready[0];
    if (next !== undefined) {
      this.#reader = undefined;
      const taken = next.subarray(0, reader.into.length);
      reader.into.set(taken);
      if (taken.length < next.length) this.#ready[0] = next.subarray(taken.length);
      else this.#ready.shift();
      if (this.#ready.length === 0) this.#socket.resume();
      reader.resolve(taken.length);
    } else if (this.#ended) {
      this.#reader = undefined;
      reader.resolve(null);
    } else if (this.#error !== undefined) {
      this.#reader = undefined;
      reader.reject(this.#error);
    }
  }
}

/**
 * Opens a TLS connection by `node:tls`: half as much again in CPU as the runtime's own, and unlike it able
 * to take any certificate and to let go of a handshake that never ends.
 *
 * TCP comes first and on its own: a TLS socket that never connects is never freed.
 */
export async function connectNodeTls(target: NodeTlsTarget): Promise<Transport> {
  const { signal, trust } = target;
  const [net, tls] = await Promise.all([import("node:net"), import("node:tls")]);
  signal.throwIfAborted();
  if (trust.caCerts.length > 0) {
    trust.context ??= tls.createSecureContext({ ca: [...tls.rootCertificates, ...trust.caCerts] });
  }
  return await new Promise((resolve, reject) => {
    const tcp = net.connect({ host: target.ip, port: target.port, noDelay: true });
    let socket: TLSSocket | undefined;
    const fail = (e: unknown) => {
      signal.removeEventListener("abort", onAbort);
      socket?.destroy();
      tcp.destroy();
      reject(e);
    };
    const onAbort = () => fail(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    // Stays: a destroyed socket may still say why it ended, and unheard that would end the process.
    tcp.on("error", fail);
    tcp.once("connect", () => {
      target.onTcp();
      const secure = socket = tls.connect({
        socket: tcp,
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: !target.insecure,
        ...(target.nameIsAddress ? { host: target.name } : { servername: target.name }),
        ...(trust.context === undefined ? {} : { secureContext: trust.context }),
      });
      secure.on("error", fail);
      secure.once("secureConnect", () => {
        signal.removeEventListener("abort", onAbort);
        resolve(new NodeTlsTransport(secure, tcp));
      });
    });
  });
}
