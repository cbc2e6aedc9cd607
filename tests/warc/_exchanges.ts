/** Exchanges to archive, and a reading of archives that shares nothing with the reader's code. */

import { createHash } from "node:crypto";
import { crc32, inflateRawSync } from "node:zlib";
import type { ArchivedExchange } from "../../lib/warc/types.ts";
import type { WarcWriterOptions } from "../../lib/warc/writer.ts";

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Stands in for the real SURT form: host labels reversed. */
export function surt(url: string): string {
  const { hostname, pathname, search } = new URL(url);
  return `${hostname.split(".").reverse().join(",")})${pathname}${search}`.toLowerCase();
}

export const DATE = Date.UTC(2024, 4, 6, 7, 8, 9, 321);

export function exchange(
  url: string,
  body: string | Uint8Array,
  more: Partial<ArchivedExchange> = {},
): ArchivedExchange {
  const bytes = typeof body === "string" ? encode(body) : body;
  const { pathname, host } = new URL(url);
  return {
    url,
    date: DATE,
    ip: "192.0.2.7",
    request: encode(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
    status: 200,
    head: encode(
      `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    ),
    body: bytes,
    mime: "text/html",
    ...more,
  };
}

export function options(more: Partial<WarcWriterOptions> = {}): WarcWriterOptions {
  return {
    dir: "/w",
    software: "ccrawl/test",
    command: "ccrawl crawl run --seeds 'a b'",
    surt,
    now: () => DATE,
    ...more,
  };
}

/** Numbers in [0, 1) from a seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Bytes that do not compress. */
export function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let from = 0; from < length; from += 65536) {
    crypto.getRandomValues(bytes.subarray(from, from + 65536));
  }
  return bytes;
}

/** A record as the bytes of its member say. */
export interface Found {
  offset: number;
  length: number;
  fields: Map<string, string>;
  block: Uint8Array;
}

/** Takes a file of one gzip member a record apart, strictly. */
export function members(file: Uint8Array): Found[] {
  const found: Found[] = [];
  for (let offset = 0; offset < file.length;) {
    if (decode(file.subarray(offset, offset + 10)) !== decode(MEMBER)) throw new Error("header");
    const { buffer, engine } = inflateRawSync(
      file.subarray(offset + 10),
      { info: true } as object,
    ) as unknown as { buffer: Uint8Array; engine: { bytesWritten: number } };
    const length = 18 + engine.bytesWritten;
    const trailer = new DataView(file.buffer, file.byteOffset + offset + length - 8, 8);
    // deno-lint-ignore no-explicit-any -- the type wants a Buffer, any bytes do
    if (trailer.getUint32(0, true) !== crc32(buffer as any)) throw new Error("crc");
    if (trailer.getUint32(4, true) !== buffer.length) throw new Error("size");
    const record = new TextDecoder("latin1").decode(buffer);
    const end = record.indexOf("\r\n\r\n");
    const [version, ...lines] = record.slice(0, end).split("\r\n");
    if (version !== "WARC/1.0") throw new Error("version");
    const fields = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(": ");
      if (fields.has(line.slice(0, colon))) throw new Error(`twice: ${line}`);
      fields.set(line.slice(0, colon), line.slice(colon + 2));
    }
    const size = Number(fields.get("Content-Length"));
    if (record.slice(end + 4 + size) !== "\r\n\r\n") throw new Error("end of block");
    const block = new Uint8Array(buffer.subarray(end + 4, end + 4 + size));
    found.push({ offset, length, fields, block });
    offset += length;
  }
  return found;
}

const MEMBER = new Uint8Array([31, 139, 8, 0, 0, 0, 0, 0, 0, 3]);

/** `sha1:` and base32, bit by bit. */
export function digestOf(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of createHash("sha1").update(bytes).digest()) {
    bits += byte.toString(2).padStart(8, "0");
  }
  return "sha1:" + bits.match(/.{5}/g)!
    .map((five) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[parseInt(five, 2)]).join("");
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Bytes as a source in pieces of a size. */
export async function* pieces(bytes: Uint8Array, size = 65536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.slice(at, at + size));
  }
}
