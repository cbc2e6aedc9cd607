import assert from "node:assert/strict";
import { captureRow, failureRow, headersJson } from "../../lib/capture/row.ts";

const answer = {
  url: "https://WWW.example.com:8443/a",
  fetchedAt: 1_700_000_000_123.7,
  durationMs: 12.6,
  ttfbMs: -0.2,
  status: 200,
  headers: [["Content-Type", "text/html"], ["ETag", 'W/"1"'], ["last-modified", "x"]] as const,
  body: new Uint8Array([1, 2, 3]),
  digest: "D",
};

Deno.test("headersJson() keeps the order served and makes an array where a name repeats", () => {
  const json = headersJson([
    ["Server", "x"],
    ["Set-Cookie", "a=1"],
    ["9", "numeric names are no exception"],
    ["set-cookie", "b=2"],
    ["1", ""],
    ["SET-COOKIE", "c=3"],
  ]);
  assert.equal(
    json,
    '{"server":"x","set-cookie":["a=1","b=2","c=3"],"9":"numeric names are no exception","1":""}',
  );
});

Deno.test("headersJson() takes names that are special in JavaScript, and any Latin-1", () => {
  const latin = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join("");
  const json = headersJson([["__proto__", "p"], ["constructor", "c"], ["", "nameless"], [
    "x",
    latin,
  ]]);
  const read = new Map(Object.entries(JSON.parse(json)));
  assert.equal(read.get("__proto__"), "p");
  assert.equal(read.get("constructor"), "c");
  assert.equal(read.get(""), "nameless");
  assert.equal(read.get("x"), latin);
  assert.equal(
    new TextDecoder("utf-8", { fatal: true }).decode(new TextEncoder().encode(json)),
    json,
  );
});

Deno.test("captureRow() fills what was served and leaves the rest empty", () => {
  const row = captureRow({
    ...answer,
    headers: [...answer.headers, ["Content-Encoding", "gzip"], ["content-encoding", "br"]],
    finalUrl: answer.url,
    truncated: "length",
    decodedLength: 9,
    payloadDigest: "sha1:P",
    redirects: [{ status: 301, url: "https://b/" }],
    robotsMeta: ["noindex"],
    reason: "poison page",
  });
  assert.equal(row.host, "www.example.com");
  assert.deepEqual(
    [row.fetched_at, row.fetch_duration_ms, row.ttfb_ms],
    [1_700_000_000_124, 13, 0],
  );
  assert.deepEqual([row.content_type, row.etag, row.last_modified], ["text/html", 'W/"1"', "x"]);
  assert.deepEqual([row.final_url, row.error, row.unchanged], ["", "", false]);
  assert.deepEqual([row.language, row.language_confidence, row.extractor], ["", 0, ""]);
  assert.deepEqual(JSON.parse(row.meta_json as string), {
    truncated: "length",
    content_encoding: "gzip, br",
    decoded_length: 9,
    payload_digest: "sha1:P",
    redirects: [{ status: 301, url: "https://b/" }],
    reason: "poison page",
    robots_meta: ["noindex"],
  });
});

Deno.test("captureRow() of a 304 has no body, and the digest and validators of the row it refers to", () => {
  const row = captureRow({
    ...answer,
    status: 304,
    refersTo: { digest: "OLD", etag: '"old"', lastModified: "then" },
  });
  assert.deepEqual(
    [row.unchanged, row.body.length, row.digest, row.etag, row.last_modified],
    [true, 0, "OLD", '"old"', "then"],
  );
});

Deno.test("failureRow() has a class, the original words, and nothing of an answer", () => {
  const row = failureRow({
    url: "not a url",
    fetchedAt: 5,
    durationMs: 7,
    error: "skip",
    errorDetail: "x".repeat(10_000),
    reason: "robots",
  });
  assert.deepEqual([row.status, row.error, row.host, row.digest], [0, "skip", "", ""]);
  assert.deepEqual([row.resp_headers, row.body.length], ["{}", 0]);
  const meta = JSON.parse(row.meta_json as string);
  assert.deepEqual([meta.reason, meta.error_detail.length], ["robots", 2000]);
});
