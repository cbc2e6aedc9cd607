/**
 * Any file, on disk or on a server, read by pieces at any place.
 *
 * @module
 */

import { spoolToDisk } from "./_hub.ts";
import {
  HubAccessError,
  HubClient,
  type HubClientOptions,
  HubError,
  hubOptions,
} from "../hub/mod.ts";
import { openHttpFile } from "./_hub_file.ts";
import { WorkListError } from "./errors.ts";
import { type ByteSource, openFile } from "./_source.ts";

export type { ByteSource } from "./_source.ts";

/** Options of {@linkcode openBytes} and {@linkcode fetchText}. */
export interface RemoteOptions {
  /** Ms for which a server is asked again when it answers 429 or 5xx or not at all. @default 10 minutes */
  readonly retryFor?: number;
  /** Ms without a byte after which a request has failed. @default 30 seconds */
  readonly idle?: number;
  /** Folder for files of servers that give no ranges. @default the system's for temporary files */
  readonly scratch?: string;
  /** Ends requests with its reason. */
  readonly signal?: AbortSignal;
  /** `User-Agent` of requests. @default the runtime's own */
  readonly userAgent?: string;
  /** Sends requests. @default the global `fetch` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Waits between attempts. @default by a timer */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Monotonic ms. @default `performance.now` */
  readonly now?: () => number;
  /** Told of each wait before the same is asked again, and why. */
  readonly onWait?: (ms: number, why: string) => void;
}

/** Whether `place` is an http or https URL, and so no path. */
export function isRemote(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

/**
 * Opens a file to be read by pieces. On a server each piece is asked for as a range, and one that was
 * cut goes on where it stopped; a server that gives whole files only is read once, to disk.
 *
 * @param place An http or https URL, or a path.
 * @throws {WorkListError} If it cannot be opened; of its kinds a {@linkcode HubError} tells that a
 * server did not give it.
 */
export async function openBytes(place: string, options: RemoteOptions = {}): Promise<ByteSource> {
  if (!isRemote(place)) return await openFile(place, { bytes: 0 });
  const remote = clientOptions(place, options);
  const client = new HubClient(remote);
  return await plainly(() =>
    openHttpFile(
      client,
      { url: place, name: place },
      remote.now,
      (name, body) => spoolToDisk(name, body, options.scratch, remote),
    )
  );
}

/**
 * The text of a page of a server.
 *
 * @param most Bytes that it may have.
 * @throws {HubError} If the server does not give it, or it is longer.
 */
export async function fetchText(
  url: string,
  most: number,
  options: RemoteOptions = {},
): Promise<string> {
  const client = new HubClient(clientOptions(url, options));
  return await plainly(() =>
    client.get(url, {}, async (answer) => {
      const decoder = new TextDecoder();
      let text = "";
      let size = 0;
      for await (const chunk of answer.body()) {
        size += chunk.length;
        if (size > most) {
          throw new HubError(`Cannot read ${url}: it is longer than ${most} bytes`, url, 200);
        }
        text += decoder.decode(chunk, { stream: true });
      }
      return text + decoder.decode();
    })
  );
}

function clientOptions(url: string, options: RemoteOptions): HubClientOptions {
  if (!URL.canParse(url)) throw new WorkListError(`Cannot read ${url}: it is no URL`);
  const { userAgent } = options;
  // No credential is for a server that is just any.
  const common = hubOptions({ ...options, hub: new URL(url).origin, token: "" });
  return {
    ...common,
    fetch: userAgent === undefined ? common.fetch : (at, init) => {
      const headers = new Headers(init.headers);
      headers.set("user-agent", userAgent);
      return common.fetch(at, { ...init, headers });
    },
    stats: { bytes: 0, requests: 0, retries: 0 },
  };
}

/** A refusal by a server that knows no tokens is told without the advice about them. */
async function plainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HubAccessError)) throw error;
    throw new HubError(
      `Cannot read ${error.url}: the server answers ${error.status}. It may hold back who asks too ` +
        `often: try again later.`,
      error.url,
      error.status,
      { cause: error },
    );
  }
}
