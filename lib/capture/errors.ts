/**
 * What can go wrong with capture files.
 *
 * @module
 */

import { codeOf, whyUnread } from "../files/mod.ts";

/** The disk refused a capture file. Parts sealed earlier are intact. */
export class CaptureWriteError extends Error {
  /** Always `"CaptureWriteError"`. */
  override readonly name = "CaptureWriteError";
  /** Path of the file that could not be written. */
  readonly file: string;
  /** What was being done with it. */
  readonly doing: string;
  /** The system's code (`ENOSPC`, …) where it gave one. */
  readonly code: string | undefined;

  /**
   * Makes the message from its parts.
   *
   * @param file Path of the file.
   * @param doing What was being done, as in "Cannot <doing> <file>".
   * @param cause What the file system said.
   */
  constructor(file: string, doing: string, cause: unknown) {
    super(`Cannot ${doing} ${file}: ${reason(cause)}`, { cause });
    this.file = file;
    this.doing = doing;
    this.code = codeOf(cause);
  }

  /** Whether the disk, or the quota on it, is full. */
  get diskFull(): boolean {
    return this.code === "ENOSPC" || this.code === "EDQUOT";
  }
}

/** The disk does not give a capture file. */
export class CaptureReadError extends Error {
  /** Always `"CaptureReadError"`. */
  override readonly name = "CaptureReadError";
  /** Path of the file or folder. */
  readonly file: string;
  /** The system's code (`ENOENT`, …) where it gave one. */
  readonly code: string | undefined;

  /**
   * Makes the message from its parts.
   *
   * @param file Path of the file or folder.
   * @param cause What the file system said.
   */
  constructor(file: string, cause: unknown) {
    super(`Cannot read ${file}: ${whyUnread(cause)}`, { cause });
    this.file = file;
    this.code = codeOf(cause);
  }
}

/** A file is no capture file, or is damaged. */
export class CaptureFormatError extends Error {
  /** Always `"CaptureFormatError"`. */
  override readonly name = "CaptureFormatError";
  /** The file. */
  readonly file: string;
  /** Byte offset of what is wrong, as near as it is known. */
  readonly offset: number;

  /**
   * Makes the message from its parts.
   *
   * @param file Path or name of the file.
   * @param offset Byte offset of the fault.
   * @param message What is wrong.
   */
  constructor(file: string, offset: number, message: string, options?: ErrorOptions) {
    super(`Cannot read ${file} at ${offset}: ${message}`, options);
    this.file = file;
    this.offset = offset;
  }
}

/** The system's word for what went wrong, with advice where there is some. */
function reason(cause: unknown): string {
  const code = codeOf(cause);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return "the disk is full; free some space and run the same command again";
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return "no permission to write there; check the folder's owner and mode";
  }
  return cause instanceof Error ? cause.message : String(cause);
}
