/**
 * Putting a large file into the hub's store, before a commit names it.
 *
 * @module
 */

import { open } from "node:fs/promises";
import { Again, HubError } from "../hub/mod.ts";
import { PartChangedError, PublishError } from "./errors.ts";
import { pieceOf, pieceOfBytes, type PieceSource, put, type PutAnswer } from "./_put.ts";
import { asJson, type HubRepo, readJson, strange } from "./repo.ts";

/** A file by what is in it. */
export interface StoredObject {
  /** Hex SHA-256. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
}

/** What {@linkcode uploadFile} and {@linkcode uploadText} need. */
export interface UploadOptions {
  /** Ms without a byte taken after which a request has failed. */
  readonly idle: number;
  readonly signal: AbortSignal | undefined;
  /** Told how many bytes of the file are in the store, now and then; it may begin anew. */
  readonly onProgress?: (bytes: number) => void;
}

/** Refusals of the store that a new address may help against. */
const MAX_REFUSALS = 3;
/** Pieces of a file: more than a store takes. */
const MAX_PIECES = 10_000;

interface Action {
  readonly href: string;
  readonly header: Readonly<Record<string, string>>;
}

/**
 * Puts a file into the store, from disk: what is in memory does not grow with it.
 *
 * @returns Whether it was sent; the hub knows what it has by its hash.
 * @throws {PartChangedError} If it was changed since its hash was taken.
 * @throws {HubError} If the hub or its store does not take it.
 */
export async function uploadFile(
  repo: HubRepo,
  path: string,
  object: StoredObject,
  options: UploadOptions,
): Promise<boolean> {
  const file = await open(path, "r").catch((cause: Error) => {
    throw new PublishError(`Cannot publish ${path}: ${cause.message}`, { cause });
  });
  try {
    const before = await file.stat();
    if (before.size !== object.size) throw new PartChangedError(changed(path));
    const sent = await upload(repo, object, (start, end) => pieceOf(file, start, end), options);
    const { size, mtimeMs } = await file.stat();
    if (size !== before.size || mtimeMs !== before.mtimeMs) {
      throw new PartChangedError(changed(path));
    }
    return sent;
  } finally {
    await file.close();
  }
}

/** Puts a text into the store, for a repo that keeps such files there. */
export function uploadText(
  repo: HubRepo,
  text: Uint8Array,
  object: StoredObject,
  options: UploadOptions,
): Promise<boolean> {
  const piece = (start: number, end: number) => pieceOfBytes(text.subarray(start, end));
  return upload(repo, object, piece, options);
}

function changed(path: string): string {
  return `Cannot publish ${path}: it was changed while it was being published. ` +
    `A finished part is not to be written to; look who does`;
}

function upload(
  repo: HubRepo,
  object: StoredObject,
  piece: (start: number, end: number) => PieceSource,
  options: UploadOptions,
): Promise<boolean> {
  let refusals = 0;
  let most = 0;
  const url = `${repo.url}.git/info/lfs/objects/batch`;
  return repo.client.retrying("upload a file to", url, async (progressed) => {
    const actions = await askWhereTo(repo, url, object);
    if (actions.upload === undefined) return false;
    const report = (bytes: number) => {
      options.onProgress?.(bytes);
      // Only what is new: sending the same bytes for ever is no progress.
      if (bytes > most) progressed();
      most = Math.max(most, bytes);
    };
    try {
      const chunkSize = Number(actions.upload.header["chunk_size"] ?? NaN);
      if (Number.isNaN(chunkSize)) {
        await sendWhole(actions.upload, piece(0, object.size), { ...options, onProgress: report });
      } else {
        await sendPieces(repo, actions.upload, chunkSize, object, piece, {
          ...options,
          onProgress: report,
        });
      }
      if (actions.verify !== undefined) await verify(repo, actions.verify, object);
    } catch (error) {
      // An address may have run out; an end that was told may have been another's.
      if (!(error instanceof HubError) || ++refusals >= MAX_REFUSALS) throw error;
      throw new Again(`the store answers ${error.status}`, error.status, undefined);
    }
    return true;
  });
}

/** Git LFS batch: what is to be done so that the store has the object; nothing where it has. */
async function askWhereTo(
  repo: HubRepo,
  url: string,
  { sha256, size }: StoredObject,
): Promise<{ upload?: Action; verify?: Action }> {
  const request = {
    ...asJson({
      operation: "upload",
      transfers: ["basic", "multipart"],
      hash_algo: "sha_256",
      ref: { name: "main" },
      objects: [{ oid: sha256, size }],
    }),
    headers: {
      accept: "application/vnd.git-lfs+json",
      "content-type": "application/vnd.git-lfs+json",
    },
    verb: "upload a file to",
  };
  const answer = await repo.client.once(url, request, (answer) => readJson(url, answer)) as {
    objects?: unknown;
  };
  const objects = Array.isArray(answer.objects) ? answer.objects as Record<string, unknown>[] : [];
  const object = objects.find((o) => o?.["oid"] === sha256);
  if (object === undefined) throw strange(url, "about no file that was asked for");
  const { error, actions } = object as {
    error?: { code?: unknown; message?: unknown };
    actions?: { upload?: unknown; verify?: unknown };
  };
  if (error !== undefined && error !== null) {
    throw repo.client.refused(
      "upload a file to",
      url,
      Number(error.code),
      String(error.message ?? ""),
    );
  }
  const upload = action(url, actions?.upload), verify = action(url, actions?.verify);
  return {
    ...(upload === undefined ? {} : { upload }),
    ...(verify === undefined ? {} : { verify }),
  };
}

function action(url: string, value: unknown): Action | undefined {
  if (value === undefined || value === null) return undefined;
  const { href, header } = value as { href?: unknown; header?: unknown };
  const target = checkAddress(url, href);
  const fields: Record<string, string> = {};
  for (const [name, text] of Object.entries((header ?? {}) as Record<string, unknown>)) {
    if (typeof text === "string" || typeof text === "number") fields[name] = String(text);
  }
  return { href: target.href, header: fields };
}

/** An address that was given by another. */
function checkAddress(from: string, given: unknown): URL {
  const target = typeof given === "string" ? URL.parse(given) : null;
  if (target === null || !/^https?:$/.test(target.protocol)) throw strange(from, "no address");
  if (from.startsWith("https:") && target.protocol !== "https:") {
    throw strange(from, "an address without TLS, which is not used");
  }
  return target;
}

type Sending = UploadOptions & { readonly onProgress: (bytes: number) => void };

async function sendWhole(
  { href, header }: Action,
  from: PieceSource,
  { idle, signal, onProgress }: Sending,
): Promise<void> {
  let sent = 0;
  const onBytes = (count: number) => onProgress(sent += count);
  accepted(href, await put({ url: href, headers: header, from, idle, signal, onBytes }));
}

/** The hub's own multipart: an address for each piece, and one to be told that all are there. */
async function sendPieces(
  repo: HubRepo,
  { href, header }: Action,
  chunkSize: number,
  { sha256, size }: StoredObject,
  piece: (start: number, end: number) => PieceSource,
  { idle, signal, onProgress }: Sending,
): Promise<void> {
  const numbers = Object.keys(header).filter((name) => /^\d{1,5}$/.test(name))
    .sort((a, b) => Number(a) - Number(b));
  const fits = Number.isSafeInteger(chunkSize) && chunkSize > 0 && numbers.length <= MAX_PIECES &&
    numbers.length === Math.ceil(size / chunkSize) && numbers.every((n, i) => Number(n) === i + 1);
  if (!fits) throw strange(href, "a plan that does not fit the file");
  const parts: { partNumber: number; etag: string }[] = [];
  for (const [i, number] of numbers.entries()) {
    const url = header[number]!;
    checkAddress(href, url);
    const start = i * chunkSize, end = Math.min(size, start + chunkSize);
    // What is in the store stays there: only this piece is sent again.
    const { etag } = await repo.client.retrying("upload a file to", url, async (progressed) => {
      let sent = 0;
      let most = 0;
      const onBytes = (count: number) => {
        sent += count;
        if (sent > most) progressed();
        most = Math.max(most, sent);
        onProgress(start + sent);
      };
      const from = piece(start, end);
      return accepted(url, await put({ url, headers: {}, from, idle, signal, onBytes }));
    });
    if (etag === "") throw strange(url, "without an ETag");
    parts.push({ partNumber: i + 1, etag });
  }
  const request = {
    ...asJson({ oid: sha256, parts }),
    headers: {
      accept: "application/vnd.git-lfs+json",
      "content-type": "application/vnd.git-lfs+json",
    },
    signed: true,
    verb: "finish an upload to",
  };
  await repo.client.ask(href, request, () => Promise.resolve());
}

/** @throws {Again} If the store is busy. @throws {HubError} If it refuses. */
function accepted(url: string, answer: PutAnswer): PutAnswer {
  const { status, reason, after } = answer;
  if (status >= 200 && status < 300) return answer;
  const words = `the store answers ${status}${reason === "" ? "" : ` (${reason})`}`;
  if (status === 429 || status === 408 || status >= 500) throw new Again(words, status, after);
  const host = new URL(url).host;
  throw new HubError(`Cannot upload a file to ${host}: ${words}`, `https://${host}/`, status);
}

async function verify(repo: HubRepo, { href, header }: Action, object: StoredObject) {
  const { sha256: oid, size } = object;
  const request = { ...asJson({ oid, size }), verb: "verify an upload at" };
  const headers = { ...header, ...request.headers };
  await repo.client.ask(href, { ...request, headers }, () => Promise.resolve());
}
