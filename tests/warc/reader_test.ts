import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deflateRawSync, gzipSync } from "node:zlib";
import { WarcFormatError } from "../../lib/warc/errors.ts";
import { parseHttp } from "../../lib/warc/http.ts";
import {
  readRecordAt,
  readWarc,
  readWarcFile,
  type ReadWarcOptions,
  type WarcDamage,
  type WarcRecord,
} from "../../lib/warc/reader.ts";
import { WarcWriter } from "../../lib/warc/writer.ts";
import {
  collect,
  decode,
  encode,
  exchange,
  members,
  noise,
  options,
  pieces,
} from "./_exchanges.ts";
import { at, MemFs } from "./_mem_fs.ts";

const join = (...parts: (string | Uint8Array)[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts.map((p) => typeof p === "string" ? Buffer.from(p) : p)));

/** A plain record. */
function plain(block: string, more = "", end = "\r\n\r\n"): string {
  return `WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\n${more}` +
    `Content-Length: ${encode(block).length}\r\n\r\n${block}${end}`;
}

async function read(
  bytes: Uint8Array,
  more: ReadWarcOptions = {},
  piece?: number,
): Promise<{ records: WarcRecord[]; damage: WarcDamage[]; blocks: string[] }> {
  const damage: WarcDamage[] = [];
  const records = await collect(
    readWarc(pieces(bytes, piece), { onDamage: (d) => damage.push(d), ...more }),
  );
  return { records, damage, blocks: records.map((r) => decode(r.content)) };
}

/** A file of our own writer, and its members. */
function sample(pairs = 4, size = 300): { bytes: Uint8Array; starts: number[] } {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs, dedup: false }));
  for (let i = 0; i < pairs; i++) writer.write(exchange(`http://a.example/${i}`, noise(size)));
  writer.close();
  const bytes = fs.bytes(at("ccrawl-crawl-00000.warc.gz")).slice();
  return { bytes, starts: members(bytes).map((m) => m.offset) };
}

Deno.test("readWarc() reads gzip members with their exact offsets, however the bytes come", async () => {
  const { bytes } = sample();
  const expected = members(bytes).map((m) => [m.offset, m.length, m.fields.get("WARC-Type")]);
  for (const piece of [1, 7, 100, 4096, 1 << 20]) {
    const { records, damage } = await read(bytes, {}, piece);
    assert.deepEqual(damage, []);
    assert.deepEqual(records.map((r) => [r.offset, r.length, r.type]), expected);
  }
});

Deno.test("readWarc() reads one gzip member over the whole file, and a plain file", async () => {
  const records = ["one", "two", "three"].map((block) => plain(block));
  const { records: inOne, blocks } = await read(gzipSync(records.join("")));
  assert.deepEqual(blocks, ["one", "two", "three"]);
  assert.deepEqual(inOne.map((r) => [r.offset, r.inner, r.length]), [
    [0, 0, undefined],
    [0, records[0]!.length, undefined],
    [0, records[0]!.length + records[1]!.length, undefined],
  ]);
  const inPlain = await read(encode(records.join("")));
  assert.deepEqual(inPlain.records.map((r) => [r.offset, r.length]), [
    [0, records[0]!.length],
    [records[0]!.length, records[1]!.length],
    [records[0]!.length + records[1]!.length, records[2]!.length],
  ]);
});

Deno.test("readWarc() reads a large member in pieces, and gives its exact length", async () => {
  const big = "x".repeat(20_000_000), incompressible = noise(3_000_000);
  const head = (n: number) => `WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: ${n}\r\n\r\n`;
  const first = gzipSync(plain(big), { level: 1 });
  const second = gzipSync(join(head(incompressible.length), incompressible, "\r\n\r\n"));
  const third = gzipSync(plain("end"));
  const { records, damage } = await read(join(first, second, third));
  assert.deepEqual(damage, []);
  assert.deepEqual(records.map((r) => [r.offset, r.length]), [
    [0, first.length],
    [first.length, second.length],
    [first.length + second.length, third.length],
  ]);
  assert.equal(records[0]!.content.length, big.length);
  assert.deepEqual(records[1]!.content, incompressible);
});

Deno.test("readWarc() holds no more of a block than it may, and hands on the whole in pieces", async () => {
  const block = "0123456789".repeat(1000);
  for (
    const bytes of [encode(plain(block) + plain("next")), gzipSync(plain(block) + plain("next"))]
  ) {
    let handed = "";
    const { records, blocks } = await read(bytes, {
      maxContent: 25,
      onLarge: (head) => {
        assert.equal(head.contentLength, 10_000);
        return (piece) => void (handed += decode(piece));
      },
    }, 777);
    assert.deepEqual(blocks, ["0123456789012345678901234", "next"]);
    assert.equal(records[0]!.contentLength, 10_000);
    assert.equal(handed, block);
  }
});

Deno.test("readWarc() reads LF line ends, as hand-made and early writers leave them", async () => {
  const { records, blocks } = await read(
    encode(
      "WARC/1.0\nWARC-Type: resource\nContent-Length: 3\n\nabc\n\nWARC/1.0\nContent-Length: 0\n\n",
    ),
  );
  assert.deepEqual(blocks, ["abc", ""]);
  assert.equal(records[0]!.type, "resource");
});

Deno.test("readWarc() reads records without the blank lines after them, or with more of them", async () => {
  const { blocks, damage } = await read(
    encode(
      plain("one", "", "") + plain("two", "", "\r\n") + plain("3", "", "\r\n\r\n\r\n\n") +
        plain("4"),
    ),
  );
  assert.deepEqual(blocks, ["one", "two", "3", "4"]);
  assert.deepEqual(damage, []);
  const gz = await read(join(gzipSync(plain("one", "", "")), gzipSync(plain("two", "", ""))));
  assert.deepEqual(gz.blocks, ["one", "two"]);
  assert.deepEqual(gz.damage, []);
});

Deno.test("readWarc() reads field names in any case, folded fields, and lines that are no field", async () => {
  const { records } = await read(encode(
    "WARC/1.0\r\nwarc-type: Response\r\nnonsense\r\ncontent-length: 1\r\nX-A: 1\r\n  2\r\n\r\nx\r\n\r\n",
  ));
  assert.equal(records[0]!.type, "response");
  assert.equal(records[0]!.headers.get("x-a"), "1 2");
  assert.deepEqual([...records[0]!.headers].map(([name]) => name), [
    "warc-type",
    "content-length",
    "X-A",
  ]);
});

Deno.test("readWarc() reads target URIs in brackets (Wget 1.14 to 1.20) and with blanks", async () => {
  const { records } = await read(encode(
    plain("x", "WARC-Target-URI: <http://a.example/>\r\n") +
      plain("x", "WARC-Target-URI: file:///a b.png\r\n"),
  ));
  assert.deepEqual(records.map((r) => r.url), ["http://a.example/", "file:///a b.png"]);
  assert.equal(records[0]!.id, "urn:x:1");
});

Deno.test("readWarc() reads versions 0.17, 0.18 and 1.1", async () => {
  const versions = ["0.17", "0.18", "1.1"];
  const { records } = await read(
    encode(versions.map((v) => plain("x").replace("1.0", v)).join("")),
  );
  assert.deepEqual(records.map((r) => r.version), versions);
});

Deno.test("readWarc() reads gzip members with names, comments and checks in their header", async () => {
  const member = gzipSync(plain("x"));
  const header = Buffer.from(member.subarray(0, 10));
  header[3] = 2 | 4 | 8 | 16;
  const bytes = join(
    header,
    new Uint8Array([2, 0, 9, 9]),
    "name\0",
    "comment\0",
    "\0\0",
    member.subarray(10),
  );
  const { records, damage } = await read(join(bytes, member));
  assert.deepEqual(damage, []);
  assert.deepEqual(records.map((r) => [r.offset, r.length]), [
    [0, bytes.length],
    [bytes.length, member.length],
  ]);
});

Deno.test("readWarc() refuses an ARC file by name", async () => {
  const arc = "filedesc://x.arc 0.0.0.0 20000101000000 text/plain 76\n1 0 X\n";
  for (const bytes of [encode(arc), gzipSync(arc)]) {
    await assert.rejects(
      read(bytes),
      (e) => e instanceof WarcFormatError && /ARC file/.test(e.message),
    );
  }
});

Deno.test("readWarc() throws at damage when nobody asked to hear of it", async () => {
  const { bytes, starts } = sample();
  bytes[starts[3]! + 40]! ^= 0xff;
  await assert.rejects(
    collect(readWarc(pieces(bytes))),
    (e) => e instanceof WarcFormatError && e.offset === starts[3],
  );
});

Deno.test("readWarc() reports a damaged member at its offset and reads all others", async () => {
  const { bytes, starts } = sample(5, 2000);
  const all = (await read(bytes)).records.map((r) => r.id);
  for (let m = 0; m < starts.length; m++) {
    const end = starts[m + 1] ?? bytes.length;
    for (
      const where of [starts[m]!, starts[m]! + 3, starts[m]! + 12, (starts[m]! + end) >> 1, end - 6]
    ) {
      const broken = bytes.slice();
      broken[where]! ^= 0xff;
      const { records, damage } = await read(broken, {}, 1000);
      assert.deepEqual(records.map((r) => r.id), all.filter((_, i) => i !== m), `${m} at ${where}`);
      assert.equal(damage.length, 1);
      assert.equal(damage[0]!.offset, starts[m]);
    }
  }
});

Deno.test("readWarc() passes over bytes that are no record, and says where they begin", async () => {
  const junk = noise(5000);
  for (const make of [(s: string) => encode(s), (s: string) => gzipSync(s)]) {
    const one = make(plain("one")), two = make(plain("two"));
    const { blocks, damage } = await read(join(one, "\0", junk, "\r\n", two));
    assert.deepEqual(blocks, ["one", "two"]);
    assert.deepEqual(damage.map((d) => d.truncated), [false]);
    assert.ok(damage[0]!.offset === one.length || damage[0]!.offset === 0);
  }
});

Deno.test("readWarc() goes on when a Content-Length is too short or reaches into the next record", async () => {
  const wrong = (n: number) => plain("twelve bytes").replace("Length: 12", `Length: ${n}`);
  for (const make of [(s: string) => encode(s), (s: string) => gzipSync(s)]) {
    const short = await read(make(wrong(10) + plain("next")));
    assert.deepEqual(short.blocks, ["twelve byt", "next"]);
    assert.equal(short.damage.length, 1);
    const long = await read(make(wrong(60) + plain("next") + plain("last")));
    assert.deepEqual(long.blocks, ["next", "last"]);
    assert.deepEqual(long.damage.map((d) => d.offset), [0]);
    const past = await read(make(wrong(99999) + plain("next") + plain("last")));
    assert.deepEqual(past.blocks, ["next", "last"]);
    assert.deepEqual(past.damage.map((d) => d.offset), [0]);
  }
});

Deno.test("readWarc() goes on behind a header that makes no sense", async () => {
  for (
    const bad of [
      "WARC/1.0\r\nContent-Length: x\r\n\r\n",
      "WARC/1.0\r\nWARC-Type: resource\r\n\r\n",
      "WARC/one\r\nContent-Length: 0\r\n\r\n",
      "WARC/1.0\r\nContent-Length: -1\r\n\r\n",
      "WARC/1.0\r\nContent-Length: 9999999999999999999\r\n\r\n",
      "WARC/1.0\r\n" + "a: b\r\n".repeat(2000) + "\r\n",
      "WARC/1.0\r\n" + "x".repeat(300_000) + "\r\n\r\n",
    ]
  ) {
    for (const make of [(s: string) => encode(s), (s: string) => gzipSync(s)]) {
      const { blocks, damage } = await read(
        join(make(plain("1")), make(bad + plain("2")), make(plain("3"))),
      );
      assert.deepEqual(blocks, ["1", "2", "3"], bad.slice(0, 40));
      assert.equal(damage.length, 1);
    }
  }
});

Deno.test("readWarc() reports a cut tail at the offset of its record, and reads what lies before", async () => {
  const { bytes, starts } = sample(2);
  const ids = (await read(bytes)).records.map((r) => r.id);
  for (let size = 1; size < bytes.length; size++) {
    const { records, damage } = await read(bytes.subarray(0, size));
    const whole = starts.filter((_, i) => (starts[i + 1] ?? bytes.length) <= size).length;
    assert.deepEqual(records.map((r) => r.id), ids.slice(0, whole));
    const clean = starts.includes(size);
    assert.deepEqual(
      damage.map((d) => [d.offset, d.truncated]),
      clean ? [] : [[starts[whole], true]],
      `cut at ${size}`,
    );
  }
});

Deno.test("readWarc() reads the whole records of one cut gzip member, and of a cut plain file", async () => {
  const records = Array.from({ length: 30 }, (_, i) => plain(`record ${i} ${noise(300).join()}`));
  const gz = gzipSync(records.join(""));
  for (const size of [100, 5000, 12000, gz.length - 9, gz.length - 1]) {
    const { blocks, damage } = await read(gz.subarray(0, size));
    assert.deepEqual(blocks, records.slice(0, blocks.length).map((r) => r.split("\r\n\r\n")[1]));
    assert.ok(blocks.length >= Math.floor(29 * size / gz.length) - 1);
    assert.deepEqual(damage.map((d) => [d.offset, d.truncated]), [[0, true]]);
  }
  const text = records.join("");
  const { blocks, damage } = await read(encode(text.slice(0, text.length - 300)));
  assert.equal(blocks.length, 29);
  assert.deepEqual(damage, [{
    reason: damage[0]!.reason,
    truncated: true,
    offset: text.length - records[29]!.length,
  }]);
});

Deno.test("readWarc() takes what a cut record holds for its own, even an archive", async () => {
  const inner = gzipSync(plain("inner"));
  const member = gzipSync(
    join(
      `WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: ${3 * inner.length}\r\n\r\n`,
      ...[inner, inner, inner],
      "\r\n\r\n",
    ),
    { level: 0 },
  );
  const { records, damage } = await read(join(gzipSync(plain("one")), member.subarray(0, -20)));
  assert.equal(records.length, 1);
  assert.equal(damage.length, 1);
});

Deno.test("readWarc() takes linear time over a file of broken beginnings", async () => {
  const start = gzipSync(plain("x".repeat(40))).subarray(0, 60);
  const bytes = join(...Array.from({ length: 3000 }, () => start), gzipSync(plain("end")));
  const { blocks, damage } = await read(bytes);
  assert.deepEqual(blocks, ["end"]);
  assert.ok(damage.length >= 1);
  const lines = await read(encode("WARC/1.0\r\nContent-Length: 99999999\r\n\r\n".repeat(3000)));
  assert.deepEqual(lines.blocks, []);
});

Deno.test("readWarc() closes its source when the loop is left", async () => {
  const { bytes } = sample();
  let closed = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces(bytes, 100);
    } finally {
      closed = true;
    }
  }
  for await (const _ of readWarc(source())) break;
  assert.ok(closed);
});

Deno.test("readWarc() reads a ReadableStream", async () => {
  const { bytes } = sample();
  const stream = new Blob([new Uint8Array(bytes)]).stream();
  assert.equal((await collect(readWarc(stream))).length, 9);
});

Deno.test("readRecordAt() fetches a record by its offset, and says when none begins there", async () => {
  const { bytes, starts } = sample();
  const fs = new MemFs();
  fs.put(at("x.warc.gz"), bytes);
  for (const offset of starts) {
    assert.equal((await readRecordAt(at("x.warc.gz"), offset, { fs })).offset, offset);
  }
  for (const offset of [1, starts[2]! + 1, bytes.length, bytes.length + 5]) {
    await assert.rejects(readRecordAt(at("x.warc.gz"), offset, { fs }), WarcFormatError);
  }
});

Deno.test("readWarc() reads the files of other writers, whole and broken", async () => {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  if (corpus === undefined) {
    console.log("needs CCRAWL_CORPUS, the folder of real inputs");
    return;
  }
  const six = ["warcinfo", "warcinfo", "response", "request", "revisit", "request"];
  const expected: Record<string, { types: string[]; starts: number[]; damage: number[] }> = {
    // One member over six records.
    "example-bad-non-chunked.warc.gz": { types: six, starts: [0, 0, 0, 0, 0, 0], damage: [] },
    "example-iana.org-chunked.warc": {
      types: ["warcinfo", "response", "request"],
      starts: [0, 405, 8379],
      damage: [],
    },
    "example-resource.warc.gz": {
      types: ["warcinfo", "warcinfo", "resource"],
      starts: [0, 361, 802],
      damage: [],
    },
    "example-space-in-target-uri.warc.gz": {
      types: ["warcinfo", "resource"],
      starts: [0, 241],
      damage: [],
    },
    // A block two bytes longer than its Content-Length.
    "example-trunc.warc": {
      types: six.slice(0, 4),
      starts: [0, 488, 1197, 2566],
      damage: [1197],
    },
    "example.warc": { types: six, starts: [0, 488, 1197, 2566, 3370, 4316], damage: [] },
    "example.warc.gz": { types: six, starts: [0, 353, 784, 2012, 2621, 3207], damage: [] },
    "post-test.warc.gz": {
      types: ["response", "request", "response", "request", "response", "request"],
      starts: [0, 720, 1196, 1919, 2395, 3118],
      damage: [],
    },
  };
  for (const [name, { types, starts, damage }] of Object.entries(expected)) {
    const path: string = `${corpus}/warc/${name}`;
    const told: number[] = [];
    const records: WarcRecord[] = await collect(
      readWarcFile(path, { onDamage: (d) => told.push(d.offset) }),
    );
    assert.deepEqual(records.map((r) => r.type), types, name);
    assert.deepEqual(records.map((r) => r.offset), starts, name);
    assert.deepEqual(told, damage, name);
    for (const record of records) {
      if (record.type === "response") assert.equal(parseHttp(record.content).status, 200);
      if (record.length === undefined) continue;
      const again = await readRecordAt(path, record.offset);
      if (!damage.includes(record.offset)) assert.deepEqual(again.content, record.content);
    }
  }
});

Deno.test("readWarc() yields no record of a member whose end was lost in damage", async () => {
  const whole = gzipSync(plain("whole"));
  // A turned bit makes the last deflate block another than the last, and what follows is read as
  // blocks too: a stored one, and then one of the type that is none (RFC 1951 section 3.2.3).
  const broken = join(
    whole.subarray(0, 10),
    deflateRawSync(plain("broken"), { finishFlush: 2 }),
    new Uint8Array([0, 0x88, 0x13, 0x77, 0xec]),
    noise(5000),
    new Uint8Array([7]),
    noise(9),
  );
  const { blocks, damage } = await read(join(broken, whole));
  assert.deepEqual(blocks, ["whole"]);
  assert.deepEqual(damage.map((d) => d.offset), [0]);
});
