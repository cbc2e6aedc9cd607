import assert from "node:assert/strict";
import fc from "fast-check";
import {
  copyHost,
  copyValue,
  hostAt,
  type RankStats,
  rankStats,
  readRanks,
  valueAt,
} from "../../lib/seeds/ranks.ts";

interface Row {
  position: number;
  value: number;
  host: string;
}

async function* pieces(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield await bytes.slice(at, at + size);
}

async function rowsOf(
  text: string | Uint8Array,
  size = 1 << 16,
): Promise<{ rows: Row[]; stats: RankStats }> {
  const stats = rankStats();
  const rows: Row[] = [];
  const decoder = new TextDecoder();
  for await (const found of readRanks(pieces(text, size), stats)) {
    for (let i = 0; i < found.count; i++) {
      const into = new Uint8Array(400);
      const host = decoder.decode(into.subarray(0, copyHost(found, i, into, 0)));
      assert.equal(host, hostAt(found, i));
      const value = decoder.decode(into.subarray(0, copyValue(found, i, into, 0)));
      assert.equal(JSON.parse(value), valueAt(found, i));
      rows.push({ position: found.positions[i]!, value: valueAt(found, i), host });
    }
  }
  return { rows, stats };
}

const TABLE = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n" +
  "1\t3.8108776E7\t7\t0.0047\tcom.example.www\n" +
  "2 29843632.50  1 1.0E-9   org.xn--a-1ga\r\n" +
  "   3\t17\t3\t0\tde.foo_bar.a-b.c\t12\n" +
  "\n" +
  "4\t0\t4\t0\tCOM.Example";

Deno.test("readRanks() takes columns split by any white space, reversed hosts, counts of hosts, CRLF, and a last line without an end", async () => {
  const { rows, stats } = await rowsOf(TABLE);
  assert.deepEqual(rows, [
    { position: 1, value: 38108776, host: "www.example.com" },
    { position: 2, value: 29843632.5, host: "xn--a-1ga.org" },
    { position: 3, value: 17, host: "c.a-b.foo_bar.de" },
    { position: 4, value: 0, host: "example.com" },
  ]);
  assert.deepEqual([stats.rows, stats.malformed, stats.ordered], [4, 0, true]);
});

Deno.test("readRanks() gives the same rows however the bytes come", async () => {
  const whole = await rowsOf(TABLE);
  for (const size of [1, 2, 3, 7, 16, 41, 100]) {
    assert.deepEqual((await rowsOf(TABLE, size)).rows, whole.rows, `pieces of ${size}`);
  }
});

Deno.test("readRanks() counts rows that are none, says which came first, and goes on", async () => {
  const bad = [
    "x\t1\t1\t1\tcom.a",
    "0\t1\t1\t1\tcom.a",
    "-1\t1\t1\t1\tcom.a",
    "1.5\t1\t1\t1\tcom.a",
    "9999999999999999\t1\t1\t1\tcom.a",
    "1\tNaN\t1\t1\tcom.a",
    "1\t-3\t1\t1\tcom.a",
    "1\t1e999\t1\t1\tcom.a",
    "1\t1.\t1\t1\tcom.a",
    "1\t007\t1\t1\tcom.a",
    "1\t0x10\t1\t1\tcom.a",
    "1\t1\t1\tcom.a",
    "1\t1\t1\t1\t",
    "1",
    "1\t1\t1\t1\tcom..a",
    "1\t1\t1\t1\t.com.a",
    "1\t1\t1\t1\tcom.a.",
    "1\t1\t1\t1\tcom.\u00e4",
    "1\t1\t1\t1\tcom.a/b",
    '1\t1\t1\t1\tcom.a"b',
    "1\t1\t1\t1\t4.3.2.1",
    `1\t1\t1\t1\tcom.${"a".repeat(250)}`,
    `1\t1\t1\t1\tcom.${"a".repeat(40_000)}`,
    `1\t1${" ".repeat(400_000)}1\t1\tcom.a`,
  ];
  const text = bad.map((line, i) => `${line}\n${i + 1}\t1\t1\t1\tcom.good${i}\n`).join("");
  for (const size of [1 << 20, 1000]) {
    const { rows, stats } = await rowsOf(text, size);
    assert.deepEqual(rows.map((row) => row.host), bad.map((_, i) => `good${i}.com`));
    assert.equal(stats.malformed, bad.length);
    assert.deepEqual(stats.firstMalformed, { line: 1, text: bad[0] });
  }
});

Deno.test("readRanks() survives any bytes, and its hosts and values are fit for JSON", async () => {
  const byte = fc.constantFrom(...new TextEncoder().encode("019.eE+-\t \n\r#azAZ_\u00ff"), 0, 255);
  await fc.assert(
    fc.asyncProperty(fc.array(byte, { maxLength: 300 }), fc.integer({ min: 1, max: 50 }), async (
      bytes,
      size,
    ) => {
      const { rows } = await rowsOf(Uint8Array.from(bytes), size);
      assert.deepEqual(rows, (await rowsOf(Uint8Array.from(bytes), 1000)).rows);
      for (const { host, value } of rows) {
        assert.equal(new URL(`https://${host}/`).protocol, "https:");
        assert(Number.isFinite(value) && value >= 0);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("copyValue() writes what JSON.stringify() writes", async () => {
  const texts = ["0", "0.5", "1.50", "3.8108776E7", "1E3", "1.25e+2", "9.99e20", "1e21", "2e-7"];
  texts.push("12.5e3", "0.0", "100", "1.0", "123456789.125", "0.1e2", "1.234567890123E5");
  const lines = texts.map((value, i) => `${i + 1} ${value} 1 1 com.a\n`).join("");
  const written: string[] = [];
  for await (const rows of readRanks(pieces(lines, 1 << 16))) {
    for (let i = 0; i < rows.count; i++) {
      const into = new Uint8Array(100);
      written.push(new TextDecoder().decode(into.subarray(0, copyValue(rows, i, into, 0))));
    }
  }
  assert.deepEqual(
    written.map((text, i) => [texts[i], text]),
    texts.map((text) => [text, text === "12.5e3" ? "12500" : JSON.stringify(Number(text))]),
  );
});

Deno.test("readRanks() notices positions that go back", async () => {
  assert.equal((await rowsOf("2 1 1 1 com.a\n1 1 1 1 com.b\n")).stats.ordered, false);
  assert.equal((await rowsOf("1 1 1 1 com.a\n1 1 1 1 com.b\n")).stats.ordered, true);
});
