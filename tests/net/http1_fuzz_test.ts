import assert from "node:assert/strict";
import fc from "fast-check";
import { type Answer, AnswerParser, StrayBytes } from "../../lib/net/_parser.ts";
import { FetchError } from "../../lib/net/errors.ts";
import { bytesOf } from "./_loopback.ts";

const LIMITS = { bodyCap: 300, headCap: 600, keepWire: true };

/** Pieces of answers, so that what is put together at random gets past the first byte. */
const piece = fc.oneof(
  fc.constantFrom(
    "HTTP/1.1 200 OK",
    "HTTP/1.0 200",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 204 No\r\n",
    "HTTP/1.1 OK\n",
    "ICY 200 OK\r\n",
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 3\r\n",
    "Content-Length: 999\r\n",
    "Content-Length: x\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    " folded\r\n",
    "5\r\nhello\r\n",
    "3;ext=1\r\nabc\r\n",
    "0\r\n",
    "0\r\n\r\n",
    "X-Trailer: 1\r\n",
    "hello",
    "fffffffffffffff\r\n",
    "\x15\x03",
    "a".repeat(250),
  ),
  fc.string({ unit: "binary-ascii", maxLength: 8 }),
);

const wires = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => bytesOf(pieces.join(""))),
  fc.uint8Array({ maxLength: 200 }),
);

/** Cuts into pieces at the places given, modulo what is left. */
function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const cut of cuts) {
    if (at >= bytes.length) break;
    const end = Math.min(bytes.length, at + 1 + cut);
    pieces.push(bytes.slice(at, end));
    at = end;
  }
  if (at < bytes.length) pieces.push(bytes.slice(at));
  return pieces;
}

type Outcome = { answer: Answer; reusable: boolean } | { reason: string };

function outcome(
  pieces: readonly Uint8Array[],
  end: "close" | "reset" | "deadline",
  allowBare = true,
): Outcome {
  const parser = new AnswerParser(LIMITS, allowBare);
  try {
    for (const bytes of pieces) parser.feed(bytes);
    const { reusable } = parser;
    if (end === "deadline") {
      if (!parser.cut()) return { reason: "deadline" };
    } else parser.end(end === "close");
    assert.ok(parser.done);
    return { answer: parser.answer(), reusable };
  } catch (e) {
    if (e instanceof StrayBytes && !allowBare) return { reason: "stray" };
    if (e instanceof FetchError) return { reason: `${e.kind} ${e.reason}` };
    throw e;
  }
}

const ends = fc.constantFrom("close", "reset", "deadline") as fc.Arbitrary<
  "close" | "reset" | "deadline"
>;

Deno.test("AnswerParser reads the same however the bytes are split", () => {
  fc.assert(
    fc.property(
      wires,
      fc.array(fc.nat(40), { maxLength: 30 }),
      ends,
      fc.boolean(),
      (wire, cuts, end, allowBare) => {
        const whole = outcome([wire], end, allowBare);
        assert.deepEqual(outcome(split(wire, cuts), end, allowBare), whole);
        assert.deepEqual(
          outcome(Array.from(wire, (byte) => Uint8Array.of(byte)), end, allowBare),
          whole,
        );
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("AnswerParser throws nothing but FetchErrors, keeps its bounds, and only served bytes", () => {
  fc.assert(
    fc.property(wires, ends, (wire, end) => {
      const got = outcome([wire], end);
      if ("reason" in got) return;
      const { body, head, wire: kept, status, truncated } = got.answer;
      assert.ok(body.length <= LIMITS.bodyCap);
      assert.ok(head.length <= LIMITS.headCap);
      assert.ok(status >= 100 && status <= 999);
      assert.equal(body.buffer.byteLength, body.length);
      // The wire is a run of what was served, and the head its beginning but for blank lines.
      const text = String.fromCharCode(...wire);
      const keptText = String.fromCharCode(...kept!);
      assert.ok(text.includes(keptText));
      assert.ok(
        keptText.replace(/^[\r\n]*/, "").startsWith(String.fromCharCode(...head)) ||
          head.length === 0,
      );
      if (got.reusable) assert.equal(truncated, undefined);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("AnswerParser trusts a connection only if the answer is all that came", () => {
  fc.assert(
    fc.property(wires, fc.uint8Array({ minLength: 1, maxLength: 20 }), (wire, extra) => {
      const got = outcome([wire], "close");
      if ("reason" in got || !got.reusable) return;
      assert.equal(got.answer.wire!.at(-1), wire.at(-1));
      const after = outcome([wire, extra], "close");
      assert.ok(!("reason" in after));
      assert.equal(after.reusable, false);
      assert.deepEqual(after.answer, got.answer);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("AnswerParser reads back any body in any chunking", () => {
  const hex = (n: number, upper: boolean) => upper ? n.toString(16).toUpperCase() : n.toString(16);
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 7 }),
      fc.boolean(),
      fc.array(fc.nat(20), { maxLength: 40 }),
      (chunks, upper, cuts) => {
        const wire = [
          ...bytesOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
          ...chunks.flatMap((c) => [
            ...bytesOf(`${hex(c.length, upper)}\r\n`),
            ...c,
            ...bytesOf("\r\n"),
          ]),
          ...bytesOf("0\r\n\r\n"),
        ];
        const got = outcome(split(Uint8Array.from(wire), cuts), "close");
        assert.ok(!("reason" in got));
        assert.deepEqual([...got.answer.body], chunks.flatMap((c) => [...c]));
        assert.equal(got.answer.truncated, undefined);
        assert.equal(got.reusable, true);
      },
    ),
    { numRuns: 500 },
  );
});
