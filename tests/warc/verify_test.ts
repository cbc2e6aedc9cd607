import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gunzipSync, gzipSync } from "node:zlib";
import { verifyWarcs, type WarcFault } from "../../lib/warc/verify.ts";
import { verifyCdxj } from "../../lib/warc/verify_cdxj.ts";
import { WarcWriter } from "../../lib/warc/writer.ts";
import { collect, decode, encode, exchange, members, noise, options, surt } from "./_exchanges.ts";
import { at, MemFs } from "./_mem_fs.ts";

const NAME = "ccrawl-crawl-00000.warc.gz";

/** @param size Bytes of a body; verifying holds blocks of up to 4 MiB at once. */
function sample(size = 3000): MemFs {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  writer.write(exchange("http://a.example/1", "one"));
  writer.write(exchange("http://a.example/2", noise(size)));
  writer.sync();
  writer.write(exchange("http://b.example/3", "one"));
  writer.write(exchange("http://a.example/4", "four"));
  writer.close();
  return fs;
}

/** Rewrites records of the sample; an empty string leaves a record out. */
function changed(change: (record: string, index: number) => string, size = 3000): MemFs {
  const fs = sample(size);
  const bytes = fs.bytes(at(NAME));
  const parts = members(bytes).map(({ offset, length }, i) => {
    const before = gunzipSync(bytes.subarray(offset, offset + length)).toString("latin1");
    const after = change(before, i);
    return after === "" ? Buffer.alloc(0) : gzipSync(Buffer.from(after, "latin1"));
  });
  fs.put(at(NAME), new Uint8Array(Buffer.concat(parts)));
  return fs;
}

async function faults(fs: MemFs, strict = true): Promise<WarcFault[]> {
  return await collect(verifyWarcs([at(NAME)], { fs, strict }));
}

async function codes(fs: MemFs, strict = true): Promise<string[]> {
  return (await faults(fs, strict)).map((f) => f.code);
}

Deno.test("verifyWarcs() finds nothing wrong with what the writer writes", async () => {
  assert.deepEqual(await faults(sample()), []);
  assert.deepEqual(await faults(sample(5 << 20)), []);
});

Deno.test("verifyWarcs() finds wrong block and payload digests, in large blocks too", async () => {
  const wrong = (field: string) => (record: string, i: number) =>
    i === 2 || i === 4 ? record.replace(`${field}: sha1:`, `${field}: sha1:A`).slice(0) : record;
  for (
    const [field, code] of [["WARC-Block-Digest", "block-digest"], [
      "WARC-Payload-Digest",
      "payload-digest",
    ]]
  ) {
    const fs = changed(wrong(field!), 5 << 20);
    const found = await faults(fs);
    const starts = members(fs.bytes(at(NAME))).map((m) => m.offset);
    // The revisit says that its target has the digest that the target no longer claims.
    const own = found.filter((f) => f.code !== "revisit-target");
    assert.deepEqual(own.map((f) => [f.code, f.offset]), [[code, starts[2]], [code, starts[4]]]);
  }
  assert.deepEqual(await codes(changed((r, i) => i === 8 ? r.replace("four", "five") : r)), [
    "block-digest",
    "payload-digest",
  ]);
});

Deno.test("verifyWarcs() knows other algorithms and spellings, and says which it does not know", async () => {
  const { createHash } = await import("node:crypto");
  const with_ = (digest: string) =>
    changed((r, i) =>
      i === 8 ? r.replace(/WARC-Payload-Digest: .*/, `WARC-Payload-Digest: ${digest}`) : r
    );
  const of = (algorithm: string, form: "hex" | "base64") =>
    createHash(algorithm).update("four").digest(form);
  for (
    const digest of [
      `sha1:${of("sha1", "hex")}`,
      `SHA-1:${of("sha1", "hex").toUpperCase()}`,
      `sha256:${of("sha256", "hex")}`,
      `md5:${of("md5", "base64")}`,
      `sha-512:${of("sha512", "base64").replace(/=+$/, "")}`,
    ]
  ) assert.deepEqual(await codes(with_(digest)), [], digest);
  assert.deepEqual(await codes(with_("sha256:aaaa")), ["payload-digest"]);
  assert.deepEqual(await codes(with_("crc32:aaaa")), ["unknown-digest"]);
});

Deno.test("verifyWarcs() accepts a chunked payload's digest with or without the chunks", async () => {
  const fs = new MemFs();
  const head = encode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  const wire = encode(decode(head) + "3\r\nabc\r\n0\r\n\r\n");
  const writer = new WarcWriter(options({ fs, http: "raw" }));
  const { payloadDigest } = writer.write(exchange("http://a.example/", "abc", { head, wire }));
  const plain = writer.write(
    exchange("http://a.example/", "abc", { head, wire: encode(decode(head) + "abc") }),
  );
  writer.close();
  assert.deepEqual(await faults(fs), []);
  const bytes = fs.bytes(at(NAME));
  const parts = members(bytes).map(({ offset, length }) =>
    gzipSync(Buffer.from(
      gunzipSync(bytes.subarray(offset, offset + length)).toString("latin1")
        .replace(payloadDigest, plain.payloadDigest),
      "latin1",
    ))
  );
  fs.put(at(NAME), new Uint8Array(Buffer.concat(parts)));
  assert.deepEqual(await faults(fs), []);
});

Deno.test("verifyWarcs() finds a cut tail and a damaged record, with their offsets", async () => {
  const fs = sample(5 << 20);
  const bytes = fs.bytes(at(NAME)).slice(), starts = members(bytes).map((m) => m.offset);
  fs.put(at(NAME), bytes.slice(0, -5));
  assert.deepEqual((await faults(fs)).map((f) => [f.code, f.offset]), [
    ["truncated", starts[8]],
    ["unlinked", starts[7]],
  ]);
  const broken = bytes.slice();
  broken[starts[4]! + 1000]! ^= 1;
  fs.put(at(NAME), broken);
  assert.deepEqual((await faults(fs)).map((f) => [f.code, f.offset]), [
    ["damaged", starts[4]],
    ["unlinked", starts[3]],
  ]);
  fs.put(at(NAME), new Uint8Array(0));
  assert.deepEqual(await codes(fs), ["damaged"]);
  fs.put(at(NAME), encode("<html>no archive"));
  assert.deepEqual(await codes(fs), ["damaged"]);
  fs.put(at(NAME), encode("filedesc://x 0"));
  assert.deepEqual(await codes(fs), ["unreadable"]);
  assert.deepEqual((await collect(verifyWarcs(["/w/none.warc.gz"], { fs }))).map((f) => f.code), [
    "unreadable",
  ]);
});

Deno.test("verifyWarcs() finds requests and answers that do not name each other", async () => {
  const drop = (field: string, n: number) =>
    changed((r, i) => i === n ? r.replace(new RegExp(`${field}: .*\r\n`), "") : r);
  assert.deepEqual(await codes(drop("WARC-Concurrent-To", 7)), ["unlinked", "unlinked"]);
  assert.deepEqual(await codes(drop("WARC-Concurrent-To", 8)), ["unlinked", "unlinked"]);
  assert.deepEqual(await codes(changed((r, i) => i === 7 ? "" : r)), ["unlinked"]);
  assert.deepEqual(await codes(changed((r, i) => i === 8 ? "" : r)), ["unlinked"]);
  // They need not lie side by side.
  let moved = "";
  const apart = changed((r, i) => {
    if (i === 3) moved = r;
    return i === 3 ? "" : r;
  });
  const bytes = apart.bytes(at(NAME));
  apart.put(
    at(NAME),
    new Uint8Array(Buffer.concat([bytes, gzipSync(Buffer.from(moved, "latin1"))])),
  );
  assert.deepEqual(await codes(apart), []);
});

Deno.test("verifyWarcs() finds revisits of what is in none of the files", async () => {
  assert.deepEqual(await codes(changed((r, i) => i === 1 || i === 2 ? "" : r)), ["revisit-target"]);
  for (const [field, value] of [["Target-URI", "http://x/"], ["Date", "2001-01-01T00:00:00Z"]]) {
    const fs = changed((r) =>
      r.replace(new RegExp(`WARC-Refers-To-${field}: .*\r`), `WARC-Refers-To-${field}: ${value}\r`)
    );
    assert.deepEqual(await codes(fs), ["revisit-target"]);
  }
  // The target may lie in another file of the set, before or after.
  const fs = new MemFs();
  const one = new WarcWriter(options({ fs })), two = new WarcWriter(options({ fs }));
  one.write(exchange("http://a.example/", "same"));
  one.sync();
  two.learn(one.drainDurable());
  two.write(exchange("http://b.example/", "same"));
  one.close();
  two.close();
  const paths = [at("ccrawl-crawl-00001.warc.gz"), at(NAME)];
  assert.deepEqual(await collect(verifyWarcs(paths, { fs })), []);
  assert.equal((await collect(verifyWarcs(paths.slice(0, 1), { fs })))[0]?.code, "revisit-target");
});

Deno.test("verifyWarcs() finds missing fields, wrong dates, ids used twice", async () => {
  const drop = (field: string, i: number) =>
    changed((r, n) => n === i ? r.replace(new RegExp(`${field}: .*\r\n`), "") : r);
  assert.ok((await codes(drop("WARC-Record-ID", 8))).includes("missing-field"));
  assert.deepEqual(await codes(drop("WARC-Date", 8)), ["missing-field"]);
  assert.deepEqual(await codes(drop("WARC-Target-URI", 8)), ["missing-field"]);
  assert.ok((await codes(drop("WARC-Type", 8))).includes("missing-field"));
  assert.deepEqual(await codes(drop("WARC-Profile", 6)), ["missing-field"]);
  assert.deepEqual(
    await codes(changed((r, i) => i === 8 ? r.replace("2024-05-06T", "2024-05-06 ") : r)),
    ["bad-date"],
  );
  let id = "";
  const twice = changed((r, i) => {
    const own = /WARC-Record-ID: (\S+)/.exec(r)![1]!;
    if (i === 2) id = own;
    return i === 8 ? r.replace(own, id) : r;
  });
  assert.ok((await codes(twice)).includes("duplicate-id"));
});

Deno.test("verifyWarcs() holds our own files to what the writer promises, others to the standard", async () => {
  const renamed = changed((r, i) => i === 0 ? r.replace(NAME, "other.warc.gz") : r);
  assert.deepEqual(await codes(renamed), ["filename"]);
  assert.deepEqual(await codes(renamed, false), []);
  const headless = changed((r, i) => i === 0 ? "" : r);
  const found = new Set(await codes(headless));
  assert.deepEqual(found, new Set(["no-warcinfo", "warcinfo-id"]));
  assert.deepEqual(await codes(headless, false), []);
});

Deno.test("verifyWarcs() of the files of other writers finds what is wrong with them", async () => {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  if (corpus === undefined) {
    console.log("needs CCRAWL_CORPUS, the folder of real inputs");
    return;
  }
  const expected: Record<string, string[]> = {
    "example-iana.org-chunked.warc": [],
    "example-resource.warc.gz": [],
    "example-space-in-target-uri.warc.gz": [],
    "example-trunc.warc": ["block-digest", "payload-digest", "damaged"],
    "post-test.warc.gz": [],
  };
  for (const [name, wanted] of Object.entries(expected)) {
    const found: WarcFault[] = await collect(
      verifyWarcs([`${corpus}/warc/${name}`], { strict: false }),
    );
    assert.deepEqual(found.map((f) => f.code).sort(), wanted.sort(), name);
  }
});

Deno.test("verifyCdxj() finds lines out of order, wrong, missing, and of no record", async () => {
  const index = at("ccrawl-crawl-00000.cdxj");
  const check = async (change: (lines: string[]) => string[]) => {
    const fs = sample();
    const lines = decode(fs.bytes(index)).trim().split("\n");
    fs.put(index, encode(change(lines).join("\n") + "\n"));
    return (await collect(verifyCdxj(index, { fs, surt }))).map((f) => f.code);
  };
  assert.deepEqual(await check((l) => l), []);
  assert.deepEqual(await check((l) => ["!meta {}", ...l]), []);
  assert.deepEqual(await check(([a, b, c, d]) => [b!, a!, c!, d!]), ["cdxj-order"]);
  assert.deepEqual(await check((l) => l.slice(1)), ["cdxj-missing"]);
  assert.deepEqual(await check((l) => [...l, l[3]!]), ["cdxj-duplicate"]);
  assert.deepEqual(await check((l) => ["", "- no line", ...l]), ["cdxj-line"]);
  const edit = (from: RegExp, to: string) => check(([a, ...l]) => [a!.replace(from, to), ...l]);
  assert.deepEqual(await edit(/"offset": "\d+"/, '"offset": "7"'), ["cdxj-missing", "cdxj-offset"]);
  assert.deepEqual(await edit(/"length": "\d+"/, '"length": "7"'), ["cdxj-field"]);
  assert.deepEqual(await edit(/"status": "200"/, '"status": "404"'), ["cdxj-field"]);
  assert.deepEqual(await edit(/sha1:/, "sha1:A"), ["cdxj-field"]);
  assert.deepEqual(await edit(/ 2024/, " 2023"), ["cdxj-field"]);
  assert.deepEqual(await edit(/^example,a/, "example,0"), ["cdxj-field"]);
  assert.deepEqual(await edit(/ccrawl-crawl-0/, "../ccrawl-crawl-0"), [
    "unreadable",
    "cdxj-missing",
    "cdxj-offset",
  ]);
});

Deno.test("verifyCdxj() goes on past a line without end, and offsets that no file has", async () => {
  const index = at("ccrawl-crawl-00000.cdxj");
  const fs = sample();
  const lines = decode(fs.bytes(index));
  const long = "x".repeat(3 << 20), far = lines.split("\n")[0]!;
  fs.put(
    index,
    encode(
      `!head\n${long}\n${lines}${far.replace(/"offset": "\d+"/, '"offset": "9999999999999999"')}`,
    ),
  );
  const faults = await collect(verifyCdxj(index, { fs, surt }));
  assert.deepEqual(faults.map(({ code, offset }) => [code, offset]), [
    ["cdxj-line", 6],
    ["cdxj-line", 6 + long.length + 1 + lines.length],
  ]);
});

Deno.test("what cannot be read is a fault of its own, and keeps nothing else from being checked", async () => {
  const index = at("ccrawl-crawl-00000.cdxj"), archive = at("ccrawl-crawl-00000.warc.gz");
  const broken = (...paths: string[]) => {
    const fs = sample();
    const open = fs.open.bind(fs);
    fs.open = (path: string) => {
      if (paths.includes(path)) throw new Error(`EIO: ${path}`);
      return open(path);
    };
    return fs;
  };
  const codes = async (faults: AsyncIterable<WarcFault>) =>
    (await collect(faults)).map(({ file, code, message }) => `${file} ${code} ${message}`);
  assert.deepEqual(await codes(verifyCdxj(index, { fs: broken(index), surt })), [
    `${index} unreadable EIO: ${index}`,
  ]);
  assert.deepEqual(await codes(verifyCdxj(index, { fs: broken(archive), surt })), [
    `${index} unreadable the archive ccrawl-crawl-00000.warc.gz: EIO: ${archive}`,
  ]);
  const other = at("other.warc.gz.open");
  assert.deepEqual(await codes(verifyWarcs([archive], { fs: broken(other), others: [other] })), [
    `${other} unreadable EIO: ${other}`,
  ]);
});
