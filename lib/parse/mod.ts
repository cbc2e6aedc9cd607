/**
 * Reading what archives hold: WARC, WAT and WET files, whoever wrote them, and capture files.
 *
 * @example The pages of an archive as Markdown
 * ```ts
 * import { parse } from "@ccrawl/cli/parse";
 * import assert from "node:assert/strict";
 *
 * const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Some <b>text</b>.";
 * const path = await Deno.makeTempFile({ suffix: ".warc" });
 * await Deno.writeTextFile(
 *   path,
 *   "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n" +
 *     "WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: https://example.com/\r\n" +
 *     `Content-Type: application/http\r\nContent-Length: ${page.length}\r\n\r\n${page}\r\n\r\n`,
 * );
 * for await (const { record } of parse([path], { types: ["response"], markdown: true })) {
 *   assert.equal(record.url, "https://example.com/");
 *   assert.equal(record.markdown, "Some **text**.");
 * }
 * await Deno.remove(path);
 * ```
 *
 * @module
 */

export * from "./errors.ts";
export { expandPaths, type FileKind, kindOf, type WantedFiles, WARC_FILES } from "./files.ts";
export { matchesGlob, type RecordTest, recordTest } from "./filter.ts";
export * from "./parse.ts";
export { parseStatusRange } from "./status_range.ts";
export type * from "./types.ts";
