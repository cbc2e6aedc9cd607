import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WarcWriteError } from "../../lib/warc/errors.ts";
import { parseCdxjLine } from "../../lib/warc/cdxj.ts";
import { readRecordAt } from "../../lib/warc/reader.ts";
import { verifyWarcs } from "../../lib/warc/verify.ts";
import { verifyCdxj } from "../../lib/warc/verify_cdxj.ts";
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
import { at, MemFs, systemError } from "./_mem_fs.ts";

Deno.test("WarcWriter writes a warcinfo, then request and response that name each other", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs, isPartOf: "spring", userAgent: "Bot/1" }));
  const x = exchange("http://a.example/x?y=1", "<p>hello");
  const where = writer.write(x);
  writer.close();

  const [info, request, response, ...rest] = members(fs.bytes(at("ccrawl-crawl-00000.warc.gz")));
  assert.equal(rest.length, 0);
  assert.deepEqual([...info!.fields.keys()], [
    "WARC-Type",
    "WARC-Record-ID",
    "WARC-Date",
    "WARC-Filename",
    "WARC-Block-Digest",
    "Content-Type",
    "Content-Length",
  ]);
  assert.equal(info!.fields.get("WARC-Filename"), "ccrawl-crawl-00000.warc.gz");
  const fields = decode(info!.block).split("\r\n");
  assert.ok(fields.includes("software: ccrawl/test"));
  assert.ok(fields.includes("format: WARC File Format 1.0"));
  assert.ok(fields.includes("command: ccrawl crawl run --seeds 'a b'"));
  assert.ok(fields.includes("isPartOf: spring"));
  assert.ok(fields.includes("http-header-user-agent: Bot/1"));

  for (const record of [request!, response!]) {
    assert.equal(record.fields.get("WARC-Target-URI"), x.url);
    assert.equal(record.fields.get("WARC-Date"), "2024-05-06T07:08:09Z");
    assert.equal(record.fields.get("WARC-IP-Address"), "192.0.2.7");
    assert.equal(record.fields.get("WARC-Warcinfo-ID"), info!.fields.get("WARC-Record-ID"));
    assert.equal(record.fields.get("WARC-Block-Digest"), digestOf(record.block));
  }
  const id = (record: typeof request) => record!.fields.get("WARC-Record-ID");
  assert.equal(request!.fields.get("WARC-Concurrent-To"), id(response));
  assert.equal(response!.fields.get("WARC-Concurrent-To"), id(request));
  assert.match(id(response)!, /^<urn:uuid:[0-9a-f-]{36}>$/);
  assert.deepEqual(request!.block, x.request);
  assert.deepEqual(decode(response!.block), decode(x.head) + "<p>hello");
  assert.equal(response!.fields.get("WARC-Payload-Digest"), digestOf(x.body));
  assert.deepEqual(where, {
    file: "ccrawl-crawl-00000.warc.gz",
    offset: response!.offset,
    length: response!.length,
    type: "response",
    recordId: id(response)!.slice(1, -1),
    date: "2024-05-06T07:08:09Z",
    payloadDigest: digestOf(x.body),
    payloadRecord: {
      recordId: id(response)!.slice(1, -1),
      url: x.url,
      date: "2024-05-06T07:08:09Z",
    },
  });
  assert.equal(fs.openFiles, 0);
});

Deno.test("WarcWriter writes a command line of several lines as one field", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs, command: "ccrawl\nsoftware: other" }));
  writer.write(exchange("http://a.example/", "x"));
  writer.close();
  const info = decode(members(fs.bytes(at("ccrawl-crawl-00000.warc.gz")))[0]!.block);
  assert.match(info, /^command: ccrawl\\nsoftware: other\r$/m);
});

Deno.test("WarcWriter stores wire bytes whole with http: raw, the payload being what follows the head", () => {
  const fs = new MemFs();
  const head = encode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  const wire = encode(decode(head) + "3\r\nabc\r\n0\r\n\r\n");
  const writer = new WarcWriter(options({ fs, http: "raw" }));
  writer.write(exchange("http://a.example/", "abc", { head, wire }));
  assert.throws(() => writer.write(exchange("http://a.example/", "abc")), TypeError);
  writer.close();
  const response = members(fs.bytes(at("ccrawl-crawl-00000.warc.gz")))[2]!;
  assert.deepEqual(response.block, wire);
  assert.equal(
    response.fields.get("WARC-Payload-Digest"),
    digestOf(encode("3\r\nabc\r\n0\r\n\r\n")),
  );
});

Deno.test("WarcWriter stores an answer without a head (HTTP/0.9) as served, and marks a cut one", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  writer.write(exchange("http://a.example/", "hi", { head: new Uint8Array(0) }));
  writer.write(exchange("http://a.example/cut", "hi there", { truncated: "time" }));
  writer.close();
  const found = members(fs.bytes(at("ccrawl-crawl-00000.warc.gz")));
  assert.equal(decode(found[2]!.block), "hi");
  assert.equal(found[2]!.fields.get("WARC-Payload-Digest"), digestOf(encode("hi")));
  assert.equal(found[2]!.fields.has("WARC-Truncated"), false);
  assert.equal(found[4]!.fields.get("WARC-Truncated"), "time");
});

Deno.test("WarcWriter stores a payload that is durable as a revisit, and not before it is", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  const first = writer.write(exchange("http://a.example/1", "same"));
  assert.equal(writer.write(exchange("http://a.example/2", "same")).type, "response");
  writer.sync();
  const again = writer.write(exchange("http://b.example/3", "same"));
  assert.equal(again.type, "revisit");
  assert.equal(again.payloadDigest, first.payloadDigest);
  writer.close();
  const found = members(fs.bytes(at("ccrawl-crawl-00000.warc.gz")));
  const revisit = found[6]!;
  assert.equal(
    revisit.fields.get("WARC-Profile"),
    "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
  );
  const target = found.find((r) =>
    r.fields.get("WARC-Record-ID") === revisit.fields.get("WARC-Refers-To")
  )!;
  assert.equal(target.fields.get("WARC-Type"), "response");
  assert.equal(
    target.fields.get("WARC-Target-URI"),
    revisit.fields.get("WARC-Refers-To-Target-URI"),
  );
  assert.equal(revisit.fields.get("WARC-Refers-To-Date"), "2024-05-06T07:08:09Z");
  assert.equal(revisit.fields.get("WARC-Payload-Digest"), digestOf(encode("same")));
  assert.ok(decode(revisit.block).endsWith("\r\n\r\n"));
});

Deno.test("WarcWriter never makes a revisit of an empty or cut payload, nor with dedup off", () => {
  const types = (more: object, dedup: boolean, body: string) => {
    const writer = new WarcWriter(options({ fs: new MemFs(), dedup }));
    writer.write(exchange("http://a.example/1", body, more));
    writer.sync();
    return writer.write(exchange("http://a.example/2", body, more)).type;
  };
  assert.equal(types({}, true, "x"), "revisit");
  assert.equal(types({}, true, ""), "response");
  assert.equal(types({ truncated: "length" }, true, "x"), "response");
  assert.equal(types({}, false, "x"), "response");
});

Deno.test("WarcWriter learns of payloads that another writer made durable", () => {
  const fs = new MemFs();
  const one = new WarcWriter(options({ fs })), two = new WarcWriter(options({ fs }));
  one.write(exchange("http://a.example/ü", "same"));
  assert.equal(one.drainDurable().length, 0);
  one.sync();
  two.learn(one.drainDurable());
  assert.equal(one.drainDurable().length, 0);
  assert.equal(two.write(exchange("http://b.example/", "same")).type, "revisit");
  one.close();
  two.close();
  const revisit = members(fs.bytes(at("ccrawl-crawl-00001.warc.gz")))[2]!;
  assert.equal(
    decode(
      new Uint8Array(
        [...revisit.fields.get("WARC-Refers-To-Target-URI")!].map((c) => c.charCodeAt(0)),
      ),
    ),
    "http://a.example/ü",
  );
  assert.throws(() => two.learn(new Uint8Array(50)), RangeError);
});

Deno.test("WarcWriter stores a 304 as a server-not-modified revisit", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  const head = encode("HTTP/1.1 304 Not Modified\r\nContent-Length: 999\r\n\r\n");
  const refersTo = {
    recordId: "urn:uuid:11111111-2222-4333-8444-555555555555",
    url: "http://a.example/",
    date: "2023-01-01T00:00:00Z",
    payloadDigest: digestOf(encode("old")),
  };
  const known = writer.write(exchange("http://a.example/", "", { status: 304, head, refersTo }));
  const unknown = writer.write(exchange("http://a.example/2", "", { status: 304, head }));
  assert.equal(known.payloadDigest, digestOf(encode("old")));
  assert.equal(unknown.payloadDigest, "");
  writer.close();
  const found = members(fs.bytes(at("ccrawl-crawl-00000.warc.gz")));
  const profile = "http://netpreserve.org/warc/1.0/revisit/server-not-modified";
  assert.equal(found[2]!.fields.get("WARC-Profile"), profile);
  assert.equal(found[2]!.fields.get("WARC-Refers-To"), `<${refersTo.recordId}>`);
  assert.equal(found[2]!.fields.get("WARC-Refers-To-Date"), refersTo.date);
  assert.equal(found[2]!.fields.get("WARC-Payload-Digest"), refersTo.payloadDigest);
  assert.deepEqual(found[2]!.block, head);
  assert.equal(found[4]!.fields.get("WARC-Profile"), profile);
  assert.equal(found[4]!.fields.has("WARC-Refers-To"), false);
  assert.equal(found[4]!.fields.has("WARC-Payload-Digest"), false);
});

Deno.test("WarcWriter rotates before a pair that would pass the size, and never splits one", async () => {
  const fs = new MemFs();
  const sealed: string[] = [];
  const writer = new WarcWriter(
    options({ fs, maxBytes: 4000, dedup: false, onSealed: (f) => sealed.push(f.file) }),
  );
  const random = seeded(1);
  const where = [];
  for (let i = 0; i < 40; i++) {
    const body = noise(Math.floor(random() * 900));
    where.push(writer.write(exchange(`http://h${i % 3}.example/${i}`, body)));
  }
  // A pair larger than a file may be gets a file of its own.
  where.push(
    writer.write(exchange("http://big.example/", noise(9000))),
  );
  writer.close();
  const names = fs.list("/w").filter((name) => name.endsWith(".gz"));
  assert.deepEqual(sealed, names.sort());
  assert.ok(names.length > 5);
  for (const name of names) {
    const bytes = fs.bytes(at(name)), found = members(bytes);
    assert.equal(found.length % 2, 1);
    assert.ok(bytes.length <= 4000 || found.length === 3);
    for (const record of found.slice(1)) {
      assert.equal(record.fields.get("WARC-Warcinfo-ID"), found[0]!.fields.get("WARC-Record-ID"));
    }
    for (const w of where.filter((w) => w.file === name)) {
      const record = found.find((r) => r.offset === w.offset)!;
      assert.equal(record.length, w.length);
      assert.equal(record.fields.get("WARC-Record-ID"), `<${w.recordId}>`);
      assert.equal((await readRecordAt(at(name), w.offset, { fs })).id, w.recordId);
    }
    assert.deepEqual(
      await collect(verifyCdxj(at(name.replace(".warc.gz", ".cdxj")), { fs, surt })),
      [],
    );
  }
  assert.deepEqual(await collect(verifyWarcs(names.map(at), { fs })), []);
});

Deno.test("WarcWriter writes an index of sorted lines, one a capture", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  writer.write(exchange("http://b.example/ü", "one"));
  const last = writer.write(exchange("http://a.example/", "two", { status: 404, mime: "" }));
  writer.sync();
  writer.write(exchange("http://c.example/", "two"));
  writer.close();
  const text = decode(fs.bytes(at("ccrawl-crawl-00000.cdxj")));
  const lines = text.split("\n");
  assert.equal(lines.pop(), "");
  assert.deepEqual(lines, lines.toSorted());
  assert.deepEqual(lines.map((line) => line.split(" ")[0]), [
    "example,a)/",
    "example,b)/%c3%bc",
    "example,c)/",
  ]);
  assert.deepEqual(parseCdxjLine(lines[0]!), {
    key: "example,a)/",
    timestamp: "20240506070809",
    url: "http://a.example/",
    mime: "",
    status: "404",
    digest: last.payloadDigest,
    length: last.length,
    offset: last.offset,
    filename: last.file,
  });
  assert.equal(parseCdxjLine(lines[2]!)!.mime, "warc/revisit");
  // deno-lint-ignore no-control-regex -- ASCII is what is promised
  assert.match(text, /^[\x00-\x7f]*$/);
});

Deno.test("WarcWriter writes no file when nothing is written, and no index without cdx", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs, cdx: false }));
  writer.sync();
  writer.close();
  assert.deepEqual(fs.files(), []);
  writer.write(exchange("http://a.example/", "x"));
  writer.close();
  assert.deepEqual(fs.files(), [at("ccrawl-crawl-00000.warc.gz"), at("ccrawl-crawl.seq")]);
  assert.throws(() => new WarcWriter({ dir: "/w", software: "s", command: "c" }), /surt/);
  assert.throws(() => new WarcWriter(options({ prefix: "../x" })), TypeError);
});

Deno.test("WarcWriter uses no number twice, though others write beside it and files are taken away", () => {
  const fs = new MemFs();
  const one = new WarcWriter(options({ fs })), two = new WarcWriter(options({ fs }));
  one.write(exchange("http://a.example/", "x"));
  two.write(exchange("http://a.example/", "x"));
  one.close();
  two.close();
  for (const path of fs.files()) if (!path.endsWith(".seq")) fs.remove(path);
  one.write(exchange("http://a.example/", "x"));
  one.close();
  assert.ok(fs.files().includes(at("ccrawl-crawl-00002.warc.gz")));
  // The note may be lost with a folder that was copied: the files tell.
  fs.remove(at("ccrawl-crawl.seq"));
  const other = new WarcWriter(options({ fs }));
  other.write(exchange("http://a.example/", "x"));
  other.close();
  assert.ok(fs.files().includes(at("ccrawl-crawl-00003.warc.gz")));
});

Deno.test("WarcWriter shares its numbers with other processes", async () => {
  const dir = mkdtempSync(join(tmpdir(), "warc-"));
  try {
    const names = new URL("../../lib/warc/_names.ts", import.meta.url).href;
    const files = new URL("../../lib/files/fs.ts", import.meta.url).href;
    const script = `import { takeNumber } from "${names}"; import { diskFs } from "${files}";
      for (let i = 0; i < 50; i++) console.log(takeNumber(diskFs, Deno.args[0], "x"));`;
    const runs = Array.from({ length: 3 }, () =>
      new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          `data:text/typescript,${encodeURIComponent(script)}`,
          dir,
        ],
        stderr: "inherit",
      }).output());
    const taken = (await Promise.all(runs)).flatMap(({ stdout }) =>
      decode(stdout).trim().split("\n").map(Number)
    );
    assert.deepEqual(taken.toSorted((a, b) => a - b), Array.from({ length: 150 }, (_, i) => i));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

Deno.test("WarcWriter goes on after a full disk, with every exchange that it said was written", async () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs, dedup: false }));
  const written = new Map<string, string>();
  let full = false, errors = 0;
  fs.before = (op) => {
    if (full && (op === "write" || op === "create")) throw systemError("ENOSPC");
  };
  for (let i = 0; i < 60; i++) {
    full = i % 7 > 2;
    // Every third is larger than the batch that is gathered before a write.
    const body = noise(i % 3 === 0 ? 1_100_000 : 100_000);
    const url = `http://a.example/${i}`;
    try {
      written.set(writer.write(exchange(url, body)).recordId, url);
    } catch (error) {
      assert.ok(error instanceof WarcWriteError);
      assert.match(error.message, /^Cannot write .*ccrawl-crawl-00000.*: the disk is full/);
      assert.equal(error.lost, 0);
      errors++;
    }
  }
  assert.ok(errors > 5);
  full = true;
  assert.throws(() => writer.close(), WarcWriteError);
  full = false;
  writer.close();
  const found = members(fs.bytes(at("ccrawl-crawl-00000.warc.gz")));
  const answers = found.filter((r) => r.fields.get("WARC-Type") === "response");
  assert.deepEqual(
    answers.map((
      r,
    ) => [r.fields.get("WARC-Record-ID")!.slice(1, -1), r.fields.get("WARC-Target-URI")]),
    [...written],
  );
  assert.deepEqual(await collect(verifyWarcs([at("ccrawl-crawl-00000.warc.gz")], { fs })), []);
  assert.deepEqual(await collect(verifyCdxj(at("ccrawl-crawl-00000.cdxj"), { fs, surt })), []);
});

Deno.test("WarcWriter leaves a file of whole pairs when a write stops half way", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  writer.write(exchange("http://a.example/1", "one"));
  writer.sync();
  const open = at("ccrawl-crawl-00000.warc.gz.open");
  const size = fs.bytes(open).length;
  writer.write(exchange("http://a.example/2", "two"));
  fs.before = (op) => {
    if (op === "write") throw systemError("ENOSPC");
  };
  assert.throws(() => writer.sync(), WarcWriteError);
  assert.equal(fs.bytes(open).length, size);
  // Where even cutting back fails, the next write does it first.
  fs.before = (op) => {
    if (op === "write" || op === "truncate") throw systemError("EIO");
  };
  assert.throws(() => writer.sync(), WarcWriteError);
  assert.ok(fs.bytes(open).length > size);
  fs.before = () => {};
  fs.shortWrite = (length) => Math.min(length, 100);
  writer.sync();
  writer.close();
  assert.equal(members(fs.bytes(at("ccrawl-crawl-00000.warc.gz"))).length, 5);
});

Deno.test("WarcWriter drops what was written since the last sync when syncing fails, and says how much", () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  writer.write(exchange("http://a.example/1", "one"));
  writer.sync();
  writer.write(exchange("http://a.example/2", "two"));
  writer.write(exchange("http://a.example/3", "three"));
  fs.before = (op) => {
    if (op === "sync") throw systemError("EIO");
  };
  assert.throws(
    () => writer.sync(),
    (error) => error instanceof WarcWriteError && error.lost === 2,
  );
  fs.before = () => {};
  assert.equal(writer.write(exchange("http://a.example/2", "two")).type, "response");
  writer.close();
  assert.equal(members(fs.bytes(at("ccrawl-crawl-00000.warc.gz"))).length, 5);
  assert.equal(decode(fs.bytes(at("ccrawl-crawl-00000.cdxj"))).trim().split("\n").length, 2);
});

Deno.test("WarcWriter takes up sealing where renaming or indexing failed", () => {
  for (const failing of ["rename", "syncDir", "create"]) {
    const fs = new MemFs();
    const writer = new WarcWriter(options({ fs }));
    writer.write(exchange("http://a.example/1", "one"));
    fs.before = (op) => {
      if (op === failing) throw systemError("EIO");
    };
    assert.throws(() => writer.close(), WarcWriteError);
    fs.before = () => {};
    writer.write(exchange("http://a.example/2", "two"));
    writer.close();
    assert.deepEqual(fs.files(), [
      at("ccrawl-crawl-00000.cdxj"),
      at("ccrawl-crawl-00000.warc.gz"),
      at("ccrawl-crawl-00001.cdxj"),
      at("ccrawl-crawl-00001.warc.gz"),
      at("ccrawl-crawl.seq"),
    ]);
    assert.equal(fs.openFiles, 0);
  }
});

Deno.test("WarcWriter.writeRecord() adds records of other kinds", async () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  const { recordId } = writer.write(exchange("http://a.example/", "x"));
  const block = encode("outlink: http://b.example/\r\n");
  const common = { date: Date.UTC(2024, 0, 1), block, about: recordId };
  writer.writeRecord({
    ...common,
    type: "metadata",
    url: "http://a.example/",
    contentType: "application/warc-fields",
  });
  writer.writeRecord({
    ...common,
    type: "resource",
    url: "urn:x:shot of a",
    contentType: "image/png; q=1",
  });
  writer.close();
  const found = members(fs.bytes(at("ccrawl-crawl-00000.warc.gz")));
  assert.equal(found[3]!.fields.get("WARC-Refers-To"), `<${recordId}>`);
  assert.equal(found[4]!.fields.get("WARC-Payload-Digest"), digestOf(block));
  const lines = decode(fs.bytes(at("ccrawl-crawl-00000.cdxj"))).trim().split("\n");
  assert.deepEqual(lines.map((line) => parseCdxjLine(line)!.mime).sort(), [
    "image/png",
    "text/html",
  ]);
  assert.deepEqual(await collect(verifyWarcs([at("ccrawl-crawl-00000.warc.gz")], { fs })), []);
  assert.deepEqual(await collect(verifyCdxj(at("ccrawl-crawl-00000.cdxj"), { fs })), []);
});

Deno.test("WarcWriter writes to a real disk, in a folder that it makes", async () => {
  const dir = mkdtempSync(join(tmpdir(), "warc-"));
  try {
    const out = join(dir, "a", "b");
    {
      using writer = new WarcWriter(options({ dir: out, prefix: "x" }));
      writer.write(exchange("http://a.example/", "one"));
      assert.deepEqual(readdirSync(out).sort(), ["x-00000.warc.gz.open", "x.seq"]);
    }
    assert.deepEqual(readdirSync(out).sort(), ["x-00000.cdxj", "x-00000.warc.gz", "x.seq"]);
    assert.equal(members(readFileSync(join(out, "x-00000.warc.gz"))).length, 3);
    assert.equal(readFileSync(join(out, "x.seq"), "utf8"), "000000000000000\n");
    assert.deepEqual(await collect(verifyWarcs([join(out, "x-00000.warc.gz")])), []);
    assert.deepEqual(await collect(verifyCdxj(join(out, "x-00000.cdxj"))), []);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
