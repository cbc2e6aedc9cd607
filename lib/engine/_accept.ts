/**
 * The caller's own word on links. A function cannot cross to the threads that find them, so it is asked
 * on the caller's, between a page's being durable and its completion.
 */

import { hostOf } from "../url/mod.ts";
import type { CrawlLink } from "./crawl_options.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A page whose links are judged. */
export interface LinkSource {
  readonly url: string;
  readonly depth: number;
}

/**
 * The outlinks that `accept` takes.
 *
 * @param outlinks Canonical URLs joined by "\n", UTF-8; so is what comes back.
 * @throws What `accept` throws.
 * @throws {TypeError} When it answers neither true nor false (a promise would count as true).
 */
export function acceptedLinks(
  outlinks: Uint8Array,
  page: LinkSource,
  accept: (link: CrawlLink) => boolean,
): Uint8Array {
  if (outlinks.length === 0) return outlinks;
  const links = decoder.decode(outlinks).split("\n");
  const kept = links.filter((url) => isAccepted(url, page, page.depth + 1, accept));
  return kept.length === links.length ? outlinks : encoder.encode(kept.join("\n"));
}

/**
 * Whether a page's redirect may be followed: a seed's may, wherever it leads.
 *
 * @throws As {@linkcode acceptedLinks}.
 */
export function acceptsRedirect(
  target: string,
  page: LinkSource,
  accept: (link: CrawlLink) => boolean,
): boolean {
  return page.depth === 0 || isAccepted(target, page, page.depth, accept);
}

function isAccepted(
  url: string,
  page: LinkSource,
  depth: number,
  accept: (link: CrawlLink) => boolean,
): boolean {
  const answer: unknown = accept({ url, host: hostOf(url), depth, from: page.url });
  if (typeof answer === "boolean") return answer;
  throw new TypeError(
    `Cannot crawl: accept answered ${String(answer)} of ${url}, not true or false`,
  );
}
