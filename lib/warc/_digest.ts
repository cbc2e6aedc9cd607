/**
 * SHA-1 in base32, as archives write it.
 *
 * @module
 */

import { createHash } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Ten bits at a time: half the look-ups of five. */
const PAIRS: readonly string[] = Array.from(
  { length: 1024 },
  (_, i) => ALPHABET.charAt(i >> 5) + ALPHABET.charAt(i & 31),
);

/** Base32 (RFC 4648) of bytes whose count is a multiple of five; no padding arises. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i + 5 <= bytes.length; i += 5) {
    const a = bytes[i]!, b = bytes[i + 1]!, c = bytes[i + 2]!, d = bytes[i + 3]!, e = bytes[i + 4]!;
    text += PAIRS[a << 2 | b >> 6]! + PAIRS[(b & 63) << 4 | c >> 4]! +
      PAIRS[(c & 15) << 6 | d >> 2]! + PAIRS[(d & 3) << 8 | e]!;
  }
  return text;
}

/** SHA-1 over the parts, one after the other. */
export function sha1(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash("sha1");
  for (const part of parts) if (part.length > 0) hash.update(part);
  return hash.digest();
}

/** Digest as it stands in a header: `sha1:` and base32. */
export function label(digest: Uint8Array): string {
  return "sha1:" + base32(digest);
}

/** {@linkcode label} of no bytes at all. */
export const EMPTY_DIGEST = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
