import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { cleanHead } from "../../lib/warc/_block.ts";
import { dechunk, parseHttp } from "../../lib/warc/http.ts";
import { readWarc, type WarcDamage } from "../../lib/warc/reader.ts";
import { WarcWriter } from "../../lib/warc/writer.ts";
import { collect, encode, exchange, members, noise, options, pieces } from "./_exchanges.ts";
import { at, MemFs } from "./_mem_fs.ts";

const record = (block: Uint8Array) =>
  Buffer.concat([
    Buffer.from(`WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: ${block.length}\r\n\r\n`),
    block,
    Buffer.from("\r\n\r\n"),
  ]);

/** Bytes that look like an archive here and there. */
const bits = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.constantFrom(
    "WARC/1.0\r\n",
    "Content-Length: 5\r\n\r\n",
    "Content-Length: 70\r\n\r\n",
    "\r\n",
    "\n",
    "\x1f\x8b\x08",
    "HTTP/1.1 200 OK\r\n",
  ).map(encode),
  fc.uint8Array({ maxLength: 100 }).map((b) => new Uint8Array(record(b))),
  fc.uint8Array({ maxLength: 100 }).map((b) => new Uint8Array(gzipSync(record(b)))),
  fc.tuple(fc.uint8Array({ maxLength: 100 }), fc.nat(), fc.nat(255)).map(([b, where, xor]) => {
    const member = new Uint8Array(gzipSync(record(b)));
    member[where % member.length]! ^= xor;
    return member;
  }),
);

Deno.test("readWarc() comes to an end on any bytes, with what it yields lying in them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(bits, { maxLength: 12 }),
      fc.integer({ min: 1, max: 700 }),
      async (parts, size) => {
        const bytes = new Uint8Array(Buffer.concat(parts));
        const damage: WarcDamage[] = [];
        try {
          const records = await collect(
            readWarc(pieces(bytes, size), { onDamage: (d) => damage.push(d), maxContent: 50 }),
          );
          for (const r of records) assert.ok(r.offset + (r.length ?? 0) <= bytes.length);
          for (const d of damage) assert.ok(d.offset >= 0 && d.offset < bytes.length);
        } catch (error) {
          assert.ok(/ARC file/.test(String(error)), String(error));
        }
      },
    ),
    { numRuns: 400 },
  );
});

/** Whether zlib, which checks the CRC, still makes `bytes` of a gzip member. */
function inflatesTo(member: Uint8Array, bytes: Uint8Array): boolean {
  try {
    return gunzipSync(member).equals(bytes);
  } catch {
    return false;
  }
}

Deno.test("readWarc() reads every whole record between any damage to others", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ size: fc.integer({ min: 0, max: 3000 }), hurt: fc.boolean() }), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      async (plan, where, xor, cut) => {
        const whole: string[] = [], spared: string[] = [];
        const parts = plan.map(({ size, hurt }, i) => {
          // Incompressible blocks hold no second beginning of a record.
          const block = noise(size);
          const member = new Uint8Array(gzipSync(record(block)));
          const hex = Buffer.from(block).toString("hex");
          if (!hurt) {
            whole.push(hex);
            return member;
          }
          if (cut && i === plan.length - 1) return member.subarray(0, where % member.length);
          // Not the header's time, flags for extra speed and system: they may be anything.
          const at = [0, 1, 2, ...Array.from({ length: member.length - 10 }, (_, j) => j + 10)];
          const place = at[where % at.length]!;
          member[place]! ^= xor;
          // Some bits of a deflate block's header can be turned without a change to what it holds.
          if (inflatesTo(member, record(block))) whole.push(hex);
          // What was only stored lies in a broken member as a plain record does, and may be found there.
          else if (Buffer.from(member).includes(record(block))) spared.push(hex);
          return member;
        });
        const blocks = await collect(
          readWarc(pieces(Buffer.concat(parts), 512), { onDamage: () => {} }),
        );
        const found = blocks.map((r) => Buffer.from(r.content).toString("hex"));
        assert.deepEqual(
          found.filter((hex) => !spared.includes(hex) || whole.includes(hex)),
          whole,
        );
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("readWarc() reads all whole records before any cut, and puts the damage at the next", async () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs, dedup: false }));
  for (let i = 0; i < 6; i++) writer.write(exchange(`http://a.example/${i}`, noise(i * 900)));
  writer.close();
  const bytes = fs.bytes(at("ccrawl-crawl-00000.warc.gz"));
  const found = members(bytes);
  const ends = found.map(({ offset, length }) => offset + length);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(bytes.length),
      fc.integer({ min: 1, max: 9000 }),
      async (size, piece) => {
        const damage: WarcDamage[] = [];
        const records = await collect(
          readWarc(pieces(bytes.slice(0, size), piece), { onDamage: (d) => damage.push(d) }),
        );
        const whole = ends.filter((end) => end <= size);
        assert.deepEqual(records.map((r) => r.offset + r.length!), whole);
        const end = whole.at(-1) ?? 0;
        assert.deepEqual(
          damage.map((d) => [d.offset, d.truncated]),
          size === end ? [] : [[end, true]],
        );
      },
    ),
    { numRuns: 150 },
  );
});

Deno.test("cleanHead() changes nothing but names, and says the true length", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "Content-Length: 5",
      "content-length : 7",
      "Transfer-Encoding: chunked",
      " folded",
      "x",
    ),
    fc.string({ maxLength: 20 }).map((s) => s.replaceAll(/[\r\n]/g, "")),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom("\r\n", "\n"), (lines, end) => {
      const head = ["HTTP/1.1 200 OK", ...lines.filter((l) => l !== "")].join(end) + end + end;
      const clean = Buffer.from(cleanHead(encode(head), 200, 5)).toString();
      const restored = clean.replaceAll("X-Crawler-", "").replace(
        /Content-Length: 5\r\n(?=\r?\n$)/,
        "",
      );
      assert.ok(restored === head || clean === head);
      const http = parseHttp(encode(clean));
      assert.equal(http.get("Transfer-Encoding"), undefined);
      const lengths = http.headers.filter(([n]) => n.toLowerCase() === "content-length");
      for (const [, value] of lengths) assert.match(value, /^5\b/);
    }),
  );
});

Deno.test("parseHttp() and dechunk() take any bytes", () => {
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 6 }), (parts) => {
      const bytes = new Uint8Array(Buffer.concat(parts));
      const http = parseHttp(bytes);
      assert.equal(http.head.length + http.payload.length, bytes.length);
      assert.ok(dechunk(bytes).content.length <= bytes.length);
    }),
  );
});
