/**
 * A dataset hub on loopback, with the host that it redirects to for the bytes of files, and everything
 * that goes wrong with either. It runs in the process of its caller, and counts what is asked of it.
 *
 * @module
 */

import { type HubRequest, listenHttp, type Reply } from "./_hub_http.ts";

/** A file: its bytes, or the path of a file on disk. */
export type HubFile = Uint8Array | string;

/** Which requests something is about. */
export interface HubFilter {
  /** `api` for listings, `resolve` for the hub's answer about a file, `cdn` for the file's bytes. */
  readonly to?: "api" | "resolve" | "cdn";
  /** Path of the file in its repo. */
  readonly path?: string;
}

/** What goes wrong. */
export type HubFault =
  & HubFilter
  & {
    /** Requests it happens to; the ones after are answered as they should be. @default for ever */
    readonly times?: number;
    /** Requests that are answered as they should be before it begins. @default 0 */
    readonly after?: number;
  }
  & (
    | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string }
    /** Ends the connection behind that many bytes of the body; before the head for -1. */
    | { readonly kind: "cut"; readonly bytes: number }
    /** Sends that many bytes of the body, and then nothing more. */
    | { readonly kind: "stall"; readonly bytes: number }
    /** Sends the body in pieces of 16 KiB, that many ms apart. */
    | { readonly kind: "slow"; readonly ms: number }
    /** Answers 200 and the whole file. */
    | { readonly kind: "ignore-range" }
    /** Answers 206 and a range one byte further on than was asked for. */
    | { readonly kind: "wrong-range" }
    | { readonly kind: "redirect"; readonly location: string }
  );

/** A request that came, and what became of it. */
export interface HubEntry {
  readonly to: "api" | "resolve" | "cdn" | "other";
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Path of the file in its repo. */
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
  status: number;
  /** Bytes of the body that were sent. */
  bytes: number;
}

interface Repo {
  readonly files: Map<string, HubFile>;
  readonly missing: Set<string>;
  private: boolean;
}

/** Options of {@linkcode startHub}. */
export interface HubOptions {
  /** The one token that private repos take. */
  readonly token?: string;
  /** Whether files come from another host by redirect. @default true */
  readonly redirect?: boolean;
}

/** The running hub. */
export class LocalHub implements AsyncDisposable {
  /** Base URL, for HF_ENDPOINT. */
  readonly url: string;
  /** Base URL of the host that has the bytes. */
  readonly cdnUrl: string;
  /** Every request since the last {@linkcode reset}, as it came. */
  readonly log: HubEntry[] = [];
  readonly #options: HubOptions;
  readonly #repos = new Map<string, Repo>();
  readonly #faults: { fault: HubFault; seen: number }[] = [];
  readonly #servers: readonly AsyncDisposable[];
  #signature = 1;

  /** Use {@linkcode startHub}. */
  constructor(options: HubOptions) {
    this.#options = options;
    const hub = listenHttp((request) => this.#hub(request));
    // Another name of this machine, so that it is another host as well as another port.
    const cdn = listenHttp((request) => this.#cdn(request));
    this.url = `http://127.0.0.1:${hub.port}`;
    this.cdnUrl = `http://localhost:${cdn.port}`;
    this.#servers = [hub, cdn];
  }

  /** Makes a repo, or makes it private. */
  repo(name: string, options: { private?: boolean } = {}): void {
    const repo = this.#repos.get(name);
    if (repo === undefined) {
      this.#repos.set(name, {
        files: new Map(),
        missing: new Set(),
        private: options.private ?? false,
      });
    } else repo.private = options.private ?? repo.private;
  }

  /** Puts a file into a repo, which is made if there is none. */
  put(repo: string, path: string, file: HubFile): void {
    this.repo(repo);
    this.#repos.get(repo)!.files.set(path, file);
  }

  /** Takes a file away. It stays listed with `listed`, as while a publisher is at work. */
  remove(repo: string, path: string, options: { listed?: boolean } = {}): void {
    const { files, missing } = this.#repos.get(repo)!;
    if (options.listed) missing.add(path);
    else files.delete(path);
  }

  /** Makes requests fail; of several faults that are about a request the first counts. */
  fault(fault: HubFault): void {
    this.#faults.push({ fault, seen: 0 });
  }

  /** Ends all faults. */
  heal(): void {
    this.#faults.length = 0;
  }

  /** Makes the addresses given so far run out, as signed ones do. */
  expire(): void {
    this.#signature++;
  }

  /** Forgets the requests. */
  reset(): void {
    this.log.length = 0;
  }

  /** Requests, and bytes of bodies sent, since the last {@linkcode reset}. */
  count(filter: HubFilter = {}): { requests: number; bytes: number } {
    let requests = 0;
    let bytes = 0;
    for (const entry of this.log) {
      if (!matches(filter, entry)) continue;
      requests++;
      bytes += entry.bytes;
    }
    return { requests, bytes };
  }

  /** Stops listening and ends every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
  }

  async #hub(request: HubRequest): Promise<Reply> {
    const { pathname } = new URL(request.target, "http://hub");
    const api = /^\/api\/datasets\/([^/]+\/[^/]+)$/.exec(pathname);
    const resolve = /^\/datasets\/([^/]+\/[^/]+)\/resolve\/main\/(.+)$/.exec(pathname);
    const path = resolve === null ? "" : decodeURIComponent(resolve[2]!);
    const entry = this.#enter(request, api ? "api" : resolve ? "resolve" : "other", path);
    const name = decodeURIComponent((api ?? resolve)?.[1] ?? "");
    const repo = this.#repos.get(name);
    const authorized = this.#options.token !== undefined &&
      request.headers.get("authorization") === `Bearer ${this.#options.token}`;
    return await this.#spoil(entry, () => {
      if (request.headers.has("authorization") && !authorized) {
        return json(401, { error: "Invalid credentials in Authorization header" });
      }
      // The real one tells nobody without a token whether a repo is there.
      if (repo === undefined) {
        return json(authorized ? 404 : 401, { error: "Repository not found" });
      }
      if (repo.private && !authorized) return json(401, { error: "Repository not found" });
      if (api !== null) {
        return json(200, {
          id: name,
          sha: "0".repeat(40),
          private: repo.private,
          siblings: [...repo.files.keys()].map((rfilename) => ({ rfilename })),
        });
      }
      const file = repo.files.get(path);
      if (resolve === null || file === undefined || repo.missing.has(path)) {
        return json(404, { error: "Entry not found" });
      }
      const size = sizeOf(file);
      const etag = `"${name}/${path}-${size}"`;
      if (this.#options.redirect === false) return serve(request, file, size, etag);
      const target = `${this.cdnUrl}/${name}/${
        encodeURIComponent(path)
      }?signature=${this.#signature}`;
      return {
        status: 302,
        headers: {
          location: target,
          "x-linked-size": String(size),
          "x-linked-etag": etag,
          "x-repo-commit": "0".repeat(40),
        },
        body: text(`Found. Redirecting to ${target}`),
      };
    });
  }

  async #cdn(request: HubRequest): Promise<Reply> {
    const url = new URL(request.target, "http://cdn");
    const [owner, name, path] = url.pathname.slice(1).split("/").map(decodeURIComponent);
    const entry = this.#enter(request, "cdn", path ?? "");
    return await this.#spoil(entry, () => {
      // Object stores refuse a request that is both signed and authorized.
      if (request.headers.has("authorization")) {
        return { status: 400, headers: {}, body: text("Only one auth mechanism allowed") };
      }
      if (url.searchParams.get("signature") !== String(this.#signature)) {
        return { status: 403, headers: {}, body: text("Request has expired") };
      }
      const file = this.#repos.get(`${owner}/${name}`)?.files.get(path ?? "");
      if (file === undefined) return { status: 404, headers: {}, body: text("NoSuchKey") };
      const size = sizeOf(file);
      return serve(request, file, size, `"${owner}/${name}/${path}-${size}"`);
    }, request);
  }

  #enter(request: HubRequest, to: HubEntry["to"], path: string): HubEntry {
    const entry: HubEntry = {
      to,
      method: request.method,
      target: request.target,
      path,
      range: request.headers.get("range"),
      authorization: request.headers.get("authorization"),
      status: 0,
      bytes: 0,
    };
    this.log.push(entry);
    return entry;
  }

  /** Answers as it should be, or as a fault has it. */
  async #spoil(entry: HubEntry, answer: () => Reply, request?: HubRequest): Promise<Reply> {
    const found = this.#faults.find((f) => {
      if (!matches(f.fault, entry)) return false;
      const { after = 0, times = Infinity } = f.fault;
      return ++f.seen > after && f.seen <= after + times;
    });
    const reply = await this.#reply(found?.fault, answer, request);
    entry.status = reply.status;
    return { ...reply, onSent: (bytes) => entry.bytes += bytes };
  }

  #reply(fault: HubFault | undefined, answer: () => Reply, request?: HubRequest): Reply {
    switch (fault?.kind) {
      case undefined:
        return answer();
      case "status": {
        const after = fault.retryAfter;
        const headers = after === undefined ? {} : { "retry-after": after };
        return { status: fault.status, headers, body: text("no") };
      }
      case "redirect":
        return { status: 302, headers: { location: fault.location }, body: text("there") };
      case "ignore-range":
        request?.headers.delete("range");
        return answer();
      case "wrong-range": {
        const range = /^bytes=(\d+)-(\d+)$/.exec(request?.headers.get("range") ?? "");
        if (range !== null) {
          request!.headers.set("range", `bytes=${Number(range[1]) + 1}-${Number(range[2]) + 1}`);
        } else request?.headers.set("range", "bytes=0-3");
        return answer();
      }
      default:
        return { ...answer(), fault };
    }
  }
}

/** Starts a hub with nothing in it. */
export function startHub(options: HubOptions = {}): LocalHub {
  return new LocalHub(options);
}

function matches(filter: HubFilter, entry: HubEntry): boolean {
  return (filter.to === undefined || filter.to === entry.to) &&
    (filter.path === undefined || filter.path === entry.path);
}

function json(status: number, value: unknown): Reply {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: text(JSON.stringify(value)),
  };
}

function text(value: string): { bytes: Uint8Array; start: number; end: number } {
  const bytes = new TextEncoder().encode(value);
  return { bytes, start: 0, end: bytes.length };
}

function sizeOf(file: HubFile): number {
  return typeof file === "string" ? Deno.statSync(file).size : file.length;
}

/** A file, or the range of it that was asked for. */
function serve(request: HubRequest, file: HubFile, size: number, etag: string): Reply {
  const headers = { etag, "accept-ranges": "bytes", "content-type": "application/octet-stream" };
  const body = (start: number, end: number) =>
    typeof file === "string" ? { file, start, end } : { bytes: file, start, end };
  const range = request.headers.get("range");
  const match = /^bytes=(\d*)-(\d*)$/.exec(range ?? "");
  if (match === null || (match[1] === "" && match[2] === "")) {
    return { status: 200, headers, body: body(0, size) };
  }
  const start = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? size : Math.min(size, Number(match[2]) + 1);
  if (start >= end) {
    return { status: 416, headers: { "content-range": `bytes */${size}` }, body: text("") };
  }
  return {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${start}-${end - 1}/${size}` },
    body: body(start, end),
  };
}
