/**
 * A dataset repo of the hub, as a publisher reads and writes it.
 *
 * @module
 */

import {
  Again,
  bare,
  encodePath,
  type HubAnswer,
  type HubClient,
  HubConflictError,
  HubError,
  HubMissingError,
} from "../hub/mod.ts";

/** A file that a repo has. */
export interface RepoFile {
  /** Path in the repo. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** Git's name of what is in it (of a large file, of what stands for it). */
  readonly oid: string;
  /** Hex SHA-256 of a large file; undefined where it is kept as a small one. */
  readonly sha256: string | undefined;
}

/** A file that a commit adds or replaces. */
export type CommitFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly sha256: string; readonly size: number };

/** What a commit is made of. */
export interface NewCommit {
  /** Commit that it must follow; another one in between refuses it. */
  readonly parent: string;
  readonly summary: string;
  readonly files: readonly CommitFile[];
}

/** Most bytes of an answer of the API: a page of a listing, with room. */
const MAX_ANSWER = 32 << 20;
/** Paths asked about at once. */
const MAX_PATHS = 100;
/** Pages of a listing, and files in it. */
const MAX_PAGES = 1000, MAX_FILES = 100_000;
/** A large repo takes its time to make a commit. */
const COMMIT_PATIENCE = 4;
const BRANCH = "main";

/** A dataset repo. */
export class HubRepo {
  /** `owner/name`. */
  readonly name: string;
  readonly #client: HubClient;
  readonly #api: string;

  constructor(client: HubClient, name: string) {
    this.name = name;
    this.#client = client;
    this.#api = `${client.hub}/api/datasets/${encodePath(name)}`;
  }

  /** The client that it is asked by. */
  get client(): HubClient {
    return this.#client;
  }

  /** Where it can be looked at. */
  get url(): string {
    return `${this.#client.hub}/datasets/${this.name}`;
  }

  /**
   * The commit that the branch stands at.
   *
   * @returns Nothing where there is no such repo.
   * @throws {HubError} If the hub does not say.
   */
  async head(): Promise<string | undefined> {
    const url = `${this.#api}/revision/${BRANCH}?expand=sha`;
    try {
      const { sha } = await this.#json<{ sha?: unknown }>(url, {});
      if (!isCommit(sha)) throw strange(url, "no commit");
      return sha;
    } catch (error) {
      if (error instanceof HubMissingError) return undefined;
      throw error;
    }
  }

  /**
   * Makes the repo. That it is there already is no error.
   *
   * @throws {HubError} If the hub refuses.
   */
  async create(options: { readonly private: boolean }): Promise<void> {
    const [organization, name] = this.name.split("/");
    const body = {
      type: "dataset",
      name,
      organization,
      visibility: options.private ? "private" : "public",
    };
    try {
      await this.#client.ask(`${this.#client.hub}/api/repos/create`, {
        ...asJson(body),
        verb: `create the repo ${this.name} at`,
      }, () => Promise.resolve());
    } catch (error) {
      if (!(error instanceof HubConflictError)) throw error;
    }
  }

  /**
   * Which of these paths a commit has.
   *
   * @throws {HubError} If the hub does not say.
   */
  async files(paths: readonly string[], commit: string): Promise<Map<string, RepoFile>> {
    const found = new Map<string, RepoFile>();
    for (let at = 0; at < paths.length; at += MAX_PATHS) {
      const some = paths.slice(at, at + MAX_PATHS);
      const url = `${this.#api}/paths-info/${commit}`;
      const answer = await this.#json(url, asJson({ paths: some, expand: false }));
      for (const file of repoFiles(url, answer)) {
        if (some.includes(file.path)) found.set(file.path, file);
      }
    }
    return found;
  }

  /**
   * The files directly in a folder of a commit; none where there is no such folder.
   *
   * @throws {HubError} If the hub does not say.
   */
  async list(folder: string, commit: string): Promise<RepoFile[]> {
    const first = `${this.#api}/tree/${commit}/${encodePath(folder)}?recursive=false&expand=false`;
    const found: RepoFile[] = [];
    let url: string | undefined = first;
    for (let pages = 0; url !== undefined; pages++) {
      if (pages === MAX_PAGES) throw strange(first, "a listing without an end");
      const at: string = url;
      try {
        url = await this.#client.ask(at, {}, async (answer) => {
          for (const file of repoFiles(at, await readJson(at, answer))) found.push(file);
          if (found.length > MAX_FILES) throw strange(first, "a listing without an end");
          return nextPage(answer.response.headers.get("link"), at);
        });
      } catch (error) {
        if (pages === 0 && error instanceof HubMissingError) return [];
        throw error;
      }
    }
    return found;
  }

  /**
   * The text of a file of a commit.
   *
   * @throws {HubError} If the hub does not give it, or it has more than `most` bytes.
   */
  text(path: string, commit: string, most: number): Promise<string> {
    const url = `${this.#client.hub}/datasets/${encodePath(this.name)}/resolve/${commit}/${
      encodePath(path)
    }`;
    return this.#client.ask(url, {}, (answer) => readText(url, answer, most));
  }

  /**
   * Which of the files that are to be committed the hub wants as large ones. Asks for the right to
   * write before anything is sent.
   *
   * @throws {HubError} If the hub refuses.
   */
  async wantsLarge(files: readonly { path: string; size: number; sample: Uint8Array }[]): Promise<
    Set<string>
  > {
    const url = `${this.#api}/preupload/${BRANCH}`;
    const body = {
      files: files.map(({ path, size, sample }) => ({
        path,
        size,
        sample: sample.subarray(0, 512).toBase64(),
      })),
    };
    const answer = await this.#json<{ files?: unknown }>(url, {
      ...asJson(body),
      verb: "write to",
    });
    if (!Array.isArray(answer.files)) throw strange(url, "no files");
    const large = new Set<string>();
    for (const file of answer.files as { path?: unknown; uploadMode?: unknown }[]) {
      if (file?.uploadMode === "lfs" && typeof file.path === "string") large.add(file.path);
    }
    return large;
  }

  /**
   * Makes a commit, once: what became of it is for the caller to find out if it is not told.
   *
   * @returns Its id.
   * @throws {HubConflictError} If it was refused because there is another commit since.
   * @throws {Again} If it is not known whether it was made, or the hub wants to be asked later.
   * @throws {HubError} If the hub refuses it.
   */
  async commit({ parent, summary, files }: NewCommit): Promise<string> {
    const url = `${this.#api}/commit/${BRANCH}`;
    const lines = [
      { key: "header", value: { summary, description: "", parentCommit: parent } },
      ...files.map((file) =>
        "text" in file
          ? {
            key: "file",
            value: {
              path: file.path,
              content: new TextEncoder().encode(file.text).toBase64(),
              encoding: "base64",
            },
          }
          : {
            key: "lfsFile",
            value: { path: file.path, algo: "sha256", oid: file.sha256, size: file.size },
          }
      ),
    ];
    const request = {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: lines.map((line) => JSON.stringify(line)).join("\n"),
      patience: COMMIT_PATIENCE,
      verb: "commit to",
    } as const;
    return await this.#client.once(url, request, async (answer) => {
      const { commitOid } = await readJson(url, answer) as { commitOid?: unknown };
      if (!isCommit(commitOid)) {
        throw new Again("the answer names no commit", 0, undefined);
      }
      return commitOid;
    });
  }

  async #json<T = unknown>(
    url: string,
    request: Parameters<HubClient["ask"]>[1],
  ): Promise<T> {
    return await this.#client.ask(url, request, (answer) => readJson(url, answer)) as T;
  }
}

/** A body of JSON, as a request has it. */
export function asJson(
  body: unknown,
): { method: "POST"; headers: Record<string, string>; body: string } {
  return {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  };
}

/**
 * Reads an answer as JSON: an object or an array.
 *
 * @throws {Again} If it is cut.
 * @throws {HubError} If it is longer than any answer may be, or is no JSON.
 */
export async function readJson(url: string, answer: HubAnswer): Promise<object> {
  const text = await readText(url, answer, MAX_ANSWER);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw strange(url, "no JSON"); // the error would show a piece of it
  }
  if (typeof json !== "object" || json === null) throw strange(url, "no JSON object");
  return json;
}

async function readText(url: string, answer: HubAnswer, most: number): Promise<string> {
  const length = Number(answer.response.headers.get("content-length") ?? NaN);
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of answer.body()) {
    size += chunk.length;
    if (size > most) throw strange(url, `more than ${most} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  if (length > size) throw new Again("the connection was cut", 0, undefined);
  return text + decoder.decode();
}

/** An answer that is not what the hub answers. */
export function strange(url: string, what: string): HubError {
  return new HubError(`Cannot read ${bare(url)}: the answer is ${what}`, bare(url), 200);
}

function isCommit(id: unknown): id is string {
  return typeof id === "string" && /^[0-9a-f]{7,64}$/.test(id);
}

function repoFiles(url: string, answer: unknown): RepoFile[] {
  if (!Array.isArray(answer)) throw strange(url, "no list of files");
  const files: RepoFile[] = [];
  for (const entry of answer as Record<string, unknown>[]) {
    if (entry?.["type"] !== "file") continue;
    const { path, size, oid, lfs } = entry;
    const sha256 = (lfs as { oid?: unknown } | null | undefined)?.oid;
    if (typeof path !== "string" || typeof size !== "number" || typeof oid !== "string") {
      throw strange(url, "no list of files");
    }
    files.push({ path, size, oid, sha256: typeof sha256 === "string" ? sha256 : undefined });
  }
  return files;
}

/** The address of the next page by a Link field (RFC 8288), where there is one. */
function nextPage(link: string | null, at: string): string | undefined {
  for (let from = 0; link !== null;) {
    const open = link.indexOf("<", from), close = link.indexOf(">", open);
    if (open < 0 || close < 0) return undefined;
    const end = link.indexOf("<", close);
    const parameters = link.slice(close + 1, end < 0 ? undefined : end);
    if (/;\s*rel="?next"?/i.test(parameters)) {
      return URL.parse(link.slice(open + 1, close), at)?.href;
    }
    if (end < 0) return undefined;
    from = end;
  }
  return undefined;
}
