const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 (RFC 4648 section 6) of bytes whose number is a multiple of five, so that nothing is padded. */
export function base32(bytes: Uint8Array): string {
  let text = "", bits = 0, held = 0;
  for (const byte of bytes) {
    bits = (bits << 8 | byte) & 0xfff;
    held += 8;
    for (; held >= 5; held -= 5) text += ALPHABET[bits >> held - 5 & 31]!;
  }
  return text;
}
