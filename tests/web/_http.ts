/**
 * The data path: accepts connections, reads requests with a parser that does only what is needed, and hands
 * them on. Pages of well-behaved hosts are answered here with one write.
 *
 * @module
 */

import { isNetworkError, serveAdmitted } from "./_accept.ts";
import { type AddressCount, type RequestEntry } from "./_log.ts";
import { Exchange, type Head } from "./_exchange.ts";
import { answer } from "./_routes.ts";
import type { Web } from "./_web.ts";

const HEAD_MAX = 64 * 1024;

/** One connection and its unread bytes. */
export class Connection {
  readonly id: number;
  readonly web: Web;
  readonly scheme: "http" | "https";
  readonly ip: string;
  readonly port: number;
  readonly address: AddressCount;
  readonly raw: Deno.Conn;
  /** Answers sent so far. */
  answers = 0;
  gone = false;
  #buffer = new Uint8Array(2048);
  #from = 0;
  #to = 0;
  #pending: Promise<boolean> | undefined;
  #rest: Uint8Array = new Uint8Array(0);
  #head: Head | undefined;

  constructor(web: Web, raw: Deno.Conn, scheme: "http" | "https", ip: string, port: number) {
    this.id = ++web.stats.connections;
    this.web = web;
    this.raw = raw;
    this.scheme = scheme;
    this.ip = ip;
    this.port = port;
    this.address = web.log.address(ip);
  }

  /** Answers requests until the connection ends. */
  async run(): Promise<void> {
    const web = this.web;
    try {
      for (;;) {
        const head = await this.#next();
        if (head === undefined) break;
        const host = head.host;
        if (this.answers === 0) host.count.connections++;
        const entry = web.log.begin(
          host.count,
          this.address,
          this.scheme,
          head.path,
          this.port,
          this.id,
          head.userAgent,
        );
        let keep: boolean;
        const page = host.plain && head.ifNoneMatch === "" ? pageNumber(head.path) : -1;
        if (page >= 0 && page < host.pages) {
          await this.#page(head, entry, page);
          keep = !head.close;
        } else {
          const x = new Exchange(this, head, entry);
          try {
            keep = await answer(x);
          } finally {
            web.log.end(entry, host.count, this.address, x.status);
          }
        }
        this.answers++;
        if (!keep) break;
      }
    } catch (error) {
      if (!isNetworkError(error)) throw error;
    } finally {
      this.close();
    }
  }

  close(): void {
    if (this.gone) return;
    this.gone = true;
    try {
      this.raw.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  /** Writes all of `bytes`. */
  async write(bytes: Uint8Array): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      done += await this.raw.write(done === 0 ? bytes : bytes.subarray(done));
    }
    this.web.stats.bytesOut += bytes.length;
  }

  /** Resolves with false once the client is gone, with true after `ms`, whichever comes first. */
  async wait(ms: number): Promise<boolean> {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slept = new Promise<true>((resolve) =>
      timer = setTimeout(() => {
        over = true;
        resolve(true);
      }, ms)
    );
    try {
      return await Promise.race([slept, this.#untilGone(() => over)]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves once the client is gone. */
  async hold(): Promise<void> {
    await this.#untilGone(() => false);
  }

  async #untilGone(over: () => boolean): Promise<false> {
    // What a client sends ahead is kept, within bounds.
    while (await this.#more() && !over());
    return false;
  }

  async #page(head: Head, entry: RequestEntry, page: number): Promise<void> {
    const { web } = this;
    const host = head.host;
    const out = web.maker.take(web.scenario.pageBytes);
    const used = web.maker.page(out, web.graphPage(host, page), host.look);
    web.log.end(entry, host.count, this.address, 200);
    try {
      await this.write(out.subarray(0, used));
    } finally {
      web.maker.release(out);
    }
  }

  /** Reads on; false at the end of the stream. One read at a time: whoever comes second waits for the first. */
  #more(): Promise<boolean> {
    return this.#pending ??= this.#read().finally(() => this.#pending = undefined);
  }

  async #read(): Promise<boolean> {
    if (this.#to === this.#buffer.length) {
      if (this.#from > 0) {
        this.#buffer.copyWithin(0, this.#from, this.#to);
        this.#to -= this.#from;
        this.#from = 0;
      } else if (this.#buffer.length < HEAD_MAX) {
        const bigger = new Uint8Array(this.#buffer.length * 4);
        bigger.set(this.#buffer);
        this.#buffer = bigger;
      } else return false;
    }
    let n: number | null;
    try {
      n = await this.raw.read(this.#buffer.subarray(this.#to));
    } catch (error) {
      if (isNetworkError(error)) return false;
      throw error;
    }
    if (n === null) return false;
    this.#to += n;
    this.web.stats.bytesIn += n;
    return true;
  }

  async #next(): Promise<Head | undefined> {
    if (this.#from === this.#to && this.#pending === undefined) this.#from = this.#to = 0;
    let scanned = 0;
    for (;;) {
      const end = headEnd(this.#buffer, this.#from + Math.max(0, scanned - 3), this.#to);
      if (end >= 0) {
        const head = this.#parse(this.#from, end);
        this.#from = end;
        return head;
      }
      scanned = this.#to - this.#from;
      const idle = scanned === 0 ? this.#idleMs() : 0;
      if (!(idle > 0 ? await this.#moreWithin(idle) : await this.#more())) return undefined;
    }
  }

  async #moreWithin(ms: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const idle = new Promise<false>((resolve) => timer = setTimeout(resolve, ms, false));
    try {
      return await Promise.race([this.#more(), idle]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Milliseconds that the connection may idle; 0 for ever. */
  #idleMs(): number {
    return this.#head?.host.idleMs ?? this.web.scenario.idleSeconds * 1000;
  }

  /** Reads a request head; its fields are taken from the last one where the bytes are the same. */
  #parse(from: number, end: number): Head | undefined {
    const b = this.#buffer;
    let i = from;
    while (i < end && b[i] !== 32) i++;
    const method = i - from === 3 && b[from] === 71 ? "GET" : text(b, from, i);
    const pathFrom = ++i;
    while (i < end && b[i] !== 32 && b[i] !== 10) i++;
    const path = text(b, pathFrom, i);
    const last = this.#head;
    const rest = b.subarray(i, end);
    if (last !== undefined && method === last.method && same(rest, this.#rest)) {
      return this.#head = { ...last, path };
    }
    this.#rest = rest.slice();
    const version10 = text(b, i, Math.min(i + 9, end)) === " HTTP/1.0";
    const fields = new Map<string, string>();
    for (const line of text(rest, 0, rest.length).split("\n").slice(1)) {
      const colon = line.indexOf(":");
      if (colon > 0) fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const connection = (fields.get("connection") ?? "").toLowerCase();
    return this.#head = {
      method,
      path,
      fields,
      close: connection === "close" || (version10 && connection !== "keep-alive"),
      ifNoneMatch: fields.get("if-none-match") ?? fields.get("if-modified-since") ?? "",
      userAgent: fields.get("user-agent") ?? "",
      host: this.web.host(fields.get("host") ?? this.ip),
    };
  }
}

/** Serves http on `listener` until it is closed. */
export function acceptAll(web: Web, listener: Deno.TcpListener): Promise<void> {
  return serveAdmitted(
    web,
    listener,
    (raw, ip, port) => new Connection(web, raw, "http", ip, port).run(),
  );
}

/** The number in `/p/123`, -1 for every other path. */
export function pageNumber(path: string): number {
  if (path.length < 4 || path.length > 12 || !path.startsWith("/p/")) return -1;
  let n = 0;
  for (let i = 3; i < path.length; i++) {
    const c = path.charCodeAt(i) - 48;
    if (c < 0 || c > 9) return -1;
    n = n * 10 + c;
  }
  return n;
}

/** Index behind the blank line that ends a head, or -1. */
function headEnd(b: Uint8Array, from: number, to: number): number {
  for (let i = b.indexOf(10, from); i >= 0 && i < to; i = b.indexOf(10, i + 1)) {
    if (i + 1 < to && b[i + 1] === 10) return i + 2;
    if (i + 2 < to && b[i + 1] === 13 && b[i + 2] === 10) return i + 3;
  }
  return -1;
}

/** Bytes as characters of the same number. */
function text(b: Uint8Array, from: number, to: number): string {
  if (to - from > 64) {
    return String.fromCharCode.apply(null, b.subarray(from, to) as unknown as number[]);
  }
  let s = "";
  for (let i = from; i < to; i++) s += String.fromCharCode(b[i]!);
  return s;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
