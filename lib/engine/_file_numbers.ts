/**
 * The numbers of archive files that a state has used. A folder knows its own, but one that was moved
 * away, or exchanged for another, takes that knowledge along, and a second file of one name is one
 * that overwrites the first when the folders come together.
 */

import type { Frontier } from "../frontier/mod.ts";

/** Keys of what the cache of robots.txt keeps begin with a scheme. */
const KEY = "warc number of ";

/** The highest number that files of one prefix have in a state. */
export class FileNumbers {
  readonly #frontier: Pick<Frontier, "putCached">;
  readonly #prefix: string;
  #highest: number;

  private constructor(frontier: Pick<Frontier, "putCached">, prefix: string, highest: number) {
    this.#frontier = frontier;
    this.#prefix = prefix;
    this.#highest = highest;
  }

  /** Reads what the state has. */
  static async of(
    frontier: Pick<Frontier, "getCached" | "putCached">,
    prefix: string,
  ): Promise<FileNumbers> {
    const found = await frontier.getCached(KEY + prefix);
    const highest = found === undefined ? -1 : Number(new TextDecoder().decode(found.value));
    return new FileNumbers(frontier, prefix, highest);
  }

  /** The least number that no file has. */
  get next(): number {
    return this.#highest + 1;
  }

  /** A record lies in this file; to be said before the frontier hears of the record's page. */
  note(file: string): void {
    const number = Number(/-(\d+)\.warc\.gz$/.exec(file)?.[1] ?? -1);
    if (number <= this.#highest) return;
    this.#highest = number;
    const value = new TextEncoder().encode(String(number));
    this.#frontier.putCached(KEY + this.#prefix, value, Infinity);
  }
}
