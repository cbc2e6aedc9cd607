/**
 * A small HTTP/1.1 server on sockets, for what a library's server would not let go wrong.
 *
 * @module
 */

import type { HubFault } from "./hub.ts";
import { isNetworkError } from "./_http.ts";

/** A request, its body not read yet. */
export interface HubRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Map<string, string>;
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
  let buffer = new Uint8Array(0);
  const chunk = new Uint8Array(16 << 10);
  try {
    for (;;) {
      let end: number;
      let head: string;
      while ((end = (head = latin1(buffer)).indexOf("\r\n\r\n")) < 0) {
        const count = await conn.read(chunk);
        if (count === null || buffer.length > 64 << 10) return;
        const longer = new Uint8Array(buffer.length + count);
        longer.set(buffer);
        longer.set(chunk.subarray(0, count), buffer.length);
        buffer = longer;
      }
      buffer = buffer.slice(end + 4);
      const [first, ...lines] = head.slice(0, end).split("\r\n");
      const [method = "", target = ""] = first!.split(" ");
      const headers = new Map(lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }));
      if (!await send(conn, method, await handle({ method, target, headers }), isOpen)) return;
    }
  } catch (error) {
    if (!isNetworkError(error)) throw error;
  }
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
