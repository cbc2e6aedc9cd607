/**
 * The TLS port. A plain listener reads the ClientHello, takes the name asked for from it, and then does what the
 * host's traits say: passes the bytes on to a TLS listener that holds the right (or wrong) certificate, answers
 * with an alert or plain http, or never says a word.
 *
 * @module
 */

import type { KeyObject } from "node:crypto";
import { accepted, isNetworkError, serveAdmitted } from "./_accept.ts";
import { Authority, keyPem, newKey, selfSigned } from "./_certs.ts";
import { Connection } from "./_http.ts";
import { figure, type Traits } from "./traits.ts";
import type { Web } from "./_web.ts";

const DAY = 86_400_000;
const HELLO_MAX = 16 * 1024 + 5;
const LISTENERS_MAX = 512;

/** The TLS side of a web. */
export class TlsFront {
  readonly #web: Web;
  readonly #authority = new Authority("Local web test authority");
  readonly #key: KeyObject = newKey();
  #stranger: Authority | undefined;
  /** TLS listeners by name and kind of certificate, least recently used first. */
  readonly #inner = new Map<string, Deno.TlsListener>();
  /** Address of ours that the client behind a passed-on connection talks to, by the passing port. */
  readonly #behind = new Map<number, string>();

  constructor(web: Web) {
    this.#web = web;
  }

  /** The authority's certificate in PEM. */
  get caPem(): string {
    return this.#authority.pem;
  }

  /** Serves TLS on `listener` until it is closed. */
  acceptAll(listener: Deno.TcpListener): Promise<void> {
    return serveAdmitted(this.#web, listener, async (raw, ip) => {
      try {
        await this.#serve(raw, ip);
      } catch (error) {
        if (!isNetworkError(error)) throw error;
      } finally {
        close(raw);
      }
    });
  }

  async #serve(raw: Deno.TcpConn, ip: string): Promise<void> {
    const hello = await readHello(raw);
    if (hello === undefined) {
      // No TLS at all: what a server on this port says to that.
      const text = "Client sent an HTTP request to an HTTPS server.\n";
      await writeAll(
        raw,
        encode(`HTTP/1.0 400 Bad Request\r\nContent-Length: ${text.length}\r\n\r\n${text}`),
      );
      return;
    }
    const name = serverName(hello);
    const t: Traits = this.#web.host(name ?? ip).traits;
    const slow = figure(t, "tls-slow", 1000);
    if (slow !== undefined) await new Promise((resolve) => setTimeout(resolve, slow));
    if (t.has("tls-close")) return;
    if (t.has("tls-plain")) {
      const text = "<html><body>plain</body></html>";
      await writeAll(
        raw,
        encode(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${text.length}\r\n\r\n${text}`),
      );
      return;
    }
    const alert = figure(t, "tls-alert", 40);
    if (alert !== undefined) {
      await writeAll(raw, Uint8Array.of(21, 3, 3, 0, 2, 2, alert));
      return;
    }
    if (t.has("tls-garbage")) {
      await writeAll(raw, encode("\x00\x13garbage, and no record at all: " + "?".repeat(200)));
      return await drain(raw);
    }
    if (t.has("tls-hang")) return await drain(raw);
    if (t.has("tls-half")) {
      // A handshake record of 122 bytes that stops after the first few of a ServerHello.
      await writeAll(raw, Uint8Array.of(22, 3, 3, 0, 122, 2, 0, 0, 118, 3, 3, 1, 2, 3, 4, 5, 6));
      return await drain(raw);
    }
    await this.#pass(raw, ip, hello, name, t);
  }

  async #pass(
    raw: Deno.TcpConn,
    ip: string,
    hello: Uint8Array,
    name: string | undefined,
    t: Traits,
  ): Promise<void> {
    const inner = await Deno.connect({ hostname: "127.0.0.1", port: this.#listener(name, t) });
    const port = (inner.localAddr as Deno.NetAddr).port;
    this.#behind.set(port, ip);
    try {
      inner.setNoDelay(true);
      await writeAll(inner, hello);
      const down = t.has("tls-cut") ? pumpCut(inner, raw) : pump(inner, raw);
      await Promise.all([
        pump(raw, inner).finally(() => close(inner)),
        down.finally(() => close(raw)),
      ]);
    } finally {
      this.#behind.delete(port);
      close(inner);
    }
  }

  /** Port of the TLS listener with the certificate that `name` is to show. */
  #listener(name: string | undefined, t: Traits): number {
    const kind = CERTIFICATE_KINDS.find((k) => t.has(k)) ?? "";
    const names = certificateNames(name);
    const key = `${kind} ${names.join(" ")}`;
    const known = this.#inner.get(key);
    if (known !== undefined) {
      this.#inner.delete(key);
      this.#inner.set(key, known);
      return known.addr.port;
    }
    const listener = Deno.listenTls({
      hostname: "127.0.0.1",
      port: 0,
      cert: this.#certificate(names, kind),
      key: keyPem(this.#key),
      alpnProtocols: ["http/1.1"],
    });
    this.#inner.set(key, listener);
    if (this.#inner.size > LISTENERS_MAX) {
      const [oldest, old] = this.#inner.entries().next().value!;
      this.#inner.delete(oldest);
      // Those that are on their way to it still get their handshake.
      setTimeout(() => old.close(), 5000);
    }
    this.#acceptInner(listener);
    return listener.addr.port;
  }

  #certificate(wanted: readonly string[], kind: string): string {
    const now = Date.now();
    const names = kind === "tls-wrong-name" ? ["someone-else.test"] : wanted;
    const request = {
      name: names[0]!,
      names,
      notBefore: new Date(now + (kind === "tls-not-yet" ? DAY : -10 * DAY)),
      notAfter: new Date(now + (kind === "tls-expired" ? -DAY : 20 * DAY)),
    };
    if (kind === "tls-self-signed") return selfSigned(request, this.#key);
    if (kind === "tls-unknown-ca") {
      this.#stranger ??= new Authority("An authority that nobody knows");
      return this.#stranger.issue(request, this.#key);
    }
    return this.#authority.issue(request, this.#key);
  }

  async #acceptInner(listener: Deno.TlsListener): Promise<void> {
    const web = this.#web;
    for await (const conn of accepted(web, listener)) this.#handshake(web, conn);
  }

  async #handshake(web: Web, conn: Deno.TlsConn): Promise<void> {
    try {
      await conn.handshake();
    } catch (error) {
      close(conn);
      // A client that refuses the certificate is what many of these hosts are for.
      if (isNetworkError(error)) return;
      throw error;
    }
    web.stats.tlsHandshakes++;
    const ip = this.#behind.get((conn.remoteAddr as Deno.NetAddr).port) ?? "127.0.0.1";
    await new Connection(web, conn, "https", ip, web.ports.https).run();
  }
}

const CERTIFICATE_KINDS = [
  "tls-expired",
  "tls-not-yet",
  "tls-wrong-name",
  "tls-self-signed",
  "tls-unknown-ca",
];

/** What a certificate for `name` is for: all its siblings too, so that hundreds of hosts share one. */
function certificateNames(name: string | undefined): string[] {
  if (name === undefined) return ["127.0.0.1", "localhost"];
  const parent = name.slice(name.indexOf(".") + 1);
  return parent.includes(".") ? [`*.${parent}`, parent] : [name];
}

/** Reads the first TLS record whole; undefined if what comes is none. */
async function readHello(raw: Deno.TcpConn): Promise<Uint8Array | undefined> {
  const buffer = new Uint8Array(HELLO_MAX);
  let have = 0;
  for (;;) {
    const n = await raw.read(buffer.subarray(have));
    if (n === null) throw new Deno.errors.UnexpectedEof("the client left before its ClientHello");
    have += n;
    if (buffer[0] !== 22) return undefined;
    if (have < 5) continue;
    const size = 5 + (buffer[3]! << 8 | buffer[4]!);
    if (size > HELLO_MAX) return undefined;
    if (have >= size) return buffer.slice(0, have);
  }
}

/** The host name of a ClientHello's server_name extension (RFC 6066, 3); undefined without one. */
export function serverName(record: Uint8Array): string | undefined {
  const v = new DataView(record.buffer, record.byteOffset, record.byteLength);
  try {
    // Record header 5, handshake header 4, version 2, random 32.
    let i = 43;
    i += 1 + v.getUint8(i);
    i += 2 + v.getUint16(i);
    i += 1 + v.getUint8(i);
    const end = i + 2 + v.getUint16(i);
    i += 2;
    while (i + 4 <= end) {
      const type = v.getUint16(i);
      const size = v.getUint16(i + 2);
      if (type === 0 && v.getUint8(i + 6) === 0) {
        const length = v.getUint16(i + 7);
        return new TextDecoder("latin1").decode(record.subarray(i + 9, i + 9 + length))
          .toLowerCase();
      }
      i += 4 + size;
    }
  } catch (error) {
    // A hello that ends inside a field has no name to give.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

async function pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(32 * 1024);
  try {
    for (;;) {
      const n = await from.read(buffer);
      if (n === null) return;
      await writeAll(to, buffer.subarray(0, n));
    }
  } catch (error) {
    if (!isNetworkError(error)) throw error;
  }
}

/** Like {@linkcode pump}, but the record that carries close_notify never arrives. */
async function pumpCut(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(32 * 1024);
  let have = 0;
  try {
    for (;;) {
      const n = await from.read(buffer.subarray(have));
      if (n === null) return;
      have += n;
      let whole = 0;
      while (have - whole >= 5) {
        const size = 5 + (buffer[whole + 3]! << 8 | buffer[whole + 4]!);
        if (have - whole < size) break;
        // An alert: openly, or the two bytes with type and tag that TLS 1.3 makes of it.
        if (buffer[whole] === 21 || (buffer[whole] === 23 && size === 24)) return;
        await writeAll(to, buffer.subarray(whole, whole + size));
        whole += size;
      }
      buffer.copyWithin(0, whole, have);
      have -= whole;
    }
  } catch (error) {
    if (!isNetworkError(error)) throw error;
  }
}

/** Reads until the client goes. */
async function drain(raw: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(1024);
  while (await raw.read(buffer) !== null);
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += await conn.write(bytes.subarray(done));
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch (error) {
    // Closed from the other end of the pipe already.
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
