import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CAPTURE_COLUMNS, sqlType } from "../../lib/capture/schema.ts";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { datasetCard } from "../../lib/publish/card.ts";
import type { LedgerRow } from "../../lib/publish/ledger.ts";
import { failure, inFolder, page, sql } from "../capture/_rows.ts";

const REPO = "open-index/ccrawl-recrawl-domains";
const ledger = (changes: Partial<LedgerRow> = {}): LedgerRow => ({
  server: "server1",
  shard: 0,
  shards: 3,
  files: 1200,
  rows: 24_000_000,
  bytes: 6_200_000_000_000,
  part: 1,
  row: 4_020_000,
  done: false,
  firstCommitted: "2026-11-30T22:10:00Z",
  lastCommitted: "2026-12-01T01:40:07Z",
  ...changes,
});
const card = (rows: readonly LedgerRow[] = [ledger()], kind: "domains" | "urls" = "domains") =>
  datasetCard(rows, { repo: REPO, kind });

Deno.test("datasetCard() begins with what the hub reads", () => {
  const [, header] = card().split("---\n");
  for (
    const lines of [
      "license: odc-by\n",
      "task_categories:\n- text-generation\n",
      "size_categories:\n- 10M<n<100M\n",
      "configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/*.parquet\n",
    ]
  ) assert.ok(header!.includes(lines), lines);
});

Deno.test("datasetCard() names the size as the hub does", () => {
  const sizes: [number, string][] = [
    [0, "n<1K"],
    [999, "n<1K"],
    [1000, "1K<n<10K"],
    [9999, "1K<n<10K"],
    [10_000, "10K<n<100K"],
    [121_000_000, "100M<n<1B"],
    [2_100_000_000, "1B<n<10B"],
    [1e15, "100B<n<1T"],
  ];
  for (const [rows, category] of sizes) {
    assert.ok(card([ledger({ rows })]).includes(`\n- ${category}\n`), `${rows}`);
  }
});

Deno.test("datasetCard() has every machine and their sum", () => {
  const text = card([
    ledger(),
    ledger({ server: "server2", shard: 1, rows: 7, files: 1, bytes: 900, done: true }),
  ]);
  for (
    const line of [
      "| Rows | 24 000 007 |",
      "| Files | 1 201 |",
      "| Size | 6200.0 GB |",
      "| Machines | 2 |",
      "| Last commit | 2026-12-01 01:40 UTC |",
      "| server1 | 0 of 3 | 1 200 | 24 000 000 | 6200.0 GB | part 1 row 4 020 000 | 2026-11-30 22:10 UTC | 2026-12-01 01:40 UTC |",
      "| server2 | 1 of 3 | 1 | 7 | 900 bytes | all | 2026-11-30 22:10 UTC | 2026-12-01 01:40 UTC |",
    ]
  ) assert.ok(text.includes(line), line);
  assert.ok(card([]).includes("None has published yet."));
});

Deno.test("datasetCard() has the schema, column by column", () => {
  const lines = card().split("\n").filter((line) => /^\| `/.test(line));
  assert.deepEqual(
    lines,
    CAPTURE_COLUMNS.map(({ name, type, from, about }) =>
      `| \`${name}\` | ${sqlType(type)} | ${from} | ${about} |`
    ),
  );
});

Deno.test("datasetCard() tells the kinds apart", () => {
  assert.match(card([], "domains"), /datasets\/open-index\/ccrawl-domains\)/);
  assert.match(card([], "urls"), /datasets\/open-index\/ccrawl-urls\)/);
});

Deno.test("every table of the card is whole", () => {
  let columns = 0;
  for (const line of card().split("\n")) {
    if (!line.startsWith("|")) columns = 0;
    else {
      const count = line.split("|").length;
      assert.equal(count, columns || count, line);
      columns = count;
    }
  }
});

Deno.test("the queries of the card run as they stand, the files being here and not on the hub", () =>
  inFolder(async (dir) => {
    mkdirSync(join(dir, "data"));
    for (const [i, name] of ["server1-shard0of3-a", "server2-shard1of3-b"].entries()) {
      const path = join(dir, "data", `${name}.parquet`);
      const writer = new CaptureWriter(path, { createdBy: "test" });
      for (let n = 0; n < 30; n++) writer.add(n % 3 === 2 ? failure(n + i) : page(n + i * 100));
      writer.finish();
    }
    const text = card();
    const queries = [...text.matchAll(/```sql\n([^`]*)```/g)].map(([, query]) => query!);
    assert.ok(queries.length >= 8);
    const prefix = `hf://datasets/${REPO}/`;
    for (const query of queries) {
      assert.ok(query.includes(`'${prefix}data/`), query);
      const found = await sql(query.replaceAll(prefix, `${dir}/`));
      assert.ok(found.length > 0, query);
    }
    const [share] = await sql(queries.at(-1)!.replaceAll(prefix, `${dir}/`));
    assert.equal(Number(share!["rows"]), 30, "one machine's");
  }));
