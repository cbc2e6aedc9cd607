/**
 * The one line at the bottom of a terminal that is rewritten in place, and messages above it.
 *
 * @module
 */

/** Where text for people goes: a process' stderr, or a test's own. */
export interface MessageSink {
  /** Write at once. */
  write(text: string): void;
  /** Whether a person is looking. */
  readonly terminal: boolean;
  /** Width in columns, where it is known. */
  columns(): number | undefined;
}

/** Carriage return, then erase to the end of the line. */
const CLEAR = "\r\x1b[K";

/** Messages, and on a terminal a live line below them. */
export class StatusLine {
  readonly #sink: MessageSink;
  #text = "";
  #held = false;

  constructor(sink: MessageSink) {
    this.#sink = sink;
  }

  /** Whether a live line can be shown. */
  get live(): boolean {
    return this.#sink.terminal;
  }

  /** Replace the live line; nothing happens off a terminal. */
  show(text: string): void {
    if (!this.#sink.terminal) return;
    // The last column is left free: writing into it would wrap.
    this.#text = text.slice(0, (this.#sink.columns() ?? 80) - 1);
    if (!this.#held) this.#sink.write(CLEAR + this.#text);
  }

  /** Print one message line, above the live line. */
  print(line: string): void {
    if (this.#text === "" || this.#held) this.#sink.write(`${line}\n`);
    else this.#sink.write(`${CLEAR}${line}\n${this.#text}`);
  }

  /** Take the live line away until `release`. */
  hold(): void {
    if (this.#text !== "" && !this.#held) this.#sink.write(CLEAR);
    this.#held = true;
  }

  /** Show the latest live line again. */
  release(): void {
    if (this.#text !== "" && this.#held) this.#sink.write(this.#text);
    this.#held = false;
  }

  /** Remove the live line. */
  clear(): void {
    if (this.#text !== "" && !this.#held) this.#sink.write(CLEAR);
    this.#text = "";
  }
}
