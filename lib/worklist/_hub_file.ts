/**
 * A file of a hub repo, or of any server, read by ranges.
 *
 * @module
 */

import {
  bare,
  cutShort,
  encodePath,
  HubAccessError,
  type HubAnswer,
  type HubClient,
  HubError,
  HubMissingError,
} from "../hub/mod.ts";
import type { ByteSource } from "./_source.ts";

/** Bytes asked for at the end of a file: footer and page index of a part of some millions of rows. */
const TAIL = 128 << 10;

/** Where the hub said that a file is, and how long that is believed. */
interface Place {
  readonly url: string;
  readonly until: number;
}

/** Signed addresses live an hour or so; asking anew every few minutes costs nothing. */
const PLACE_LIFE = 5 * 60_000;

/** Which file of a server is meant. */
export interface HttpFileName {
  readonly url: string;
  /** What messages call it. */
  readonly name: string;
  /** What to say when it is not there, before the status. @default `Cannot read <url>` */
  readonly missing?: (status: number) => string;
}

/** Puts a file on disk whose server gives no ranges. */
export type Spool = (
  name: string,
  body: AsyncIterable<Uint8Array>,
  size: number | undefined,
) => Promise<ByteSource>;

/**
 * Opens a file of a dataset repo.
 *
 * @throws {HubError} If the hub does not give it; {@linkcode HubMissingError} for a file that the
 * repo lists and the hub does not have.
 */
export function openHubFile(
  client: HubClient,
  repo: string,
  path: string,
  now: () => number,
  spool: Spool,
): Promise<ByteSource> {
  return openHttpFile(
    client,
    {
      url: `${client.hub}/datasets/${encodePath(repo)}/resolve/main/${encodePath(path)}`,
      name: `${repo}/${path}`,
      missing: (status) =>
        `Cannot read the part ${path} of ${repo}: the repo lists it, and the hub answers ` +
        `${status}. Ask the publisher, or try again when the repo is whole.`,
    },
    now,
    spool,
  );
}

/**
 * Opens a file of a server. One request asks for its last bytes, which tells its size too.
 *
 * @throws {HubError} If the server does not give it; {@linkcode HubMissingError} if it has none.
 */
export async function openHttpFile(
  client: HubClient,
  { url, name, missing }: HttpFileName,
  now: () => number,
  spool: Spool,
): Promise<ByteSource> {
  let place: Place | undefined;
  let validator: string | undefined;

  const where = (headers: Record<string, string>) => {
    if (place !== undefined && now() > place.until) place = undefined;
    return { url: place?.url ?? url, headers };
  };
  const get = async <T>(
    headers: () => Record<string, string>,
    use: (answer: HubAnswer, progressed: () => void) => Promise<T>,
  ): Promise<T> => {
    try {
      return await client.get(url, {}, use, () => where(headers()));
    } catch (error) {
      if (error instanceof HubMissingError && place === undefined) {
        if (missing === undefined) throw error;
        throw new HubMissingError(missing(error.status), error.url, error.status, { cause: error });
      }
      // It has become shorter than it was.
      if (error instanceof HubError && error.status === 416 && validator !== undefined) {
        throw replaced(416);
      }
      const expired = (error instanceof HubAccessError || error instanceof HubMissingError) &&
        place !== undefined;
      if (!expired) throw error;
      // A signed address runs out; the hub gives another.
      place = undefined;
      return await client.get(url, {}, use, () => where(headers()));
    }
  };
  const replaced = (status: number) =>
    new HubError(
      `Cannot read ${name}: it was replaced while it was being read. ` +
        `Run it again once the publisher is done.`,
      bare(url),
      status,
    );
  /** Remembers where the file is; refuses another version of it than the one begun with. */
  const check = (answer: HubAnswer, total: number | undefined) => {
    if (answer.url !== url) place ??= { url: answer.url, until: now() + PLACE_LIFE };
    const etag = answer.response.headers.get("etag")?.replace(/^W\//, "");
    const seen = `${etag ?? ""} ${total ?? ""}`;
    if (validator !== undefined && seen !== validator) {
      throw replaced(answer.response.status);
    }
    validator = seen;
  };

  const first = await get(() => ({ range: `bytes=-${TAIL}` }), async (answer, progressed) => {
    const range = contentRange(answer.response);
    if (range === undefined) {
      // It gives whole files only: one download, and the rest from disk.
      const length = Number(answer.response.headers.get("content-length") ?? NaN);
      const size = Number.isSafeInteger(length) ? length : undefined;
      return { spooled: await spool(name, counted(answer.body(), size, progressed), size) };
    }
    check(answer, range.total);
    const tail = new Uint8Array(Math.min(TAIL, range.total));
    if (range.start !== range.total - tail.length || range.end !== range.total) {
      throw odd(url, answer, "another range than was asked for");
    }
    if (await fill(answer, tail, 0) < tail.length) throw cutShort();
    return { tail, size: range.total };
  });
  if (first.spooled !== undefined) return first.spooled;
  const { tail, size } = first;

  return {
    name,
    size,
    tail,
    async read(offset, into) {
      const inTail = offset - (size - tail.length);
      if (inTail >= 0) {
        into.set(tail.subarray(inTail, inTail + into.length));
        return;
      }
      let done = 0;
      const headers = () => ({ range: `bytes=${offset + done}-${offset + into.length - 1}` });
      await get(headers, async (answer, progressed) => {
        const range = contentRange(answer.response);
        if (range === undefined) throw odd(url, answer, "no range, as it did before");
        check(answer, range.total);
        if (range.start !== offset + done || range.end > offset + into.length) {
          throw odd(url, answer, "another range than was asked for");
        }
        const before = done;
        try {
          for await (const chunk of answer.body()) {
            const count = Math.min(chunk.length, into.length - done);
            into.set(chunk.subarray(0, count), done);
            done += count;
            if (done === into.length) break;
          }
        } finally {
          if (done > before) progressed();
        }
        if (done < into.length) throw cutShort();
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function fill(answer: HubAnswer, into: Uint8Array, at: number): Promise<number> {
  for await (const chunk of answer.body()) {
    const count = Math.min(chunk.length, into.length - at);
    into.set(chunk.subarray(0, count), at);
    at += count;
  }
  return at;
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  size: number | undefined,
  progressed: () => void,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of body) {
    count += chunk.length;
    progressed();
    yield chunk;
  }
  if (size !== undefined && count < size) throw cutShort();
}

/** `Content-Range: bytes a-b/total` of a 206; the end is exclusive here. */
function contentRange(
  response: Response,
): { start: number; end: number; total: number } | undefined {
  if (response.status !== 206) return undefined;
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(
    response.headers.get("content-range") ?? "",
  );
  if (match === null) return undefined;
  const [start, last, total] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return start <= last && last < total ? { start, end: last + 1, total } : undefined;
}

function odd(url: string, answer: HubAnswer, what: string): HubError {
  return new HubError(
    `Cannot read ${bare(url)}: the server sends ${what}`,
    bare(url),
    answer.response.status,
  );
}
