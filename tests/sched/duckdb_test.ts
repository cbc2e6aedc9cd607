import assert from "node:assert/strict";
import { diffSnapshots, diffStatement, diffStats } from "../../lib/sched/diff.ts";
import type { DiffOptions } from "../../lib/sched/diff.ts";
import { diffSql } from "../../lib/sched/sql.ts";
import { withFolder } from "../engine/_crawl.ts";
import { expectedChanges, generator, randomSnapshots, writeSnapshot } from "./_snapshots.ts";

/** A folder with a program that is called duckdb. */
async function program(dir: string, script: string): Promise<string> {
  const folder = `${dir}/bin`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/duckdb`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

async function diff(older: string, newer: string, options: DiffOptions) {
  const hosts: [string, { total: number; changed: number }][] = [];
  const messages: string[] = [];
  const found = diffSnapshots(older, newer, diffStats(), {
    ...options,
    onMessage: (text) => messages.push(text),
  });
  for await (const { host, ...counts } of found) hosts.push([host, counts]);
  return { hosts: hosts.sort(([a], [b]) => a < b ? -1 : 1), messages };
}

const LIBRARY = [Deno.execPath(), "run", "-A", "--quiet", "--no-check"]
  .concat(new URL("./_duckdb_shim.ts", import.meta.url).href).map((word) => `'${word}'`).join(" ");

Deno.test("snapshots in no order are compared by DuckDB where it is on the path, with the same result", async () => {
  const rows = randomSnapshots(generator(5), 300);
  const all = [...expectedChanges(...rows)].sort(([a], [b]) => a < b ? -1 : 1);
  await withFolder(async (dir) => {
    const [older, newer] = [`${dir}/older's.parquet`, `${dir}/newer.parquet`];
    await writeSnapshot(older, rows[0], { sorted: false, keyed: false, digest: "digest" });
    await writeSnapshot(newer, rows[1]);
    const path = `/nowhere:${await program(dir, `exec ${LIBRARY} "$@"`)}`;
    const { hosts, messages } = await diff(older, newer, { path });
    assert.deepEqual(hosts, all);
    assert(messages.includes(`comparing by ${dir}/bin/duckdb`), messages.join("\n"));
    const domain = await diff(newer, newer, { path, way: "duckdb", domains: ["a.example.com"] });
    const own = await diff(newer, newer, { path, way: "merge", domains: ["a.example.com"] });
    assert.deepEqual(domain.hosts, own.hosts);
    assert(own.hosts.length > 0);
  });
});

Deno.test("what DuckDB says of its failure is passed on, and that there is none", async () => {
  await withFolder(async (dir) => {
    const file = `${dir}/a.parquet`;
    await writeSnapshot(file, [{ url: "https://a.example/", digest: "A" }]);
    const cases: [string, RegExp][] = [
      [
        "cat > /dev/null; echo 'Out of Memory Error' >&2; exit 1",
        /ended with 1: Out of Memory Error$/,
      ],
      ["echo '{\"host\":3}'", /it writes another row/],
      ["echo hello", /it writes what is no JSON: hello/],
    ];
    for (const [script, message] of cases) {
      const path = await program(dir, script);
      await assert.rejects(diff(file, file, { path, way: "duckdb" }), {
        name: "SnapshotError",
        message,
      });
    }
    const path = await program(dir, "exit 3");
    const silent = /Cannot compare by DuckDB: it ended with 3$/;
    await assert.rejects(diff(file, file, { path, way: "duckdb" }), silent);
    await assert.rejects(diff(file, file, { path: dir, way: "duckdb" }), /there is no duckdb/);
    // A file that may not be run is no program: shells pass over it, too.
    if (Deno.build.os !== "windows") {
      await Deno.chmod(`${path}/duckdb`, 0o644);
      await assert.rejects(diff(file, file, { path, way: "duckdb" }), /there is no duckdb/);
    }
  });
});

Deno.test("the statement names files for DuckDB and Spark, and tables for Athena", async () => {
  await withFolder(async (dir) => {
    const file = `${dir}/it's.parquet`;
    await writeSnapshot(file, [{ url: "https://a.example/", digest: "A" }]);
    const duckdb = await diffStatement(file, file, "duckdb", { hosts: ["www.example.com"] });
    assert(duckdb.includes(`read_parquet(['${dir}/it''s.parquet'])`), duckdb);
    assert(
      duckdb.includes(
        `(url_surtkey >= 'com,example)' AND url_surtkey < 'com,example*' OR ` +
          `url_surtkey >= 'com,example:' AND url_surtkey < 'com,example;')`,
      ),
      duckdb,
    );
    assert(duckdb.includes("(url_host_name = 'www.example.com')"), duckdb);
    const spark = await diffStatement(file, "CC-MAIN-2026-17", "spark", { minUrls: 5 });
    assert(spark.includes(`SELECT * FROM parquet.\`${dir}/it's.parquet\``), spark);
    assert(spark.includes("crawl=CC-MAIN-2026-17/subset=warc`"), spark);
    assert(spark.endsWith("HAVING COUNT(*) >= 5"), spark);
    const athena = await diffStatement("CC-MAIN-2026-13", "CC-MAIN-2026-17", "athena");
    assert.match(athena, /FROM "ccindex"\."ccindex"\n {2}WHERE crawl = 'CC-MAIN-2026-13'\n {4}AND/);
    await assert.rejects(diffStatement(file, file, "athena"), {
      name: "SnapshotError",
      message: /Athena reads tables, not files/,
    });
  });
});

Deno.test("what a statement's tables say is what a comparison says, in the engine that is at hand", async () => {
  const rows = randomSnapshots(generator(6), 200);
  const { DuckDBInstance } = await import("@duckdb/node-api");
  await withFolder(async (dir) => {
    await writeSnapshot(`${dir}/a.parquet`, rows[0]);
    await writeSnapshot(`${dir}/b.parquet`, rows[1]);
    const db = await (await DuckDBInstance.create(":memory:")).connect();
    // Athena's table, here a view of both files.
    await db.run(
      `CREATE SCHEMA ccindex; CREATE VIEW ccindex.ccindex AS
       SELECT *, 'warc' AS subset, 'CC-MAIN-2026-13' AS crawl FROM '${dir}/a.parquet' UNION ALL
       SELECT *, 'warc' AS subset, 'CC-MAIN-2026-17' AS crawl FROM '${dir}/b.parquet'`,
    );
    const named = (crawl: string) => ({ places: [crawl], captures: false, keyed: true });
    const sql = diffSql(named("CC-MAIN-2026-13"), named("CC-MAIN-2026-17"), "athena");
    const found = (await db.runAndReadAll(`${sql} ORDER BY host`)).getRowObjectsJson();
    // Wider ones are text in the program's JSON, which nobody takes for a count.
    const types =
      `SELECT DISTINCT typeof(total_urls) AS a, typeof(changed_urls) AS b FROM (${sql})`;
    assert.deepEqual((await db.runAndReadAll(types)).getRowObjectsJson(), [
      { a: "BIGINT", b: "BIGINT" },
    ]);
    const expected = [...expectedChanges(...rows)].sort(([a], [b]) => a < b ? -1 : 1);
    assert.deepEqual(
      found.map((row) => [row.host, Number(row.total_urls), Number(row.changed_urls)]),
      expected.map(([host, { total, changed }]) => [host, total, changed]),
    );
    for (const [i, [, { total, changed }]] of expected.entries()) {
      assert.equal(Number(found[i]!.change_rate), changed / total);
      const rate = changed / total;
      assert.equal(Number(found[i]!.tier), rate >= 0.5 ? 3 : rate >= 0.2 ? 4 : 5);
    }
  });
});
