/**
 * Bodies in content codings: right ones, cut ones, false ones, and bombs.
 *
 * @module
 */

import {
  brotliCompressSync,
  constants,
  crc32,
  createBrotliCompress,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { concat } from "./_exchange.ts";
import { CODED_TEXT } from "./samples.ts";

/** Codings that pages may have. */
export type Coding = "gzip" | "br" | "zstd" | "deflate";

/** Codes a body quickly rather than well. */
export function encodeBody(body: Uint8Array, coding: Coding): Uint8Array {
  switch (coding) {
    case "gzip":
      return gzipSync(body, { level: 1 });
    case "br":
      return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    case "zstd":
      return zstdCompressSync(body);
    case "deflate":
      return deflateSync(body, { level: 1 });
  }
}

const plain = new TextEncoder().encode(CODED_TEXT);

const SAMPLES: Readonly<Record<string, () => Uint8Array>> = {
  "identity": () => plain,
  "gzip": () => gzipSync(plain),
  "x-gzip": () => gzipSync(plain),
  "gzip-upper": () => gzipSync(plain),
  "gzip-members": () => concat(gzipSync(plain.subarray(0, 500)), gzipSync(plain.subarray(500))),
  "gzip-trailing": () => concat(gzipSync(plain), new TextEncoder().encode("\r\n\0trailing")),
  "gzip-chunked": () => gzipSync(plain),
  "br": () => brotliCompressSync(plain),
  "zstd": () => zstdCompressSync(plain),
  "deflate": () => deflateSync(plain),
  "raw-deflate": () => deflateRawSync(plain),
  "twice": () => brotliCompressSync(gzipSync(plain)),
  "says-identity": () => plain,
  "gzip-cut": () => cut(gzipSync(plain)),
  "br-cut": () => cut(brotliCompressSync(plain)),
  "zstd-cut": () => cut(zstdCompressSync(plain)),
  "deflate-cut": () => cut(deflateSync(plain)),
  "gzip-bad-sum": () => {
    const bytes = gzipSync(plain);
    bytes[bytes.length - 8]! ^= 255;
    return bytes;
  },
  "says-gzip": () => plain,
  "says-br": () => plain,
  "says-zstd": () => plain,
  "says-deflate": () => plain,
  "unknown": () => plain,
  "gzip-as-br": () => gzipSync(plain),
};

/** The body of `/coding/<name>`; undefined where there is none of that name. */
export function codingSample(name: string): Uint8Array | undefined {
  return Object.hasOwn(SAMPLES, name) ? SAMPLES[name]!() : undefined;
}

function cut(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.length * 0.6));
}

const MEGABYTE = 1 << 20;
const bombs = new Map<string, Promise<Uint8Array>>();

/** `megabytes` of zeros in a coding: a few bytes or kilobytes on the wire. Kept once made. */
export function bomb(coding: "gzip" | "br" | "zstd", megabytes: number): Promise<Uint8Array> {
  const key = `${coding} ${megabytes}`;
  let made = bombs.get(key);
  if (made === undefined) {
    made = coding === "gzip" ? Promise.resolve(gzipBomb(megabytes)) : streamed(coding, megabytes);
    bombs.set(key, made);
    if (bombs.size > 16) bombs.delete(bombs.keys().next().value!);
  }
  return made;
}

/** One deflated megabyte, closed at a byte's edge, again and again: the stream is whole and its sum is right. */
function gzipBomb(megabytes: number): Uint8Array {
  const zeros = new Uint8Array(MEGABYTE);
  const block = deflateRawSync(zeros, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const out = new Uint8Array(10 + block.length * megabytes + 2 + 8);
  out.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  let at = 10;
  let sum = 0;
  for (let i = 0; i < megabytes; i++) {
    out.set(block, at);
    at += block.length;
    sum = crc32(zeros, sum);
  }
  out.set([3, 0], at);
  const v = new DataView(out.buffer, at + 2);
  v.setUint32(0, sum, true);
  v.setUint32(4, megabytes * MEGABYTE % 2 ** 32, true);
  return out;
}

async function streamed(coding: "br" | "zstd", megabytes: number): Promise<Uint8Array> {
  const encoder = coding === "br"
    ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
    : createZstdCompress();
  const parts: Uint8Array[] = [];
  encoder.on("data", (part) => parts.push(part));
  const ended = new Promise<void>((resolve, reject) => {
    encoder.on("end", resolve);
    encoder.on("error", reject);
  });
  const zeros = new Uint8Array(MEGABYTE);
  for (let i = 0; i < megabytes; i++) {
    if (!encoder.write(zeros)) await new Promise((resolve) => encoder.once("drain", resolve));
  }
  encoder.end();
  await ended;
  return concat(...parts);
}
