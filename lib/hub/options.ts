/**
 * Which hub, with which credential, and how patiently.
 *
 * @module
 */

import type { HubClientOptions } from "./client.ts";
import { HubAccessError, HubAddressError } from "./errors.ts";

/** What a caller may say about the hub. */
export interface HubSettings {
  /** Base URL of the hub. @default HF_ENDPOINT, else https://huggingface.co */
  readonly hub?: string;
  /** Credential for the hub; no other host is sent it. @default HF_TOKEN */
  readonly token?: string;
  /** Ms for which the hub is asked again when it answers 429 or 5xx or not at all. @default 10 minutes */
  readonly retryFor?: number;
  /** Ms without a byte after which a request has failed. @default 30 seconds */
  readonly idle?: number;
  /** Ends requests to the hub with its reason. */
  readonly signal?: AbortSignal;
  /** Sends requests. @default the global `fetch` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Waits between attempts. @default by a timer */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Monotonic ms. @default `performance.now` */
  readonly now?: () => number;
  /** Told of each wait before the same is asked again, and why. */
  readonly onWait?: (ms: number, why: string) => void;
}

/**
 * The settings with what the environment and the defaults say where they are silent.
 *
 * @throws {HubAddressError} If the hub's address is none.
 * @throws {HubAccessError} If the token can be none.
 */
export function hubOptions(settings: HubSettings): Omit<HubClientOptions, "stats"> {
  return {
    hub: hubOf(settings.hub ?? Deno.env.get("HF_ENDPOINT") ?? ""),
    token: tokenOf(settings.token ?? Deno.env.get("HF_TOKEN") ?? ""),
    fetch: settings.fetch ?? ((url, init) => fetch(url, init)),
    sleep: settings.sleep ?? timer,
    now: settings.now ?? (() => performance.now()),
    retryFor: settings.retryFor ?? 600_000,
    idle: settings.idle ?? 30_000,
    signal: settings.signal,
    ...(settings.onWait === undefined ? {} : { onWait: settings.onWait }),
  };
}

/** A token that came by a file often ends in a line end, which no header may hold. */
function tokenOf(given: string): string | undefined {
  const token = given.trim();
  // Said here, since the runtime's own message would show it.
  if (!/^[\x21-\x7e]*$/.test(token)) {
    throw new HubAccessError(
      "Cannot use the hub: HF_TOKEN holds what no token can, such as a space or a line end.",
      "",
      0,
    );
  }
  return token || undefined;
}

function hubOf(given: string): string {
  let hub = given.trim() || "https://huggingface.co";
  while (hub.endsWith("/")) hub = hub.slice(0, -1);
  const url = URL.parse(hub);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new HubAddressError(
      `Cannot use the hub "${hub}": it is no http or https URL. Check HF_ENDPOINT.`,
      hub,
      0,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new HubAddressError(
      "Cannot use the hub: its address holds a name or a password. Take it out of HF_ENDPOINT; the " +
        "credential is HF_TOKEN.",
      "",
      0,
    );
  }
  return hub;
}

/** Whether this could be the name of a repo, `owner/name`. */
export function isRepoName(name: string): boolean {
  const pieces = name.split("/");
  return pieces.length === 2 &&
    pieces.every((piece) => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,95}$/.test(piece));
}

/** Waits so many ms, or until the signal is aborted, whose reason it then throws. */
export function timer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const stop = () => {
      clearTimeout(id);
      fail(signal?.reason);
    };
    const id = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      done();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
