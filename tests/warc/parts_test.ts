import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { DedupMemory, packEntry } from "../../lib/warc/_dedup.ts";
import { EMPTY_DIGEST, label, sha1 } from "../../lib/warc/_digest.ts";
import { _ways, inflateWhole } from "../../lib/warc/_inflate.ts";
import { memberMaker } from "../../lib/warc/_gzip.ts";
import { MergeSort } from "../../lib/warc/_merge_sort.ts";
import { buildCdxj } from "../../lib/warc/build_cdx.ts";
import { cdxjKey, cdxjLine, cdxjTimestamp, parseCdxjLine, readCdxj } from "../../lib/warc/cdxj.ts";
import { WarcWriter } from "../../lib/warc/writer.ts";
import {
  collect,
  decode,
  digestOf,
  encode,
  exchange,
  members,
  noise,
  options,
  seeded,
  surt,
} from "./_exchanges.ts";
import { at, MemFs } from "./_mem_fs.ts";

const digest = (n: number) => createHash("sha1").update(String(n)).digest();
const ref = (n: number, url = `http://a.example/${n}`) => ({
  recordId: `urn:uuid:00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  date: 1_700_000_000_000 + n * 1000,
  url,
});

Deno.test("DedupMemory finds what it learned, and forgets the oldest beyond its bound", () => {
  const memory = new DedupMemory(1000);
  for (let i = 0; i < 5000; i++) {
    memory.learn(packEntry(digest(i), ref(i))!);
    assert.equal(memory.size, Math.min(i + 1, 1000));
  }
  for (let i = 0; i < 4000; i++) assert.equal(memory.find(digest(i)), undefined);
  for (let i = 4999; i >= 4000; i--) assert.deepEqual(memory.find(digest(i)), ref(i));
  assert.equal(memory.size, 1000);
});

Deno.test("DedupMemory stays within its bytes with long URLs", () => {
  const memory = new DedupMemory(100);
  const url = "http://a.example/" + "x".repeat(3000);
  for (let i = 0; i < 500; i++) memory.learn(packEntry(digest(i), ref(i, url + i))!);
  assert.ok(memory.size >= 3 && memory.size < 10);
  assert.deepEqual(memory.find(digest(499)), ref(499, url + 499));
  assert.equal(packEntry(digest(1), ref(1, "http://a.example/" + "x".repeat(5000))), undefined);
  assert.equal(packEntry(digest(1), { ...ref(1), recordId: "urn:x:1" }), undefined);
});

Deno.test("DedupMemory keeps what is met again and again", () => {
  const memory = new DedupMemory(100);
  memory.learn(packEntry(digest(-1), ref(1))!);
  for (let i = 0; i < 2000; i++) {
    memory.learn(packEntry(digest(i), ref(i))!);
    assert.deepEqual(memory.find(digest(-1)), ref(1), String(i));
  }
});

Deno.test("DedupMemory agrees with a plain map under random work", () => {
  const random = seeded(5);
  const memory = new DedupMemory(300);
  const known = new Map<number, number>();
  for (let i = 0; i < 20_000; i++) {
    const n = Math.floor(random() * 800);
    const found = memory.find(digest(n));
    // It may forget, but never be wrong.
    if (found !== undefined) {
      assert.deepEqual(found, ref(known.get(n)!, "u".repeat(known.get(n)! % 300)));
    }
    if (random() < 0.5) {
      const version = Math.floor(random() * 1e6);
      known.set(n, version);
      memory.learn(packEntry(digest(n), ref(version, "u".repeat(version % 300)))!);
      assert.ok(memory.find(digest(n)) !== undefined);
    }
    assert.ok(memory.size <= 300);
  }
  assert.ok(memory.size > 100);
});

Deno.test("label() writes SHA-1 in base32", () => {
  assert.equal(label(sha1()), EMPTY_DIGEST);
  for (let i = 0; i < 50; i++) {
    const bytes = randomBytes(i);
    assert.equal(label(sha1(bytes.subarray(0, i >> 1), bytes.subarray(i >> 1))), digestOf(bytes));
  }
});

Deno.test("memberMaker() makes members of any size at any level", () => {
  for (const level of [0, 1, 9]) {
    const make = memberMaker(level);
    for (
      const bytes of [
        new Uint8Array(0),
        noise(1_200_000),
        noise(70_000),
        encode("a"),
        new Uint8Array(2e6),
      ]
    ) {
      const head = encode(`WARC/1.0\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      const whole = new Uint8Array(Buffer.concat([head, bytes, encode("\r\n\r\n")]));
      const [record] = members(make(whole).slice());
      assert.equal(Buffer.compare(record!.block, bytes), 0);
    }
  }
});

Deno.test("inflateWhole() finds the end of a stream, the quick way as the documented one", () => {
  for (const way of [inflateWhole, _ways.plainly, _ways.reusing()]) {
    for (const bytes of [new Uint8Array(0), encode("a"), noise(200_000), new Uint8Array(1 << 18)]) {
      const stream = deflateRawSync(bytes);
      const found = way(new Uint8Array([...stream, 1, 2, 3]), 1 << 20)!;
      assert.equal(found.consumed, stream.length);
      assert.deepEqual(found.bytes, bytes);
      assert.equal(way(stream, 1 << 20), undefined);
      assert.equal(way(stream.subarray(0, -1), 1 << 20), undefined);
      assert.equal(way(new Uint8Array(60).fill(255), 1 << 20), undefined);
    }
    assert.equal(
      way(new Uint8Array([...deflateRawSync(new Uint8Array(2e6)), 0]), 1 << 20),
      undefined,
    );
  }
});

Deno.test("MergeSort sorts more lines than it holds, and leaves nothing but the file", () => {
  const fs = new MemFs();
  const random = seeded(3);
  const lines = Array.from(
    { length: 3000 },
    () => random().toString(36).slice(2) + "|" + "y".repeat(random() * 200),
  );
  for (const run of [1000, 1 << 20]) {
    const sort = new MergeSort(at("x.cdxj"), fs, run);
    for (const line of lines) sort.add(line);
    assert.equal(sort.finish(), lines.length);
    assert.equal(decode(fs.bytes(at("x.cdxj"))), lines.toSorted().join("\n") + "\n");
    assert.deepEqual(fs.files(), [at("x.cdxj")]);
    assert.equal(fs.openFiles, 0);
  }
});

Deno.test("cdxjLine() and parseCdxjLine() are each other's inverse, in ASCII", () => {
  const entry = {
    key: "example,a)/x",
    timestamp: "20240506070809",
    url: 'http://a.example/"ü\u007f\u2028',
    mime: "text/html",
    status: "200",
    digest: "sha1:X",
    length: 12,
    offset: 2 ** 33,
    filename: "a.warc.gz",
  };
  const line = cdxjLine(entry);
  assert.match(line, /^[ -~]+$/);
  assert.deepEqual(parseCdxjLine(line), entry);
  const bare = cdxjLine({ ...entry, status: "", digest: "" });
  assert.ok(!bare.includes("status") && !bare.includes("digest"));
  for (const bad of ["", "a b", "a b {", "a b []", 'a b {"offset":"x","length":"1"}', "a b null"]) {
    assert.equal(parseCdxjLine(bad), undefined);
  }
  // Other tools write numbers bare.
  assert.equal(parseCdxjLine('a b {"offset":5,"length":6}')!.offset, 5);
});

Deno.test("cdxjKey() takes the URL itself where there is no SURT form", () => {
  const throwing = () => {
    throw new TypeError("no URL");
  };
  assert.equal(cdxjKey("urn:x:a b\u00fc", throwing), "urn:x:a%20b%C3%BC");
  assert.equal(cdxjKey("", throwing), "-");
});

Deno.test("cdxjTimestamp() takes dates of any precision", () => {
  assert.equal(cdxjTimestamp("2024-05-06T07:08:09Z"), "20240506070809");
  assert.equal(cdxjTimestamp("2024-05-06T07:08:09.123456Z"), "20240506070809");
  assert.equal(cdxjTimestamp("2024-05"), "20240501000000");
  assert.equal(cdxjTimestamp("2024"), "20240101000000");
});

Deno.test("buildCdxj() gives the very index that the writer gave", async () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  writer.write(exchange("http://b.example/1", "one"));
  writer.write(exchange("http://a.example/2", "two", {
    head: encode("HTTP/1.1 404 No\r\nContent-Type:  text/plain ; a=b\r\n\r\n"),
    status: 404,
    mime: "text/plain",
  }));
  writer.write(exchange("http://a.example/0.9", "three", { head: new Uint8Array(0), mime: "" }));
  writer.write(exchange("http://a.example/304", "", {
    head: encode("HTTP/1.1 304 x\r\n\r\n"),
    status: 304,
    mime: "",
  }));
  writer.sync();
  writer.write(exchange("http://c.example/3", "one"));
  writer.close();
  const written = decode(fs.bytes(at("ccrawl-crawl-00000.cdxj")));
  const to = at("again.cdxj");
  assert.equal(await buildCdxj(at("ccrawl-crawl-00000.warc.gz"), { surt, fs, to }), 5);
  assert.equal(decode(fs.bytes(to)), written);
  assert.equal((await collect(readCdxj(to, fs))).map((l) => l.line).join("\n") + "\n", written);
});
