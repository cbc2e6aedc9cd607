/**
 * A dataset hub on loopback, with the host that it redirects to for the bytes of files, and everything
 * that goes wrong with either. It runs in the process of its caller, and counts what is asked of it.
 *
 * @module
 */

import { answerCall, type HubCall, hubCall, type HubVerb } from "./_hub_api.ts";
import { type HubRequest, listenHttp, type Reply } from "./_hub_http.ts";
import { type HubCommit, HubRepoState } from "./_hub_repo.ts";
import { HubStore } from "./_hub_store.ts";

/** A file: its bytes, or the path of a file on disk. */
export type HubFile = Uint8Array | string;

/** What a request is to. */
export type HubTarget = "api" | "resolve" | "cdn" | "put" | HubVerb;

/** Which requests something is about. */
export interface HubFilter {
  /**
   * `api` for the list of a repo's files, `resolve` for the hub's answer about a file, `cdn` for the
   * file's bytes, `put` for bytes that are sent to the store; the others as the hub's API calls them.
   */
  readonly to?: HubTarget;
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
    | {
      readonly kind: "status";
      readonly status: number;
      readonly retryAfter?: string;
      /** What it says. */
      readonly error?: string;
      /** What was asked for is done all the same. */
      readonly done?: boolean;
    }
    /** Ends the connection behind that many bytes of what is sent to the store. */
    | { readonly kind: "cut-request"; readonly bytes: number }
    /** Ends the connection behind that many bytes of the body; before the head for -1. */
    | { readonly kind: "cut"; readonly bytes: number }
    /** Sends that many bytes of the body, and then nothing more. */
    | { readonly kind: "stall"; readonly bytes: number }
    /** Does nothing and says nothing until {@linkcode LocalHub.heal}, and then ends the connection. */
    | { readonly kind: "silent" }
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
  readonly to: HubTarget | "other";
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

/** Options of {@linkcode startHub}. */
export interface HubOptions {
  /** The one token that private repos take, and that may write. */
  readonly token?: string;
  /** One that may read private repos, and not write. */
  readonly readToken?: string;
  /** Most entries of a page of a listing. @default 50 */
  readonly pageSize?: number;
  /** From this size on files are taken in pieces of this size. @default 16 MiB */
  readonly chunk?: number;
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
  readonly #repos = new Map<string, HubRepoState>();
  readonly #store = new HubStore();
  readonly #faults: { fault: HubFault; seen: number }[] = [];
  readonly #servers: readonly AsyncDisposable[];
  #signature = 1;
  #healed = Promise.withResolvers<void>();

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
    if (repo === undefined) this.#repos.set(name, new HubRepoState(options.private ?? false));
    else repo.private = options.private ?? repo.private;
  }

  /** Whether there is a repo, and whether it is private. */
  look(name: string): { private: boolean } | undefined {
    const repo = this.#repos.get(name);
    return repo && { private: repo.private };
  }

  /** Commits of a repo, in order. */
  commits(name: string): readonly HubCommit[] {
    return this.#repos.get(name)?.commits ?? [];
  }

  /** Paths that a repo has, in order. */
  paths(name: string): string[] {
    return [...this.#repos.get(name)?.files.keys() ?? []].sort();
  }

  /** A file of a repo: its bytes, or the path of a file on disk. */
  file(repo: string, path: string): HubFile | undefined {
    return this.#repos.get(repo)?.files.get(path);
  }

  /** The text of one. */
  text(repo: string, path: string): string {
    const file = this.file(repo, path);
    if (file === undefined) throw new Error(`${repo} has no ${path}`);
    return typeof file === "string" ? Deno.readTextFileSync(file) : new TextDecoder().decode(file);
  }

  /** Bytes that the store has taken. */
  get taken(): number {
    return this.#store.taken;
  }

  /** Forgets what is in the store and in no commit. */
  collect(oid: string): void {
    this.#store.forget(oid);
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
    this.#healed.resolve();
    this.#healed = Promise.withResolvers();
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
    this.heal();
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
    this.#store[Symbol.dispose]();
  }

  async #hub(request: HubRequest): Promise<Reply> {
    const url = new URL(request.target, this.url);
    const call = hubCall(request.method, url);
    if (call !== undefined) return await this.#call(call, request);
    const api = /^\/api\/datasets\/([^/]+\/[^/]+)$/.exec(url.pathname);
    const resolve = /^\/datasets\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(url.pathname);
    const path = resolve === null ? "" : decodeURIComponent(resolve[3]!);
    const entry = this.#enter(request, api ? "api" : resolve ? "resolve" : "other", path);
    const name = decodeURIComponent((api ?? resolve)?.[1] ?? "");
    return await this.#spoil(entry, () => {
      const refusal = this.#refusal(request, name, false);
      if (refusal !== undefined) return refusal;
      const repo = this.#repos.get(name)!;
      if (api !== null) {
        return json(200, {
          id: name,
          sha: repo.head,
          private: repo.private,
          siblings: [...repo.files.keys()].map((rfilename) => ({ rfilename })),
        });
      }
      const file = repo.filesOf(resolve?.[2] ?? "")?.get(path);
      if (resolve === null || file === undefined || repo.missing.has(path)) {
        return json(404, { error: "Entry not found" });
      }
      const size = sizeOf(file);
      const etag = `"${name}/${path}-${size}"`;
      if (this.#options.redirect === false) return serve(request, file, size, etag);
      const target = `${this.cdnUrl}/${name}/${
        encodeURIComponent(path)
      }?signature=${this.#signature}&revision=${resolve[2]}`;
      return {
        status: 302,
        headers: {
          location: target,
          "x-linked-size": String(size),
          "x-linked-etag": etag,
          "x-repo-commit": repo.head,
        },
        body: text(`Found. Redirecting to ${target}`),
      };
    });
  }

  async #call(call: HubCall, request: HubRequest): Promise<Reply> {
    const entry = this.#enter(request, call.verb, call.path);
    const writes = !["head", "tree", "paths"].includes(call.verb);
    return await this.#spoil(entry, async () => {
      const signature = new URL(request.target, this.url).searchParams.get("signature");
      const refusal = call.verb === "create"
        ? this.#tokenRefusal(request, writes)
        : call.verb !== "complete"
        ? this.#refusal(request, call.repo, writes)
        : signature === String(this.#signature)
        ? undefined
        : json(403, { error: "Request has expired" });
      return refusal ?? await answerCall(call, request, {
        repos: this.#repos,
        store: this.#store,
        url: this.url,
        cdnUrl: this.cdnUrl,
        signature: this.#signature,
        pageSize: this.#options.pageSize ?? 50,
        chunk: this.#options.chunk ?? 16 << 20,
      });
    });
  }

  /** Why who asks may not; undefined where they may. */
  #refusal(request: HubRequest, name: string, writes: boolean): Reply | undefined {
    const refusal = this.#tokenRefusal(request, writes);
    if (refusal !== undefined) return refusal;
    const repo = this.#repos.get(name);
    const known = request.headers.has("authorization");
    // The real one tells nobody without a token whether a repo is there.
    if (repo === undefined) return json(known ? 404 : 401, { error: "Repository not found" });
    return repo.private && !known ? json(401, { error: "Repository not found" }) : undefined;
  }

  #tokenRefusal(request: HubRequest, writes: boolean): Reply | undefined {
    const { token, readToken } = this.#options;
    const given = request.headers.get("authorization");
    if (given === undefined) return writes ? json(401, { error: "Unauthorized" }) : undefined;
    if (token !== undefined && given === `Bearer ${token}`) return undefined;
    if (readToken === undefined || given !== `Bearer ${readToken}`) {
      return json(401, { error: "Invalid credentials in Authorization header" });
    }
    const error = "You don't have the rights to write to this repo";
    return writes ? json(403, { error }) : undefined;
  }

  async #cdn(request: HubRequest): Promise<Reply> {
    const url = new URL(request.target, "http://cdn");
    const [owner, name, path] = url.pathname.slice(1).split("/").map(decodeURIComponent);
    const puts = request.method === "PUT";
    const entry = this.#enter(request, puts ? "put" : "cdn", path ?? "");
    return await this.#spoil(entry, async (fault) => {
      // Object stores refuse a request that is both signed and authorized.
      if (request.headers.has("authorization")) {
        return { status: 400, headers: {}, body: text("Only one auth mechanism allowed") };
      }
      if (url.searchParams.get("signature") !== String(this.#signature)) {
        return { status: 403, headers: {}, body: text("Request has expired") };
      }
      if (puts) return await this.#store.put(request, url.pathname.slice(1), fault);
      const revision = url.searchParams.get("revision") ?? "main";
      const file = this.#repos.get(`${owner}/${name}`)?.filesOf(revision)?.get(path ?? "");
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
  async #spoil(
    entry: HubEntry,
    answer: (fault?: HubFault) => Reply | Promise<Reply>,
    request?: HubRequest,
  ): Promise<Reply> {
    const found = this.#faults.find((f) => {
      if (!matches(f.fault, entry)) return false;
      const { after = 0, times = Infinity } = f.fault;
      return ++f.seen > after && f.seen <= after + times;
    });
    const reply = await this.#reply(found?.fault, answer, request);
    entry.status = reply.status;
    return { ...reply, onSent: (bytes) => entry.bytes += bytes };
  }

  async #reply(
    fault: HubFault | undefined,
    answer: (fault?: HubFault) => Reply | Promise<Reply>,
    request?: HubRequest,
  ): Promise<Reply> {
    switch (fault?.kind) {
      case undefined:
        return await answer();
      case "status": {
        const { status, retryAfter: after, error, done } = fault;
        if (done) await answer();
        const reply = error === undefined
          ? { status, headers: {}, body: text("no") }
          : json(status, { error });
        const headers = after === undefined ? {} : { "retry-after": after };
        return { ...reply, headers: { ...reply.headers, ...headers } };
      }
      case "silent":
        await this.#healed.promise;
        return { status: 503, headers: {}, body: text(""), fault: { kind: "cut", bytes: -1 } };
      case "redirect":
        return { status: 302, headers: { location: fault.location }, body: text("there") };
      case "ignore-range":
        request?.headers.delete("range");
        return await answer();
      case "wrong-range": {
        const range = /^bytes=(\d+)-(\d+)$/.exec(request?.headers.get("range") ?? "");
        if (range !== null) {
          request!.headers.set("range", `bytes=${Number(range[1]) + 1}-${Number(range[2]) + 1}`);
        } else request?.headers.set("range", "bytes=0-3");
        return await answer();
      }
      default:
        return { ...await answer(fault), fault };
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

/** An answer of JSON. */
export function json(
  status: number,
  value: unknown,
  type = "application/json; charset=utf-8",
): Reply {
  return { status, headers: { "content-type": type }, body: text(JSON.stringify(value)) };
}

/** A store's refusal. */
export function errorText(status: number, why: string): Reply {
  return { status, headers: {}, body: text(why) };
}

/** A body of text. */
export function text(value: string): { bytes: Uint8Array; start: number; end: number } {
  const bytes = new TextEncoder().encode(value);
  return { bytes, start: 0, end: bytes.length };
}

/** Bytes of a file. */
export function sizeOf(file: HubFile): number {
  return typeof file === "string" ? Deno.statSync(file).size : file.length;
}

/** A file, or the range of it that was asked for. */
export function serve(request: HubRequest, file: HubFile, size: number, etag: string): Reply {
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
