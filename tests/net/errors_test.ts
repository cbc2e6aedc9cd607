import assert from "node:assert/strict";
import fc from "fast-check";
import { ErrorShapes } from "../../lib/net/error_shapes.ts";
import { type FailureKind, FetchError, toFetchError } from "../../lib/net/errors.ts";
import { shapeOf } from "../../lib/net/_shape.ts";

const coded = (code: string, message = "boom") => Object.assign(new Error(message), { code });

/** What connecting to a port gives, as thrown by the runtime itself. */
async function thrownBy(serve: (conn: Deno.Conn) => Promise<void>): Promise<unknown> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const served = (async () => {
    const conn = await listener.accept();
    await conn.read(new Uint8Array(4096));
    await serve(conn);
    conn.close();
  })();
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  const tls = await Deno.startTls(conn, { hostname: "name.test" });
  try {
    await tls.handshake();
    assert.fail("the handshake went through");
  } catch (e) {
    return e;
  } finally {
    tls.close();
    listener.close();
    await served;
  }
}

const cases: [unknown, FailureKind, string][] = [
  [new Deno.errors.ConnectionRefused("Connection refused (os error 111)"), "refused", ""],
  [new Deno.errors.ConnectionReset("x"), "refused", "reset"],
  [new Deno.errors.ConnectionAborted("x"), "refused", "reset"],
  [new Deno.errors.BrokenPipe("Broken pipe (os error 32)"), "refused", "reset"],
  [new Deno.errors.NetworkUnreachable("x"), "refused", "unreachable"],
  [new Deno.errors.AddrNotAvailable("x"), "refused", "unreachable"],
  [new Error("No route to host (os error 113)"), "refused", "unreachable"],
  [coded("EHOSTUNREACH"), "refused", "unreachable"],
  [coded("ECONNREFUSED"), "refused", ""],
  [coded("ECONNRESET"), "refused", "reset"],
  [new Deno.errors.TimedOut("x"), "timeout", ""],
  [new DOMException("Signal timed out.", "TimeoutError"), "timeout", ""],
  [coded("ETIMEDOUT"), "timeout", ""],
  [new Deno.errors.InvalidData("invalid peer certificate: Expired"), "tls", "certificate"],
  [new Deno.errors.InvalidData("invalid peer certificate: UnknownIssuer"), "tls", "certificate"],
  [new Deno.errors.InvalidData("received fatal alert: HandshakeFailure"), "tls", "handshake"],
  [
    new Deno.errors.InvalidData("peer is incompatible: ServerDoesNotSupportTls12Or13"),
    "tls",
    "handshake",
  ],
  [coded("CERT_HAS_EXPIRED"), "tls", "certificate"],
  [coded("ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR"), "tls", "handshake"],
  [coded("ERR_SSL_WRONG_VERSION_NUMBER"), "other", "plain-http"],
  [
    new Deno.errors.InvalidData("received corrupt message of type InvalidContentType"),
    "other",
    "plain-http",
  ],
  [new Deno.errors.UnexpectedEof("tls handshake eof"), "other", "eof"],
  [new Error("unexpected end of file: eof"), "other", "eof"],
  [coded("ENOTFOUND"), "dns", "nxdomain"],
  [coded("EAI_AGAIN"), "dns", "resolver"],
  [
    new Error("failed to lookup address information: Name or service not known"),
    "dns",
    "nxdomain",
  ],
  [new TypeError("fetch failed", { cause: coded("ECONNRESET") }), "refused", "reset"],
  [new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")], "all failed"), "refused", ""],
  [
    new Error("while asking", { cause: new FetchError("skip", "no", { reason: "bad-port" }) }),
    "skip",
    "bad-port",
  ],
  [new DOMException("gone", "AbortError"), "other", ""],
  [new Deno.errors.Interrupted("operation canceled"), "other", ""],
  [new Error("something else"), "other", ""],
  ["a string", "other", ""],
  [undefined, "other", ""],
];

Deno.test("toFetchError() classifies what Deno, node and OpenSSL throw", () => {
  for (const [e, kind, reason] of cases) {
    const f = toFetchError(e);
    assert.deepEqual([f.kind, f.reason], [kind, reason], String(e));
    assert.equal(f.cause, e);
    assert.equal(f.name, "FetchError");
  }
});

Deno.test("toFetchError() classifies a refused connection of this runtime", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const e = await Deno.connect({ hostname: "127.0.0.1", port }).catch((e) => e);
  assert.equal(toFetchError(e).kind, "refused");
});

Deno.test("toFetchError() classifies plain http on a TLS port of this runtime", async () => {
  const http = new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n");
  const e = await thrownBy(async (conn) => void await conn.write(http));
  assert.deepEqual([toFetchError(e).kind, toFetchError(e).reason], ["other", "plain-http"]);
});

Deno.test("toFetchError() classifies a handshake alert of this runtime", async () => {
  const alert = new Uint8Array([0x15, 3, 3, 0, 2, 2, 40]);
  const e = await thrownBy(async (conn) => void await conn.write(alert));
  assert.equal(toFetchError(e).kind, "tls");
});

Deno.test("toFetchError() classifies a handshake that the peer ends", async () => {
  const e = await thrownBy(() => Promise.resolve());
  assert.deepEqual([toFetchError(e).kind, toFetchError(e).reason], ["other", "eof"]);
});

Deno.test("toFetchError() gives a FetchError back as it is, and says what was being done", () => {
  const own = new FetchError("skip", "Cannot connect to 10.0.0.1: it is private");
  assert.equal(toFetchError(own, "fetch"), own);
  const e = toFetchError(
    new Deno.errors.ConnectionRefused("Connection refused"),
    "connect to x:80",
  );
  assert.equal(e.message, "Cannot connect to x:80: Connection refused");
});

Deno.test("toFetchError() ends on causes that go round", () => {
  const a = new Error("a");
  a.cause = new Error("b", { cause: a });
  assert.equal(toFetchError(a).kind, "other");
});

Deno.test("FetchError bounds its message, part of which is off the wire", () => {
  assert.equal(new FetchError("tls", "x".repeat(1e6)).message.length, 1000);
});

Deno.test("shapeOf() replaces URLs, hosts, addresses, ports and numbers", () => {
  const same = [
    ["Get http://a.example/x?y=1: EOF", "get N eof"],
    ["get https://b.example:8443: EOF", "get N eof"],
    [
      "dial 192.0.2.1:443: Connection refused (os error 111)",
      "dial N connection refused (os error N)",
    ],
    ["dial [2001:db8::1]:443: refused", "dial N refused"],
    ["open TLS to a.test (127.0.0.1:443): corrupt message", "open tls to N (N): corrupt message"],
    ["no answer from fe80::a, www.example.co.uk or 8.8.8.8", "no answer from N, N or N"],
    ["cannot open /var/tmp/x", "cannot open N"],
    ["robots.txt of a.example:80 could not be had", "robots.txt of N could not be had"],
    ["at 2026-05-01 12:00:00 UTC", "at N utc"],
    [
      "HTTP: server gave HTTP response to HTTPS client",
      "http: server gave http response to https client",
    ],
    [
      "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: " +
      "current time 2026-05-01T12:00:00Z is after 2024-01-01T00:00:00Z",
      "tls: failed to verify certificate: N certificate has expired or is not yet valid: " +
      "current time N is after N",
    ],
  ] as const;
  for (const [message, shape] of same) assert.equal(shapeOf(message), shape);
});

Deno.test("shapeOf() gives one bounded line without control characters for any message", () => {
  const text = fc.string({ unit: "binary", maxLength: 400 });
  fc.assert(fc.property(text, (message) => {
    const shape = shapeOf(message);
    assert(shape.length <= 160);
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2028\d]/.test(shape), JSON.stringify(shape));
  }));
  assert(shapeOf("a b ".repeat(1e6)).length <= 160);
});

Deno.test("ErrorShapes prints the top three and the share they explain", () => {
  const shapes = new ErrorShapes();
  assert.equal(shapes.line(), "");
  for (let i = 0; i < 124; i++) shapes.add(i % 2 ? "EOF" : "eof");
  for (let i = 0; i < 9; i++) shapes.add("http: server gave HTTP response to HTTPS client");
  for (let i = 0; i < 3; i++) shapes.add("unexpected EOF");
  for (let i = 0; i < 2; i++) shapes.add("rare " + "x".repeat(i));
  assert.equal(
    shapes.line(),
    "the unclassified failures are mostly: eof 124, http: server gave http response to https client 9, " +
      "unexpected eof 3, which is 136 of 138",
  );
});

Deno.test("ErrorShapes keeps the head however many different things come before and between", () => {
  const shapes = new ErrorShapes();
  const word = (n: number) => n.toString(26).replace(/\d/g, (d) => "qrstuvwxyz"[Number(d)]!);
  for (let i = 0; i < 1000; i++) shapes.add(`alert ${word(i)} early`);
  for (let i = 0; i < 2000; i++) {
    shapes.add(`alert ${word(i)} later`);
    if (i % 4 === 0) shapes.add("handshake failure");
  }
  assert(shapes.size <= 64);
  assert.equal(shapes.total, 3500);
  assert.deepEqual(shapes.top(1), [{ shape: "handshake failure", count: 500 }]);
});
