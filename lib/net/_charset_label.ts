/** Labels met on the web beside those that the Encoding standard knows. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["cp874", "windows-874"],
  ["cp932", "shift_jis"],
  ["cp936", "gbk"],
  ["cp949", "euc-kr"],
  ["cp950", "big5"],
  ["ms932", "shift_jis"],
  ["uhc", "euc-kr"],
  ["utf8mb4", "utf-8"],
  ["utf8mb3", "utf-8"],
  ["win-1251", "windows-1251"],
  ["windows1251", "windows-1251"],
  ["hz", "hz-gb-2312"],
  ["csiso2022kr", "iso-2022-kr"],
]);

/** Encodings that the platform's decoder refuses and that are decoded here. */
const OURS: ReadonlySet<string> = new Set(["hz-gb-2312", "iso-2022-kr"]);

const MAX_LABEL = 40;
const known = new Map<string, string>();
const decoders = new Map<string, TextDecoder>();

/**
 * Gives an encoding's canonical name for a label, `""` for one that stands for none (`replacement` and
 * iso-2022-cn, whose only decoder in the Encoding standard gives nothing of the text, among them).
 */
export function encodingOf(label: string): string {
  const key = label.trim().toLowerCase();
  if (key === "" || key.length > MAX_LABEL) return "";
  const name = ALIASES.get(key) ?? key;
  if (OURS.has(name)) return name;
  const found = known.get(name);
  if (found !== undefined) return found;
  let encoding: string;
  try {
    encoding = new TextDecoder(name).encoding;
  } catch (e) {
    if (!(e instanceof RangeError)) throw e;
    return "";
  }
  // Only labels that exist are remembered, of which there are some two hundred.
  known.set(name, encoding);
  return encoding;
}

/** Gives the decoder of a canonical encoding that the platform knows. */
export function decoderOf(encoding: string): TextDecoder {
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    decoder = new TextDecoder(encoding);
    decoders.set(encoding, decoder);
  }
  return decoder;
}
