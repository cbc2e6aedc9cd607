/**
 * Sitemaps of the sites that seeds name: where they are looked for, how far what they list is followed.
 */

import type { DiscoveredUrl, Frontier, LeasedUrl } from "../frontier/mod.ts";
import type { RobotsVerdictSource } from "../robots/mod.ts";
import {
  canonicalUrl,
  hostOf,
  registeredDomain,
  Scope,
  type ScopeOptions,
  trapReason,
} from "../url/mod.ts";

/** Sitemaps that lie behind each other: robots.txt, an index, an index of the index's, and what that lists. */
const MAX_LEVELS = 4;
/** Added to the level of what a site's robots.txt names on another site: it lists pages of named hosts alone. */
const FOREIGN = 128;
/** Sitemap lines of one robots.txt that are followed. */
const MAX_NAMED = 1000;
/** Origins remembered, so that each is offered once and not with every page; the frontier knows all. */
const MAX_KNOWN = 65_536;

/** What an answer may list, by how it was come to. */
export interface ListingRules {
  /** Whether it was called a sitemap. */
  readonly expected: boolean;
  /** Whether the pages of its own site that it lists are taken at its own depth. */
  readonly own: boolean;
  /** Whether those of other sites are, where a seed named their host. */
  readonly others: boolean;
}

/** What an answer may list. `level` is the lease's `listed`. */
export function listingRules(depth: number, level: number): ListingRules {
  // A sitemap that links led to lists links: else one link to it would bring in a whole site.
  const within = depth === 0 && level % FOREIGN <= MAX_LEVELS;
  return {
    expected: level % FOREIGN === 1,
    own: within && level < FOREIGN,
    others: within,
  };
}

/** Whether a redirect of something listed is followed as a part of the site that listed it. */
export function staysOnSite(from: string, to: string, level: number): boolean {
  return level >= FOREIGN || siteOf(from) === siteOf(to);
}

/** The registered domain of a URL. */
export function siteOf(url: string): string {
  return registeredDomain(hostOf(url));
}

/** Offers the sitemaps of hosts. */
export class SitemapDiscovery {
  readonly #frontier: Frontier;
  readonly #scope: Scope;
  readonly #fail: (error: Error) => void;
  /** By origin, when what its robots.txt said runs out: then it may say something else. */
  readonly #known = new Map<string, number>();

  constructor(frontier: Frontier, scope: ScopeOptions, fail: (error: Error) => void) {
    this.#frontier = frontier;
    this.#scope = new Scope(scope);
    this.#fail = fail;
  }

  /**
   * A page is about to be asked for, and what its host says in robots.txt is known (undefined where that
   * is not asked for). If a seed named it, the host's sitemaps go into the frontier.
   */
  found(
    page: LeasedUrl,
    robots: Pick<RobotsVerdictSource, "rules" | "expires"> | undefined,
  ): void {
    if (page.depth > 0 || page.listed !== undefined) return;
    const { origin } = new URL(page.url);
    const expires = robots?.expires ?? Infinity;
    if (this.#known.get(origin) === expires) return;
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(origin, expires);
    const offers = this.#named(page, origin, robots?.rules.sitemaps ?? []);
    if (offers.length === 0) return;
    this.#frontier.put(offers).catch((e) => this.#fail(e as Error));
  }

  #named(page: LeasedUrl, origin: string, named: readonly string[]): DiscoveredUrl[] {
    const site = siteOf(page.url);
    const urls = new Set<string>();
    for (const text of named.slice(0, MAX_NAMED)) {
      const url = canonicalUrl(text, `${origin}/robots.txt`);
      if (url !== undefined && trapReason(url) === undefined) urls.add(url);
    }
    if (urls.size === 0) urls.add(`${origin}/sitemap.xml`);
    return [...urls].filter((url) => this.#scope.admitsSeed(url)).map((url) => ({
      url,
      priority: page.priority,
      depth: 0,
      listed: siteOf(url) === site ? 1 : FOREIGN + 1,
    }));
  }
}
