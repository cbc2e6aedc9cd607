/** The queries that the dataset's documentation shows, run against a folder of capture files. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { NewCaptureRow } from "../../lib/capture/codec.ts";
import { CAPTURE_COLUMNS, sqlType } from "../../lib/capture/schema.ts";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { failure, inFolder, page, sql } from "./_rows.ts";

async function inDataset(
  work: (data: string, rows: readonly NewCaptureRow[]) => Promise<void>,
): Promise<void> {
  await inFolder(async (dir) => {
    const rows = Array.from({ length: 300 }, (_, i) => i % 3 === 2 ? failure(i) : page(i));
    const names = [
      "server1-shard0of3-a1b2c3d4e5f6.parquet",
      "server2-shard1of3-9f8e7d6c5b4a.parquet",
      "server3-shard2of3-0123456789ab.parquet",
    ];
    for (const [i, name] of names.entries()) {
      const writer = new CaptureWriter(join(dir, name), { createdBy: "test", groupBytes: 1 << 17 });
      for (const row of rows.slice(i * 100, i * 100 + 100)) writer.add(row);
      writer.finish();
    }
    await work(dir, rows);
  });
}

function count<T>(values: readonly T[]): Map<T, bigint> {
  const counts = new Map<T, bigint>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0n) + 1n);
  return counts;
}

Deno.test("the dataset's queries give what the rows have", async () => {
  await inDataset(async (data, rows) => {
    const statuses = await sql(`SELECT status, count(*) AS rows
      FROM read_parquet('${data}/*.parquet') GROUP BY status ORDER BY rows DESC`);
    assert.deepEqual(
      new Map(statuses.map(({ status, rows }) => [status, rows])),
      count(rows.map(({ status }) => status)),
    );

    const readable = await sql(`SELECT count(*) AS pages
      FROM read_parquet('${data}/*.parquet') WHERE status = 200 AND error = ''`);
    assert.equal(
      readable[0]!.pages,
      count(rows.map(({ status, error }) => status === 200 && error === "")).get(true),
    );

    const errors = await sql(`SELECT error, count(*) AS rows
      FROM read_parquet('${data}/*.parquet') WHERE error <> ''
      GROUP BY error ORDER BY rows DESC LIMIT 20`);
    assert.deepEqual(
      new Map(errors.map(({ error, rows }) => [error, rows])),
      count(rows.map(({ error }) => error).filter((error) => error !== "")),
    );

    const [one] = await sql(`SELECT url, title, language, word_count, markdown
      FROM read_parquet('${data}/*.parquet') WHERE status = 200 AND markdown <> '' LIMIT 1`);
    const same = rows.find(({ url }) => url === one!.url)!;
    assert.deepEqual(one, {
      url: same.url,
      title: same.title,
      language: same.language,
      word_count: BigInt(same.word_count),
      markdown: same.markdown,
    });

    const days = await sql(`SELECT date_trunc('day', to_timestamp(fetched_at / 1000)) AS day,
      count(*) AS rows FROM read_parquet('${data}/*.parquet') GROUP BY day ORDER BY day`);
    assert.equal(days.reduce((sum, { rows }) => sum + (rows as bigint), 0n), 300n);

    const languages = await sql(`SELECT language, count(*) AS pages,
      round(avg(word_count)) AS avg_words FROM read_parquet('${data}/*.parquet')
      WHERE language <> '' AND language_confidence > 0.8
      GROUP BY language ORDER BY pages DESC LIMIT 20`);
    assert.deepEqual(
      new Map(languages.map(({ language, pages }) => [language, pages])),
      count(rows.map(({ language }) => language).filter((language) => language !== "")),
    );

    const shard = await sql(
      `SELECT count(*) AS n FROM read_parquet('${data}/server1-shard0of3-*.parquet')`,
    );
    assert.deepEqual(shard, [{ n: 100n }]);

    const json = await sql(`SELECT meta_json::JSON->>'$.error_detail' AS detail,
      resp_headers::JSON->>'$."set-cookie"[0]' AS cookie
      FROM read_parquet('${data}/*.parquet') ORDER BY fetched_at LIMIT 3`);
    assert.deepEqual(json, [
      { detail: null, cookie: "a=0" },
      { detail: null, cookie: "a=1" },
      { detail: "no such host 2", cookie: null },
    ]);
  });
});

Deno.test("the body that a 304 refers to is found by joining on url and digest", async () => {
  await inDataset(async (data, rows) => {
    const second = rows.filter(({ status }) => status !== 0).map((row, i) =>
      i % 2 === 0 ? { ...row, status: 304, unchanged: true, body: new Uint8Array(0) } : row
    );
    const path = join(data, "second-pass");
    const writer = new CaptureWriter(path, { createdBy: "test" });
    for (const row of second) writer.add(row);
    writer.finish();
    const [found] = await sql(`SELECT count(*) AS n, sum(octet_length(first.body)) AS bytes
      FROM read_parquet('${path}') AS second JOIN read_parquet('${data}/*.parquet') AS first
      ON first.url = second.url AND first.digest = second.digest WHERE second.unchanged`);
    const unchanged = rows.filter(({ status }) => status !== 0).filter((_, i) => i % 2 === 0);
    assert.equal(found!.n, BigInt(unchanged.length));
    const bytes = unchanged.reduce((sum, { body }) => sum + body.length, 0);
    assert.equal(BigInt(found!.bytes as bigint), BigInt(bytes));
  });
});

Deno.test("CAPTURE_COLUMNS has the 32 columns in their order, with DuckDB's types", async () => {
  const wanted = "url host status fetched_at content_type body_length digest unchanged etag " +
    "last_modified warc_file warc_offset warc_length error meta_json markdown markdown_length " +
    "ttfb_ms fetch_duration_ms final_url ip_address resp_headers req_headers body title text " +
    "text_length word_count language language_confidence simhash extractor";
  assert.deepEqual(CAPTURE_COLUMNS.map(({ name }) => name), wanted.split(" "));
  await inDataset(async (data) => {
    const described = await sql(`DESCRIBE SELECT * FROM '${data}/*.parquet'`);
    assert.deepEqual(
      described.map(({ column_name, column_type }) => [column_name, column_type]),
      CAPTURE_COLUMNS.map(({ name, type }) => [name, sqlType(type)]),
    );
  });
  for (const { about, from } of CAPTURE_COLUMNS) {
    assert.ok(about.length > 10 && /^(served|computed|measured|asked)$/.test(from));
  }
});
