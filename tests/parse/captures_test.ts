import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { NewCaptureRow } from "../../lib/capture/codec.ts";
import { captureRow } from "../../lib/capture/row.ts";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { parse } from "../../lib/parse/parse.ts";
import type { Parsed, ParseDamage, ParseOptions } from "../../lib/parse/types.ts";
import { failure, inFolder, page } from "../capture/_rows.ts";

function write(path: string, rows: readonly NewCaptureRow[]): void {
  const writer = new CaptureWriter(path, { createdBy: "test" });
  for (const row of rows) writer.add(row);
  writer.finish();
}

async function read(path: string, options: ParseOptions = {}): Promise<Parsed[]> {
  const out: Parsed[] = [];
  for await (const parsed of parse([path], { workers: 1, ...options })) out.push(parsed);
  return out;
}

/** A page that was stored, not rendered. */
function unrendered(url: string, html: string, coding = ""): NewCaptureRow {
  const body = new TextEncoder().encode(html);
  return captureRow({
    url,
    fetchedAt: 1_700_000_000_000,
    durationMs: 20,
    ttfbMs: 5,
    status: 200,
    ip: "93.184.216.1",
    headers: [
      ["Content-Type", "text/html"],
      ...(coding === "" ? [] : [["Content-Encoding", coding] as [string, string]]),
    ],
    requestHeaders: [],
    body: coding === "gzip" ? new Uint8Array(gzipSync(body)) : body,
    digest: "X".repeat(32),
    position: { part: 0, row: 0 },
  });
}

const HTML =
  "<title>Page</title><p>Some words of English that are enough to tell their language. " +
  '<a href="/next">Next</a>';

Deno.test("parse() gives a record for every row of a capture file", async () => {
  await inFolder(async (dir) => {
    const rows = [page(1), failure(2), page(9), page(30)];
    write(join(dir, "a.parquet"), rows);
    const parsed = await read(dir, { text: true, markdown: true, meta: true, payload: true });
    const records = parsed.map(({ record }) => record);
    assert.deepEqual(
      records.map(({ type }) => type),
      "response failure response response".split(" "),
    );
    assert.deepEqual(records.map(({ offset }) => offset), [0, 1, 2, 3]);
    assert.deepEqual(records.map(({ status }) => status), [200, 0, 404, 200]);
    const first = records[0]!;
    assert.equal(first.url, rows[0]!.url);
    assert.equal(first.mime, "text/html");
    assert.equal(first.date, "2023-11-14T22:13:21.000Z");
    assert.equal(first.payload_digest, `sha1:${rows[0]!.digest}`);
    assert.equal(first.content_length, rows[0]!.body.length);
    assert.equal(first.text, "words and more ");
    assert.equal(first.markdown, "words and more ");
    assert.equal(first.language, "deu");
    assert.equal(first.word_count, 3);
    assert.deepEqual(first.http_headers!["set-cookie"], ["a=1", "b=2"]);
    assert.deepEqual(
      (records[1]!.metadata as Record<string, string>).error_detail,
      "no such host 2",
    );
    assert.deepEqual(parsed[0]!.payload, new Uint8Array(rows[0]!.body));
    assert.equal(parsed[1]!.payload, undefined);
    const english = await read(dir, { languages: ["eng"], statuses: [{ first: 200, last: 299 }] });
    assert.deepEqual(english.map(({ record }) => record.offset), [3]);
  });
});

Deno.test("parse() renders captures that were stored without being rendered, and finds their links", async () => {
  await inFolder(async (dir) => {
    const path = join(dir, "a.parquet");
    write(path, [
      page(3),
      unrendered("https://a.example/x", HTML, "gzip"),
      unrendered("https://b.example/", HTML),
    ]);
    const both = await read(path, { text: true, links: true });
    assert.deepEqual(both.map(({ record }) => record.title), ["Page 3", "Page", "Page"]);
    assert.match(both[1]!.record.text!, /^Some words of English/);
    assert.deepEqual(both.map(({ record }) => record.links), [
      [],
      ["https://a.example/next"],
      ["https://b.example/next"],
    ]);
    assert.equal(both[1]!.record.payload_digest, "", "the digest is of decoded bytes");
    const links = await read(path, { links: true });
    assert.deepEqual(links[1]!.record.links, ["https://a.example/next"]);
  });
});

Deno.test("parse() says what is no capture file, and reads on", async () => {
  await inFolder(async (dir) => {
    await Deno.writeTextFile(join(dir, "a.parquet"), "PAR1 and no more of it");
    write(join(dir, "b.parquet"), [page(1)]);
    const damage: ParseDamage[] = [];
    const parsed = await read(dir, { onDamage: (d) => damage.push(d) });
    assert.equal(parsed.length, 1);
    assert.deepEqual(damage.map(({ file }) => file), [join(dir, "a.parquet")]);
  });
});

Deno.test("parse() tells of Parquet with URLs that holds no captures", async () => {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  await inFolder(async (dir) => {
    const path = join(dir, "records.parquet");
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: "url", data: ["https://a.example/"], type: "STRING" },
        { name: "status", data: [200], type: "INT32" },
        { name: "mime", data: ["text/html"], type: "STRING" },
      ],
    });
    await Deno.writeFile(path, new Uint8Array(bytes));
    const damages: ParseDamage[] = [];
    assert.deepEqual(await read(path, { onDamage: (damage) => damages.push(damage) }), []);
    assert.equal(damages[0]?.reason, "it is Parquet, but holds no captures");
  });
});
