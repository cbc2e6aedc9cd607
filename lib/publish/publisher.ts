/**
 * Publishing a run's parts while it goes on.
 *
 * @module
 */

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { diskFs, lockFile } from "../files/mod.ts";
import {
  HubAccessError,
  HubClient,
  type HubClientOptions,
  hubOptions,
  type HubSettings,
  isRepoName,
  timer,
} from "../hub/mod.ts";
import { type Checkpoint, readCheckpoint } from "../worklist/mod.ts";
import { Committer, type PreparedPart } from "./_committer.ts";
import { type LocalFile, PartHashes } from "./_hashes.ts";
import { partsOf, rowsOf } from "./_parts.ts";
import { PublishError, PublishMismatchError, TokenMissingError } from "./errors.ts";
import {
  CARD_PATH,
  dataPath,
  defaultRepo,
  listRepo,
  type RecrawlKind,
  serverName,
  type Slice,
} from "./names.ts";
import { HubRepo } from "./repo.ts";
import type { PublishedPart, PublishFigures, PublishOptions } from "./types.ts";
import { uploadFile } from "./upload.ts";

/** A machine that publishes for months outlasts the hub's bad hours: the longest wait that it may ask for, and more. */
const RETRY_FOR = 70 * 60_000;
/** Somebody waits for a look at what would be published. */
const PREVIEW_RETRY_FOR = 30_000;
/** Parts asked about at once. */
const ASKED_AT_ONCE = 100;
/** Ms that a commit under way has when all is to end. */
const COMMIT_GRACE = 20_000;

/**
 * Publishes the sealed parts of a run, in order, and deletes them when the hub has them. Iterate it to
 * its end: a part is yielded when it is on the hub, counted in the ledger, and deleted.
 *
 * @throws {RangeError} For an option out of its range.
 *
 * @example What a run has sealed, once
 * ```ts ignore
 * import { publish } from "@ccrawl/cli/publish";
 *
 * const options = { dir: "captures/", state: "urls.json", kind: "urls", repo: "me/captures" } as const;
 * for await (const { part, path, rows } of publish(options)) console.log(part, path, rows);
 * ```
 */
export function publish(options: PublishOptions): Publishing {
  return new Publishing(options);
}

/** Publishing that goes on. */
export class Publishing implements AsyncIterable<PublishedPart> {
  readonly #options: FilledOptions;
  readonly #client: HubClientOptions;
  readonly #repo: HubRepo;
  readonly #begun: number;
  readonly #damaged = new Set<string>();
  /** Published, and left where they are. */
  readonly #left = new Set<string>();
  readonly #figures = { published: 0, rows: 0, bytes: 0, present: 0, commits: 0 };
  #waiting: readonly LocalFile[] = [];
  #sending: { part: string; sent: number; bytes: number } | undefined;
  #told = 0;
  #sentBytes = 0;
  #opened = false;
  #complete = false;

  /** Made by {@linkcode publish}. */
  constructor(options: PublishOptions) {
    this.#options = fill(options);
    const { onEvent } = this.#options;
    this.#client = {
      ...hubOptions({ retryFor: this.#options.push ? RETRY_FOR : PREVIEW_RETRY_FOR, ...options }),
      stats: { requests: 0, retries: 0, bytes: 0 },
      onWait: (ms, reason) => onEvent({ type: "waiting", ms, reason }),
    };
    this.#begun = this.#client.now();
    this.#repo = new HubRepo(new HubClient(this.#client), this.#options.repo);
  }

  /** How it stands. */
  get figures(): PublishFigures {
    return {
      opened: this.#opened,
      elapsedMs: this.#client.now() - this.#begun,
      ...this.#figures,
      waiting: this.#waiting.length,
      waitingBytes: this.#waiting.reduce((sum, { size }) => sum + size, 0),
      ...(this.#sending === undefined ? {} : { sending: { ...this.#sending } }),
      sentBytes: this.#sentBytes,
      retries: this.#client.stats.retries,
      complete: this.#complete,
    };
  }

  /**
   * The parts, as they come to be on the hub. Ends when there are no more, when the run is done where
   * it watches, and when its signal is aborted.
   *
   * @throws {TokenMissingError} Before anything else, where there is no token.
   * @throws {HubAccessError} If the hub does not take the token.
   * @throws {HubQuotaError} If the account is full.
   * @throws {HubError} If the hub does not do what it is asked for otherwise.
   * @throws {PublishMismatchError} If the state is of another share or list.
   * @throws {StateLockedError} If another process publishes this run.
   * @throws {PublishError} If there is no state, or a part cannot be published.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<PublishedPart, void, void> {
    const { signal } = this.#client;
    try {
      yield* this.#run();
    } catch (error) {
      if (!(signal?.aborted && error === signal.reason)) throw error;
    }
  }

  async *#run(): AsyncGenerator<PublishedPart, void, void> {
    const { state, dir, push, watchMs, limit, onEvent, repo } = this.#options;
    if (push && this.#client.token === undefined) throw new TokenMissingError(repo);
    if (watchMs > 0) mkdirSync(dirname(state), { recursive: true });
    else if (!existsSync(state)) throw noState(state);
    using _lock = lockFile(`${state}.publish`, { onFullDisk: true });
    // What is wrong here is found before a repo is made that nobody meant.
    const first = readCheckpoint(state);
    if (first !== undefined) {
      this.#sliceOf(first);
      this.#look(first);
    }
    if (push) await this.#authorize();
    this.#opened = true;
    const hashes = PartHashes.open(`${state}.publish`, (name) => existsSync(join(dir, name)));
    let committer: Committer | undefined;
    let told = false;
    for (;;) {
      this.#client.signal?.throwIfAborted();
      const checkpoint = readCheckpoint(state);
      if (checkpoint !== undefined) {
        const slice = this.#sliceOf(checkpoint);
        if (committer === undefined) {
          committer = this.#committer(slice);
          if (push) yield* this.#leftBehind(committer, checkpoint, hashes, slice);
        }
        this.#look(checkpoint);
        if (!push) return yield* this.#preview(committer, checkpoint, hashes, slice);
        if (limit > 0 && this.#told >= limit) return;
        if (this.#waiting.length > 0) {
          yield* this.#batch(committer, checkpoint, hashes, slice);
          continue;
        }
        if (checkpoint.done) {
          const commit = await committer.finish(checkpoint);
          if (commit !== undefined) this.#committed(commit, 0);
          this.#complete = this.#damaged.size === 0;
        }
        if (checkpoint.done || watchMs === 0) break;
      } else if (watchMs === 0) {
        throw noState(state);
      } else if (!told) {
        told = true;
        onEvent({ type: "no-state", state });
      }
      await this.#options.sleep(watchMs, this.#client.signal);
    }
    if (this.#damaged.size > 0) {
      throw new PublishError(
        `Cannot publish ${[...this.#damaged].slice(0, 10).join(", ")}: damaged. ` +
          `Everything else is published; ccrawl verify ${dir} says what is wrong.`,
      );
    }
  }

  /** Finds out before any work whether the token is good, and makes the repo where there is none. */
  async #authorize(): Promise<void> {
    const { repo, private: hidden, onEvent } = this.#options;
    if (await this.#repo.head() === undefined) {
      await this.#repo.create({ private: hidden });
      onEvent({ type: "created", repo });
    }
    await this.#repo.wantsLarge([{ path: CARD_PATH, size: 0, sample: new Uint8Array(0) }]);
  }

  #committer(slice: Slice): Committer {
    const { kind, onEvent } = this.#options;
    const { signal, idle, sleep } = this.#client;
    // A commit that is under way when all is to end is waited for; none is begun again.
    const client = new HubClient({
      ...this.#client,
      signal: signal === undefined ? undefined : delayed(signal, COMMIT_GRACE),
      sleep: (ms) => sleep(ms, signal),
    });
    return new Committer({
      repo: new HubRepo(client, this.#repo.name),
      slice,
      kind,
      upload: { idle, signal },
      onWarning: (text) => onEvent({ type: "warning", text }),
    });
  }

  /** @throws {PublishMismatchError} If the state is not what was asked for. */
  #sliceOf({ shard, shards, source }: Checkpoint): Slice {
    const { state, kind, server, asked } = this.#options;
    for (const [name, stored] of [["shard", shard], ["shards", shards]] as const) {
      const given = asked[name];
      if (given === undefined || given === stored) continue;
      throw new PublishMismatchError(
        `Cannot publish: the ${name} of the state "${state}" is ${stored}, --${name} is ${given}. ` +
          `Give the run's own.`,
      );
    }
    const other: RecrawlKind = kind === "domains" ? "urls" : "domains";
    if (source === listRepo(other) || source.startsWith(`${listRepo(other)}#`)) {
      throw new PublishMismatchError(
        `Cannot publish: the state "${state}" is of ${source}, --kind is ${kind}. ` +
          `Give --kind ${other}.`,
      );
    }
    return { server, shard, shards };
  }

  #look(checkpoint: Checkpoint): void {
    this.#waiting = partsOf(
      this.#options.dir,
      checkpoint,
      (name) => this.#left.has(name) || this.#damaged.has(name),
    );
  }

  /** Parts of which it is known from an earlier time what they are called, and that are on the hub. */
  async *#leftBehind(
    committer: Committer,
    checkpoint: Checkpoint,
    hashes: PartHashes,
    slice: Slice,
  ): AsyncGenerator<PublishedPart, void, void> {
    this.#look(checkpoint);
    const known = this.#waiting.filter((file) => hashes.known(file) !== undefined);
    for (let at = 0; at < known.length && !this.#isEnough; at += ASKED_AT_ONCE) {
      const some = known.slice(at, at + ASKED_AT_ONCE);
      const parts = await this.#prepare(some, checkpoint, hashes, slice);
      const head = await this.#headOf();
      const missing = new Set(await committer.missing(parts, head));
      const there = parts.filter((part) => !missing.has(part));
      yield* this.#finished(there.slice(0, this.#room), "present", head, hashes);
    }
  }

  async *#batch(
    committer: Committer,
    checkpoint: Checkpoint,
    hashes: PartHashes,
    slice: Slice,
  ): AsyncGenerator<PublishedPart, void, void> {
    const files = this.#waiting.slice(0, Math.min(this.#options.commitEvery, this.#room));
    const parts = await this.#prepare(files, checkpoint, hashes, slice);
    if (parts.length === 0) return;
    const head = await this.#headOf();
    const missing = await committer.missing(parts, head);
    const there = parts.filter((part) => !missing.includes(part));
    yield* this.#finished(there, "present", head, hashes);
    if (missing.length === 0) return;
    const { signal, idle } = this.#client;
    for (const { file, sha256, size } of missing) {
      if (!existsSync(file.path)) return; // taken away since, as above: what is left is looked at anew
      const sending = this.#sending = { part: file.name, sent: 0, bytes: size };
      const onProgress = (bytes: number) => {
        // It may begin anew.
        this.#sentBytes += bytes < sending.sent ? bytes : bytes - sending.sent;
        sending.sent = bytes;
      };
      try {
        await uploadFile(this.#repo, file.path, { sha256, size }, { idle, signal, onProgress });
      } finally {
        this.#sending = undefined;
      }
    }
    const { commit } = await committer.commit(missing, checkpoint);
    this.#committed(commit, missing.length);
    yield* this.#finished(missing, "published", commit, hashes);
  }

  /** What the hub needs to know of parts; damaged ones are told of, and left out from now on. */
  async #prepare(
    files: readonly LocalFile[],
    checkpoint: Checkpoint,
    hashes: PartHashes,
    slice: Slice,
  ): Promise<PreparedPart[]> {
    const parts: PreparedPart[] = [];
    for (const file of files) {
      let rows: number, sha256: string;
      try {
        rows = await rowsOf(file, checkpoint);
        sha256 = await hashes.of(file, this.#client.signal);
      } catch (error) {
        const { name, message, code } = error as Error & { code?: unknown };
        if (code === "ENOENT") continue; // somebody has taken it away since
        if (name !== "CaptureFormatError") throw error;
        this.#damaged.add(file.name);
        this.#options.onEvent({ type: "warning", text: `${file.name} is left out: ${message}` });
        continue;
      }
      parts.push({ file, rows, sha256, size: file.size, path: dataPath(slice, sha256) });
    }
    return parts;
  }

  /** The hub has them: their files may go. */
  *#finished(
    parts: readonly PreparedPart[],
    outcome: "published" | "present",
    commit: string,
    hashes: PartHashes,
  ): Generator<PublishedPart, void, void> {
    const { keep, state } = this.#options;
    if (parts.length === 0) return;
    // The state that names them may not have come to the disk yet, and without it they are not the run's.
    if (!keep) diskFs.syncDir(dirname(state));
    for (const { file, rows, size } of parts) {
      if (keep) this.#left.add(file.name);
      else {
        remove(file.path);
        hashes.forget(file.name);
      }
      this.#figures[outcome]++;
      if (outcome === "present") continue;
      this.#figures.rows += rows;
      this.#figures.bytes += size;
    }
    const gone = new Set(parts.map(({ file }) => file.name));
    this.#waiting = this.#waiting.filter(({ name }) => !gone.has(name));
    for (const part of parts) {
      this.#told++;
      yield record(part, outcome, commit);
    }
  }

  async *#preview(
    committer: Committer,
    checkpoint: Checkpoint,
    hashes: PartHashes,
    slice: Slice,
  ): AsyncGenerator<PublishedPart, void, void> {
    const { state, onEvent } = this.#options;
    const head = await this.#headWithoutToken();
    const pending: PreparedPart[] = [];
    for (let at = 0; at < this.#waiting.length && !this.#isEnough; at += ASKED_AT_ONCE) {
      const files = this.#waiting.slice(at, at + Math.min(ASKED_AT_ONCE, this.#room));
      const parts = await this.#prepare(files, checkpoint, hashes, slice);
      const missing = head === undefined ? parts : await committer.missing(parts, head);
      pending.push(...missing);
      for (const part of parts) {
        this.#told++;
        yield record(part, missing.includes(part) ? "pending" : "present", "");
      }
    }
    const dir = `${state}.preview`;
    for (const { path, text } of await committer.preview(pending, checkpoint, head)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    onEvent({ type: "preview", dir });
  }

  async #headOf(): Promise<string> {
    const head = await this.#repo.head();
    if (head !== undefined) return head;
    throw new PublishError(`Cannot publish to ${this.#repo.name}: the repo is no longer there.`);
  }

  /** Nothing is pushed, and who may not see the repo sees none. */
  async #headWithoutToken(): Promise<string | undefined> {
    try {
      return await this.#repo.head();
    } catch (error) {
      if (error instanceof HubAccessError && this.#client.token === undefined) return undefined;
      throw error;
    }
  }

  /** Parts that may still be told of. */
  get #room(): number {
    const { limit } = this.#options;
    return limit === 0 ? Infinity : limit - this.#told;
  }

  get #isEnough(): boolean {
    return this.#room <= 0;
  }

  #committed(commit: string, parts: number): void {
    this.#figures.commits++;
    this.#options.onEvent({ type: "committed", commit, parts });
  }
}

type FilledOptions =
  & Required<
    Omit<PublishOptions, "shard" | "shards" | keyof HubSettings>
  >
  & {
    readonly sleep: NonNullable<HubSettings["sleep"]>;
    readonly asked: Pick<PublishOptions, "shard" | "shards">;
  };

function fill(options: PublishOptions): FilledOptions {
  const { commitEvery = 4, limit = 0, watchMs = 0, repo = defaultRepo(options.kind) } = options;
  for (
    const [name, value, least] of [
      ["commitEvery", commitEvery, 1],
      ["limit", limit, 0],
      ["watchMs", watchMs, 0],
    ] as const
  ) {
    if (!Number.isSafeInteger(value) || value < least) {
      throw new RangeError(`Cannot publish: ${name} must be ${least} or more`);
    }
  }
  if (!isRepoName(repo)) throw new RangeError(`Cannot publish to ${repo}: a repo is owner/name`);
  return {
    dir: options.dir,
    state: resolve(options.state),
    kind: options.kind,
    repo,
    server: serverName(options.server ?? Deno.hostname()),
    commitEvery,
    watchMs,
    keep: options.keep ?? false,
    private: options.private ?? false,
    push: options.push ?? true,
    limit,
    onEvent: options.onEvent ?? (() => {}),
    sleep: options.sleep ?? timer,
    asked: {
      ...(options.shard === undefined ? {} : { shard: options.shard }),
      ...(options.shards === undefined ? {} : { shards: options.shards }),
    },
  };
}

function noState(state: string): PublishError {
  return new PublishError(
    `Cannot publish: there is no state ${state}. Give the file that the run keeps with --state, or ` +
      `wait for it with --watch.`,
  );
}

function record(
  { file, path, rows, size, sha256 }: PreparedPart,
  outcome: PublishedPart["outcome"],
  commit: string,
): PublishedPart {
  return { part: file.name, path, rows, bytes: size, sha256, outcome, commit };
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    throw new PublishError(
      `Cannot delete ${path}: ${(cause as Error).message}. It is published, and will be skipped.`,
      { cause },
    );
  }
}

/** A signal that is aborted so many ms after another. */
function delayed(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController();
  const begin = () => {
    const timer = setTimeout(() => late.abort(signal.reason), ms);
    Deno.unrefTimer(timer);
  };
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true });
  return late.signal;
}
