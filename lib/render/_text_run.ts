/**
 * The text between two tags, which a tokenizer hands over in pieces.
 *
 * @module
 */

/** Joins pieces: a range of the source for as long as they touch, a string once they do not. */
export class TextRun {
  readonly #source: string;
  #joined = "";
  #start = 0;
  #end = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Source text from `start` up to `end`. */
  range(start: number, end: number): void {
    if (start !== this.#end) {
      this.#joined += this.#source.slice(this.#start, this.#end);
      this.#start = start;
    }
    this.#end = end;
  }

  /** A decoded character. */
  point(point: number): void {
    this.#joined += this.#source.slice(this.#start, this.#end) + String.fromCodePoint(point);
    this.#start = this.#end = 0;
  }

  /** Everything since the last call. */
  take(): string {
    if (this.#joined === "" && this.#start === this.#end) return "";
    const text = this.#joined + this.#source.slice(this.#start, this.#end);
    this.#joined = "";
    this.#start = this.#end = 0;
    return text;
  }
}

/** Length with runs of white space counted once, and the commas of several scripts. */
export function measure(text: string): [characters: number, commas: number] {
  let characters = 0, commas = 0, space = true;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c <= 32 || c === 160) {
      if (!space) characters++;
      space = true;
    } else {
      characters++;
      space = false;
      if (c === 44 || c === 0x3001 || c === 0xff0c || c === 0x060c || c === 0x3002) commas++;
    }
  }
  return [characters, commas];
}
