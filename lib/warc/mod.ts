/**
 * Archives: writing, reading, repairing, indexing and checking WARC files.
 *
 * {@linkcode WarcWriter} archives exchanges; {@linkcode readWarc} reads what any writer left,
 * damage included; {@linkcode repairFolder} makes whole what a killed run left;
 * {@linkcode verifyWarcs} and {@linkcode verifyCdxj} find faults.
 *
 * @example Write an exchange, read it back
 * ```ts
 * import { readWarcFile, WarcWriter } from "@ccrawl/cli/warc";
 * import { surt } from "@ccrawl/cli/url";
 *
 * const bytes = (text: string) => new TextEncoder().encode(text);
 * const dir = await Deno.makeTempDir();
 * using writer = new WarcWriter({ dir, software: "example/1.0", command: "example", surt });
 * const { file } = writer.write({
 *   url: "https://example.com/",
 *   date: Date.now(),
 *   ip: "192.0.2.1",
 *   request: bytes("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"),
 *   status: 200,
 *   head: bytes("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n"),
 *   body: bytes("ok"),
 *   mime: "text/plain",
 * });
 * writer.close(); // seals the file and writes its index
 * for await (const { type, url } of readWarcFile(`${dir}/${file}`)) console.log(type, url);
 * await Deno.remove(dir, { recursive: true });
 * ```
 *
 * @module
 */

export * from "./build_cdx.ts";
export * from "./cdx11.ts";
export * from "./cdxj.ts";
export * from "./errors.ts";
export { diskFs, type FileSystem as WarcFs } from "../files/mod.ts";
export * from "./headers.ts";
export * from "./http.ts";
export * from "./reader.ts";
export * from "./repair.ts";
export * from "./types.ts";
export type { Truncation } from "../net/types.ts";
export * from "./verify.ts";
export * from "./verify_cdxj.ts";
export * from "./writer.ts";
export { MergeSort } from "./_merge_sort.ts";
