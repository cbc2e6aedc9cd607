/**
 * Text in the charsets of old. The platform only decodes them, so each one's table is made by decoding
 * every byte and byte pair once, when it is first wanted.
 *
 * @module
 */

import { CHARSETS } from "./samples.ts";

/** Charsets with codes of two bytes. */
const PAIRS: ReadonlySet<string> = new Set(["shift_jis", "euc-jp", "gbk", "big5", "euc-kr"]);

const tables = new Map<string, Map<string, Uint8Array>>();

/**
 * Text in a charset of {@linkcode CHARSETS}.
 *
 * @throws {RangeError} for a label that is not there or a character that the charset lacks.
 */
export function encodeText(text: string, label: string): Uint8Array {
  if (!CHARSETS.some((c) => c.label === label)) {
    throw new RangeError(`Cannot encode: no charset ${label}`);
  }
  if (label === "utf-8") return new TextEncoder().encode(text);
  if (label === "utf-16le" || label === "utf-16be") return utf16(text, label === "utf-16le");
  if (label === "iso-2022-jp") return iso2022(text);
  const table = tableOf(label);
  const bytes: number[] = [];
  for (const c of text) {
    const code = table.get(c);
    if (code === undefined) throw new RangeError(`Cannot encode: ${label} has no ${c}`);
    bytes.push(...code);
  }
  return Uint8Array.from(bytes);
}

function tableOf(label: string): Map<string, Uint8Array> {
  const known = tables.get(label);
  if (known !== undefined) return known;
  const table = new Map<string, Uint8Array>();
  const decoder = new TextDecoder(label);
  const add = (bytes: Uint8Array) => {
    const c = decoder.decode(bytes);
    if (c !== "\ufffd" && [...c].length === 1 && !table.has(c)) table.set(c, bytes);
  };
  for (let a = 0; a < 256; a++) add(Uint8Array.of(a));
  if (PAIRS.has(label)) {
    for (let a = 0x81; a < 255; a++) for (let b = 0x40; b < 255; b++) add(Uint8Array.of(a, b));
  }
  tables.set(label, table);
  return table;
}

function utf16(text: string, little: boolean): Uint8Array {
  const out = new Uint8Array(text.length * 2);
  const v = new DataView(out.buffer);
  for (let i = 0; i < text.length; i++) v.setUint16(i * 2, text.charCodeAt(i), little);
  return out;
}

/** ISO-2022-JP: the seven-bit form of EUC-JP's pairs between escapes. */
function iso2022(text: string): Uint8Array {
  const table = tableOf("euc-jp");
  const bytes: number[] = [];
  let japanese = false;
  for (const c of text) {
    const code = table.get(c);
    if (code === undefined) throw new RangeError(`Cannot encode: iso-2022-jp has no ${c}`);
    const pair = code.length === 2;
    if (pair !== japanese) {
      bytes.push(0x1b, ...(pair ? [0x24, 0x42] : [0x28, 0x42]));
      japanese = pair;
    }
    for (const b of code) bytes.push(b & 0x7f);
  }
  if (japanese) bytes.push(0x1b, 0x28, 0x42);
  return Uint8Array.from(bytes);
}
