import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decodeRow,
  decodeRows,
  encodeRow,
  type NewCaptureRow,
  RowBatch,
} from "../../lib/capture/codec.ts";
import { CAPTURE_COLUMNS } from "../../lib/capture/schema.ts";
import { failure, page } from "./_rows.ts";

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  // UTF-16 units in any order, lone surrogates among them
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
    .map((units) => String.fromCharCode(...units)),
);

const row: fc.Arbitrary<NewCaptureRow> = fc.record(
  Object.fromEntries(
    CAPTURE_COLUMNS.filter(({ name }) => !/^(body|markdown|text)_length$/.test(name))
      .map(({ name, type }) => [
        name,
        {
          string: text,
          bytes: fc.uint8Array({ maxLength: 300 }),
          int32: fc.integer(),
          int64: fc.maxSafeInteger(),
          uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
          double: fc.double({ noNaN: true }),
          boolean: fc.boolean(),
        }[type],
      ]),
  ),
).chain((columns) =>
  fc.option(
    fc.record({ part: fc.nat(), row: fc.maxSafeInteger().map(Math.abs) }).map((place) => ({
      ...place,
    })),
  ).map((position) =>
    ({ ...columns, ...(position === null ? {} : { position }) }) as unknown as NewCaptureRow
  )
);

function assertDecodes(view: ReturnType<typeof decodeRow>, was: NewCaptureRow): void {
  const is = view.row();
  assert.deepEqual(view.position, was.position);
  for (const { name, type } of CAPTURE_COLUMNS) {
    const derived = /^(body|markdown|text)_length$/.exec(name)?.[1];
    if (derived !== undefined) {
      assert.equal(is[name], view.bytes(derived as "body").length, name);
    } else if (type === "string") {
      assert.equal(is[name], (was[name as "url"] as string).toWellFormed(), name);
    } else {
      assert.deepEqual(is[name], was[name as "status"], name);
    }
  }
}

Deno.test("decodeRow() gives back what encodeRow() packed, lone surrogates as U+FFFD", () => {
  fc.assert(fc.property(row, (was) => assertDecodes(decodeRow(encodeRow(was)), was)), {
    numRuns: 150,
  });
});

Deno.test("decodeRows() gives the rows of a batch in order", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
      const batch = new RowBatch(new ArrayBuffer(8));
      for (const one of rows) batch.add(one);
      assert.equal(batch.rows, rows.length);
      const views = [...decodeRows(batch.take())];
      assert.equal(views.length, rows.length);
      for (const [i, view] of views.entries()) assertDecodes(view, rows[i]!);
    }),
    { numRuns: 40 },
  );
});

Deno.test("decodeRows() refuses bytes that are no batch, and never reads beyond them", () => {
  const whole = encodeRow(page(3));
  for (let length = 1; length < whole.length; length += 7) {
    assert.throws(() => [...decodeRows(whole.subarray(0, length))], RangeError);
  }
  fc.assert(
    fc.property(
      fc.nat({ max: whole.length - 1 }),
      fc.integer({ min: 0, max: 255 }),
      (at, byte) => {
        const damaged = whole.slice();
        damaged[at] = byte;
        try {
          for (const view of decodeRows(damaged)) view.row();
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("RowBatch.add() takes strings whose UTF-8 is three times their length", () => {
  const batch = new RowBatch(new ArrayBuffer(64));
  const long = "語".repeat(100_000);
  batch.add(page(1, { markdown: long }));
  batch.add(page(2, { title: "語" }));
  const [first, second] = decodeRows(batch.take());
  assert.equal(first!.text("markdown"), long);
  assert.equal(first!.number("markdown_length"), 300_000);
  assert.equal(second!.text("title"), "語");
});

Deno.test("RowBatch.add() leaves the batch as it was when a row cannot be packed", () => {
  const batch = new RowBatch();
  batch.add(page(1));
  assert.throws(() => batch.add(page(2, { warc_offset: 0.5 })), /warc_offset is 0.5/);
  assert.throws(() => batch.add(page(2, { position: { part: 1, row: -1 } })), RangeError);
  batch.add(page(3));
  assert.deepEqual([...decodeRows(batch.take())].map((view) => view.position?.row), [1, 3]);
});

Deno.test("RowBatch.addView() changes what is named and copies the rest", () => {
  const plain = page(5, { markdown: "", title: "", extractor: "" });
  const batch = new RowBatch();
  batch.addView(decodeRow(encodeRow(plain)), { markdown: "# é", title: "T", extractor: "x@1" });
  batch.addView(decodeRow(encodeRow(failure(6))));
  const [changed, same] = [...decodeRows(batch.take())];
  assertDecodes(changed!, { ...plain, markdown: "# é", title: "T", extractor: "x@1" });
  assertDecodes(same!, failure(6));
});

Deno.test("RowBatch.take() gives the buffer away, and the next one may come back from a reader", () => {
  const batch = new RowBatch();
  batch.add(page(1));
  const first = batch.take();
  const moved = structuredClone(first, { transfer: [first.buffer] });
  batch.add(page(2));
  const second = batch.take(moved.buffer);
  batch.add(page(3));
  assert.equal([...decodeRows(second)][0]!.position?.row, 2);
  assert.equal([...decodeRows(batch.take())][0]!.position?.row, 3);
});
