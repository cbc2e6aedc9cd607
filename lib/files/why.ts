/**
 * What a system's refusal means, in words.
 *
 * @module
 */

/** The system's code of an error (`ENOENT`, …), if it has one. */
export function codeOf(cause: unknown): string | undefined {
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Why something cannot be read, as the end of a sentence that names it. */
export function whyUnread(cause: unknown): string {
  switch (codeOf(cause)) {
    case "ENOENT":
    case "ENOTDIR":
      return "there is no such file or folder";
    case "EACCES":
    case "EPERM":
      return "no permission to read it";
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}
