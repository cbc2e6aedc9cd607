/**
 * Text off the web on a terminal: what could move the cursor, recolour, or reorder is made visible.
 *
 * @module
 */

/**
 * Controls (C0, DEL, C1), line and paragraph separators, the marks and embeddings that reorder text
 * (Unicode's bidi controls), invisible operators, lone surrogates. Joiners stay: scripts and emoji need them.
 */
const UNSAFE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Surrogate}/gu;

/** `text` with every character that a terminal would act on written as `\n`, `\x1b`, `\u202e`. */
export function escapeForTerminal(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    if (code === 9) return "\\t";
    if (code === 10) return "\\n";
    if (code === 13) return "\\r";
    return code < 256
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

const MARK = /^\p{Mark}$/u;

/** Columns that a terminal gives to `text`, which holds no controls. */
export function displayWidth(text: string): number {
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    if (code > 0xffff) i++;
    width += characterWidth(code);
  }
  return width;
}

/** `text` cut to `columns`, with `…` where something was cut. */
export function truncateToWidth(text: string, columns: number): string {
  // No character is wider than two columns, nor is one without columns of use beyond the cut.
  if (text.length <= columns && displayWidth(text) <= columns) return text;
  let width = 0;
  let kept = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    const length = code > 0xffff ? 2 : 1;
    width += characterWidth(code);
    if (width <= columns - 1) kept = i + length;
    if (width > columns) return `${text.slice(0, kept)}…`;
    // Marks without end add no width: what is kept stays bounded all the same.
    if (i > columns * 8) return `${text.slice(0, kept)}…`;
    i += length - 1;
  }
  return text;
}

function characterWidth(code: number): number {
  if (code < 0x300) return 1;
  if ((code >= 0x200b && code <= 0x200d) || MARK.test(String.fromCodePoint(code))) return 0;
  const wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}
