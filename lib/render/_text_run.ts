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

  /** Length of what was taken last, runs of white space counted once. */
  characters = 0;
  /** Commas in it, those of several scripts. */
  commas = 0;

  /** Everything since the last call; counted on the way. */
  take(): string {
    const joined = this.#joined, start = this.#start, end = this.#end;
    if (joined === "" && start === end) return "";
    this.#joined = "";
    this.#start = this.#end = 0;
    if (joined === "") {
      // Nearly always one range. Reading the source is cheaper than reading a slice of it.
      this.#measure(this.#source, start, end);
      return this.#source.slice(start, end);
    }
    const text = joined + this.#source.slice(start, end);
    this.#measure(text, 0, text.length);
    return text;
  }

  #measure(text: string, start: number, end: number): void {
    let characters = 0, commas = 0, space = true;
    for (let i = start; i < end; i++) {
      const c = text.charCodeAt(i);
      if (c <= 32 || c === 160) {
        if (!space) characters++;
        space = true;
      } else {
        characters++;
        space = false;
        if (
          c === 44 || c > 0x600 && (c === 0x3001 || c === 0xff0c || c === 0x060c || c === 0x3002)
        ) commas++;
      }
    }
    this.characters = characters;
    this.commas = commas;
  }
}
