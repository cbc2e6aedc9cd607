import assert from "node:assert/strict";
import {
  decodeMemo,
  encodeMemo,
  judgeVisit,
  type PageMemo,
  validatorsOf,
} from "../../lib/engine/_memo.ts";

const RECORD = { recordId: "urn:uuid:1", url: "https://a.example/", date: "2026-01-01T00:00:00Z" };
const MEMO: PageMemo = {
  status: 200,
  digest: "D1",
  etag: '"1"',
  lastModified: "Thu, 01 Jan 2026 00:00:00 GMT",
  visited: 1,
  record: { ...RECORD, payloadDigest: "sha1:D1" },
};
const ANSWER = {
  status: 200,
  date: 2,
  truncated: false,
  target: "",
  etag: '"2"',
  lastModified: "",
};
const PAGE = {
  digest: "D2",
  payloadDigest: "sha1:D2",
  payloadRecord: { ...RECORD, recordId: "urn:uuid:2" },
  file: "x.warc.gz",
};
const ARCHIVED = true;

Deno.test("a memo comes back as it was kept; an empty one is of a page that was never answered", () => {
  assert.deepEqual(decodeMemo(encodeMemo(MEMO)), MEMO);
  const { record: _, ...bare } = MEMO;
  assert.deepEqual(decodeMemo(encodeMemo(bare)), bare);
  assert.equal(decodeMemo(new Uint8Array()), undefined);
  assert.equal(decodeMemo(undefined), undefined);
});

Deno.test("judgeVisit() tells a change by status and body, and keeps what the new answer says", () => {
  assert.deepEqual(judgeVisit(MEMO, ANSWER, PAGE, ARCHIVED), {
    verdict: "changed",
    memo: {
      status: 200,
      digest: "D2",
      etag: '"2"',
      lastModified: "",
      visited: 2,
      record: { ...PAGE.payloadRecord, payloadDigest: "sha1:D2" },
    },
  });
  const same = { ...PAGE, digest: "D1" };
  assert.equal(judgeVisit(MEMO, ANSWER, same, ARCHIVED).verdict, "unchanged");
  const gone = judgeVisit(MEMO, { ...ANSWER, status: 404 }, same, ARCHIVED);
  assert.deepEqual([gone.verdict, gone.memo?.etag], ["changed", ""]);
  assert.equal(judgeVisit(undefined, ANSWER, PAGE, ARCHIVED).verdict, "unknown");
});

Deno.test("judgeVisit() keeps the record and the validators of what a 304 says is unchanged", () => {
  const answer = { ...ANSWER, status: 304, etag: "" };
  const page = { digest: "E", payloadDigest: "sha1:D1", file: "y.warc.gz" };
  assert.deepEqual(judgeVisit(MEMO, answer, page, ARCHIVED), {
    verdict: "unchanged",
    memo: { ...MEMO, visited: 2 },
  });
  // A server that says so without having been asked: there is nothing that it could speak of.
  assert.deepEqual(judgeVisit(undefined, answer, page, ARCHIVED), { verdict: "unknown" });
  for (const etag of ["", '"a\x01"']) {
    const unasked = { ...MEMO, etag, lastModified: "" };
    assert.deepEqual(judgeVisit(unasked, answer, page, ARCHIVED), { verdict: "unknown" });
  }
});

Deno.test("judgeVisit() takes a redirect for where it leads, and refusals for one like another", () => {
  const visit = (before: PageMemo | undefined, status: number, target: string, digest: string) =>
    judgeVisit(before, { ...ANSWER, status, target }, { ...PAGE, digest }, ARCHIVED);
  const moved = visit(undefined, 302, "https://a.example/1", "EMPTY").memo;
  assert.equal(visit(moved, 302, "https://a.example/1", "OTHER").verdict, "unchanged");
  assert.equal(visit(moved, 302, "https://a.example/2", "EMPTY").verdict, "changed");
  assert.equal(visit(moved, 301, "https://a.example/1", "EMPTY").verdict, "changed");
  // one that does not say where is its body
  const lost = visit(undefined, 302, "", "D1").memo;
  assert.equal(visit(lost, 302, "", "D2").verdict, "changed");
  const gone = visit(MEMO, 404, "", "D2");
  assert.equal(gone.verdict, "changed");
  assert.equal(visit(gone.memo, 404, "", "D3").verdict, "unchanged");
  assert.equal(visit(gone.memo, 410, "", "D2").verdict, "changed");
});

Deno.test("judgeVisit() learns nothing from a server that is not well", () => {
  for (const status of [429, 500, 503]) {
    assert.deepEqual(judgeVisit(MEMO, { ...ANSWER, status }, PAGE, ARCHIVED), {
      verdict: "unknown",
    });
  }
});

Deno.test("judgeVisit() asks on no condition for what it does not have whole", () => {
  const cut = judgeVisit(MEMO, { ...ANSWER, truncated: true }, PAGE, ARCHIVED).memo!;
  assert.deepEqual([cut.etag, cut.record], ["", undefined]);
  const { payloadRecord: _, ...unwritten } = { ...PAGE, file: "", payloadDigest: "" };
  const refused = judgeVisit(MEMO, ANSWER, unwritten, ARCHIVED).memo!;
  assert.deepEqual([refused.etag, refused.record], ["", undefined]);
  // Where nothing is archived at all, nothing is missing.
  assert.equal(judgeVisit(MEMO, ANSWER, unwritten, false).memo!.etag, '"2"');
});

Deno.test("validatorsOf() takes the first of each, and none that is longer than a header should be", () => {
  assert.deepEqual(
    validatorsOf({
      headers: [["ETag", "x".repeat(2000)], ["etag", '"a"'], ["ETAG", '"b"'], [
        "Last-Modified",
        "then",
      ]],
    }),
    { etag: '"a"', lastModified: "then" },
  );
});
