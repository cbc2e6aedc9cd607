/**
 * The node of the tree that rendering works on.
 *
 * @module
 */

import { BLOCK } from "./_tags.ts";

/** The attributes that were kept, by lower-case name. */
export type Attributes = Readonly<Record<string, string>>;

export const NO_ATTRIBUTES: Attributes = Object.freeze(Object.create(null));

/**
 * An element with the sums over what it holds, which are all that scoring looks at. The sums are
 * brought up to date when an element is closed and when one is dropped.
 */
export class Element {
  readonly children: (Element | string)[] = [];
  /** Characters, runs of white space counted as one: all, within links, within headings. */
  text = 0;
  linkText = 0;
  headingText = 0;
  /** Characters outside links in paragraphs, quotes, code and definitions of at least 25. */
  prose = 0;
  commas = 0;
  paragraphs = 0;
  images = 0;
  items = 0;
  inputs = 0;
  links = 0;
  rows = 0;
  /** Block elements and tables below this one. */
  blocks = 0;
  tables = 0;
  /** Left out of the content. */
  dropped = false;
  readonly block: boolean;

  constructor(
    readonly name: string,
    readonly attributes: Attributes,
    readonly parent: Element | undefined,
  ) {
    this.block = BLOCK.has(name);
  }

  /** Share of the text that is link text. */
  get linkDensity(): number {
    return this.text > 0 ? this.linkText / this.text : 0;
  }

  /** Add (or with -1 take away) what `child` holds and is. */
  sum(child: Element, sign: 1 | -1): void {
    const name = child.name;
    this.text += sign * child.text;
    this.linkText += sign * child.linkText;
    this.headingText += sign * child.headingText;
    this.prose += sign * child.prose;
    this.commas += sign * child.commas;
    this.paragraphs += sign * (child.paragraphs + (name === "p" ? 1 : 0));
    this.images += sign * (child.images + (name === "img" ? 1 : 0));
    this.items += sign * (child.items + (name === "li" ? 1 : 0));
    this.inputs += sign * child.inputs;
    this.links += sign * (child.links + (name === "a" ? 1 : 0));
    this.rows += sign * (child.rows + (name === "tr" ? 1 : 0));
    this.blocks += sign * (child.blocks + (child.block ? 1 : 0));
    this.tables += sign * (child.tables + (name === "table" ? 1 : 0));
  }

  /** Leave this element out, and take what it held out of the sums above it. */
  drop(): void {
    if (this.dropped) return;
    this.dropped = true;
    // Every step takes away the same: what was added up on the way is the same too.
    const { parent } = this;
    if (parent === undefined) return;
    for (let above: Element | undefined = parent; above; above = above.parent) above.sum(this, -1);
  }

  /** Whether an element of this name is above, at most 40 levels up. */
  isInside(name: string): boolean {
    let level = 0;
    for (let e = this.parent; e && level < 40; e = e.parent, level++) {
      if (e.name === name) return true;
    }
    return false;
  }
}
