/** What the local hub answers to who writes: creating, listing, uploading, committing. */

import type { HubRequest, Reply } from "./_hub_http.ts";
import { HubRepoState, type LargeFile } from "./_hub_repo.ts";
import type { HubStore } from "./_hub_store.ts";
import { type HubFile, json } from "./hub.ts";

/** What a request is about. */
export type HubVerb =
  | "create"
  | "head"
  | "tree"
  | "paths"
  | "preupload"
  | "batch"
  | "verify"
  | "complete"
  | "commit";

/** A request, and what it is about. */
export interface HubCall {
  readonly verb: HubVerb;
  /** `owner/name`; empty where the request names none. */
  readonly repo: string;
  /** Commit or branch. */
  readonly revision: string;
  /** Folder or upload. */
  readonly path: string;
}

/** What the calls act on. */
export interface HubWorld {
  readonly repos: Map<string, HubRepoState>;
  readonly store: HubStore;
  readonly url: string;
  readonly cdnUrl: string;
  readonly signature: number;
  /** Most entries of a page of a listing. */
  readonly pageSize: number;
  /** From this size on files are taken in pieces of this size. */
  readonly chunk: number;
}

/** Tells what a request is about; undefined where it is none of these. */
export function hubCall(method: string, url: URL): HubCall | undefined {
  const path = decodeURIComponent(url.pathname);
  const call = (verb: HubVerb, repo = "", revision = "main", path = ""): HubCall => ({
    verb,
    repo,
    revision,
    path,
  });
  if (method === "POST" && path === "/api/repos/create") return call("create");
  if (method === "POST" && path === "/api/complete_multipart") {
    return call("complete", "", "main", url.searchParams.get("uploadId") ?? "");
  }
  const lfs = /^\/datasets\/([^/]+\/[^/]+)\.git\/info\/lfs\/objects\/(batch|verify)$/.exec(path);
  if (method === "POST" && lfs !== null) return call(lfs[2] as "batch" | "verify", lfs[1]);
  const api =
    /^\/api\/datasets\/([^/]+\/[^/]+)\/(revision|tree|paths-info|preupload|commit)\/([^/]+)(?:\/(.+))?$/
      .exec(path);
  if (api === null) return undefined;
  const [, repo, what, revision, rest = ""] = api;
  const verbs = { revision: "head", tree: "tree", "paths-info": "paths" } as const;
  const verb = verbs[what as keyof typeof verbs] ?? (what as "preupload" | "commit");
  const wanted = verb === "head" || verb === "tree" ? "GET" : "POST";
  return method === wanted ? call(verb, repo, revision, rest) : undefined;
}

/** Does what is asked. Whether who asks may is settled before. */
export async function answerCall(
  call: HubCall,
  request: HubRequest,
  world: HubWorld,
): Promise<Reply> {
  const { repos, store } = world;
  if (call.verb === "create") return create(await bodyOf(request), repos);
  if (call.verb === "complete") return await store.complete(call.path, await bodyOf(request));
  const repo = repos.get(call.repo);
  if (repo === undefined) return json(404, { error: "Repository not found" });
  switch (call.verb) {
    case "head":
      return json(200, { id: call.repo, sha: repo.head });
    case "tree":
      return tree(call, request, repo, world);
    case "paths": {
      if (repo.filesOf(call.revision) === undefined) return json(404, { error: "Invalid rev id" });
      const { paths } = await bodyOf(request) as { paths: string[] };
      if (paths.length > 1000) return json(400, { error: "too many paths" });
      const found = paths.map((path) => repo.entry(call.revision, path));
      return json(200, found.filter((entry) => entry !== undefined));
    }
    case "preupload": {
      const { files } = await bodyOf(request) as { files: { path: string }[] };
      return json(200, {
        files: files.map(({ path }) => ({
          path,
          uploadMode: path.endsWith(".parquet") ? "lfs" : "regular",
          shouldIgnore: false,
        })),
      });
    }
    case "batch": {
      const { objects } = await bodyOf(request) as { objects: { oid: string; size: number }[] };
      return json(200, {
        transfer: "basic",
        objects: objects.map((object) => ({
          ...object,
          ...(store.get(object.oid) === undefined
            ? {
              actions: store.actions(object, {
                ...world,
                base: world.cdnUrl,
                hub: world.url,
                repo: call.repo,
              }),
            }
            : {}),
        })),
      }, "application/vnd.git-lfs+json");
    }
    case "verify": {
      const { oid, size } = await bodyOf(request) as { oid: string; size: number };
      const there = store.get(oid) !== undefined && store.size(oid) === size;
      return there ? json(200, {}) : json(404, { error: "The object does not exist" });
    }
    case "commit":
      return await commit(request, repo, world);
  }
}

function create(body: unknown, repos: Map<string, HubRepoState>): Reply {
  const { organization, name, type, visibility } = body as Record<string, string>;
  if (type !== "dataset" || !organization || !name) return json(400, { error: "Invalid repo" });
  const id = `${organization}/${name}`;
  if (repos.has(id)) return json(409, { error: "You already created this dataset repo" });
  repos.set(id, new HubRepoState(visibility === "private"));
  return json(200, { id, name: id });
}

function tree(call: HubCall, request: HubRequest, repo: HubRepoState, world: HubWorld): Reply {
  const files = repo.filesOf(call.revision);
  if (files === undefined) return json(404, { error: "Invalid rev id" });
  const prefix = `${call.path}/`;
  const inside = [...files.keys()].filter((path) =>
    path.startsWith(prefix) && !path.slice(prefix.length).includes("/")
  ).sort();
  if (inside.length === 0) return json(404, { error: `${call.path} does not exist` });
  const url = new URL(request.target, world.url);
  const from = Number(url.searchParams.get("cursor") ?? 0);
  const page = inside.slice(from, from + world.pageSize);
  const reply = json(200, page.map((path) => repo.entry(call.revision, path)));
  if (from + page.length >= inside.length) return reply;
  url.searchParams.set("cursor", String(from + page.length));
  return { ...reply, headers: { ...reply.headers, link: `<${url.href}>; rel="next"` } };
}

async function commit(request: HubRequest, repo: HubRepoState, world: HubWorld): Promise<Reply> {
  if (request.headers.get("content-type") !== "application/x-ndjson") {
    return json(400, { error: "Invalid content type" });
  }
  const lines = (await textOf(request)).split("\n").filter((line) => line !== "");
  let header: { summary?: string; parentCommit?: string } = {};
  const added = new Map<string, { file: HubFile; large?: LargeFile }>();
  for (const line of lines) {
    const { key, value } = JSON.parse(line);
    if (key === "header") header = value;
    else if (key === "file") {
      added.set(value.path, { file: Uint8Array.fromBase64(value.content) });
    } else if (key === "lfsFile") {
      const file = world.store.get(value.oid);
      if (file === undefined || world.store.size(value.oid) !== value.size) {
        return json(400, { error: "LFS pointer pointed to a file that does not exist" });
      }
      added.set(value.path, { file, large: { oid: value.oid, size: value.size } });
    } else return json(400, { error: `Unknown key ${key}` });
  }
  if (!header.summary) return json(400, { error: "Summary is required" });
  if (header.parentCommit !== undefined && header.parentCommit !== repo.head) {
    return json(412, { error: "A commit has happened since. Please refresh and try again." });
  }
  const { oid } = repo.commit(header.summary, added);
  return json(200, { success: true, commitOid: oid, commitUrl: `${world.url}/commit/${oid}` });
}

async function bodyOf(request: HubRequest): Promise<unknown> {
  return JSON.parse(await textOf(request));
}

async function textOf(request: HubRequest): Promise<string> {
  const decoder = new TextDecoder();
  let body = "";
  for await (const piece of request.body()) body += decoder.decode(piece, { stream: true });
  return body + decoder.decode();
}
