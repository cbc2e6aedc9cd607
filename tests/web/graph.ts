/**
 * The links of a page. Pure functions of the scenario, the host and the page's number.
 *
 * @module
 */

import { type GraphKind, hostName, mix, origin, pagesOf, type Scenario } from "./scenario.ts";

/** A page of the graph, as a reader of its links needs it. */
export interface GraphPage {
  readonly kind: GraphKind;
  /** The host's number in the scenario, -1 for a host outside it. */
  readonly index: number;
  readonly host: string;
  readonly port: number;
  /** Pages on this host. */
  readonly pages: number;
  readonly page: number;
}

/** The `href` values of a page, in the spelling the page has them. */
export function pageLinks(s: Scenario, g: GraphPage): string[] {
  if (g.kind === "tree-across" && g.index >= 0) return across(s, g);
  const links: string[] = [];
  const first = g.page * s.fanout + 1;
  for (let c = first; c < first + s.fanout && c < g.pages; c++) links.push(`/p/${c}`);
  if (g.kind === "mesh") addMesh(s, g, links);
  return links;
}

function across(s: Scenario, g: GraphPage): string[] {
  // Pages are numbered over all hosts: number k is page k / hosts of host k mod hosts.
  const k = g.page * s.hosts + g.index;
  const links: string[] = [];
  const first = k * s.fanout + 1;
  for (let c = first; c < first + s.fanout && c < s.pages; c++) {
    links.push(absolute(s, g, c % s.hosts, Math.floor(c / s.hosts)));
  }
  return links;
}

function absolute(s: Scenario, g: GraphPage, host: number, page: number): string {
  return `${origin(s.scheme, hostName(s, host), g.port)}/p/${page}`;
}

function addMesh(s: Scenario, g: GraphPage, links: string[]): void {
  const own = origin(s.scheme, g.host, g.port);
  for (let i = 0; i < 12; i++) {
    const r = mix(s.seed, (g.index + 1) * 1_000_003 + g.page, i);
    const to = r % g.pages;
    switch (i) {
      case 0:
        links.push(`/p/${to}#part-${r % 7}`);
        break;
      case 1:
        links.push(`/p/${to}?utm_source=mesh&utm_medium=${r % 5}`);
        break;
      case 2:
        links.push(`${own.replace(g.host, g.host.toUpperCase())}/p/${to}`);
        break;
      case 3:
        links.push(`/%70/${to}`);
        break;
      case 4:
        links.push(`./../p/./${to}`);
        break;
      case 5:
        links.push(`/p/x/../${to}?fbclid=${r}#top`);
        break;
      case 6:
        links.push(`//${g.host}:${g.port}/p/${to}`);
        break;
      case 7:
        links.push(`  /p/${to}\n`);
        break;
      case 8:
        // The same link twice in one page.
        links.push(`/p/${to}`, `/p/${to}`);
        break;
      case 9:
        links.push(`${own.replace(g.host, `${g.host}.`)}/p/${to}`);
        break;
      default: {
        if (g.index < 0) break;
        const host = mix(r, 7) % s.hosts;
        const pages = pagesOf(s, host);
        if (pages > 0) links.push(absolute(s, g, host, mix(r, 11) % pages));
      }
    }
  }
  links.push("mailto:someone@example.test", "javascript:void(0)", "#", "tel:+10000000");
}
