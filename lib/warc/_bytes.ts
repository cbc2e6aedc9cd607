/**
 * Small things done to bytes.
 *
 * @module
 */

/** No bytes. */
export const NONE: Uint8Array = new Uint8Array(0);

const utf8 = new TextDecoder();
const encoder = new TextEncoder();

/** UTF-8 decoded; wrong bytes become U+FFFD. */
export function text(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** Encoded as UTF-8. */
export function utf8Bytes(s: string): Uint8Array {
  return encoder.encode(s);
}

/** The same bytes without the ways of a Node buffer, whose `slice` copies nothing. */
export function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Parts put together. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Whether `bytes` holds the ASCII `word` at `at`. */
export function startsWith(bytes: Uint8Array, word: string, at = 0): boolean {
  if (at + word.length > bytes.length) return false;
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false;
  return true;
}

/**
 * Where the header block that starts at `from` ends: just after its blank line (CRLF or LF), or
 * -1 when there is none before `limit`.
 */
export function headEnd(bytes: Uint8Array, from: number, limit: number): number {
  for (let at = from; at < limit;) {
    const lf = bytes.indexOf(10, at);
    if (lf < 0 || lf + 1 >= limit) return -1;
    const next = bytes[lf + 1];
    if (next === 10) return lf + 2;
    if (next === 13) {
      if (lf + 2 >= limit) return -1;
      if (bytes[lf + 2] === 10) return lf + 3;
    }
    at = lf + 1;
  }
  return -1;
}

/**
 * A text as one ASCII word: blanks would end it in an index's line, other characters would sort
 * differently as text than as bytes. They are percent-encoded; `-` stands for nothing.
 */
export function asciiWord(word: string): string {
  if (/^[!-~]+$/.test(word)) return word;
  let out = "";
  for (const byte of utf8Bytes(word)) {
    out += byte > 32 && byte < 127
      ? String.fromCharCode(byte)
      : "%" + byte.toString(16).padStart(2, "0").toUpperCase();
  }
  return out === "" ? "-" : out;
}
