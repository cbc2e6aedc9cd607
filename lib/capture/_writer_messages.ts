/**
 * What the pool, its writers, and those who send rows say to each other.
 *
 * @module
 */

import type { PartSequenceOptions, SealedPart } from "./part_sequence.ts";
import type { SmallRow } from "./small_row.ts";

/** Errors as they cross threads. */
export interface ToldError {
  readonly file: string;
  readonly doing: string;
  readonly message: string;
  readonly code: string | undefined;
}

/** A sealed part, its ranges as text. */
export type ToldPart = Omit<SealedPart, "ranges"> & { readonly ranges: string };

/** To a writer, from the pool. */
export type ToWriter =
  | {
    readonly kind: "setup";
    readonly options: Omit<PartSequenceOptions, "fs">;
    readonly account: SharedArrayBuffer;
    /** Whether rows that are with a part are to be told, without their large columns. */
    readonly tell: boolean;
  }
  /** `plain` ports bring {@linkcode PlainRows} and want `[bytes, buffer]` back. */
  | { readonly kind: "connect"; readonly port: MessagePort; readonly plain: boolean }
  | { readonly kind: "seal" }
  | { readonly kind: "end" };

/** From a writer, to the pool. */
export type FromWriter =
  | { readonly kind: "ready" }
  /** Rows that are with the open part. */
  | { readonly kind: "rows"; readonly rows: readonly SmallRow[] }
  /** The open part of this number has reached its size. */
  | { readonly kind: "full"; readonly number: number }
  | { readonly kind: "sealed"; readonly part: ToldPart | undefined }
  | { readonly kind: "failed"; readonly error: ToldError }
  | { readonly kind: "ended" };

/** To a writer, from who sends rows: a batch, its buffer transferred. */
export interface RowsMessage {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The same from a sender that keeps its own books: packed rows, alone or with the length of each, or
 * `null` when there are no more. The buffer comes back with its length.
 */
export type PlainRows =
  | Uint8Array<ArrayBuffer>
  | readonly [rows: Uint8Array<ArrayBuffer>, lengths: readonly number[]]
  | null;

/** Back again: the batch is with the open part, and here is its buffer. */
export interface RetiredMessage {
  readonly bytes: number;
  readonly buffer: ArrayBuffer;
}
