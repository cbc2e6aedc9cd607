import type { NameServer } from "./resolv_conf.ts";

/**
 * Asks over TCP (RFC 7766): one query, one answer of at most 64 KB, one connection.
 *
 * @throws {Error} When the server cannot be reached, ends early, or the signal fires.
 */
export async function askTcp(
  server: NameServer,
  packet: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const conn = await Deno.connect({ hostname: server.address, port: server.port, signal });
  let closed = false;
  const close = () => {
    if (!closed) conn.close();
    closed = true;
  };
  signal.addEventListener("abort", close, { once: true });
  try {
    if (signal.aborted) throw signal.reason;
    const framed = new Uint8Array(2 + packet.length);
    framed[0] = packet.length >> 8;
    framed[1] = packet.length & 255;
    framed.set(packet, 2);
    for (let sent = 0; sent < framed.length;) sent += await conn.write(framed.subarray(sent));
    const length = new Uint8Array(2);
    await readFull(conn, length);
    const answer = new Uint8Array(length[0]! << 8 | length[1]!);
    await readFull(conn, answer);
    return answer;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

async function readFull(conn: Deno.TcpConn, into: Uint8Array): Promise<void> {
  for (let at = 0; at < into.length;) {
    const n = await conn.read(into.subarray(at));
    if (n === null) throw new Deno.errors.UnexpectedEof("the name server closed the connection");
    at += n;
  }
}
