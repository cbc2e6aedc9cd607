import assert from "node:assert/strict";
import { join as joinPath } from "node:path";
import { gzipSync } from "node:zlib";
import { parse } from "../../lib/parse/parse.ts";
import { ParseError } from "../../lib/parse/errors.ts";
import type { Parsed, ParseDamage, ParsedRecord, ParseOptions } from "../../lib/parse/types.ts";
import { readRecordAt } from "../../lib/warc/reader.ts";
import { INFO, join, members, oneMember, record, response, wat, wet } from "./_archives.ts";

interface Read {
  records: ParsedRecord[];
  parsed: Parsed[];
  damage: ParseDamage[];
}

async function read(paths: readonly string[], options: ParseOptions = {}): Promise<Read> {
  const out: Read = { records: [], parsed: [], damage: [] };
  const told = { workers: 1, onDamage: (d: ParseDamage) => out.damage.push(d), ...options };
  for await (const parsed of parse(paths, told)) {
    out.parsed.push(parsed);
    out.records.push(parsed.record);
  }
  return out;
}

/** Files of the test's own. */
async function withFiles(
  files: Readonly<Record<string, Uint8Array | string>>,
  work: (path: (name: string) => string) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    for (const [name, bytes] of Object.entries(files)) {
      if (typeof bytes === "string") await Deno.writeTextFile(joinPath(dir, name), bytes);
      else await Deno.writeFile(joinPath(dir, name), bytes);
    }
    await work((name) => joinPath(dir, name));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const PAGE =
  "<title>A page</title><p>This is a page with a <a href='/next?a=1&amp;b=2'>link</a> and " +
  "enough English words in it to be told from all other languages of the world.";
const SEITE =
  "<title>Eine Seite</title><p>Dies ist eine Seite mit genügend deutschen Wörtern, um von allen " +
  "anderen Sprachen der Welt sicher unterschieden zu werden. <a href=x>Verweis</a>";

const CORPUS: Readonly<Record<string, string>> = {
  "example-bad-non-chunked.warc.gz": "warcinfo warcinfo response request revisit request",
  "example-iana.org-chunked.warc": "warcinfo response request",
  "example-resource.warc.gz": "warcinfo warcinfo resource",
  "example-space-in-target-uri.warc.gz": "warcinfo resource",
  "example-trunc.warc": "warcinfo warcinfo response request",
  "example.warc": "warcinfo warcinfo response request revisit request",
  "example.warc.gz": "warcinfo warcinfo response request revisit request",
  "post-test.warc.gz": "response request response request response request",
};

Deno.test("parse() reads every record of other writers' files, and damage is told", async () => {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  if (corpus === undefined) return console.log("needs CCRAWL_CORPUS");
  const files = [...Deno.readDirSync(joinPath(corpus, "warc"))]
    .map(({ name }) => name).filter((name) => name.includes(".warc")).sort();
  assert.deepEqual(files, Object.keys(CORPUS).sort());
  for (const name of files) {
    const path = joinPath(corpus, "warc", name);
    const { records, damage } = await read([path]);
    assert.equal(records.map(({ type }) => type).join(" "), CORPUS[name], name);
    assert.equal(damage.length, name.includes("trunc") ? 1 : 0, name);
    for (const one of records) {
      // in a member over the whole file only the first record can be come to by its offset
      if (name.includes("bad-non-chunked") && one !== records[0]) continue;
      assert.equal((await readRecordAt(path, one.offset)).id, one.record_id);
    }
  }
  const whole = await read([joinPath(corpus, "warc")], { text: true, types: ["response"] });
  assert.equal(whole.records.length, 8);
  const texts = whole.records.filter(({ mime }) => mime === "text/html").map(({ text }) => text!);
  assert.equal(texts.filter((text) => text.startsWith("Example Domain")).length, 4);
  assert.equal(texts.filter((text) => text.includes("Domain Names")).length, 1);
});

Deno.test("parse() gives the same records however a file is compressed", async () => {
  const records = [
    INFO,
    response("https://a.example/", PAGE),
    response("https://b.example/", SEITE),
  ];
  await withFiles({
    "a.warc": join(...records),
    "b.warc.gz": members(records),
    "c.warc.gz": oneMember(records),
    "other.txt": "no archive",
  }, async (path) => {
    const { records: found, damage } = await read([path("")]);
    assert.deepEqual(damage, []);
    assert.equal(found.length, 9);
    const shape = ({ offset: _, file: __, ...rest }: ParsedRecord) => rest;
    assert.deepEqual(found.slice(3, 6).map(shape), found.slice(0, 3).map(shape));
    assert.deepEqual(found.slice(6).map(shape), found.slice(0, 3).map(shape));
    assert.deepEqual(found.map(({ file }) => file!.slice(-6)), [
      ..."a.warc a.warc a.warc arc.gz arc.gz arc.gz arc.gz arc.gz arc.gz".split(" "),
    ]);
    assert.deepEqual(shape(found[1]!), {
      type: "response",
      url: "https://a.example/",
      status: 200,
      mime: "text/html",
      date: "2024-05-18T01:58:10Z",
      record_id: found[1]!.record_id,
      payload_digest: "sha1:AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH",
      content_length: found[1]!.content_length,
    });
    assert.match(found[1]!.record_id, /^urn:uuid:[0-9a-f-]{36}$/);
    const stdin = await read(["-"], {
      stdin: new Blob([await Deno.readFile(path("b.warc.gz"))]).stream(),
    });
    assert.deepEqual(stdin.records.map(shape), found.slice(3, 6).map(shape));
    for (
      const [begin, reason] of [["PAR1", /^Parquet .* pipe/], ["(\xb5/\xfd", /zstd -dc/]] as const
    ) {
      const piped = await read(["-"], {
        stdin: new Blob([Uint8Array.from(begin + "....", (c) => c.charCodeAt(0))]).stream(),
      });
      assert.deepEqual(piped.records, []);
      assert.equal(piped.damage.length, 1);
      assert.match(piped.damage[0]!.reason, reason);
    }
  });
});

Deno.test("parse() tells of damage with its offset and reads on", async () => {
  const records = [
    INFO,
    response("https://a.example/", PAGE),
    response("https://b.example/", SEITE),
  ];
  const whole = members(records);
  const second = gzipSync(records[0]!).length;
  const third = second + gzipSync(records[1]!).length;
  const middle = whole.slice();
  middle.fill(0x55, second + 30, second + 90);
  await withFiles({
    "cut.warc.gz": whole.subarray(0, whole.length - 20),
    "middle.warc.gz": middle,
    "old.arc": "filedesc://x.arc 0.0.0.0 20100101000000 text/plain 20\n1 0 X\n",
    "old.arc.gz": gzipSync("filedesc://x.arc 0.0.0.0 20100101000000 text/plain 20\n1 0 X\n"),
    "x.zst": new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0]),
    "text": "hello, world\n",
    "empty.warc": "",
    "good.warc.gz": whole,
  }, async (path) => {
    const cut = await read([path("cut.warc.gz")]);
    assert.deepEqual(cut.records.map(({ url }) => url), ["", "https://a.example/"]);
    assert.deepEqual(cut.damage.map(({ offset }) => offset), [third]);
    const hurt = await read([path("middle.warc.gz")]);
    assert.deepEqual(hurt.records.map(({ url }) => url), ["", "https://b.example/"]);
    assert.deepEqual(hurt.damage.map(({ offset }) => offset), [second]);
    for (const name of ["old.arc", "old.arc.gz"]) {
      const arc = await read([path(name), path("good.warc.gz")]);
      assert.equal(arc.records.length, 3);
      assert.match(arc.damage[0]!.reason, /ARC/);
      assert.equal(arc.damage[0]!.file, path(name));
    }
    assert.match((await read([path("x.zst")])).damage[0]!.reason, /zstd/);
    assert.equal((await read([path("text")])).damage.length, 1);
    assert.deepEqual(await read([path("empty.warc")]), { records: [], parsed: [], damage: [] });
    await assert.rejects(read([path("gone.warc")]), ParseError);
  });
});

Deno.test("parse() leaves out what the filters do not name", async () => {
  const records = [
    INFO,
    response("https://a.example/", PAGE),
    response("https://a.example/de/x?y=1", SEITE),
    response("https://b.example/", "gone", "text/plain", "", 404),
    record("request", "https://b.example/", "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n", {
      "Content-Type": "application/http; msgtype=request",
    }),
    response("https://sub.a.example/", "", "image/png", "", 301),
  ];
  await withFiles({ "x.warc.gz": members(records) }, async (path) => {
    const urls = async (options: ParseOptions) =>
      (await read([path("x.warc.gz")], options)).records.map(({ url }) => url);
    const a = "https://a.example/", de = "https://a.example/de/x?y=1", b = "https://b.example/";
    const sub = "https://sub.a.example/";
    assert.deepEqual(await urls({ types: ["REQUEST"] }), [b]);
    assert.deepEqual(await urls({ types: ["warcinfo", "request"] }), ["", b]);
    assert.deepEqual(await urls({ statuses: [{ first: 300, last: 404 }] }), [b, sub]);
    assert.deepEqual(await urls({ mimes: ["text/html"] }), [a, de]);
    assert.deepEqual(await urls({ mimes: ["image/*", "text/plain"] }), [b, sub]);
    assert.deepEqual(await urls({ urls: [a] }), [a]);
    assert.deepEqual(await urls({ urls: ["https://a.example/*y=1"] }), [de]);
    assert.deepEqual(await urls({ urls: ["example,a,"] }), [a, de, sub]);
    assert.deepEqual(await urls({ urls: ["example,a)/de", "^https://b"] }), [de, b, b]);
    assert.deepEqual(await urls({ urls: [`${a}*`], languages: ["deu"] }), [de]);
    await assert.rejects(urls({ urls: ["("] }), ParseError);
  });
});

Deno.test("parse() reads WAT: what it says of the page it describes", async () => {
  const bytes = members([
    INFO,
    wat("https://a.example/x/"),
    wat("https://a.example/", { "Payload-Metadata": { "HTTP-Response-Metadata": [] } }),
    record("metadata", "https://a.example/", "{ no JSON", { "Content-Type": "application/json" }),
    record(
      "metadata",
      "https://a.example/",
      'fetchTimeMs: 12\r\nlanguages-cld2: {"reliable":true}\r\n',
      {
        "Content-Type": "application/warc-fields",
      },
    ),
  ]);
  await withFiles({ "x.warc.wat.gz": bytes }, async (path) => {
    const { records, damage } = await read([path("x.warc.wat.gz")], {
      links: true,
      text: true,
      meta: true,
      types: ["metadata"],
    });
    assert.deepEqual(damage, []);
    const [page, bare, broken, fields] = records;
    assert.equal(page!.status, 404);
    assert.equal(page!.mime, "text/html");
    assert.equal(page!.payload_digest, "sha1:QWERTYUIOPASDFGHJKLZXCVBNMQWERTY");
    assert.equal(page!.title, "Not here");
    assert.equal(page!.text, "");
    assert.deepEqual(page!.links, [
      "https://a.example/deep/a.html",
      "https://other.example/#f",
    ]);
    assert.deepEqual(page!.http_headers, {
      "content-type": "Text/HTML; charset=utf-8",
      server: "nginx",
    });
    const said = page!.metadata as { container: { Offset: string }; metas: unknown[] };
    assert.equal(said.container.Offset, "4711");
    assert.equal(said.metas.length, 1);
    for (const one of [bare, broken]) {
      assert.deepEqual([one!.status, one!.links, one!.title], [0, [], ""]);
    }
    assert.deepEqual(fields!.metadata, { fetchTimeMs: "12", "languages-cld2": { reliable: true } });
  });
});

Deno.test("parse() reads WET: text and language as they stand", async () => {
  const text =
    "A title\nThis is the text of a page, long enough for its language to be told by itself.\n";
  const bytes = members([
    INFO,
    wet("https://a.example/", text, "fra,eng"),
    wet("https://b.example/", text),
    wet("https://c.example/", "kurz", "deu"),
  ]);
  await withFiles({ "x.warc.wet.gz": bytes }, async (path) => {
    const file = path("x.warc.wet.gz");
    const { records } = await read([file], { text: true, types: ["conversion"] });
    assert.deepEqual(records.map(({ language }) => language), ["fra", "eng", "deu"]);
    assert.deepEqual(records.map(({ title }) => title), ["A title", "A title", "kurz"]);
    assert.equal(records[0]!.text, text);
    assert.equal(records[0]!.word_count, 19);
    assert.equal(records[0]!.mime, "text/plain");
    const french = await read([file], { languages: ["fra"] });
    assert.deepEqual(french.records.map(({ url }) => url), ["https://a.example/"]);
    const markdown = await read([file], { markdown: true, urls: ["https://c.example/"] });
    assert.equal(markdown.records[0]!.markdown, "kurz");
    assert.equal("text" in markdown.records[0]!, false);
  });
});

Deno.test("parse() renders pages in their order, whatever their coding and transfer", async () => {
  const chunked = "Transfer-Encoding: chunked\r\n";
  const pages = [
    response("https://a.example/1", PAGE),
    response("https://a.example/2", gzipSync(PAGE), "text/html", "Content-Encoding: gzip\r\n"),
    response(
      "https://a.example/3",
      `${PAGE.length.toString(16)}\r\n${PAGE}\r\n0\r\n\r\n`,
      "text/html",
      chunked,
    ),
    response("https://a.example/4", PAGE, "text/html", chunked),
    response(
      "https://a.example/5",
      "<p>café au lait",
      "",
    ),
    response("https://a.example/6", "Just text, not HTML <b>at</b> all", "text/plain"),
    response("https://a.example/7", "{}", "application/json"),
    ...Array.from(
      { length: 40 },
      (_, i) => response(`https://a.example/x${i}`, `${PAGE}<h2>${i}</h2>`),
    ),
  ];
  await withFiles({ "x.warc.gz": members(pages) }, async (path) => {
    const { records, parsed } = await read([path("x.warc.gz")], {
      text: true,
      markdown: true,
      links: true,
      payload: true,
      workers: 2,
    });
    assert.deepEqual(records.map(({ url }) => url.slice(18)), [
      ..."1234567",
      ...Array.from({ length: 40 }, (_, i) => `x${i}`),
    ]);
    for (const one of records.slice(0, 4)) {
      assert.equal(one.title, "A page");
      assert.match(one.text!, /^This is a page with a link and enough/);
      assert.match(one.markdown!, /\[link\]\(https:\/\/a\.example\/next\?a=1&b=2\)/);
      assert.deepEqual(one.links, ["https://a.example/next?a=1&b=2"]);
      assert.equal(one.link_count, 1);
      assert.equal(one.language, "eng");
    }
    for (const { payload } of parsed.slice(0, 4)) {
      assert.equal(new TextDecoder().decode(payload), PAGE);
    }
    assert.equal(records[4]!.text, "café au lait");
    assert.equal(records[5]!.text, "Just text, not HTML <b>at</b> all");
    assert.deepEqual([records[6]!.text, records[6]!.language], ["", ""]);
    for (const [i, one] of records.slice(7).entries()) assert.ok(one.text!.endsWith(`\n${i}`));
    const links = await read([path("x.warc.gz")], { links: true });
    assert.deepEqual(links.records.map(({ links }) => links), records.map(({ links }) => links));
  });
});

Deno.test("parse() can be left at any record", async () => {
  const pages = Array.from({ length: 60 }, (_, i) => response(`https://a.example/${i}`, PAGE));
  await withFiles({ "x.warc.gz": members(pages) }, async (path) => {
    for await (const { record } of parse([path("x.warc.gz")], { text: true, workers: 1 })) {
      if (record.url === "https://a.example/3") break;
    }
  });
});
