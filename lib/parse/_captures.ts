/**
 * Rows of capture files.
 *
 * @module
 */

import {
  type CaptureColumnName,
  type CaptureRow,
  openSource,
  readCaptures,
  readPartInfo,
} from "../capture/mod.ts";
import { isHtml } from "../render/mod.ts";
import { ParseError } from "./errors.ts";
import { fieldMap, jsonOr } from "./_fields.ts";
import type { Item } from "./_item.ts";
import { typeOf } from "./_payload.ts";
import type { FieldMap, ParseOptions } from "./types.ts";

type Row = Partial<CaptureRow>;
type Meta = Readonly<Record<string, unknown>>;

const SMALL = [
  "url",
  "status",
  "fetched_at",
  "content_type",
  "body_length",
  "digest",
  "unchanged",
  "error",
  "meta_json",
] as const;
/** Columns that tell a capture file from other Parquet with URLs, such as an index or records. */
const CAPTURE = ["url", "status", "fetched_at", "content_type"] as const;
const RENDERED = ["title", "language", "language_confidence", "word_count", "extractor"] as const;

/**
 * The rows of a capture file as items, in their order. Columns that nobody asked for are not read.
 *
 * @throws {ParseError} When the file is Parquet of another kind.
 * @throws {CaptureFormatError} When it is damaged.
 */
export async function* captureItems(
  path: string,
  options: ParseOptions,
): AsyncGenerator<Item, void, undefined> {
  const source = await openSource(path);
  try {
    const { columns } = await readPartInfo(source);
    if (!CAPTURE.every((name) => columns.includes(name))) {
      throw new ParseError(`Cannot read ${path}: it is Parquet, but holds no captures`, path);
    }
    const derives = options.text || options.markdown || (options.languages ?? []).length > 0;
    const wanted = new Set<CaptureColumnName>(SMALL);
    if (derives) { for (const name of RENDERED) wanted.add(name); }
    if (options.text) wanted.add("text");
    if (options.markdown) wanted.add("markdown");
    if (options.meta) wanted.add("resp_headers");
    const unrendered = derives && await hasUnrendered(path);
    if (options.links || options.payload || unrendered) wanted.add("body");
    let row = 0;
    for await (const one of readCaptures(source, { columns: [...wanted] })) {
      yield captureItem(one, row++);
    }
  } finally {
    await source.close?.();
  }
}

/** Whether there is a page that was stored but not rendered. */
async function hasUnrendered(path: string): Promise<boolean> {
  const rows = readCaptures(path, {
    columns: ["content_type"],
    where: { extractor: "", status: (status) => status > 0, body_length: (n) => n > 0 },
  });
  const nothing = new Uint8Array(0);
  for await (const { content_type = "" } of rows) {
    if (content_type === "" || isHtml(content_type, nothing)) return true;
  }
  return false;
}

function captureItem(row: Row, offset: number): Item {
  const { url = "", status = 0, content_type = "", digest = "", body } = row;
  const said = jsonOr(row.meta_json ?? "");
  const meta: Meta = typeof said === "object" && said !== null ? said as Meta : {};
  const coding = typeof meta.content_encoding === "string" ? meta.content_encoding : "";
  const payloadDigest = typeof meta.payload_digest === "string"
    ? meta.payload_digest
    : digest !== "" && coding === ""
    ? `sha1:${digest}` // nothing was decoded: the two are of the same bytes
    : "";
  const rendered = (row.extractor ?? "") !== "";
  return {
    record: {
      type: status === 0 ? "failure" : row.unchanged === true ? "revisit" : "response",
      url,
      status,
      mime: typeOf(content_type),
      date: new Date(row.fetched_at ?? 0).toISOString(),
      record_id: "",
      payload_digest: payloadDigest,
      content_length: row.body_length ?? 0,
      offset,
    },
    meta: () => ({ warc_headers: null, http_headers: headersOf(row), metadata: said || null }),
    payload: () =>
      body === undefined || body.length === 0
        ? undefined
        : { url, contentType: content_type, contentEncoding: coding, body },
    known: !rendered ? {} : {
      title: row.title ?? "",
      wordCount: row.word_count ?? 0,
      language: row.language ?? "",
      confidence: row.language_confidence ?? 0,
      ...(row.text === undefined ? {} : { text: row.text }),
      ...(row.markdown === undefined ? {} : { markdown: row.markdown }),
    },
  };
}

function headersOf({ resp_headers = "" }: Row): FieldMap | null {
  const headers = jsonOr(resp_headers);
  if (typeof headers !== "object" || headers === null) return null;
  const fields = Object.entries(headers as Record<string, unknown>)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as const)
    );
  return fieldMap(fields, true);
}
