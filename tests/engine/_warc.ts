/** Archives read back, for tests. */

import { type HttpBlock, parseHttp } from "../../lib/warc/http.ts";
import { readWarcFile, type WarcRecord } from "../../lib/warc/reader.ts";

/** A record, its file, and the HTTP message in it. */
export interface Stored extends WarcRecord {
  readonly file: string;
  readonly http: HttpBlock;
}

/** Every record of a folder's sealed files, in the order written. */
export async function readFolder(dir: string): Promise<Stored[]> {
  const out: Stored[] = [];
  for (const name of [...Deno.readDirSync(dir)].map((e) => e.name).sort()) {
    if (!name.endsWith(".warc.gz")) continue;
    for await (const record of readWarcFile(`${dir}/${name}`)) {
      const content = record.content.slice();
      out.push({ ...record, content, file: name, http: parseHttp(content) });
    }
  }
  return out;
}

/** Answers (responses and revisits) by URL; a URL that was asked more than once has its last. */
export async function answersOf(dir: string): Promise<Map<string, Stored>> {
  const out = new Map<string, Stored>();
  for (const record of await readFolder(dir)) {
    if (record.type === "response" || record.type === "revisit") out.set(record.url, record);
  }
  return out;
}

/** Bytes as characters of the same number. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return text;
}
