/**
 * Bytes to text, by what the page declares, or by what it looks like where it declares nothing.
 *
 * @module
 */
import { escapedEncoding, hzToGbk, iso2022KrToEucKr } from "./_charset_7bit.ts";
import { decoderOf, encodingOf } from "./_charset_label.ts";
import { charsetParameter, metaEncoding, xmlEncoding } from "./_charset_prescan.ts";

/** What decided a text's encoding: see {@linkcode decodeText}. */
export type CharsetSource = "bom" | "http" | "meta" | "utf8" | "detected" | "fallback";

/** A text and how its bytes were read. */
export interface DecodedText {
  /** Well-formed Unicode; what could not be decoded is U+FFFD. */
  readonly text: string;
  /** The encoding, by the Encoding standard's name for it (also `hz-gb-2312` and `iso-2022-kr`). */
  readonly charset: string;
  /** What decided it. */
  readonly source: CharsetSource;
}

/** How {@linkcode decodeText} reads. */
export interface DecodeTextOptions {
  /** Whether to look for `<meta>`. @default true */
  readonly html?: boolean;
}

/** How far into a page its `<meta>` is looked for. */
const META_LIMIT = 64 << 10;
/** How much of a text a detector is shown: it takes about a millisecond a kilobyte. */
const SAMPLE = 4096;
/** Below this confidence a detector is guessing. */
const MIN_CONFIDENCE = 0.05;

type Detect = (bytes: Uint8Array) => { encoding: string | null; confidence: number };
let detect: Detect | undefined;

/**
 * Loads the detector for undeclared legacy encodings (40 ms and 18 MB, which most threads never need). Until
 * it has been loaded {@linkcode decodeText} takes such pages for windows-1252, with source `fallback`; so a
 * thread that meets that source loads it and decodes the page again.
 */
export async function loadDetector(): Promise<void> {
  if (detect) return;
  const { detect: run } = await import("jschardet") as unknown as {
    detect: (bytes: Uint8Array, options: { encodingEra: number }) => ReturnType<Detect>;
  };
  // Encodings of the web only: not of mainframes and DOS.
  detect = (bytes) => run(bytes, { encodingEra: 1 });
}

/**
 * Decodes a page. Its encoding is, in this order: that of a byte order mark (`bom`); the charset of the
 * Content-Type (`http`); that of a `<meta>` within the first 64 KB or of the XML declaration (`meta`); UTF-8
 * where the bytes are that (`utf8`); what the bytes look like (`detected`, see {@linkcode loadDetector});
 * windows-1252 (`fallback`). Labels that name no encoding are passed over.
 *
 * @param contentType The Content-Type field's value; `""` for none.
 *
 * @example
 * ```ts
 * import { decodeText } from "@ccrawl/cli/fetch";
 *
 * const bytes = new Uint8Array([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
 * decodeText(bytes, "text/html; charset=windows-1251").text; // "Привет"
 * ```
 */
export function decodeText(
  bytes: Uint8Array,
  contentType: string,
  options: DecodeTextOptions = {},
): DecodedText {
  const marked = byteOrderMark(bytes);
  if (marked !== "") return as(bytes, marked, "bom");
  const http = encodingOf(charsetParameter(contentType));
  if (http !== "") return as(bytes, http, "http");
  const wide = wideEncoding(bytes);
  if (wide !== "") return as(bytes, wide, "detected");
  const declared = (options.html ?? true) && metaEncoding(bytes, META_LIMIT) || xmlEncoding(bytes);
  if (declared !== "") return as(bytes, declared, "meta");
  return undeclared(bytes);
}

function as(bytes: Uint8Array, charset: string, source: CharsetSource): DecodedText {
  let text: string;
  if (charset === "hz-gb-2312") text = decoderOf("gbk").decode(hzToGbk(bytes));
  else if (charset === "iso-2022-kr") text = decoderOf("euc-kr").decode(iso2022KrToEucKr(bytes));
  else text = decoderOf(charset).decode(bytes);
  return { text, charset, source };
}

function byteOrderMark(b: Uint8Array): string {
  if (b[0] === 0xef && b[1] === 0xbb && b[2] === 0xbf) return "utf-8";
  if (b[0] === 0xfe && b[1] === 0xff) return "utf-16be";
  if (b[0] === 0xff && b[1] === 0xfe) return "utf-16le";
  return "";
}

/** UTF-16 without a mark, as it looks where a text opens with two ASCII characters. */
function wideEncoding(b: Uint8Array): string {
  if (b.length < 4) return "";
  if (b[0] !== 0 && b[1] === 0 && b[2] !== 0 && b[3] === 0) return "utf-16le";
  return b[0] === 0 && b[1] !== 0 && b[2] === 0 && b[3] !== 0 ? "utf-16be" : "";
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function undeclared(bytes: Uint8Array): DecodedText {
  const escaped = escapedEncoding(bytes);
  if (escaped !== "") return as(bytes, escaped, "detected");
  // A body that was cut may end amid a character; that alone does not speak against UTF-8.
  const whole = bytes.subarray(0, bytes.length - cutTail(bytes));
  try {
    const text = strict.decode(whole);
    return {
      text: whole.length < bytes.length ? text + "\ufffd" : text,
      charset: "utf-8",
      source: "utf8",
    };
  } catch (e) {
    if (!(e instanceof TypeError)) throw e;
  }
  if (mostlyUtf8(bytes)) return as(bytes, "utf-8", "utf8");
  const found = detect?.(sample(bytes));
  if (found?.encoding && found.confidence >= MIN_CONFIDENCE) {
    const charset = webName(found.encoding);
    if (charset !== "") return as(bytes, charset, "detected");
  }
  return as(bytes, "windows-1252", "fallback");
}

/** How many bytes at the end begin a UTF-8 character and do not end it: 0 to 3. */
function cutTail(b: Uint8Array): number {
  for (let n = 1; n <= 3 && n <= b.length; n++) {
    const c = b[b.length - n]!;
    if (c >= 0xc2 && c <= 0xf4) return n < sequenceLength(c) ? n : 0;
    if (c < 0x80 || c >= 0xc0) return 0;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Whether bytes are UTF-8 but for a few, as pages are that were put together from several sources. */
function mostlyUtf8(b: Uint8Array): boolean {
  const end = Math.min(b.length, META_LIMIT);
  let good = 0;
  let bad = 0;
  for (let i = 0; i < end; i++) {
    const c = b[i]!;
    if (c < 0x80) continue;
    const length = c >= 0xc2 && c <= 0xf4 ? sequenceLength(c) : 1;
    let n = 1;
    while (n < length && i + n < b.length && (b[i + n]! & 0xc0) === 0x80) n++;
    if (length > 1 && n === length) good++;
    else bad++;
    i += n - 1;
  }
  return good > 20 * bad;
}

/** How many bytes to each side of one that is not ASCII go into the sample: about a word. */
const AROUND = 12;

/** What a detector learns from: the words that are not ASCII, without the markup and scripts between them. */
function sample(b: Uint8Array): Uint8Array {
  const out = new Uint8Array(SAMPLE);
  let n = 0;
  let taken = 0;
  for (let i = 0; i < b.length && n < SAMPLE; i++) {
    if (b[i]! < 0x80) continue;
    const from = Math.max(taken, i - AROUND);
    taken = Math.min(b.length, i + 1 + AROUND, from + SAMPLE - n);
    out.set(b.subarray(from, taken), n);
    n += taken - from;
  }
  return out.subarray(0, n);
}

/** Encodings that the web knows by a larger one: what is read by the larger is read as well. */
const SUPERSETS: ReadonlyMap<string, string> = new Map([
  ["iso-8859-1", "windows-1252"],
  ["iso-8859-15", "windows-1252"],
  ["iso-8859-7", "windows-1253"],
  ["iso-8859-9", "windows-1254"],
  ["utf-8", "windows-1252"], // it was shown not to be
]);

function webName(label: string): string {
  const encoding = encodingOf(label);
  return SUPERSETS.get(encoding) ?? encoding;
}
