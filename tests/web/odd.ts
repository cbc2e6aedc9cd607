/**
 * Answers of real servers that strict parsers refuse, and lies about framing, with what a lenient client makes of
 * them. The web sends them byte for byte at `/odd/own/<n>`; the tests read the expectations here.
 *
 * @module
 */

/** What a client makes of an odd answer. A field that is missing is not judged. */
export interface OddExpectation {
  readonly status?: number;
  /** Body as served, in Latin-1. */
  readonly body?: string;
  /** Body after content coding, as text. */
  readonly decoded?: string;
  /** One header field that has to be there with this value. */
  readonly header?: readonly [name: string, value: string];
  /** Path of the resolved redirect target. */
  readonly location?: string;
  readonly truncated?: "length" | "time" | "disconnect";
  /** Whether the connection may carry another request afterwards; judged only where the server keeps it. */
  readonly reuse?: boolean;
  /** No answer can be read out of it: an error is right. */
  readonly error?: true;
  /** Answer or error, both are right; it must end, and nothing of it may leak into the next answer. */
  readonly survive?: true;
}

/** One odd answer. */
export interface OddAnswer {
  readonly name: string;
  /** The bytes, one character each. */
  readonly answer: string;
  /** The server closes after it; else it waits for the next request. */
  readonly closes: boolean;
  readonly expect: OddExpectation;
}

const OK = "HTTP/1.1 200 OK\r\n";
const LENGTH = "Content-Length: 2\r\n\r\nhi";
const HI: OddExpectation = { status: 200, body: "hi", reuse: true };

function keeps(name: string, answer: string, expect: OddExpectation = HI): OddAnswer {
  return { name, answer, closes: false, expect };
}

function closes(name: string, answer: string, expect: OddExpectation): OddAnswer {
  return { name, answer, closes: true, expect };
}

/** Every odd answer of our own; its place in the list is its number. */
export const ODD_ANSWERS: readonly OddAnswer[] = [
  keeps("blank behind the status", "HTTP/1.1 200 \r\n" + LENGTH),
  keeps("lower-case field names", OK + "content-length: 2\r\n\r\nhi"),
  keeps("no blank behind the colon", OK + "Content-Length:2\r\n\r\nhi"),
  keeps("tabs and blanks around a value", OK + "Content-Length:\t 2 \t\r\n\r\nhi"),
  keeps("CRLF and LF mixed", "HTTP/1.1 200 OK\nX-A: a\r\nContent-Length: 2\n\r\nhi", {
    ...HI,
    header: ["X-A", "a"],
  }),
  keeps("empty value", OK + "X-A:\r\n" + LENGTH, { ...HI, header: ["X-A", ""] }),
  keeps("nameless field", OK + ": nobody\r\n" + LENGTH),
  keeps("fold by a tab", OK + "X-A: a\r\n\tb\r\n" + LENGTH, { ...HI, header: ["X-A", "a b"] }),
  keeps("fold of three lines", OK + "X-A: a\r\n b\r\n   c\r\n" + LENGTH, {
    ...HI,
    header: ["X-A", "a b c"],
  }),
  keeps("fold before the first field", OK + " nothing to go on with\r\n" + LENGTH),
  keeps("NUL in a value", OK + "X-A: a\0b\r\n" + LENGTH),
  keeps("UTF-8 in a field's name", OK + "X-Gr\xc3\xbc\xc3\x9fe: a\r\n" + LENGTH),
  keeps("quotes and brackets in a name", OK + 'X"(<>)": a\r\n' + LENGTH),
  keeps("lower-case protocol", "http/1.1 200 OK\r\n" + LENGTH, { status: 200 }),
  keeps("HTTP/1.2", "HTTP/1.2 200 OK\r\n" + LENGTH, { status: 200 }),
  closes("HTTP/2 in a status line", "HTTP/2 200\r\n" + LENGTH, { status: 200 }),
  keeps("two blanks before the status", "HTTP/1.1  200 OK\r\n" + LENGTH, { status: 200 }),
  keeps("reason of 8 KB", `HTTP/1.1 200 ${"very ".repeat(1600)}OK\r\n` + LENGTH),
  keeps("status 600", "HTTP/1.1 600 Odd\r\n" + LENGTH, { status: 600, body: "hi" }),
  keeps("205 with a body", "HTTP/1.1 205 Reset Content\r\n" + LENGTH, { status: 205, body: "hi" }),
  keeps("304 that nobody asked for", "HTTP/1.1 304 Not Modified\r\n\r\n", {
    status: 304,
    body: "",
  }),
  keeps("304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n", {
    status: 304,
    body: "",
  }),
  keeps("204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 50\r\n\r\n", {
    status: 204,
    body: "",
  }),
  keeps("twenty times 100", "HTTP/1.1 100 Continue\r\n\r\n".repeat(20) + OK + LENGTH),
  keeps("102 with fields", "HTTP/1.1 102 Processing\r\nContent-Length: 7\r\n\r\n" + OK + LENGTH),
  keeps("length twice in one field", OK + "Content-Length: 2, 2\r\n\r\nhi", {
    status: 200,
    body: "hi",
  }),
  closes("two lengths that differ", OK + "Content-Length: 2\r\nContent-Length: 5\r\n\r\nhi", {
    status: 200,
    reuse: false,
  }),
  closes("negative length", OK + "Content-Length: -2\r\n\r\nhi", {
    status: 200,
    body: "hi",
    reuse: false,
  }),
  closes("length that is no number", OK + "Content-Length: two\r\n\r\nhi", {
    status: 200,
    body: "hi",
    reuse: false,
  }),
  closes("empty length", OK + "Content-Length:\r\n\r\nhi", {
    status: 200,
    body: "hi",
    reuse: false,
  }),
  closes("length beyond every number", OK + "Content-Length: 99999999999999999999\r\n\r\nhi", {
    status: 200,
    body: "hi",
    reuse: false,
  }),
  keeps("length 0 and a body", OK + "Content-Length: 0\r\n\r\nhi", {
    status: 200,
    body: "",
    reuse: false,
  }),
  keeps("two answers at once", OK + LENGTH + OK + "Content-Length: 5\r\n\r\nother", {
    status: 200,
    body: "hi",
    reuse: false,
  }),
  keeps(
    "chunked and an answer behind it",
    OK + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + OK + LENGTH,
    {
      status: 200,
      body: "hi",
      reuse: false,
    },
  ),
  keeps(
    "Transfer-Encoding in capitals",
    OK + "TRANSFER-ENCODING: CHUNKED\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
  ),
  keeps("identity and a length", OK + "Transfer-Encoding: identity\r\n" + LENGTH, {
    status: 200,
    body: "hi",
  }),
  keeps(
    "chunk sizes with zeros in front",
    OK + "Transfer-Encoding: chunked\r\n\r\n00002\r\nhi\r\n000\r\n\r\n",
  ),
  keeps(
    "chunk sizes with blanks behind",
    OK + "Transfer-Encoding: chunked\r\n\r\n2   \r\nhi\r\n0\r\n\r\n",
  ),
  keeps(
    "chunk sizes in capitals",
    OK + "Transfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n",
    {
      status: 200,
      body: "0123456789",
      reuse: true,
    },
  ),
  keeps("chunks with LF alone", OK + "Transfer-Encoding: chunked\r\n\r\n2\nhi\n0\n\n", {
    status: 200,
    body: "hi",
  }),
  keeps(
    "chunks of one byte",
    OK + "Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n",
  ),
  keeps(
    "long chunk extension",
    OK + `Transfer-Encoding: chunked\r\n\r\n2;${"x".repeat(2000)}\r\nhi\r\n0\r\n\r\n`,
    {
      status: 200,
      body: "hi",
    },
  ),
  keeps(
    "trailers",
    OK + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-A: a\r\nX-B: b\r\n\r\n",
  ),
  closes(
    "last chunk without its blank line",
    OK + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n",
    {
      status: 200,
      body: "hi",
    },
  ),
  closes("chunk cut in the middle", OK + "Transfer-Encoding: chunked\r\n\r\n64\r\nhi", {
    status: 200,
    body: "hi",
    truncated: "disconnect",
  }),
  closes(
    "chunk size beyond every number",
    OK + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nhi",
    {
      status: 200,
      reuse: false,
    },
  ),
  closes(
    "chunk size that is none",
    OK + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\nmore",
    {
      status: 200,
      reuse: false,
    },
  ),
  closes(
    "chunked with HTTP/1.0",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    {
      status: 200,
      reuse: false,
    },
  ),
  closes("HTTP/1.0 without a length", "HTTP/1.0 200 OK\r\n\r\nhi", {
    status: 200,
    body: "hi",
    reuse: false,
  }),
  keeps("HTTP/1.0 kept alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + LENGTH, {
    status: 200,
    body: "hi",
  }),
  closes("HTTP/0.9 that starts like a tag", "<title>old</title>", {
    status: 200,
    body: "<title>old</title>",
  }),
  closes("blank lines before the status line", "\r\n\r\n" + OK + LENGTH, { status: 200 }),
  closes("garbage before the status line", "x" + OK + LENGTH, { status: 200 }),
  closes("nothing at all", "", { error: true }),
  closes("head without its blank line", OK + "Content-Type: text/html\r\n", { survive: true }),
  closes("half a status line", "HTTP/1.", { survive: true }),
  closes("status of letters", "HTTP/1.1 abc OK\r\n" + LENGTH, { survive: true }),
  closes("status of five digits", "HTTP/1.1 20000 OK\r\n" + LENGTH, { survive: true }),
  closes(
    "101 that nobody asked for",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\x01\x02\x03",
    {
      survive: true,
    },
  ),
  keeps("a thousand fields", OK + "X-A: a\r\n".repeat(1000) + LENGTH),
  keeps("forty cookies", OK + "Set-Cookie: a=b; path=/\r\n".repeat(40) + LENGTH, {
    ...HI,
    header: ["Set-Cookie", "a=b; path=/"],
  }),
  keeps("a fold of 10 000 lines", OK + "X-A: a\r\n" + " b\r\n".repeat(10_000) + LENGTH, {
    status: 200,
  }),
  keeps(
    "Location with blanks",
    "HTTP/1.1 302 Found\r\nLocation:   /p/1  \r\nContent-Length: 0\r\n\r\n",
    {
      status: 302,
      location: "/p/1",
    },
  ),
  keeps(
    "Location with backslashes",
    "HTTP/1.1 302 Found\r\nLocation: \\p\\1\r\nContent-Length: 0\r\n\r\n",
    {
      status: 302,
      location: "/p/1",
    },
  ),
  keeps(
    "Location up and down",
    "HTTP/1.1 302 Found\r\nLocation: ../x/./../p/1\r\nContent-Length: 0\r\n\r\n",
    {
      status: 302,
    },
  ),
  keeps("empty Location", "HTTP/1.1 302 Found\r\nLocation:\r\nContent-Length: 0\r\n\r\n", {
    status: 302,
  }),
  keeps("302 without Location", "HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nhi", {
    status: 302,
    body: "hi",
  }),
  keeps("Content-Encoding none", OK + "Content-Encoding: none\r\n" + LENGTH, {
    status: 200,
    body: "hi",
    decoded: "hi",
  }),
  keeps("Content-Encoding utf-8", OK + "Content-Encoding: utf-8\r\n" + LENGTH, {
    status: 200,
    body: "hi",
  }),
  keeps(
    "Content-Type twice",
    OK + "Content-Type: text/html\r\nContent-Type: text/plain\r\n" + LENGTH,
  ),
];

/** The bytes of an odd answer. */
export function oddBytes(odd: OddAnswer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(odd.answer, (c) => c.charCodeAt(0));
}
