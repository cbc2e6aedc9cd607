/**
 * Leaves out what surrounds the content: navigation, asides, sharing, comments, what is hidden.
 * Nothing is dropped for its name alone: how much of the page's prose it holds has a say.
 *
 * @module
 */

import type { Deadline } from "./_deadline.ts";
import type { Element } from "./_element.ts";
import { Says, saysOf, weightOf } from "./_naming.ts";
import { HEADING } from "./_tags.ts";

const ROLES_AROUND: ReadonlySet<string> = new Set(
  "menu menubar complementary navigation alert alertdialog dialog banner contentinfo search toolbar tablist"
    .split(" "),
);
const ELEMENTS_AROUND: ReadonlySet<string> = new Set([
  "nav",
  "aside",
  "footer",
  "form",
  "menu",
  "search",
]);
/** Never judged as a whole. */
const SPARED: ReadonlySet<string> = new Set(["body", "article", "main", "a"]);

/**
 * Drop what is not content. With `byName` false only what says so by its element, role or style goes:
 * for pages where names mislead.
 */
export function prune(root: Element, byName: boolean, deadline: Deadline): void {
  const whole = { text: root.text || 1, prose: root.prose };
  const open: Element[] = [root];
  for (let element = open.pop(); element && !deadline.passed; element = open.pop()) {
    for (const child of element.children) {
      if (typeof child === "string" || child.dropped || child.name === "br") continue;
      if (isAround(child, root, whole, byName)) child.drop();
      else if (child.children.length > 0) open.push(child);
    }
  }
}

function isAround(
  element: Element,
  root: Element,
  whole: { text: number; prose: number },
  byName: boolean,
): boolean {
  const { name, attributes } = element;
  // Its share of the page: of the prose where there is some, else of all text.
  const share = whole.prose > 200 ? element.prose / whole.prose : element.text / whole.text;
  if (isHidden(element)) return share < 0.5;
  if (SPARED.has(name)) return false;
  if (attributes.role && ROLES_AROUND.has(attributes.role) && share < 0.5) return true;
  if (ELEMENTS_AROUND.has(name) && share < (name === "form" ? 0.3 : 0.4)) return true;
  if (name === "header" && element.prose < 120 && !element.isInside("article")) return true;
  if (!byName || name === "p" || HEADING.has(name)) return false;
  const says = saysOf(element);
  if (says === 0) return false;
  const readable = element.text > 200 && element.linkText < element.text * 0.15;
  const left = Math.max(share, root.text > 0 ? element.text / root.text : 0);
  if ((says & Says.Unseen) !== 0) return share < 0.2;
  if ((says & Says.Boilerplate) !== 0 && !((says & Says.Content) !== 0 && share > 0.15)) {
    if ((says & Says.Comments) !== 0) {
      if (left < 0.7) return true;
    } else if (readable) {
      if (left < 0.12 || (says & Says.Elsewhere) !== 0 && share < 0.5) return true;
    } else if (share < 0.35) return true;
  }
  return (says & (Says.Doubtful | Says.Boilerplate)) !== 0 &&
    (says & (Says.Hopeful | Says.Content)) === 0 &&
    !readable && left < 0.25 &&
    !element.isInside("table") && !element.isInside("pre") && !element.isInside("code");
}

function isHidden(element: Element): boolean {
  const { attributes } = element;
  if (attributes.hidden !== undefined && attributes.hidden !== "until-found") return true;
  const { style } = attributes;
  if (style !== undefined) {
    const plain = style.replace(/\s+/g, "").toLowerCase();
    if (plain.includes("display:none") || plain.includes("visibility:hidden")) return true;
  }
  return attributes["aria-hidden"] === "true" && !attributes.class?.includes("fallback-image");
}

const CLEANED: ReadonlySet<string> = new Set(
  "div section ul ol table dl form header p fieldset details".split(" "),
);

/**
 * Drop the small things within the chosen content that are none of it: lists of links, share bars,
 * forms, empty boxes. From the inside out, so that a box is judged by what is left in it.
 */
export function clean(top: Element, deadline: Deadline): void {
  const order: Element[] = [top];
  for (let i = 0; i < order.length && !deadline.passed; i++) {
    for (const child of order[i]!.children) {
      if (typeof child !== "string" && !child.dropped && child.children.length > 0) {
        order.push(child);
      } else if (typeof child !== "string" && child.block && child.name !== "hr") order.push(child);
    }
  }
  for (let i = order.length - 1; i > 0 && !deadline.passed; i--) {
    const element = order[i]!;
    if (!element.dropped && CLEANED.has(element.name) && isClutter(element)) element.drop();
  }
}

function isClutter(element: Element): boolean {
  const { name, text, links, images, linkDensity: density } = element;
  if (name === "p") return links >= 2 && text < 60 && density > 0.9;
  if (text === 0 && images === 0) return true;
  if (name === "table" && density < 0.5 && isData(element)) return false;
  if (element.isInside("pre") || element.isInside("code")) return false;
  const weight = weightOf(element);
  if (weight < 0 && element.prose < 400 && element.commas < 10 && !isData(element)) return true;
  if (element.commas >= 10) return false;
  const isList = name === "ul" || name === "ol" || name === "dl" ||
    element.items > element.paragraphs && text > 0;
  if (isList) return density > 0.85 || density > 0.6 && links >= 2 && text / links < 80;
  if (element.inputs > Math.floor(element.paragraphs / 3) + 1) return true;
  if (images > 1 && element.paragraphs / images < 0.5 && density > 0.3 && element.prose < 100) {
    return true;
  }
  if (
    text < 25 && (images === 0 || images > 2) && density > 0.3 &&
    element.headingText / (text || 1) < 0.9
  ) return true;
  return weight < 25 ? density > 0.35 && element.prose < 200 : density > 0.6;
}

/** Whether a table (or what holds one) is made of rows that say something. */
function isData(element: Element): boolean {
  return element.name === "table" && element.rows >= 2;
}
