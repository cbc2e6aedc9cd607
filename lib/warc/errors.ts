/**
 * What can go wrong with archive files.
 *
 * @module
 */

/** Writing an archive failed; the file was cut back to its last whole exchange. */
export class WarcWriteError extends Error {
  /** Always `"WarcWriteError"`. */
  override readonly name = "WarcWriteError";
  /** Path of the file that could not be written. */
  readonly file: string;
  /** Exchanges that were handed back as written but had not been synced, and are gone. */
  readonly lost: number;

  /**
   * Writes the message from its parts.
   *
   * @param file Path of the file.
   * @param doing What was being done, as in "Cannot <doing> <file>".
   * @param cause What the file system said.
   * @param lost Exchanges that were written since the last sync and are gone.
   */
  constructor(file: string, doing: string, cause: unknown, lost = 0) {
    const gone = lost > 0 ? ` (${lost} exchanges since the last sync are lost)` : "";
    super(`Cannot ${doing} ${file}: ${reason(cause)}${gone}`, { cause });
    this.file = file;
    this.lost = lost;
  }
}

/** A file is no WARC, or one of its records is damaged and nobody asked to hear of damage. */
export class WarcFormatError extends Error {
  /** Always `"WarcFormatError"`. */
  override readonly name = "WarcFormatError";
  /** Byte offset in the file at which the fault lies. */
  readonly offset: number;

  /**
   * Keeps the place beside the message.
   *
   * @param message The whole message.
   * @param offset Byte offset of the fault in the file.
   */
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The system's word for what went wrong, with advice where there is some. */
function reason(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return "the disk is full; free some space and run again";
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return "no permission to write there; check the folder's owner and mode";
  }
  return cause instanceof Error ? cause.message : String(cause);
}
