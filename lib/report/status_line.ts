/**
 * The one line at the bottom of a terminal that is rewritten in place, and messages above it.
 *
 * @module
 */

/** Where text for people goes: a process' stderr, or a test's own. */
export interface MessageSink {
  write(text: string): void;
  readonly terminal: boolean;
  /** Width in columns, where it is known. */
  columns(): number | undefined;
}

/** Carriage return, then erase to the end of the line. */
const CLEAR = "\r\x1b[K";

/** Messages, and on a terminal a live line below them. */
export class StatusLine {
  readonly #sink: MessageSink;
  #shown = "";

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
    const line = text.slice(0, (this.#sink.columns() ?? 80) - 1);
    this.#shown = line;
    this.#sink.write(CLEAR + line);
  }

  /** Print one message line, above the live line. */
  print(line: string): void {
    if (this.#shown === "") this.#sink.write(`${line}\n`);
    else this.#sink.write(`${CLEAR}${line}\n${this.#shown}`);
  }

  /** Remove the live line. */
  clear(): void {
    if (this.#shown === "") return;
    this.#shown = "";
    this.#sink.write(CLEAR);
  }
}
