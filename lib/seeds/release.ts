/**
 * Where a release of the web graph lies, and which is the newest.
 *
 * @module
 */

import { newestFirst, releaseMonth } from "../webgraph/mod.ts";
import { fetchText, HubError, type RemoteOptions } from "../worklist/mod.ts";
import { ReleaseError } from "./errors.ts";
import { DATA_ENDPOINT, RELEASES_PAGE } from "./places.ts";

/** Options of {@linkcode findRelease} and {@linkcode rankTableUrl}. */
export interface ReleaseOptions extends RemoteOptions {
  /** Base URL that `projects/hyperlinkgraph/` is under. @default {@linkcode DATA_ENDPOINT} */
  readonly dataEndpoint?: string;
  /** Page with a link to each release. @default {@linkcode RELEASES_PAGE} */
  readonly releasesPage?: string;
}

const MAX_PAGE = 8 << 20;
const MAX_IDS = 10_000;
const MAX_LINK = 512;
/** An id that spans years and a dozen months is shorter. */
const MAX_ID = 80;

/**
 * Name of the newest release: by the links on the page of releases, or where it gives none by the
 * listing of the folder they are in.
 *
 * @throws {ReleaseError} If neither names one; with what the sites answered as its cause.
 */
export async function findRelease(options: ReleaseOptions = {}): Promise<string> {
  const page = options.releasesPage ?? RELEASES_PAGE;
  const listing = folderUrl(options);
  const failures: HubError[] = [];
  for (const url of [page, listing]) {
    try {
      const [newest] = newestFirst(linkedReleases(await fetchText(url, MAX_PAGE, options)));
      if (newest !== undefined) return newest;
    } catch (error) {
      // The other place may still tell.
      if (!(error instanceof HubError)) throw error;
      failures.push(error);
    }
  }
  // That a site is not to be had now has an exit code of its own.
  const [failure] = failures;
  if (failures.length === 2) throw failure;
  throw new ReleaseError(
    `Cannot find the newest release of the web graph: neither ${page} nor ${listing} links to one` +
      `${failure === undefined ? "" : ` (${failure.message})`}. Name one with --graph.`,
    { cause: failure },
  );
}

/**
 * URL of a release's rank table.
 *
 * @throws {ReleaseError} If `release` is no release's name.
 */
export function rankTableUrl(
  release: string,
  kind: "host" | "domain",
  options: ReleaseOptions = {},
): string {
  if (release.length > MAX_ID || releaseMonth(release) === undefined) {
    throw new ReleaseError(
      `Cannot read the release ${JSON.stringify(release.slice(0, MAX_ID))} of the web graph: its ` +
        `name must be as cc-main-2026-mar-apr-may or cc-main-2025-26-dec-jan-feb`,
    );
  }
  return `${folderUrl(options)}${release}/${kind}/${release}-${kind}-ranks.txt.gz`;
}

function folderUrl({ dataEndpoint = DATA_ENDPOINT }: ReleaseOptions): string {
  let base = dataEndpoint;
  while (base.endsWith("/")) base = base.slice(0, -1);
  return `${base}/projects/hyperlinkgraph/`;
}

/** Ids in the links of a page; of `…/cc-main-2026-mar-apr-may-host/x` the id alone. */
export function linkedReleases(html: string): string[] {
  const found = new Set<string>();
  for (let at = 0; found.size < MAX_IDS;) {
    at = html.indexOf("href", at);
    if (at < 0) break;
    at += 4;
    let from = at;
    while (isGap(html.charCodeAt(from)) && from < at + 16) from++;
    if (html[from] !== "=") continue;
    from++;
    while (isGap(html.charCodeAt(from)) && from < at + 32) from++;
    const quote = html[from];
    const quoted = quote === '"' || quote === "'";
    // Cut before its end is looked for: a page of open quotes would be searched to its end each time.
    const rest = html.slice(from, from + MAX_LINK).toLowerCase();
    const end = quoted ? rest.indexOf(quote, 1) : rest.indexOf(">");
    const link = end < 0 ? rest : rest.slice(0, end);
    for (let i = link.indexOf("cc-main-"); i >= 0; i = link.indexOf("cc-main-", i + 1)) {
      const id = longestId(link.slice(i, i + MAX_ID));
      if (id !== undefined) found.add(id);
    }
  }
  return [...found];
}

/** The longest beginning of `text`, in whole words, that is an id. */
function longestId(text: string): string | undefined {
  const word = /^[a-z0-9-]*/.exec(text)![0];
  for (let end = word.length; end > 0; end = word.lastIndexOf("-", end - 1)) {
    const id = word.slice(0, end);
    if (releaseMonth(id) !== undefined) return id;
  }
  return undefined;
}

function isGap(c: number): boolean {
  return c === 0x20 || c >= 9 && c <= 13;
}
