import type { AllocateRow, PageOutcome, WorkerPage } from "./pool_types.ts";

/** A page and what it renders to, as one row of the pool holds it. */
export interface PageRow {
  /** The page's. */
  readonly key: string;
  /** The page's. */
  readonly url: string;
  /** The body as served. */
  readonly body: Uint8Array;
  /** What came along with the page. */
  readonly rest: Uint8Array;
  /** Base32 SHA-1 of the decoded body; of the body as served where decoding fails. */
  readonly digest: string;
  /** Bytes of the decoded body. */
  readonly decodedLength: number;
  /** What was wrong with the content coding; empty for nothing. */
  readonly decodeError: string;
  /** Encoding of the text that was rendered; empty where none was. */
  readonly charset: string;
  /** Text of the first `<title>`. */
  readonly title: string;
  /** The main content as Markdown. */
  readonly markdown: string;
  /** The same as plain text. */
  readonly text: string;
  /** Words of `text`. */
  readonly wordCount: number;
  /** ISO 639-3, or empty. */
  readonly language: string;
  /** 0 to 1. */
  readonly languageConfidence: number;
  /** Fingerprint of `markdown`. */
  readonly simhash: bigint;
  /** `name@version`; empty where nothing was rendered. */
  readonly extractor: string;
  /** Distinct links of the page. */
  readonly links: number;
  /** `content` of the page's robots meta elements, on one line each. */
  readonly robotsMeta: readonly string[];
  /** Whether it is HTML. */
  readonly html: boolean;
  /** Whether the content coding was undone to its end. */
  readonly whole: boolean;
  /** Whether decoding stopped at its bound. */
  readonly bounded: boolean;
  /** Whether rendering left something out for a bound. */
  readonly truncated: boolean;
  /** Why the page was not rendered; empty when it was, or was not to be. */
  readonly failed: string;
}

const HTML = 1, WHOLE = 2, BOUNDED = 4, TRUNCATED = 8;
const STRINGS = 12, BLOBS = 2;
/** Two 64-bit numbers, four 32-bit ones, then the lengths. */
const HEAD = 16 + 16 + (STRINGS + BLOBS) * 4;

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** The row of a page as one buffer: numbers, lengths, strings in UTF-8, bytes. */
export function encodePageRow(
  page: WorkerPage,
  outcome: PageOutcome,
  allocate: AllocateRow,
): Uint8Array<ArrayBuffer> {
  const { page: rendered } = outcome;
  const strings = [
    page.key,
    page.url,
    outcome.digest,
    outcome.decodeError,
    outcome.charset,
    rendered?.title ?? "",
    rendered?.markdown ?? "",
    rendered?.text ?? "",
    rendered?.language ?? "",
    rendered?.extractor ?? "",
    (rendered?.links.robotsMeta ?? []).map((meta) => meta.replaceAll("\n", " ")).join("\n"),
    outcome.failed,
  ];
  const encoded = encodeAll(strings);
  const bytes = allocate(HEAD + encoded.bytes.length + page.body.length + page.rest.length);
  const numbers = new DataView(bytes.buffer, bytes.byteOffset);
  numbers.setBigUint64(0, rendered?.simhash ?? 0n, true);
  numbers.setFloat64(8, rendered?.languageConfidence ?? 0, true);
  numbers.setUint32(16, rendered?.wordCount ?? 0, true);
  numbers.setUint32(20, rendered?.links.links.length ?? 0, true);
  numbers.setUint32(24, outcome.decoded.length, true);
  const truncated = outcome.cut || rendered?.truncated === true;
  const flags = (outcome.html ? HTML : 0) | (outcome.whole ? WHOLE : 0) |
    (outcome.bounded ? BOUNDED : 0) | (truncated ? TRUNCATED : 0);
  numbers.setUint32(28, flags, true);
  let at = HEAD, field = 32;
  for (const length of encoded.lengths) {
    numbers.setUint32(field, length, true);
    field += 4;
  }
  bytes.set(encoded.bytes, at);
  at += encoded.bytes.length;
  for (const blob of [page.body, page.rest]) {
    numbers.setUint32(field, blob.length, true);
    field += 4;
    bytes.set(blob, at);
    at += blob.length;
  }
  return bytes;
}

/** Strings are written here first, so that a row is no longer than it needs to be. */
let scratch = new Uint8Array(256 * 1024);
const LARGEST_SCRATCH = 4 * 1024 * 1024;

/** The strings one after the other; the bytes are good until the next call. */
function encodeAll(strings: readonly string[]): { bytes: Uint8Array; lengths: number[] } {
  let most = 0;
  for (const s of strings) most += s.length * 3;
  let target = scratch;
  if (most > target.length) {
    target = new Uint8Array(most);
    if (most <= LARGEST_SCRATCH) scratch = target;
  }
  const lengths: number[] = [];
  let at = 0;
  for (const s of strings) {
    const { written } = encoder.encodeInto(s, target.subarray(at));
    lengths.push(written);
    at += written;
  }
  return { bytes: target.subarray(0, at), lengths };
}

/**
 * Read a row as the pool makes it when its workers bring no assembly of their own.
 *
 * @throws {RangeError} When the bytes are no such row.
 */
export function decodePageRow(row: Uint8Array): PageRow {
  const numbers = new DataView(row.buffer, row.byteOffset, row.byteLength);
  let at = HEAD, field = 32;
  const take = (): Uint8Array => {
    const length = numbers.getUint32(field, true);
    field += 4;
    if (at + length > row.length) throw new RangeError("Cannot read a row: it is cut short");
    return row.subarray(at, at += length);
  };
  const text = () => decoder.decode(take());
  const key = text(), url = text(), digest = text(), decodeError = text(), charset = text();
  const title = text(), markdown = text(), content = text(), language = text();
  const extractor = text(), robots = text(), failed = text();
  const body = take(), rest = take();
  const flags = numbers.getUint32(28, true);
  return {
    key,
    url,
    body,
    rest,
    digest,
    decodedLength: numbers.getUint32(24, true),
    decodeError,
    charset,
    title,
    markdown,
    text: content,
    wordCount: numbers.getUint32(16, true),
    language,
    languageConfidence: numbers.getFloat64(8, true),
    simhash: numbers.getBigUint64(0, true),
    extractor,
    links: numbers.getUint32(20, true),
    robotsMeta: robots === "" ? [] : robots.split("\n"),
    html: (flags & HTML) !== 0,
    whole: (flags & WHOLE) !== 0,
    bounded: (flags & BOUNDED) !== 0,
    truncated: (flags & TRUNCATED) !== 0,
    failed,
  };
}
