/**
 * Finds the main content of a page in its tree.
 *
 * @module
 */

import type { Deadline } from "./_deadline.ts";
import type { Element } from "./_element.ts";
import { Says, saysOf, weightOf } from "./_naming.ts";
import { clean, prune } from "./_prune.ts";
import { HEADING } from "./_tags.ts";

/** Text worth having: prose, or where a page has none, what stands outside of links. */
const worth = (e: Element): number => Math.max(e.prose, (e.text - e.linkText) * 0.6);

/** Containers by name that are compared; pages with more are lists of the same thing. */
const MOST_CONTAINERS = 2_000;

/**
 * The elements that hold a page's main content, in the order of the page; the rest of the tree, and
 * what is clutter within them, is marked as dropped.
 *
 * Articles end up as their body. A page whose content is in many places (a listing, a forum, a
 * product with its specification) keeps all of it, less its surroundings.
 */
export function mainContent(root: Element, deadline: Deadline): Element[] {
  prune(root, true, deadline);
  const chosen = choose(root, deadline);
  const kept = chosen.reduce((sum, element) => sum + worth(element), 0);
  // When most of what is left of the page lies elsewhere, the page is not one article.
  if (chosen.length === 0 || kept < worth(root) * 0.35) {
    return [root];
  }
  for (const element of chosen) clean(element, deadline);
  return chosen;
}

function choose(root: Element, deadline: Deadline): Element[] {
  const { candidates, containers } = gather(root, deadline);
  let best: Element | undefined, bestScore = -Infinity;
  for (const [element, points] of candidates) {
    const score = points * (1 - element.linkDensity);
    candidates.set(element, score);
    if (score > bestScore) {
      best = element;
      bestScore = score;
    }
  }
  const named = chooseContainer(containers);
  if (named !== undefined) {
    const { container, value } = named;
    const wider = siblingsOf(container, containers);
    const chosen = wider && worth(wider) > worth(container) * 1.2 && wider.linkDensity < 0.35
      ? wider
      : container;
    const enough = worth(chosen);
    if (best === undefined) { if (value > 100) return [chosen]; }
    else if (enough > 120 && (enough >= worth(best) * 0.8 || enough >= worth(root) * 0.5)) {
      return [chosen];
    }
  }
  if (best === undefined || best.text === 0) return [];
  return withSiblings(widen(best, candidates), bestScore, candidates);
}

/** Score what paragraphs stand in, and list what is content by its name or element. */
function gather(
  root: Element,
  deadline: Deadline,
): { candidates: Map<Element, number>; containers: Element[] } {
  const candidates = new Map<Element, number>(), containers: Element[] = [];
  const open: Element[] = [root];
  for (let element = open.pop(); element && !deadline.passed; element = open.pop()) {
    // Pushed last to first, so that elements come in the order of the page.
    for (let i = element.children.length - 1; i >= 0; i--) {
      const child = element.children[i]!;
      if (typeof child !== "string" && !child.dropped && child.children.length > 0) {
        open.push(child);
      }
    }
    if (containers.length < MOST_CONTAINERS && isContainer(element)) containers.push(element);
    if (element.text < 25 || !isParagraph(element)) continue;
    const points = (1 + element.commas + Math.min(3, Math.floor(element.text / 100))) *
      (1 - element.linkDensity);
    // Full points to the parent, half to its parent, then less and less.
    let above = element.parent;
    for (let level = 0; above && above.parent && level < 5; above = above.parent, level++) {
      const share = points / (level === 0 ? 1 : level === 1 ? 2 : level * 3);
      candidates.set(above, (candidates.get(above) ?? startOf(above)) + share);
    }
  }
  return { candidates, containers };
}

const LEAF_PARAGRAPHS: ReadonlySet<string> = new Set(["div", "section", "li", "dd", "center"]);

function isParagraph(element: Element): boolean {
  const { name } = element;
  return name === "p" || name === "pre" || name === "td" || name === "blockquote" ||
    element.blocks === 0 && LEAF_PARAGRAPHS.has(name);
}

function isContainer(element: Element): boolean {
  const { name, attributes } = element;
  return name === "article" || name === "main" || attributes.role === "main" ||
    isBody(element);
}

/** Whether an element is named as the body of an article. */
function isBody(element: Element): boolean {
  return element.attributes.itemprop === "articleBody" ||
    element.block && (saysOf(element) & Says.Content) !== 0;
}

function startOf(element: Element): number {
  const { name } = element;
  const byElement = name === "div" || name === "article" || name === "main"
    ? 5
    : name === "pre" || name === "td" || name === "blockquote"
    ? 3
    : HEADING.has(name) || name === "th"
    ? -5
    : ["address", "ol", "ul", "dl", "dd", "dt", "li", "form"].includes(name)
    ? -3
    : 0;
  return byElement + weightOf(element);
}

/** The deepest container that keeps nearly all that the ones around it hold. */
function chooseContainer(
  containers: readonly Element[],
): { container: Element; value: number } | undefined {
  let container: Element | undefined, value = 0;
  for (const element of containers) {
    const v = worth(element) * (1 - element.linkDensity) * (isBody(element) ? 1.15 : 1);
    // One inside the best so far may hold a little less; one that is not must hold more.
    if (v > value * (container && isWithin(element, container) ? 0.85 : 1)) {
      container = element;
      value = v;
    }
  }
  return container && { container, value };
}

function isWithin(element: Element, ancestor: Element): boolean {
  for (let e = element.parent; e; e = e.parent) if (e === ancestor) return true;
  return false;
}

/**
 * When a container is one of several of a kind side by side (posts of a thread, parts of an
 * article), what holds them all.
 */
function siblingsOf(container: Element, containers: readonly Element[]): Element | undefined {
  const holding = new Set<Element>();
  for (const element of containers) {
    if (element.name !== container.name) continue;
    for (let e: Element | undefined = element; e && !holding.has(e); e = e.parent) holding.add(e);
  }
  let element = container;
  for (let level = 0; level < 8; level++) {
    const { parent } = element;
    if (!parent || parent.name === "body" || parent.parent === undefined) return undefined;
    for (const other of parent.children) {
      if (
        typeof other !== "string" && other !== element && !other.dropped &&
        other.name === element.name &&
        other.text > 60 && other.linkDensity < 0.4 && holding.has(other)
      ) return parent;
    }
    element = parent;
  }
  return undefined;
}

/** Climb from the best candidate while what is around it adds to it. */
function widen(best: Element, candidates: ReadonlyMap<Element, number>): Element {
  let top = best, score = candidates.get(best) ?? 0;
  let parent = best.parent;
  for (let level = 0; parent && level < 6; parent = parent.parent, level++) {
    if (parent.name === "body" || parent.name === "html" || parent.parent === undefined) break;
    const around = candidates.get(parent) ?? -Infinity;
    const filled = parent.children.filter((child) =>
      typeof child !== "string" && !child.dropped && child.text > 0
    );
    if (around > score) score = around;
    else if (
      filled.length !== 1 && !(parent.prose > top.prose * 1.35 && parent.linkDensity < 0.25)
    ) break;
    top = parent;
  }
  return top;
}

/** The chosen element and those beside it that read like more of the same. */
function withSiblings(
  top: Element,
  best: number,
  candidates: ReadonlyMap<Element, number>,
): Element[] {
  const needed = Math.max(10, (candidates.get(top) ?? best) * 0.2);
  const siblings: Element[] = [];
  for (const child of top.parent?.children ?? [top]) {
    if (child === top) siblings.push(top);
    if (typeof child === "string" || child === top || child.dropped) continue;
    const score = candidates.get(child);
    const alike = child.attributes.class && child.attributes.class === top.attributes.class
      ? best * 0.2
      : 0;
    const joins = score !== undefined && score + alike >= needed ||
      child.name === "p" &&
        (child.text > 80
          ? child.linkDensity < 0.25
          : child.text > 0 && child.linkDensity === 0 && child.commas > 0);
    if (joins) siblings.push(child);
  }
  return siblings;
}
