import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { readDocuments } from "../../lib/index/documents.ts";
import type { IndexDocument } from "../../lib/index/types.ts";
import { failure, page } from "../capture/_rows.ts";
import { INFO, join as concat, members, record, response, wet } from "../parse/_archives.ts";
import { inFolder } from "./_index.ts";

async function read(
  paths: readonly string[],
  stdin?: Uint8Array,
): Promise<{ documents: IndexDocument[]; bad: string[] }> {
  const documents: IndexDocument[] = [], bad: string[] = [];
  const reading = readDocuments(paths, {
    workers: 1,
    onBad: ({ reason }) => bad.push(reason),
    ...(stdin === undefined
      ? {}
      : { stdin: new Blob([stdin as Uint8Array<ArrayBuffer>]).stream() }),
  });
  for await (const document of reading) documents.push(document);
  return { documents, bad };
}

const LINES = [
  '{"url":"https://a.example/","title":"A","text":"text","markdown":"# no","language":"eng"}',
  "",
  '{"doc_id":12,"content":"by number","lang":"deu","url":null}',
  '{"id":"x","url":"https://b.example/","markdown":"# Md"}',
  '{"url":"https://c.example/","title":"title alone"}',
  '{"url":"https://d.example/"}',
  '{"type":"request","url":"https://a.example/","title":"","text":""}',
  "[1]",
  "null",
  '{"text":"whose?"}',
  "{ broken",
  '{"url":"https://e.example/","text":"last, without an end"}',
].join("\n");

const WANTED: IndexDocument[] = [
  { url: "https://a.example/", title: "A", text: "text", language: "eng" },
  { docId: "12", url: "", title: "", text: "by number", language: "deu" },
  { docId: "x", url: "https://b.example/", title: "", text: "# Md", language: "" },
  { url: "https://c.example/", title: "title alone", text: "", language: "" },
  { url: "https://e.example/", title: "", text: "last, without an end", language: "" },
];

Deno.test("readDocuments() reads JSON lines, plain, in gzip members, and from stdin", async () => {
  await inFolder(async (dir) => {
    const half = LINES.indexOf("\n") + 1;
    const twoMembers = concat(gzipSync(LINES.slice(0, half)), gzipSync(LINES.slice(half)));
    await Deno.writeTextFile(join(dir, "a.jsonl"), `\ufeff${LINES}`);
    await Deno.writeFile(join(dir, "b.jsonl.gz"), twoMembers);
    await Deno.writeTextFile(join(dir, "notes.txt"), "not for us");
    const { documents, bad } = await read([dir]);
    assert.deepEqual(documents, [...WANTED, ...WANTED]);
    const reasons = [
      "line 6: no text (nor markdown, nor a title)",
      "line 7: no text (nor markdown, nor a title)",
      "line 8: no JSON object",
      "line 9: no JSON object",
      "line 10: neither url nor doc_id",
      "line 11: no JSON",
    ];
    assert.deepEqual(bad, [...reasons, ...reasons]);
    assert.deepEqual((await read(["-"], new TextEncoder().encode(LINES))).documents, WANTED);
    assert.deepEqual((await read(["-"], twoMembers)).documents, WANTED);
    const cut = await read(["-"], twoMembers.slice(0, -30));
    assert.deepEqual(cut.documents, WANTED.slice(0, cut.documents.length));
    assert.match(cut.bad.at(-1)!, /cannot be decompressed beyond it/);
  });
});

Deno.test("readDocuments() passes over a line that is too long", async () => {
  const line = (text: string) => JSON.stringify({ url: "https://a.example/", text });
  const bytes = new TextEncoder().encode(
    [line("1"), line("x".repeat(17 << 20)), line("2")].join("\n"),
  );
  const { documents, bad } = await read(["-"], bytes);
  assert.deepEqual(documents.map(({ text }) => text), ["1", "2"]);
  assert.deepEqual(bad, ["line 2: longer than 16 MB"]);
});

Deno.test("readDocuments() reads WET, the pages of WARC, and captures", async () => {
  await inFolder(async (dir) => {
    const html = "<title>Page</title><p>Words of a page that make up its text.";
    await Deno.writeFile(
      join(dir, "a.warc.wet.gz"),
      members([
        INFO,
        wet("https://wet.example/", "Title\nThe text.", "eng,deu"),
        wet("https://x.example/", ""),
      ]),
    );
    await Deno.writeFile(
      join(dir, "b.warc.gz"),
      members([
        INFO,
        response("https://ok.example/", html),
        response("https://gone.example/", html, "text/html", "", 404),
        response("https://image.example/", new Uint8Array(9), "image/png"),
        response("https://plain.example/notes.txt", "Notes of a robots.txt", "text/plain"),
        response("https://plain.example:8080/robots.txt", "User-agent: *", "text/plain"),
        record("resource", "https://resource.example/", html, { "Content-Type": "text/html" }),
        record("request", "https://ok.example/", "GET / HTTP/1.1\r\n\r\n"),
      ]),
    );
    const writer = new CaptureWriter(join(dir, "c.parquet"), { createdBy: "test" });
    for (const row of [page(1), failure(2), page(9)]) writer.add(row);
    writer.finish();
    const { documents, bad } = await read([dir]);
    assert.deepEqual(bad, []);
    assert.deepEqual(
      documents.map(({ url, title, text, language }) => [url, title, text, language]),
      [
        ["https://wet.example/", "Title", "Title\nThe text.", "eng"],
        ["https://ok.example/", "Page", "Words of a page that make up its text.", ""],
        ["https://plain.example/notes.txt", "", "Notes of a robots.txt", ""],
        ["https://resource.example/", "Page", "Words of a page that make up its text.", ""],
        [page(1).url, "Page 1", "words and more ", "deu"],
      ],
    );
    const piped = await read(["-"], await Deno.readFile(join(dir, "a.warc.wet.gz")));
    assert.deepEqual(piped.documents.map(({ url }) => url), ["https://wet.example/"]);
  });
});
