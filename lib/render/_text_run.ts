/**
 * The text between two tags, which may come in pieces.
 *
 * @module
 */

import { decodeHTML } from "entities/decode";

/** Joins pieces: a range of the source for as long as they touch, a string once they do not. */
export class TextRun {
  readonly #source: string;
  #joined = "";
  #start = 0;
  #end = 0;
  #raw = false;

  constructor(source: string) {
    this.#source = source;
  }

  /** Source text from `start` up to `end`, with character references unless `raw`. */
  add(start: number, end: number, raw: boolean): void {
    if (start !== this.#end || raw !== this.#raw) {
      this.#join();
      this.#start = start;
      this.#raw = raw;
    }
    this.#end = end;
  }

  /** Length of what was taken last, runs of white space counted once. */
  characters = 0;
  /** Commas in it, those of several scripts. */
  commas = 0;

  /** Everything since the last call; counted on the way. */
  take(): string {
    const start = this.#start, end = this.#end;
    if (this.#joined === "") {
      if (start === end) return "";
      // Nearly always one range without references. Reading the source is cheaper than reading a slice of it.
      const plain = this.#measure(this.#source, start, end) || this.#raw;
      if (plain) {
        this.#start = this.#end = 0;
        return this.#source.slice(start, end);
      }
    }
    this.#join();
    const text = this.#joined;
    this.#joined = "";
    this.#start = this.#end = 0;
    this.#measure(text, 0, text.length);
    return text;
  }

  #join(): void {
    if (this.#start === this.#end) return;
    const text = this.#source.slice(this.#start, this.#end);
    this.#joined += this.#raw || !text.includes("&") ? text : decodeHTML(text);
  }

  /** Count; whether there is no "&" in it. */
  #measure(text: string, start: number, end: number): boolean {
    let characters = 0, commas = 0, space = true, plain = true;
    for (let i = start; i < end; i++) {
      const c = text.charCodeAt(i);
      if (c <= 32 || c === 160) {
        if (!space) characters++;
        space = true;
      } else {
        characters++;
        space = false;
        if (c === 38) plain = false;
        else if (
          c === 44 || c > 0x600 && (c === 0x3001 || c === 0xff0c || c === 0x060c || c === 0x3002)
        ) commas++;
      }
    }
    this.characters = characters;
    this.commas = commas;
    return plain;
  }
}
