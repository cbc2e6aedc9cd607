/**
 * What the fetch thread knows of an answer, as it travels with the body to where the row is made.
 */

import type { AnsweredFetch } from "../capture/mod.ts";

/** An answer without what is only known once its body was looked at. */
export type AnsweredFacts = Omit<AnsweredFetch, "body" | "digest" | "rendered" | "decodedLength">;

/** How bodies are kept. */
export type StoreBody = "served" | "decoded" | "none";

/** Given to the workers that make rows. */
export interface RowSetup {
  readonly storeBody: StoreBody;
  /** Keep no copy of pages that ask for it. */
  readonly obeyRobotsMeta: boolean;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Facts as bytes. */
export function encodeFacts(facts: AnsweredFacts): Uint8Array {
  return encoder.encode(JSON.stringify(facts));
}

/** The facts that {@linkcode encodeFacts} wrote. */
export function decodeFacts(bytes: Uint8Array): AnsweredFacts {
  return JSON.parse(decoder.decode(bytes)) as AnsweredFacts;
}
