import { HttpClient, type HttpClientOptions } from "../../lib/net/client.ts";
import type { Exchange, ExchangeRequest } from "../../lib/net/types.ts";

const encoder = new TextEncoder();

/** Latin-1 bytes of a text, the way answers are written down in tests. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

/** The other way round. */
export function textOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** One accepted connection, as a test's server sees it. */
export class Peer {
  readonly conn: Deno.Conn;
  /** Which connection it is, from 1. */
  readonly nth: number;
  #rest = "";

  constructor(conn: Deno.Conn, nth: number) {
    this.conn = conn;
    this.nth = nth;
  }

  /** The next request's head, or `undefined` at the end. */
  async request(): Promise<string | undefined> {
    const into = new Uint8Array(4096);
    for (;;) {
      const end = this.#rest.indexOf("\r\n\r\n");
      if (end >= 0) {
        const head = this.#rest.slice(0, end + 4);
        this.#rest = this.#rest.slice(end + 4);
        return head;
      }
      const n = await this.conn.read(into);
      if (n === null) return undefined;
      this.#rest += textOf(into.subarray(0, n));
    }
  }

  async send(answer: string | Uint8Array): Promise<void> {
    const bytes = typeof answer === "string" ? bytesOf(answer) : answer;
    for (let at = 0; at < bytes.length;) at += await this.conn.write(bytes.subarray(at));
  }

  /** Resolves when the client has closed. */
  async gone(): Promise<void> {
    while (await this.request() !== undefined);
  }
}

/** Whether an error is what a peer that went away leaves behind. */
function peerLeft(e: unknown): boolean {
  return e instanceof Deno.errors.ConnectionReset || e instanceof Deno.errors.BrokenPipe ||
    e instanceof Deno.errors.UnexpectedEof || e instanceof Deno.errors.BadResource ||
    e instanceof Deno.errors.Interrupted || e instanceof Deno.errors.InvalidData;
}

/** A server on loopback whose every connection is played by `serve`, and closed when that returns. */
export class Loopback implements AsyncDisposable {
  readonly port: number;
  readonly #listener: Deno.Listener;
  readonly #conns = new Set<Deno.Conn>();
  readonly #serving: Promise<void>[] = [];
  readonly #errors: unknown[] = [];
  #accepted = 0;

  constructor(
    serve: (peer: Peer) => Promise<void>,
    options: { hostname?: string; port?: number; tls?: { cert: string; key: string } } = {},
  ) {
    const { hostname = "127.0.0.1", port = 0, tls } = options;
    this.#listener = tls === undefined
      ? Deno.listen({ hostname, port })
      : Deno.listenTls({ hostname, port, ...tls });
    this.port = (this.#listener.addr as Deno.NetAddr).port;
    this.#serving.push(this.#accept(serve));
  }

  /** How many connections were accepted. */
  get accepted(): number {
    return this.#accepted;
  }

  async #accept(serve: (peer: Peer) => Promise<void>): Promise<void> {
    for await (const conn of this.#listener) {
      this.#conns.add(conn);
      this.#serving.push(this.#play(conn, serve, ++this.#accepted));
    }
  }

  async #play(
    conn: Deno.Conn,
    serve: (peer: Peer) => Promise<void>,
    nth: number,
  ): Promise<void> {
    try {
      await serve(new Peer(conn, nth));
    } catch (e) {
      if (!peerLeft(e)) this.#errors.push(e);
    } finally {
      this.#close(conn);
    }
  }

  #close(conn: Deno.Conn): void {
    if (!this.#conns.delete(conn)) return;
    conn.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const conn of this.#conns) this.#close(conn);
    for (let i = 0; i < this.#serving.length; i++) await this.#serving[i];
    if (this.#errors.length > 0) throw this.#errors[0];
  }
}

/** A client that finds every host on loopback. */
export function loopbackClient(options: Partial<HttpClientOptions> = {}): HttpClient {
  return new HttpClient({
    resolve: () => Promise.resolve(["127.0.0.1"]),
    allowPrivate: true,
    ...options,
  });
}

/** One GET with a deadline that only a fault comes near. */
export function get(
  client: HttpClient,
  url: string,
  more: Partial<ExchangeRequest> = {},
): Promise<Exchange> {
  return client.exchange({ url: new URL(url), headers: [], timeoutMs: 8_000, ...more });
}

/** A 200 with a length. */
export function page(body: string): Uint8Array {
  return encoder.encode(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}

/** Waits until something is so; the test's own time limit is the bound. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
