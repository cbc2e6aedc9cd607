import assert from "node:assert/strict";
import { cleanHead } from "../../lib/warc/_block.ts";
import { dechunk, parseHttp } from "../../lib/warc/http.ts";
import { decode, encode } from "./_exchanges.ts";

function clean(head: string, length = 5, status = 200): string {
  return decode(cleanHead(encode(head), status, length));
}

Deno.test("cleanHead() gives a head that is true back itself", () => {
  for (
    const head of [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: Transfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.0 200 OK\nServer: x\n\n",
      "HTTP/1.1 200 OK\r\ncontent-LENGTH:5\r\nTransfer: a\r\nContent-Type: b\r\n\r\n",
      "ICY 200\r\n\r\n",
      "",
    ]
  ) {
    const bytes = encode(head);
    assert.equal(cleanHead(bytes, 200, 5), bytes, head);
  }
});

Deno.test("cleanHead() renames Transfer-Encoding and adds a true Content-Length", () => {
  assert.equal(
    clean("HTTP/1.1 200 OK\r\ntransfer-encoding : chunked\r\nA: b\r\n\r\n"),
    "HTTP/1.1 200 OK\r\nX-Crawler-transfer-encoding : chunked\r\nA: b\r\nContent-Length: 5\r\n\r\n",
  );
});

Deno.test("cleanHead() renames a Content-Length that is wrong, as servers that gzip on the fly send", () => {
  assert.equal(
    clean("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"),
    "HTTP/1.1 200 OK\r\nX-Crawler-Content-Length: 7\r\nContent-Length: 5\r\n\r\n",
  );
  for (const wrong of ["", "-5", "5, 6", "5x", "0x5", "5.0", "99999999999999999999"]) {
    assert.match(
      clean(`HTTP/1.1 200 OK\r\nContent-Length: ${wrong}\r\n\r\n`),
      /X-Crawler-Content-L/,
    );
  }
});

Deno.test("cleanHead() keeps lengths that are repeated or folded and true", () => {
  for (
    const lines of [
      "Content-Length: 5\r\nContent-Length: 5\r\n",
      "Content-Length: 5, 5\r\n",
      "Content-Length:\r\n 5\r\n",
    ]
  ) {
    const head = `HTTP/1.1 200 OK\r\n${lines}\r\n`;
    assert.equal(clean(head), head);
  }
});

Deno.test("cleanHead() renames each of length and chunks where both were sent", () => {
  assert.equal(
    clean("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n"),
    "HTTP/1.1 200 OK\r\nX-Crawler-Transfer-Encoding: chunked\r\nX-Crawler-Content-Length: 12\r\n" +
      "Content-Length: 5\r\n\r\n",
  );
});

Deno.test("cleanHead() leaves the Content-Length of a 304 alone", () => {
  const head = "HTTP/1.1 304 Not Modified\r\nContent-Length: 900\r\n\r\n";
  assert.equal(clean(head, 0, 304), head);
  assert.equal(
    clean("HTTP/1.1 304 X\r\nTransfer-Encoding: chunked\r\n\r\n", 0, 304),
    "HTTP/1.1 304 X\r\nX-Crawler-Transfer-Encoding: chunked\r\n\r\n",
  );
});

Deno.test("cleanHead() ends a head that was cut before its blank line", () => {
  assert.equal(clean("HTTP/1.1 200 OK\r\nA: b", 0), "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
  assert.equal(clean("HTTP/1.1 200 OK\nA: b\n", 0), "HTTP/1.1 200 OK\nA: b\n\r\n");
});

Deno.test("parseHttp() takes a response apart, folded lines and nameless ones included", () => {
  const http = parseHttp(encode(
    "HTTP/1.1 200  OK\r\nA: 1\r\n\t2\r\n: nameless\r\nnothing\r\nSet-Cookie : x\r\na: 3\r\n\r\nbody\r\n\r\nmore",
  ));
  assert.equal(http.startLine, "HTTP/1.1 200  OK");
  assert.equal(http.status, 200);
  assert.deepEqual(http.headers, [["A", "1 2"], ["Set-Cookie", "x"], ["a", "3"]]);
  assert.equal(http.get("SET-cookie"), "x");
  assert.equal(http.get("b"), undefined);
  assert.equal(decode(http.payload), "body\r\n\r\nmore");
  assert.equal(http.head.length + http.payload.length, 85);
});

Deno.test("parseHttp() knows requests, ICY, odd statuses, and answers without a head", () => {
  const get = parseHttp(encode("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"));
  assert.deepEqual([get.startLine, get.status, get.get("host")], ["GET /a HTTP/1.1", 0, "x"]);
  assert.equal(parseHttp(encode("ICY 200 OK\nA: b\n\nx")).status, 200);
  assert.equal(parseHttp(encode("HTTP/1.1 999 No\n\n")).status, 999);
  assert.equal(parseHttp(encode("HTTP/1.1 20\n\n")).status, 0);
  assert.equal(parseHttp(encode("HTTP/1.1 20000 OK\n\n")).status, 0);
  for (
    const [line, status] of [["HTTP/1.1 abc OK", 200], ["HTTP/1.1", 200], ["HTTP/1.1\t404", 404]]
  ) {
    assert.equal(parseHttp(encode(`${line}\r\n\r\n`)).status, status, "as the client reads it");
  }
  for (const body of ["<html>hi\n\nthere", "GET THIS NOW\n\nx", "", "\n\n"]) {
    const http = parseHttp(encode(body));
    assert.deepEqual([http.status, http.head.length, decode(http.payload)], [200, 0, body]);
  }
  const cut = parseHttp(encode("HTTP/1.1 200 OK\r\nA: b"));
  assert.deepEqual([cut.get("a"), cut.payload.length], ["b", 0]);
});

Deno.test("dechunk() removes chunks with extensions, as far as the bytes go", () => {
  const whole = dechunk(encode("3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nT: r\r\n\r\n"));
  assert.deepEqual([decode(whole.content), whole.complete], ["abc0123456789", true]);
  for (
    const [cut, content] of [
      ["3\r\nab", "ab"],
      ["3\r\nabc\r\nzz\r\n", "abc"],
      ["", ""],
      ["fffffffffff\r\nx", "x"],
      ["3\nabc\n", "abc"],
    ] as const
  ) {
    const found = dechunk(encode(cut));
    assert.deepEqual([decode(found.content), found.complete], [content, false], cut);
  }
});
