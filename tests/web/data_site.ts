/**
 * A data site on loopback: releases of the web graph with their rank tables, whatever other files, and
 * what goes wrong with them. It runs in the process of its caller, and logs what is asked of it.
 *
 * @module
 */

import { createGzip } from "node:zlib";
import { Readable } from "node:stream";
import { type HubRequest, listenHttp, type Reply } from "./_hub_http.ts";
import { type HubFault, type HubFile, serve, sizeOf } from "./hub.ts";

/** A request that came, and what became of it. */
export interface DataRequest {
  readonly path: string;
  readonly range: string | undefined;
  readonly userAgent: string | undefined;
  status: number;
  /** Bytes of the body that were sent. */
  bytes: number;
}

/** The running site. */
export class DataSite implements AsyncDisposable {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  /** Every request, as it came. */
  readonly log: DataRequest[] = [];
  readonly #files = new Map<string, HubFile>();
  readonly #faults: { fault: HubFault; seen: number }[] = [];
  readonly #server: AsyncDisposable;

  /** Use {@linkcode startDataSite}. */
  constructor() {
    const server = listenHttp((request) => Promise.resolve(this.#answer(request)));
    this.url = `http://127.0.0.1:${server.port}`;
    this.#server = server;
  }

  /** Puts a file at a path. */
  put(path: string, file: HubFile | string): void {
    this.#files.set(path, file);
  }

  /** Puts a page at a path. */
  page(path: string, html: string): void {
    this.put(path, new TextEncoder().encode(html));
  }

  /** Puts a release's rank table where the data site has it. */
  ranks(release: string, file: HubFile, kind: "host" | "domain" = "host"): string {
    const path = `/projects/hyperlinkgraph/${release}/${kind}/${release}-${kind}-ranks.txt.gz`;
    this.put(path, file);
    return path;
  }

  /** Makes requests fail; of several faults that are about a request the first counts. */
  fault(fault: HubFault): void {
    this.#faults.push({ fault, seen: 0 });
  }

  /** Bytes of bodies sent so far. */
  get sent(): number {
    return this.log.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Stops listening and ends every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #answer(request: HubRequest): Reply {
    const path = decodeURIComponent(new URL(request.target, "http://site").pathname);
    const entry: DataRequest = {
      path,
      range: request.headers.get("range"),
      userAgent: request.headers.get("user-agent"),
      status: 0,
      bytes: 0,
    };
    this.log.push(entry);
    const found = this.#faults.find((f) => {
      if (f.fault.path !== undefined && f.fault.path !== path) return false;
      const { after = 0, times = Infinity } = f.fault;
      return ++f.seen > after && f.seen <= after + times;
    })?.fault;
    let reply: Reply;
    const file = this.#files.get(path);
    if (found?.kind === "status") reply = short(found.status, "no", found.retryAfter);
    else if (file === undefined) reply = short(404, "there is no such file");
    else {
      if (found?.kind === "ignore-range") request.headers.delete("range");
      const size = sizeOf(file);
      reply = { ...serve(request, file, size, `"${path}-${size}"`), fault: found };
    }
    entry.status = reply.status;
    return { ...reply, onSent: (bytes) => entry.bytes += bytes };
  }
}

/** Starts a site with nothing on it. */
export function startDataSite(): DataSite {
  return new DataSite();
}

function short(status: number, text: string, retryAfter?: string): Reply {
  const bytes = new TextEncoder().encode(text);
  return {
    status,
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
    body: { bytes, start: 0, end: bytes.length },
  };
}

/** Lines of a rank table with that many hosts, as a release has it; the same for the same number. */
export function* rankLines(hosts: number): Generator<string, void, unknown> {
  yield "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n";
  let seed = 12_345;
  const random = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  const word = () => {
    let text = "";
    for (let left = 4 + Math.floor(random() * 8); left > 0; left--) {
      text += String.fromCharCode(97 + Math.floor(random() * 26));
    }
    return text;
  };
  for (let i = 1; i <= hosts; i++) {
    // Values of the top have an exponent in the published tables.
    const value = 3e7 / (1 + i / 1000) ** 0.15;
    const shown = value >= 1e7 ? `${(value / 1e7).toFixed(7)}E7` : value.toFixed(4);
    const top = SUFFIXES[Math.floor(random() * SUFFIXES.length)]!;
    const sub = random() < 0.4 ? ".www" : random() < 0.3 ? `.${word()}` : "";
    yield `${i}\t${shown}\t${1 + Math.floor(random() * hosts)}\t${
      (random() * 1e-7).toExponential(12)
    }\t${top}.${word()}${i.toString(36)}${sub}\n`;
  }
}

const SUFFIXES = ["com", "org", "net", "de", "uk.co", "fr", "jp", "ru", "io", "info"];

/** Writes lines to a gzip file, as so many members of one after the other. */
export async function writeGzip(
  path: string,
  lines: Iterable<string>,
  options: { readonly linesPerMember?: number; readonly level?: number } = {},
): Promise<void> {
  const { linesPerMember = Infinity, level = 6 } = options;
  const iterator = lines[Symbol.iterator]();
  let over = false;
  const member = function* () {
    let text = "";
    for (let count = 0; count < linesPerMember; count++) {
      const { done, value } = iterator.next();
      if (done) {
        over = true;
        break;
      }
      text += value;
      if (text.length >= 1 << 18) {
        yield text;
        text = "";
      }
    }
    yield text;
  };
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  while (!over) {
    const packed = Readable.from(member(), { objectMode: false }).pipe(createGzip({ level }));
    for await (const chunk of packed) {
      for (let at = 0; at < chunk.length;) at += await file.write(chunk.subarray(at));
    }
  }
}
