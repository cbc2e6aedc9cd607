/** Archives for tests, in the layouts of Common Crawl and of others. */

import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";

/** A record as bytes. */
export function record(
  type: string,
  url: string,
  block: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Uint8Array {
  const bytes = typeof block === "string" ? Buffer.from(block) : block;
  const fields = {
    "WARC-Type": type,
    "WARC-Date": "2024-05-18T01:58:10Z",
    "WARC-Record-ID": `<urn:uuid:${idOf(type + url)}>`,
    ...(url === "" ? {} : { "WARC-Target-URI": url }),
    ...more,
    "Content-Length": String(bytes.length),
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return join(Buffer.from(`WARC/1.0\r\n${head}\r\n`), bytes, Buffer.from("\r\n\r\n"));
}

/** An answer's record. */
export function response(
  url: string,
  body: string | Uint8Array,
  contentType = "text/html; charset=UTF-8",
  head = "",
  status = 200,
): Uint8Array {
  const start = `HTTP/1.1 ${status} X\r\n` +
    (contentType === "" ? "" : `Content-Type: ${contentType}\r\n`) + `${head}\r\n`;
  return record("response", url, join(Buffer.from(start), bytesOf(body)), {
    "Content-Type": "application/http; msgtype=response",
    "WARC-Payload-Digest": "sha1:AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH",
    "WARC-Identified-Payload-Type": "text/html",
  });
}

/** A member for each record. */
export function members(records: readonly Uint8Array[]): Uint8Array {
  return join(...records.map((one) => gzipSync(one)));
}

/** One member over all. */
export function oneMember(records: readonly Uint8Array[]): Uint8Array {
  return gzipSync(join(...records));
}

/** A page's record in WAT. */
export function wat(url: string, changes: Readonly<Record<string, unknown>> = {}): Uint8Array {
  const envelope = {
    Container: {
      Filename: "CC-MAIN-20240518-00000.warc.gz",
      Compressed: true,
      Offset: "4711",
      "Gzip-Metadata": { "Deflate-Length": "1000" },
    },
    Envelope: {
      Format: "WARC",
      "WARC-Header-Length": "600",
      "WARC-Header-Metadata": {
        "WARC-Type": "response",
        "WARC-Target-URI": url,
        "WARC-Payload-Digest": "sha1:QWERTYUIOPASDFGHJKLZXCVBNMQWERTY",
      },
      "Payload-Metadata": {
        "Actual-Content-Type": "application/http; msgtype=response",
        "HTTP-Response-Metadata": {
          "Response-Message": { Version: "HTTP/1.1", Status: "404", Reason: "Not Found" },
          Headers: { "content-type": "Text/HTML; charset=utf-8", Server: "nginx" },
          "HTML-Metadata": {
            Head: {
              Title: "Not here",
              Base: "/deep/",
              Metas: [{ name: "description", content: "nothing" }],
              Link: [{ path: "LINK@/href", url: "/style.css", rel: "stylesheet" }],
            },
            Links: [
              { path: "A@/href", url: "a.html", text: "A" },
              { path: "IMG@/src", url: "i.png" },
              { path: "FRAME@/src", url: "https://other.example/#f" },
              { path: "A@/href", url: "mailto:x@example.com" },
              { path: "A@/href", url: "a.html" },
              null,
              { path: 7, url: 8 },
            ],
          },
        },
      },
      ...changes,
    },
  };
  return record("metadata", url, JSON.stringify(envelope), {
    "Content-Type": "application/json",
    "WARC-Refers-To": "<urn:uuid:00000000-0000-0000-0000-000000000001>",
  });
}

/** A page's record in WET. */
export function wet(url: string, text: string, languages?: string): Uint8Array {
  return record("conversion", url, text, {
    "Content-Type": "text/plain",
    "WARC-Refers-To": "<urn:uuid:00000000-0000-0000-0000-000000000001>",
    ...(languages === undefined ? {} : { "WARC-Identified-Content-Language": languages }),
  });
}

/** The warcinfo that each file begins with. */
export const INFO = record("warcinfo", "", "isPartOf: CC-MAIN-2024-22\r\npublisher: Someone\r\n", {
  "Content-Type": "application/warc-fields",
});

/** Bytes one after the other, in an array that is no Buffer. */
export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? Buffer.from(body) : body;
}

function idOf(text: string): string {
  return Buffer.from(text.padEnd(16, "x").slice(-16)).toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
