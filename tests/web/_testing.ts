/**
 * A client so plain that nothing stands between a test and the web's bytes.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import dgram from "node:dgram";
import * as packet from "dns-packet";
import type { LocalWeb } from "./mod.ts";

const encoder = new TextEncoder();

/** Bytes as characters of the same number (TextDecoder's "latin1" is windows-1252). */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

/** An answer, taken apart at its first blank line. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Uint8Array;
  /** Everything, in Latin-1. */
  readonly all: string;
}

/** Sends one GET and reads until the server closes. */
export async function get(
  web: LocalWeb,
  host: string,
  path: string,
  fields: readonly string[] = [],
): Promise<RawAnswer> {
  const reset = host.split(".").some((l) => l === "reset" || l.startsWith("reset-"));
  const conn = await Deno.connect({
    hostname: "127.0.0.1",
    port: reset ? web.ready.reset : web.ready.http,
  });
  try {
    await send(conn, host, path, ["Connection: close", ...fields]);
    return split(await readAll(conn));
  } finally {
    conn.close();
  }
}

/** Writes one GET. */
export async function send(
  conn: Deno.Conn,
  host: string,
  path: string,
  fields: readonly string[] = [],
) {
  await conn.write(
    encoder.encode([`GET ${path} HTTP/1.1`, `Host: ${host}`, ...fields, "", ""].join("\r\n")),
  );
}

/** Reads to the end of the stream. */
export async function readAll(conn: Deno.Conn): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const buffer = new Uint8Array(64 * 1024);
    const n = await conn.read(buffer);
    if (n === null) return new Uint8Array(Buffer.concat(parts));
    parts.push(buffer.subarray(0, n));
  }
}

/** Reads until that many bytes have come. */
export async function readBytes(conn: Deno.Conn, count: number): Promise<string> {
  const buffer = new Uint8Array(count);
  let have = 0;
  while (have < count) {
    const n = await conn.read(buffer.subarray(have));
    if (n === null) break;
    have += n;
  }
  return latin1(buffer.subarray(0, have));
}

/** Reads one answer with a Content-Length and leaves the connection open. */
export async function readOne(conn: Deno.Conn): Promise<RawAnswer> {
  let text = "";
  while (!text.includes("\r\n\r\n")) {
    const more = await readBytes(conn, 1);
    if (more === "") break;
    text += more;
  }
  const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0);
  const body = await readBytes(conn, length);
  return split(Uint8Array.from(text + body, (c) => c.charCodeAt(0)));
}

export function split(bytes: Uint8Array): RawAnswer {
  const all = latin1(bytes);
  const cut = all.indexOf("\r\n\r\n");
  const head = cut < 0 ? "" : all.slice(0, cut);
  return {
    all,
    head,
    status: Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1] ?? 0),
    body: bytes.subarray(cut < 0 ? 0 : cut + 4),
  };
}

/** The value of a header field, or undefined. */
export function field(a: RawAnswer, name: string): string | undefined {
  const line = a.head.split("\r\n").slice(1).find((l) =>
    l.toLowerCase().startsWith(`${name.toLowerCase()}:`)
  );
  return line?.slice(name.length + 1).trim();
}

/** Undoes chunked coding. */
export function dechunk(body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let i = 0;;) {
    const end = body.indexOf(10, i);
    const size = parseInt(latin1(body.subarray(i, end)), 16);
    if (!(size > 0)) return new Uint8Array(Buffer.concat(parts));
    parts.push(body.subarray(end + 1, end + 1 + size));
    i = end + 1 + size + 2;
  }
}

/** An answer of the name server. */
export interface DnsAnswer {
  readonly id: number;
  readonly rcode: string;
  readonly truncated: boolean;
  readonly question: string;
  /** `A 127.0.0.1`, `CNAME other.test`, … */
  readonly answers: readonly string[];
  readonly ttl: number;
}

/** Asks over UDP and collects `count` answers, or what came before `silence` milliseconds without one. */
export async function askUdp(
  resolver: string,
  name: string,
  type: "A" | "AAAA" = "A",
  { id = 77, count = 1, silence = 0 }: { id?: number; count?: number; silence?: number } = {},
): Promise<(DnsAnswer | "no message")[]> {
  const socket = dgram.createSocket("udp4");
  const [address, port] = resolver.split(":");
  const answers: (DnsAnswer | "no message")[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      socket.on("error", reject);
      socket.on("message", (m) => {
        answers.push(readDns(m));
        if (answers.length === count) done();
      });
      socket.send(query(name, type, id), Number(port), address);
      if (silence > 0) timer = setTimeout(done, silence);
    });
  } finally {
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  }
  return answers;
}

/** Asks over TCP. */
export async function askTcp(
  resolver: string,
  name: string,
  type: "A" | "AAAA" = "A",
): Promise<DnsAnswer> {
  const [hostname = "", port] = resolver.split(":");
  const conn = await Deno.connect({ hostname, port: Number(port) });
  try {
    const q = query(name, type, 78);
    await conn.write(Uint8Array.of(q.length >> 8, q.length & 255, ...q));
    const head = await readBytes(conn, 2);
    const size = head.charCodeAt(0) << 8 | head.charCodeAt(1);
    const m = await readBytes(conn, size);
    const answer = readDns(Buffer.from(m, "latin1"));
    if (answer === "no message") throw new Error("Cannot read the answer: no message");
    return answer;
  } finally {
    conn.close();
  }
}

function query(name: string, type: "A" | "AAAA", id: number): Uint8Array {
  return packet.encode({
    type: "query",
    id,
    flags: packet.RECURSION_DESIRED,
    questions: [{ type, name }],
  });
}

function readDns(m: Uint8Array): DnsAnswer | "no message" {
  let p: ReturnType<typeof packet.decode>;
  try {
    p = packet.decode(Buffer.from(m));
  } catch {
    // What some hosts of the web are for.
    return "no message";
  }
  return {
    id: p.id ?? -1,
    rcode: String((p as { rcode?: string }).rcode),
    truncated: (p as { flag_tc?: boolean }).flag_tc === true,
    question: p.questions?.[0]?.name ?? "",
    answers: (p.answers ?? []).map((a) => `${a.type} ${"data" in a ? a.data : ""}`),
    ttl: Number((p.answers?.[0] as { ttl?: number } | undefined)?.ttl ?? -1),
  };
}
