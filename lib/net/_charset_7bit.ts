const ESC = 0x1b;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const NEWLINE = 0x0a;
const TILDE = 0x7e;

/** Whether a byte can be half of a double-byte character in a 7-bit encoding. */
function isGraphic(c: number): boolean {
  return c >= 0x21 && c <= 0x7e;
}

/** Rewrites HZ-GB-2312 (RFC 1843) as GBK: `~{` and `~}` go, and what is between gets its high bits. */
export function hzToGbk(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let n = 0;
  let double = false;
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i]!;
    const next = bytes[i + 1];
    if (c === NEWLINE) double = false;
    if (double && c === TILDE && next === 0x7d) {
      double = false;
      i++;
    } else if (double && isGraphic(c) && next !== undefined && isGraphic(next)) {
      out[n++] = c | 0x80;
      out[n++] = next | 0x80;
      i++;
    } else if (!double && c === TILDE && next === 0x7b) {
      double = true;
      i++;
    } else if (!double && c === TILDE && next === TILDE) {
      out[n++] = TILDE;
      i++;
    } else if (!double && c === TILDE && next === NEWLINE) {
      i++;
    } else {
      out[n++] = c;
    }
  }
  return out.subarray(0, n);
}

/** Rewrites ISO-2022-KR (RFC 1557) as EUC-KR: the header and the shifts go, and what is shifted gets its high bits. */
export function iso2022KrToEucKr(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let n = 0;
  let shifted = false;
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i]!;
    if (c === NEWLINE) shifted = false;
    if (c === SHIFT_OUT) shifted = true;
    else if (c === SHIFT_IN) shifted = false;
    else if (c === ESC && bytes[i + 1] === 0x24 && bytes[i + 2] === 0x29 && bytes[i + 3] === 0x43) {
      i += 3;
    } else out[n++] = shifted && isGraphic(c) ? c | 0x80 : c;
  }
  return out.subarray(0, n);
}

/** What 7-bit encoding a text switches to by an escape sequence; `""` for none. */
export function escapedEncoding(bytes: Uint8Array): string {
  for (let at = bytes.indexOf(ESC); at >= 0; at = bytes.indexOf(ESC, at + 1)) {
    const a = bytes[at + 1];
    const b = bytes[at + 2];
    if (a === 0x24 && b === 0x29 && bytes[at + 3] === 0x43) return "iso-2022-kr";
    if (a === 0x24 && (b === 0x42 || b === 0x40)) return "iso-2022-jp"; // ESC $ B, ESC $ @
    if (a === 0x28 && (b === 0x4a || b === 0x49)) return "iso-2022-jp"; // ESC ( J, ESC ( I
  }
  return "";
}
