import assert from "node:assert/strict";
import { type Answer, type AnswerLimits, AnswerParser, StrayBytes } from "../../lib/net/_parser.ts";
import { FetchError } from "../../lib/net/errors.ts";
import { bytesOf, textOf } from "./_loopback.ts";

const LIMITS: AnswerLimits = { bodyCap: 1000, headCap: 4096, keepWire: true };

interface Parsed extends Answer {
  readonly text: string;
  readonly reusable: boolean;
}

/** Reads a whole connection's bytes: fed in pieces of `size`, then ended in order. */
function read(
  wire: string,
  options: Partial<AnswerLimits> & { size?: number; reset?: boolean; reused?: boolean } = {},
): Parsed {
  const { size = wire.length, reset = false, reused = false, ...limits } = options;
  const parser = new AnswerParser({ ...LIMITS, ...limits }, !reused);
  for (let at = 0; at < wire.length; at += size) parser.feed(bytesOf(wire.slice(at, at + size)));
  const { reusable } = parser;
  parser.end(!reset);
  const answer = parser.answer();
  return { ...answer, text: textOf(answer.body), reusable };
}

function fails(wire: string, reason: string, options: Parameters<typeof read>[1] = {}): void {
  for (const size of [1, 7, wire.length]) {
    assert.throws(
      () => read(wire, { ...options, size }),
      (e) => e instanceof FetchError && e.kind === "other" && e.reason === reason,
      `in pieces of ${size}`,
    );
  }
}

Deno.test("AnswerParser reads a plain answer and keeps its bytes", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n";
  const got = read(head + "hi");
  assert.equal(got.status, 200);
  assert.equal(got.version, "HTTP/1.1");
  assert.equal(textOf(got.head), head);
  assert.deepEqual(got.headers, [["Content-Type", "text/html"], ["Content-Length", "2"]]);
  assert.equal(got.text, "hi");
  assert.equal(textOf(got.wire!), head + "hi");
  assert.equal(got.truncated, undefined);
  assert.equal(got.reusable, true);
});

Deno.test("AnswerParser reads status lines as servers write them", () => {
  const status = (line: string) => {
    const { status, version } = read(`${line}\r\nContent-Length: 0\r\n\r\n`);
    return `${version} ${status}`;
  };
  assert.equal(status("HTTP/1.1 404"), "HTTP/1.1 404"); // no reason phrase
  assert.equal(status("HTTP/1.1 404Gone fishing"), "HTTP/1.1 404");
  assert.equal(status("HTTP/1.1  404  Not Found"), "HTTP/1.1 404"); // padded columns
  assert.equal(status("HTTP/1.1\t404\tNot Found"), "HTTP/1.1 404");
  assert.equal(status("HTTP/1.1 999 Denied"), "HTTP/1.1 999"); // LinkedIn's word for no
  assert.equal(status("HTTP/1.1 404 Artículo no encontrado"), "HTTP/1.1 404");
  assert.equal(status("HTTP/1.1 OK"), "HTTP/1.1 200"); // a CGI that forgot the number
  assert.equal(status("http/1.1 200 ok"), "HTTP/1.1 200");
  assert.equal(status("ICY 200 OK"), "ICY 200"); // SHOUTcast
  assert.equal(status("HTTP/1.0 200 OK"), "HTTP/1.0 200");
});

Deno.test("AnswerParser refuses a status that is a number and none", () => {
  fails("HTTP/1.1 42 Answer\r\n\r\n", "bad-status");
  fails("HTTP/1.1 1000 Nights\r\n\r\n", "bad-status");
  fails("HTTP/1.1 000 None\r\n\r\n", "bad-status");
});

Deno.test("AnswerParser takes LF, CRLF and CR CR LF for line ends", () => {
  for (const eol of ["\n", "\r\n", "\r\r\n"]) {
    const got = read(`HTTP/1.1 200 OK${eol}A: b${eol}Content-Length: 2${eol}${eol}hi`, { size: 1 });
    assert.deepEqual(got.headers, [["A", "b"], ["Content-Length", "2"]]);
    assert.equal(got.text, "hi");
    assert.equal(got.reusable, true);
  }
  assert.equal(read("HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nhi").text, "hi");
});

Deno.test("AnswerParser skips blank lines before the status line and does not trust the rest", () => {
  const got = read("\r\n\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  assert.equal(got.version, "HTTP/1.1");
  assert.ok(textOf(got.head).startsWith("HTTP/1.1 200 OK\r\n"));
  assert.ok(textOf(got.wire!).startsWith(textOf(got.head)), "the wire begins with the head");
  assert.equal(got.text, "hi");
  assert.equal(got.reusable, false);
});

Deno.test("AnswerParser unfolds folded lines and passes over nameless ones", () => {
  const got = read(
    "HTTP/1.1 200 OK\r\n Fold of nothing\r\nX-A: a\r\n  b\r\n\tc\r\nno colon\r\n lost fold\r\n" +
      ": no name\r\nP3P : CP\r\nEmpty:\r\nContent-Length:2\r\n\r\nhi",
  );
  assert.deepEqual(got.headers, [["X-A", "a b c"], ["P3P", "CP"], ["Empty", ""], [
    "Content-Length",
    "2",
  ]]);
  assert.ok(
    textOf(got.head).includes(": no name\r\n"),
    "the raw head keeps what the list leaves out",
  );
});

Deno.test("AnswerParser decodes header bytes as Latin-1, control characters and all", () => {
  const got = read("HTTP/1.1 200 OK\r\nX: caf\xe9 \x80\x9f\x01\x00!\r\nContent-Length: 0\r\n\r\n");
  assert.deepEqual(got.headers[0], ["X", "caf\xe9 \x80\x9f\x01\x00!"]);
});

Deno.test("AnswerParser takes equal lengths for one", () => {
  for (const lengths of ["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2"]) {
    const got = read(`HTTP/1.1 200 OK\r\n${lengths}\r\n\r\nhi`);
    assert.equal(got.text, "hi");
    assert.equal(got.reusable, true);
  }
});

Deno.test("AnswerParser reads up to the longest of lengths that differ and trusts none", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\n";
  for (
    const [sent, text, truncated] of [["hi", "hi", undefined], ["hiho!", "hiho", undefined], [
      "hih",
      "hih",
      "disconnect",
    ]] as const
  ) {
    const got = read(head + sent);
    assert.equal(got.text, text);
    assert.equal(got.truncated, truncated);
    assert.equal(got.reusable, false);
  }
});

Deno.test("AnswerParser reads to the end where the length is none", () => {
  for (const value of ["", "abc", "-2", "+2", "0x2", "2.0", "2 2"]) {
    const got = read(`HTTP/1.1 200 OK\r\nContent-Length: ${value}\r\n\r\nhi there`);
    assert.equal(got.text, "hi there", value);
    assert.equal(got.truncated, undefined);
    assert.equal(got.reusable, false);
  }
});

Deno.test("AnswerParser marks a body that the connection's end cuts", () => {
  for (const reset of [false, true]) {
    const got = read("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhi", { reset });
    assert.equal(got.text, "hi");
    assert.equal(got.truncated, "disconnect");
  }
});

Deno.test("AnswerParser takes the end of a body without a length for its end, a reset for a cut", () => {
  assert.equal(read("HTTP/1.0 200 OK\r\n\r\nhi").truncated, undefined);
  assert.equal(read("HTTP/1.0 200 OK\r\n\r\nhi", { reset: true }).truncated, "disconnect");
});

Deno.test("AnswerParser sets nothing aside for a length that only the head has seen", () => {
  const parser = new AnswerParser({ ...LIMITS, bodyCap: 2 ** 31 }, true);
  parser.feed(bytesOf("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhi"));
  parser.end(true);
  const { body, truncated } = parser.answer();
  assert.equal(truncated, "disconnect");
  assert.equal(body.buffer.byteLength, 2);
});

Deno.test("AnswerParser stops at the body's bound", () => {
  const body = "x".repeat(11);
  const cut = { bodyCap: 10 };
  for (const size of [1, 3, 1000]) {
    for (
      const wire of [
        `HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n${body}`,
        `HTTP/1.1 200 OK\r\n\r\n${body}`,
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n${body}\r\n0\r\n\r\n`,
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n${
          body.slice(1)
        }\r\n1\r\nx\r\n0\r\n\r\n`,
        body,
      ]
    ) {
      const got = read(wire, { ...cut, size });
      assert.equal(got.text, body.slice(1), wire);
      assert.equal(got.truncated, "length", wire);
      assert.equal(got.reusable, false);
    }
  }
});

Deno.test("AnswerParser leaves a body that just fits its bound unmarked", () => {
  for (
    const wire of [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
      "HTTP/1.1 200 OK\r\n\r\nhi",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    ]
  ) {
    const got = read(wire, { bodyCap: 2 });
    assert.equal(got.text, "hi");
    assert.equal(got.truncated, undefined);
  }
});

Deno.test("AnswerParser reads chunks with extensions, padding, leading zeros and trailers", () => {
  const wire = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n" +
    '2;a="b;c"\r\nhi\r\n0002  \r\n, \r\nA\nten  bytes\n 00;last\r\nX-Sum: 1\r\nY: 2\r\n\r\n';
  for (const size of [1, 2, 5, wire.length]) {
    const got = read(wire, { size });
    assert.equal(got.text, "hi, ten  bytes");
    assert.equal(got.truncated, undefined);
    assert.equal(got.reusable, true);
    assert.equal(textOf(got.wire!), wire);
    assert.equal(got.headers.length, 1, "trailers are no headers");
  }
});

Deno.test("AnswerParser unpacks chunks that are announced twice once", () => {
  const chunks = "2\r\nhi\r\n0\r\n\r\n";
  for (
    const te of [
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: chunked, chunked",
    ]
  ) assert.equal(read(`HTTP/1.1 200 OK\r\n${te}\r\n\r\n${chunks}`).text, "hi");
});

Deno.test("AnswerParser goes by the chunks where there is a length too, and trusts neither", () => {
  const got = read(
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
  );
  assert.equal(got.text, "hi");
  assert.equal(got.truncated, undefined);
  assert.equal(got.reusable, false);
});

Deno.test("AnswerParser takes what is announced as chunked and is not for the body", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (
    const body of [
      "hello world",
      "<html>",
      "face it, this is no size",
      "42",
      " \t<p>",
      "\r\n<p>",
      `${"1".repeat(400)}\r\n`,
      `2;${"x".repeat(700)}`,
    ]
  ) {
    for (const size of [1, 3, 2000]) {
      const got = read(head + body, { size });
      assert.equal(got.text, body);
      assert.equal(got.truncated, undefined);
      assert.equal(got.reusable, false);
      assert.equal(textOf(got.wire!), head + body);
    }
  }
});

Deno.test("AnswerParser reads what is not chunked to its length, where there is one", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n";
  assert.equal(read(`${head}hello and more`).text, "hello");
  assert.equal(read(`${head}hello and more`).truncated, undefined);
  assert.equal(read(`${head}hell`).truncated, "disconnect");
});

Deno.test("AnswerParser marks chunks that end before the last, or in a lie", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (
    const [sent, text] of [
      ["", ""],
      ["2\r\nhi\r\n", "hi"],
      ["2\r\nhi", "hi"],
      ["5\r\nhi", "hi"],
      ["2\r\nhi\r\nnonsense\r\n", "hi"],
      ["2\r\nhi\r\n-1\r\n", "hi"],
      ["2\r\nhi!!\r\n0\r\n\r\n", "hi"],
      ["2\r\nhi\r\n2", "hi"],
    ] as const
  ) {
    for (const size of [1, 1000]) {
      const got = read(head + sent, { size });
      assert.equal(got.text, text, JSON.stringify(sent));
      assert.equal(got.truncated, "disconnect", JSON.stringify(sent));
      assert.equal(got.reusable, false);
    }
  }
});

Deno.test("AnswerParser takes the last chunk for the end though the trailer's end never comes", () => {
  const got = read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: 1");
  assert.equal(got.text, "hi");
  assert.equal(got.truncated, undefined);
});

Deno.test("AnswerParser bounds trailers and what chunk framing may weigh", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const trailers = read(`${head}2\r\nhi\r\n0\r\n${"X: 1\r\n".repeat(20_000)}`, { size: 9999 });
  assert.equal(trailers.text, "hi");
  assert.equal(trailers.reusable, false);
  assert.ok(trailers.wire!.length < 70_000);
  const padded = read(head + `1;${"x".repeat(4000)}\r\nh\r\n`.repeat(40), { size: 9999 });
  assert.equal(padded.truncated, "length");
  assert.ok(padded.wire!.length < 80_000);
});

Deno.test("AnswerParser knows the answers that have no body", () => {
  const after304 = read("HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n");
  assert.equal(after304.text, "");
  assert.equal(after304.truncated, undefined);
  assert.equal(after304.reusable, true, "a 304 names the length that a 200 would have");
  const lying = read("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nhi");
  assert.equal(lying.text, "");
  assert.equal(lying.reusable, false);
  assert.equal(read("HTTP/1.1 204 No Content\r\n\r\n").reusable, true);
  assert.equal(read("HTTP/1.1 304 X\r\nTransfer-Encoding: chunked\r\n\r\n").reusable, false);
  assert.equal(read("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nbytes").text, "");
});

Deno.test("AnswerParser passes over interim answers, up to a bound", () => {
  const final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
  const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  for (const size of [1, 10, 1000]) {
    const got = read(`HTTP/1.1 100 Continue\r\n\r\n${hints}${final}`, { size });
    assert.equal(got.status, 200);
    assert.deepEqual(got.headers, [["Content-Length", "2"]]);
    assert.equal(textOf(got.wire!), final);
    assert.equal(got.reusable, true);
  }
  assert.equal(read(hints.repeat(64) + final).status, 200);
  fails(hints.repeat(65) + final, "interim");
});

Deno.test("AnswerParser takes an answer without a status line for HTTP/0.9", () => {
  for (const body of ["<html>hi</html>", "HTTP", "H", "ICYcles", "\r\n\r\n<p>", "\x15 no alert"]) {
    for (const size of [1, 100]) {
      const got = read(body, { size });
      assert.equal(got.status, 200);
      assert.equal(got.version, "HTTP/0.9");
      assert.equal(got.head.length, 0);
      assert.deepEqual(got.headers, []);
      assert.equal(got.text, body);
      assert.equal(textOf(got.wire!), body);
      assert.equal(got.reusable, false);
    }
  }
});

Deno.test("AnswerParser takes no status line for stray bytes on a connection that was used", () => {
  for (const size of [1, 100]) {
    assert.throws(() => read("i<p>\r\n", { reused: true, size }), StrayBytes);
  }
});

Deno.test("AnswerParser says so when the port speaks TLS", () => {
  fails("\x15\x03\x01\x00\x02\x02\x46", "tls-port");
});

Deno.test("AnswerParser fails where the connection ends before the head does", () => {
  for (const wire of ["", "\r\n", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\n"]) {
    fails(wire, "eof", { size: 1 });
  }
  fails("HTTP/1.1 100 Continue\r\n\r\n", "eof");
});

Deno.test("AnswerParser bounds the head, also one of interim answers", () => {
  const long = (n: number) => `HTTP/1.1 200 OK\r\nX: ${"a".repeat(n - 28)}\r\nA:\r\n\r\n`;
  const exact = long(4096);
  assert.equal(read(exact).head.length, exact.length);
  assert.equal(exact.length, 4096);
  fails(long(4097), "head-too-long");
  fails(`HTTP/1.1 200 OK\r\nX: ${"a".repeat(5000)}`, "head-too-long");
  fails(`HTTP/1.1 100 C\r\nX: ${"a".repeat(3000)}\r\n\r\n`.repeat(2), "head-too-long");
});

Deno.test("AnswerParser keeps the connection by version and Connection", () => {
  const kept = (line: string, connection: string) =>
    read(`${line}\r\nContent-Length: 0\r\n${connection}\r\n`).reusable;
  assert.equal(kept("HTTP/1.1 200 OK", ""), true);
  assert.equal(kept("HTTP/1.1 200 OK", "Connection: Keep-Alive, Close\r\n"), false);
  assert.equal(kept("HTTP/1.1 200 OK", "Connection: x\r\nconnection: close\r\n"), false);
  assert.equal(kept("HTTP/1.0 200 OK", ""), false);
  assert.equal(kept("HTTP/1.0 200 OK", "Connection: keep-alive\r\n"), true);
  assert.equal(kept("HTTP/1.1 200 OK", "Connection: close-not\r\n"), true);
  assert.equal(kept("ICY 200 OK", ""), false);
  assert.equal(kept("HTTP/2.0 200 OK", ""), false);
});

Deno.test("AnswerParser does not trust a connection that says more than the answer", () => {
  for (const size of [1, 1000]) {
    const got = read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi", { size });
    assert.equal(got.text, "h");
    assert.equal(got.reusable, false);
  }
});

Deno.test("AnswerParser.cut() keeps what the deadline leaves", () => {
  const cut = (wire: string) => {
    const parser = new AnswerParser(LIMITS, true);
    parser.feed(bytesOf(wire));
    if (!parser.cut()) return undefined;
    const { body, truncated } = parser.answer();
    return [textOf(body), truncated];
  };
  const head = "HTTP/1.1 200 OK\r\n";
  assert.equal(cut(""), undefined);
  assert.equal(cut(head), undefined);
  assert.equal(cut("HT"), undefined);
  assert.deepEqual(cut(`${head}\r\nhi`), ["hi", "time"]);
  assert.deepEqual(cut(`${head}Content-Length: 9\r\n\r\nhi`), ["hi", "time"]);
  assert.deepEqual(cut(`${head}Transfer-Encoding: chunked\r\n\r\n9\r\nhi`), ["hi", "time"]);
  assert.deepEqual(cut(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n`), [
    "hi",
    undefined,
  ]);
  assert.deepEqual(cut(`${head}Content-Length: 2\r\nContent-Length: 9\r\n\r\nhi`), [
    "hi",
    undefined,
  ]);
});
