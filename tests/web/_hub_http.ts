/**
 * A small HTTP/1.1 server on sockets, for what a library's server would not let go wrong.
 *
 * @module
 */

import type { HubFault } from "./hub.ts";
import { isNetworkError } from "./_accept.ts";

/** A request, its body not read yet. */
export interface HubRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Map<string, string>;
  /** The body, as it comes; in whole once and no more. Throws {@linkcode CutRequestError} where a fault says so. */
  body(): AsyncGenerator<Uint8Array, void, undefined>;
}

/** A fault ends the connection in the middle of a request. */
export class CutRequestError extends Error {
  override readonly name = "CutRequestError";
}

/** An answer. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body:
    & { readonly start: number; readonly end: number }
    & ({ bytes: Uint8Array } | { file: string });
  readonly fault?: HubFault | undefined;
  /** Told of bytes of the body that went out. */
  readonly onSent?: (bytes: number) => void;
}

const PIECE = 64 << 10;

/** Listens on a free port and hands requests to `handle`. */
export function listenHttp(
  handle: (request: HubRequest) => Promise<Reply>,
): AsyncDisposable & { readonly port: number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const open = new Set<Deno.Conn>();
  const running = new Set<Promise<void>>();
  const accepting = (async () => {
    for (;;) {
      let conn: Deno.TcpConn;
      try {
        conn = await listener.accept();
      } catch (error) {
        if (isNetworkError(error)) return;
        throw error;
      }
      conn.setNoDelay(true);
      open.add(conn);
      const run = serveConnection(conn, handle, () => open.has(conn)).finally(() => {
        if (open.delete(conn)) conn.close();
        running.delete(run);
      });
      running.add(run);
    }
  })();
  return {
    port,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const conn of open) conn.close();
      open.clear();
      await accepting;
      await Promise.all(running);
    },
  };
}

async function serveConnection(
  conn: Deno.Conn,
  handle: (request: HubRequest) => Promise<Reply>,
  isOpen: () => boolean,
): Promise<void> {
  const input = new Input(conn);
  try {
    for (;;) {
      const head = await input.head();
      if (head === undefined) return;
      const [first, ...lines] = head.split("\r\n");
      const [method = "", target = ""] = first!.split(" ");
      const headers = new Map(lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }));
      const length = Number(headers.get("content-length") ?? 0);
      const chunked = headers.get("transfer-encoding") === "chunked";
      const body = chunked ? input.chunks() : input.bytes(length);
      const reply = await handle({ method, target, headers, body: () => body });
      if (!await send(conn, method, reply, isOpen)) return;
      // What nobody wanted to read; an object store that refuses does not wait for it.
      if (reply.status >= 400 && length > PIECE) return;
      for await (const _ of body);
    }
  } catch (error) {
    if (!(isNetworkError(error) || error instanceof CutRequestError)) throw error;
  }
}

/** What comes in on a connection. */
class Input {
  readonly #conn: Deno.Conn;
  #buffer: Uint8Array = new Uint8Array(0);
  readonly #chunk = new Uint8Array(PIECE);

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  /** The next request's head; nothing at the end. */
  async head(): Promise<string | undefined> {
    for (;;) {
      const text = latin1(this.#buffer.subarray(0, 64 << 10));
      const end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        this.#buffer = this.#buffer.subarray(end + 4);
        return text.slice(0, end);
      }
      if (this.#buffer.length > 64 << 10 || !await this.#more()) return undefined;
    }
  }

  /** So many bytes. */
  async *bytes(count: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let left = count; left > 0;) {
      if (this.#buffer.length === 0 && !await this.#more()) {
        throw new Deno.errors.UnexpectedEof("the client has gone");
      }
      const piece = this.#buffer.subarray(0, left);
      this.#buffer = this.#buffer.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** A chunked body (RFC 9112 section 7.1), without trailers. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const size = parseInt(await this.#line(), 16);
      yield* this.bytes(size);
      await this.#line();
      if (!(size > 0)) return;
    }
  }

  async #line(): Promise<string> {
    let line = "";
    for await (const [byte] of single(() => this.bytes(1))) {
      if (byte === 10) return line.trimEnd();
      line += String.fromCharCode(byte!);
    }
    return line;
  }

  async #more(): Promise<boolean> {
    const count = await this.#conn.read(this.#chunk);
    if (count === null) return false;
    const longer = new Uint8Array(this.#buffer.length + count);
    longer.set(this.#buffer);
    longer.set(this.#chunk.subarray(0, count), this.#buffer.length);
    this.#buffer = longer;
    return true;
  }
}

async function* single(
  next: () => AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) yield* next();
}

/** Sends an answer; false when the connection is to end. */
async function send(
  conn: Deno.Conn,
  method: string,
  reply: Reply,
  isOpen: () => boolean,
): Promise<boolean> {
  const { body, fault } = reply;
  if (fault?.kind === "cut" && fault.bytes < 0) return false;
  const size = body.end - body.start;
  const head = [`HTTP/1.1 ${reply.status} ${reply.status}`, `content-length: ${size}`];
  for (const [name, value] of Object.entries(reply.headers)) head.push(`${name}: ${value}`);
  await writeAll(conn, new TextEncoder().encode(head.join("\r\n") + "\r\n\r\n"));
  if (method === "HEAD") return true;
  const limit = fault?.kind === "cut" || fault?.kind === "stall"
    ? Math.min(fault.bytes, size)
    : size;
  const piece = fault?.kind === "slow" ? 16 << 10 : PIECE;
  using file = "file" in body ? await Deno.open(body.file) : undefined;
  await file?.seek(body.start, Deno.SeekMode.Start);
  for (let done = 0; done < limit;) {
    const count = Math.min(piece, limit - done);
    let bytes: Uint8Array;
    if ("bytes" in body) bytes = body.bytes.subarray(body.start + done, body.start + done + count);
    else {
      const into = new Uint8Array(count);
      bytes = into.subarray(0, await file!.read(into) ?? 0);
      if (bytes.length === 0) return false;
    }
    await writeAll(conn, bytes);
    done += bytes.length;
    reply.onSent?.(bytes.length);
    if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms));
  }
  if (fault?.kind === "stall") {
    // Until the client has had enough, or the hub is stopped.
    while (isOpen() && await conn.read(new Uint8Array(1024)) !== null);
    return false;
  }
  return limit === size;
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await conn.write(bytes.subarray(done));
}

function latin1(bytes: Uint8Array): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 8192) {
    out += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return out;
}
