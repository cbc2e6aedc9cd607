/**
 * What must be true of one row.
 *
 * @module
 */

import { isUtf8 } from "node:buffer";
import type { RawValue } from "./_columns_reader.ts";
import type { CaptureFaultCode, Faults } from "./faults.ts";
import { bodyDigest } from "./digest.ts";
import { CAPTURE_COLUMNS, type CaptureColumnName, NO_ARCHIVE } from "./schema.ts";

/** Undoes a body's content coding; undefined where that fails. */
export type Decode = (body: Uint8Array, contentEncoding: string) => Uint8Array | undefined;

const ERRORS: ReadonlySet<string> = new Set(["dns", "timeout", "refused", "tls", "skip", "other"]);
const EMPTY_DIGEST = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const INDEX = Object.fromEntries(CAPTURE_COLUMNS.map(({ name }, i) => [name, i])) as Record<
  CaptureColumnName,
  number
>;
const STRINGS = CAPTURE_COLUMNS.filter(({ type }) => type === "string").map(({ name }) => name);
const LENGTHS: readonly (readonly [CaptureColumnName, CaptureColumnName])[] = [
  ["body_length", "body"],
  ["markdown_length", "markdown"],
  ["text_length", "text"],
];
const JSON_COLUMNS: readonly CaptureColumnName[] = ["meta_json", "resp_headers", "req_headers"];

/** Checks one row after the other. */
export class RowVerifier {
  readonly #faults: Faults;
  readonly #decode: Decode | undefined;
  readonly #storeBody: string;

  constructor(faults: Faults, decode: Decode | undefined, storeBody: string) {
    this.#faults = faults;
    this.#decode = decode;
    this.#storeBody = storeBody;
  }

  verify(row: number, values: readonly RawValue[], offsets: readonly number[]): void {
    const value = (name: CaptureColumnName) => values[INDEX[name]]!;
    const bytes = (name: CaptureColumnName) => value(name) as Uint8Array;
    const fault = (code: CaptureFaultCode, name: CaptureColumnName, message: string) =>
      this.#faults.add(code, offsets[INDEX[name]]!, `row ${row}: ${message}`);
    for (const name of STRINGS) {
      if (!isUtf8(bytes(name))) fault("utf8", name, `${name} is not UTF-8`);
    }
    for (const [length, of] of LENGTHS) {
      if (Number(value(length)) !== bytes(of).length) {
        fault(
          "length",
          length,
          `${length} is ${value(length)}, ${of} has ${bytes(of).length} bytes`,
        );
      }
    }
    let meta: Record<string, unknown> = {};
    for (const name of JSON_COLUMNS) {
      const object = parseObject(decoder.decode(bytes(name)));
      if (object === undefined) fault("json", name, `${name} is no JSON object`);
      else if (name === "meta_json") meta = object;
    }
    const error = decoder.decode(bytes("error")), status = Number(value("status"));
    if (error !== "" && !ERRORS.has(error)) {
      fault("row", "error", `error is ${JSON.stringify(error.slice(0, 40))}`);
    }
    if ((error === "") !== (status !== 0)) {
      fault("row", "status", `status is ${status} and error is ${JSON.stringify(error)}`);
    }
    const unchanged = value("unchanged") as boolean;
    if (unchanged && (status !== 304 || bytes("body").length > 0)) {
      fault(
        "row",
        "unchanged",
        `it is unchanged, with status ${status} and ${bytes("body").length} bytes`,
      );
    }
    if (error === "" && !unchanged) {
      this.#digest(decoder.decode(bytes("digest")), bytes("body"), meta, fault);
    }
  }

  #digest(
    digest: string,
    body: Uint8Array,
    meta: Record<string, unknown>,
    fault: (code: CaptureFaultCode, name: CaptureColumnName, message: string) => void,
  ): void {
    if (this.#storeBody === "none" || meta.reason === NO_ARCHIVE) return;
    const coding = this.#storeBody === "served" && typeof meta.content_encoding === "string"
      ? meta.content_encoding
      : "";
    let decoded: Uint8Array | undefined = body;
    if (coding !== "" && body.length > 0) {
      if (this.#decode === undefined) return;
      decoded = this.#decode(body, coding) ?? body;
    }
    const is = decoded.length === 0 ? EMPTY_DIGEST : bodyDigest(decoded);
    if (is !== digest) fault("digest", "digest", `digest is ${digest}, the body's is ${is}`);
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}
