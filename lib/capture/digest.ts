/**
 * The digest of the `digest` column.
 *
 * @module
 */

import { createHash } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * SHA-1 of bytes in base32 (RFC 4648), which is how Common Crawl's `content_digest` has it for the
 * decoded body of the same page.
 */
export function bodyDigest(bytes: Uint8Array): string {
  const hash = createHash("sha1").update(bytes).digest();
  let out = "";
  let bits = 0, held = 0;
  for (const byte of hash) {
    held = (held << 8 | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) out += ALPHABET.charAt(held >> (bits - 5) & 31);
  }
  return out;
}
