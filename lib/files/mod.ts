/**
 * Files, for the rooms that write them: the operations that a test can hold, the lock that keeps a second
 * process out, where a path leads that is a link, and why one cannot be read.
 *
 * @module
 */

export { LockError, StateLockedError } from "./errors.ts";
export { follow } from "./follow.ts";
export { diskFs, fileBytes, type FileSystem, writeAll, type WritingFs } from "./fs.ts";
export { codeOf, whyUnread } from "./why.ts";
export { type FileLock, lockFile, lockHolder, type LockOptions } from "./lock.ts";
