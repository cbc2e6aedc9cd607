/**
 * Words as a shell needs them.
 *
 * @module
 */

/** `text` between single quotes, as sh, bash and zsh read it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
