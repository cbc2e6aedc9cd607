/**
 * Puts finished blocks below each other, as Markdown and as plain text.
 *
 * @module
 */

/** One quote or list item around the block: how its first line begins, and how the others do. */
interface Level {
  readonly first: string;
  readonly rest: string;
  used: boolean;
}

/** Levels beyond which indentation no longer grows. */
const DEEPEST = 12;

/** Takes blocks until `maxLength` is reached. */
export class BlockOutput {
  readonly maxLength: number;
  /** The next block follows the one before without a blank line. */
  tight = false;
  /** The length is reached; what comes now is lost. */
  full = false;
  #markdown = "";
  #text = "";
  readonly #levels: Level[] = [];

  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  get markdown(): string {
    return this.#markdown;
  }

  get text(): string {
    return this.#text;
  }

  /** Length of the Markdown so far. */
  get length(): number {
    return this.#markdown.length;
  }

  /** Begin a quote or list item; false when it is too deep to be shown as one. */
  enter(first: string, rest: string): boolean {
    if (this.#levels.length >= DEEPEST) return false;
    this.#levels.push({ first, rest, used: false });
    return true;
  }

  leave(): void {
    this.#levels.pop();
  }

  /** Add a block under the prefixes of its levels. */
  emit(markdown: string, text: string): void {
    if (this.full) return;
    let first = "", rest = "", blank = "";
    for (const level of this.#levels) {
      if (level.used) blank += level.rest;
      first += level.used ? level.rest : level.first;
      rest += level.rest;
      level.used = true;
    }
    if (this.#markdown !== "") {
      this.#markdown += this.tight ? "\n" : "\n" + blank.trimEnd() + "\n";
    }
    if (text !== "") this.#text += (this.#text === "" ? "" : this.tight ? "\n" : "\n\n") + text;
    this.tight = false;
    this.#markdown += first +
      (rest === "" ? markdown : indent(markdown, rest, this.maxLength - this.#markdown.length));
    if (this.#markdown.length <= this.maxLength) return;
    this.full = true;
    this.#markdown = this.#markdown.slice(0, this.maxLength);
    this.#text = this.#text.slice(0, this.maxLength);
  }
}

/** Begin every line but the first with a prefix; cut where the prefixes alone would pass `room`. */
function indent(block: string, prefix: string, room: number): string {
  let lines = 0;
  for (let at = block.indexOf("\n"); at >= 0; at = block.indexOf("\n", at + 1)) {
    if (++lines * prefix.length > room) {
      block = block.slice(0, at);
      break;
    }
  }
  return block.replaceAll("\n", "\n" + prefix);
}
