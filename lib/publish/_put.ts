/**
 * Sending a piece of a file to an object store, from disk, in a request of known length.
 */

import type { ClientRequest, IncomingMessage } from "node:http";
import type { FileHandle } from "node:fs/promises";
import { Again, readReason, waitAsked } from "../hub/mod.ts";

/** What is sent where. */
export interface PutRequest {
  /** Signed address. Not for messages: who has it may write. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes to send: of a file, or of a text in memory. */
  readonly from: PieceSource;
  /** Ms without a byte taken after which it has failed. */
  readonly idle: number;
  readonly signal: AbortSignal | undefined;
  /** Told of bytes that went out. */
  readonly onBytes: (count: number) => void;
}

/** Bytes that can be read again and again. */
export interface PieceSource {
  readonly size: number;
  /** Fills as much of `into` as there is from `offset`; gives the count, 0 at the end. */
  read(into: Uint8Array, offset: number): Promise<number>;
}

/** What the store said. */
export interface PutAnswer {
  readonly status: number;
  /** Empty where there is none. */
  readonly etag: string;
  /** Its own words. */
  readonly reason: string;
  /** Ms that it wants to be left alone. */
  readonly after: number | undefined;
}

const CHUNK = 256 << 10;
/** As much of a refusal as is looked at. */
const MAX_ANSWER = 16 << 10;
/** A store answers when it has put together what came, which takes longer than a byte. */
const ANSWER_PATIENCE = 4;

/** A piece of a file that is open. */
export function pieceOf(file: FileHandle, start: number, end: number): PieceSource {
  return {
    size: end - start,
    read: async (into, offset) => {
      const count = Math.min(into.length, end - start - offset);
      return (await file.read(into, 0, count, start + offset)).bytesRead;
    },
  };
}

/** Bytes in memory. */
export function pieceOfBytes(bytes: Uint8Array): PieceSource {
  return {
    size: bytes.length,
    read(into, offset) {
      const piece = bytes.subarray(offset, offset + into.length);
      into.set(piece);
      return Promise.resolve(piece.length);
    },
  };
}

/**
 * Sends a PUT. `fetch` would send a stream in chunks of unknown number, which object stores refuse.
 *
 * @throws {Again} If no answer came.
 */
export async function put(options: PutRequest): Promise<PutAnswer> {
  const { url, headers, from, idle, signal, onBytes } = options;
  signal?.throwIfAborted();
  const { request: begin } = url.startsWith("https:")
    ? await import("node:https")
    : await import("node:http");
  const watch = new Watch(idle);
  const request: ClientRequest = begin(url, {
    method: "PUT",
    agent: false,
    headers: { ...headers, "content-length": String(from.size) },
  });
  const onAbort = () => watch.end(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.on("response", resolve);
      request.on("error", (cause) => reject(cut(cause)));
      request.on("close", () => reject(cut(undefined)));
    });
    answered.catch(() => {}); // it may be told while a write is waited for
    let whole = false;
    const sent = send(request, from, watch, onBytes).then(() => {
      whole = true;
    }, (error) => {
      // A store that refuses says so, and takes no more.
      if (!(error instanceof Again)) throw error;
    });
    sent.catch(() => {}); // when it is told before everything is sent
    await watch.race<unknown>([sent, answered]);
    watch.patience = idle * ANSWER_PATIENCE;
    watch.alive();
    const answer = await watch.race([answered.then(answerOf)]);
    if (!whole && answer.status < 300) {
      throw new Again("the store answers before it has everything", 0, undefined);
    }
    return answer;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    watch.close();
    request.destroy();
  }
}

async function send(
  request: ClientRequest,
  from: PieceSource,
  watch: Watch,
  onBytes: (count: number) => void,
): Promise<void> {
  // Two, so that one is filled while the other goes out.
  const buffers = [new Uint8Array(CHUNK), new Uint8Array(CHUNK)];
  let sent: Promise<void> = Promise.resolve();
  for (let at = 0, turn = 0; at < from.size; turn ^= 1) {
    const buffer = buffers[turn]!;
    const count = await from.read(buffer, at);
    if (count === 0) throw new Error("the file has become shorter");
    await sent;
    sent = new Promise((resolve, reject) => {
      request.write(buffer.subarray(0, count), (error) => {
        if (error) return reject(cut(error));
        watch.alive();
        onBytes(count);
        resolve();
      });
    });
    sent.catch(() => {}); // it is waited for below
    at += count;
  }
  await sent;
  request.end();
}

async function answerOf(message: IncomingMessage): Promise<PutAnswer> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (typeof value === "string") headers.set(name, value);
  }
  const status = message.statusCode ?? 0;
  const ok = status >= 200 && status < 300;
  return {
    status,
    etag: headers.get("etag") ?? "",
    reason: ok ? "" : await readReason(new Response(await firstBytes(message), { headers })),
    after: waitAsked(headers),
  };
}

/** The beginning of an answer's body, or nothing where it is cut. */
async function firstBytes(message: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(MAX_ANSWER);
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Uint8Array>) {
      const some = chunk.subarray(0, bytes.length - size);
      bytes.set(some, size);
      size += some.length;
      if (size === bytes.length) break;
    }
  } catch {
    return bytes.subarray(0, 0); // the status says enough
  }
  return bytes.subarray(0, size);
}

/** What the network said, without the address. */
function cut(cause: unknown): Error {
  const code = (cause as { code?: unknown } | undefined)?.code;
  const words = typeof code === "string" ? ` (${code})` : "";
  return new Again(`the connection was cut${words}`, 0, undefined);
}

/** Ends a request that makes no progress, or is told to end. */
class Watch {
  /** Ms. */
  patience: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #fail!: (reason: unknown) => void;
  readonly #ended: Promise<never>;

  constructor(idle: number) {
    this.patience = idle;
    this.#ended = new Promise((_, reject) => this.#fail = reject);
    this.#ended.catch(() => {});
    this.alive();
  }

  alive(): void {
    clearTimeout(this.#timer);
    const seconds = Math.round(this.patience / 1000);
    this.#timer = setTimeout(() => {
      this.end(new Again(`nothing was taken for ${seconds} seconds`, 0, undefined));
    }, this.patience);
  }

  end(reason: unknown): void {
    this.#fail(reason);
  }

  /** The first of these, or the end. */
  race<T>(works: readonly Promise<T>[]): Promise<T> {
    return Promise.race([...works, this.#ended]);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
