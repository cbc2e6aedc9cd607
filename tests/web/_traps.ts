/**
 * Link graphs that never end.
 *
 * @module
 */

import type { Exchange } from "./_exchange.ts";
import { mix } from "./scenario.ts";

/** Kinds of trap, as `/trap/<kind>/…`. */
export const TRAPS = [
  "calendar",
  "deeper",
  "session",
  "repeat",
  "longer",
  "wide",
  "facets",
  "hosts",
] as const;

/** Answers `/trap/…`. */
export function answerTrap(x: Exchange, rest: string): Promise<boolean> {
  const cut = rest.indexOf("/");
  const kind = cut < 0 ? rest : rest.slice(0, cut);
  const more = cut < 0 ? "" : rest.slice(cut + 1);
  const links = linksOf(x, kind, more);
  if (links === undefined) {
    return page(x, "Traps", TRAPS.map((t) => `/trap/${t}/`));
  }
  return page(x, `Trap ${kind}`, links);
}

function linksOf(x: Exchange, kind: string, more: string): string[] | undefined {
  switch (kind) {
    case "calendar": {
      // A page a month, for ever in both directions, and one a day.
      const [year = 2026, month = 1] = more.split("/").map(Number);
      const at = (Number.isFinite(year) ? year : 2026) * 12 + (Number.isFinite(month) ? month : 1) -
        1;
      const link = (m: number) => `/trap/calendar/${Math.floor(m / 12)}/${m % 12 + 1}`;
      return [link(at + 1), link(Math.max(0, at - 1)), `${link(at)}/${1 + at % 28}`];
    }
    case "deeper":
      // Every page has a folder below it.
      return [`${x.path.replace(/\/$/, "")}/${word(x.path.length)}`];
    case "session": {
      // The same ten pages, under another session at every visit.
      const sid = mix(x.web.scenario.seed, x.host.served).toString(36);
      return Array.from({ length: 10 }, (_, i) => `/trap/session/${i}?sid=${sid}`);
    }
    case "repeat":
      // A relative link that a server takes at every depth.
      return ["more/", "more/index"];
    case "longer":
      return [`/trap/longer/${"x".repeat(Math.min(9000, more.length * 2 + 8))}`];
    case "wide":
      return Array.from({ length: 10_000 }, (_, i) => `/trap/wide/${more.length}-${i}`);
    case "facets": {
      // Every choice adds a parameter.
      const query = x.query.toString();
      return ["red", "blue", "big", "small"].map((f, i) =>
        `/trap/facets/?${query === "" ? "" : `${query}&`}${f}=${i}`
      );
    }
    case "hosts": {
      // A new host at every page.
      const n = mix(x.web.scenario.seed, x.host.served, x.path.length);
      return [0, 1].map((i) => `${x.origin(`t${mix(n, i).toString(36)}.good.test`)}/trap/hosts/`);
    }
    default:
      return undefined;
  }
}

function page(x: Exchange, title: string, links: readonly string[]): Promise<boolean> {
  const list = links.map((l) => `<li><a href="${l.replaceAll("&", "&amp;")}">on</a></li>\n`).join(
    "",
  );
  return x.html(
    200,
    [],
    `<!DOCTYPE html><html lang="en"><head><title>${title}</title></head><body><ul>\n${list}</ul></body></html>\n`,
  );
}

function word(n: number): string {
  return ["a", "b", "c", "d", "e"][n % 5]!;
}
