/**
 * One request and the means to answer it: whole, in pieces, late, or not at all.
 *
 * @module
 */

import type { RequestEntry } from "./_log.ts";
import type { Connection } from "./_http.ts";
import { figure } from "./traits.ts";
import type { HostState, Web } from "./_web.ts";

/** A request head, read. */
export interface Head {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** Fields by lower-cased name, the last of a repeated one. */
  readonly fields: ReadonlyMap<string, string>;
  /** Whether the client wants the connection closed. */
  readonly close: boolean;
  /** If-None-Match, else If-Modified-Since, else empty. */
  readonly ifNoneMatch: string;
  readonly userAgent: string;
  readonly host: HostState;
}

const encoder = new TextEncoder();

/** Header lines of an answer, `Name: value` each. */
export type Lines = readonly string[];

/** One request and the way to answer it. Every answer method says whether the connection may be kept. */
export class Exchange {
  readonly connection: Connection;
  readonly head: Head;
  readonly entry: RequestEntry;
  /** Path without its query, escapes of unreserved characters undone, dot segments removed. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Status that the log will show. */
  status = 0;

  constructor(connection: Connection, head: Head, entry: RequestEntry) {
    this.connection = connection;
    this.head = head;
    this.entry = entry;
    const url = URL.parse(head.path, "http://x.test/") ?? new URL("http://x.test/");
    this.path = safeDecode(url.pathname);
    this.query = url.searchParams;
  }

  get web(): Web {
    return this.connection.web;
  }

  get host(): HostState {
    return this.head.host;
  }

  /** `http://name:port` of this server for another host (or this one). */
  origin(host = this.host.name): string {
    return `${this.connection.scheme}://${host}:${this.connection.port}`;
  }

  /** Whether the host's traits want this answer to be the connection's last, and to say so. */
  get closing(): boolean {
    const t = this.host.traits;
    if (t.has("close")) return true;
    const keep = figure(t, "keep", 3);
    return keep !== undefined && (this.connection.answers + 1) % keep === 0;
  }

  /** The header lines that say so. */
  connectionLines(): string[] {
    return this.closing ? ["Connection: close"] : [];
  }

  /** A whole answer with a Content-Length. */
  answer(status: number, fields: Lines, body: Uint8Array | string = ""): Promise<boolean> {
    const bytes = typeof body === "string" ? encoder.encode(body) : body;
    const lines = [...fields, ...this.connectionLines()];
    const close = this.head.close || lines.some((l) => l.toLowerCase() === "connection: close");
    const bodiless = status === 304 || status === 204;
    let head = `HTTP/1.1 ${status} ${REASONS[status] ?? "Odd"}\r\nServer: local-web\r\n`;
    for (const l of lines) head += l + "\r\n";
    if (!bodiless) head += `Content-Length: ${bytes.length}\r\n`;
    head += "\r\n";
    return this.raw(
      status,
      concat(encoder.encode(head), bodiless ? new Uint8Array(0) : bytes),
      !close,
    );
  }

  html(status: number, lines: Lines, body: Uint8Array | string): Promise<boolean> {
    return this.answer(status, ["Content-Type: text/html; charset=utf-8", ...lines], body);
  }

  redirect(status: number, location: string, lines: Lines = []): Promise<boolean> {
    return this.html(
      status,
      [`Location: ${location}`, ...lines],
      `<html><body>Moved <a href="${location}">here</a>.</body></html>\n`,
    );
  }

  /** Bytes as they are, and the end of the answer. */
  async raw(status: number, bytes: Uint8Array | string, keep: boolean): Promise<boolean> {
    this.status = status;
    this.finish();
    await this.connection.write(typeof bytes === "string" ? encoder.encode(bytes) : bytes);
    return keep;
  }

  /** A piece of an answer that is not its last. */
  async piece(bytes: Uint8Array | string): Promise<void> {
    await this.connection.write(typeof bytes === "string" ? encoder.encode(bytes) : bytes);
  }

  /** Notes the end of the answer in the log; called before the last bytes go out. */
  finish(): void {
    this.web.log.end(this.entry, this.host.count, this.connection.address, this.status);
  }

  /** False once the client is gone, true after `ms`. */
  wait(ms: number): Promise<boolean> {
    return this.connection.wait(ms);
  }

  /** Says nothing until the client goes. */
  async hold(): Promise<false> {
    await this.connection.hold();
    return false;
  }

  /** Bytes one by one, `ms` apart; gives up when the client goes. */
  async drip(bytes: Uint8Array | string, ms: number): Promise<boolean> {
    const all = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
    for (let i = 0; i < all.length; i++) {
      if (!await this.wait(ms)) return false;
      if (i === all.length - 1) this.finish();
      await this.connection.write(all.subarray(i, i + 1));
    }
    return true;
  }
}

/** Joins byte arrays. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let n = 0;
  for (const p of parts) n += p.length;
  const all = new Uint8Array(n);
  n = 0;
  for (const p of parts) {
    all.set(p, n);
    n += p.length;
  }
  return all;
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Escapes that are no UTF-8: the path as it was sent.
    return path;
  }
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  204: "No Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  403: "Forbidden",
  404: "Not Found",
  410: "Gone",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
