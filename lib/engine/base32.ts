/**
 * The form in which digests are written.
 *
 * @module
 */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 base32 of bytes whose count is a multiple of five (a SHA-1 has twenty): no padding. */
export function encodeBase32(bytes: Uint8Array): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 5) {
    const [a, b, c, d, e] = bytes.subarray(i, i + 5) as unknown as number[];
    out += ALPHABET[a! >> 3]! + ALPHABET[(a! << 2 | b! >> 6) & 31]! + ALPHABET[b! >> 1 & 31]! +
      ALPHABET[(b! << 4 | c! >> 4) & 31]! + ALPHABET[(c! << 1 | d! >> 7) & 31]! +
      ALPHABET[d! >> 2 & 31]! + ALPHABET[(d! << 3 | e! >> 5) & 31]! + ALPHABET[e! & 31]!;
  }
  return out;
}
