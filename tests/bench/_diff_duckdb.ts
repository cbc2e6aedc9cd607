/**
 * DuckDB's side of the comparison of two snapshots, in a process of its own: makes them
 * (`make ROWS DIR`), or compares them on one thread (`diff OLDER NEWER`).
 *
 * @module
 */

import { DuckDBInstance } from "@duckdb/node-api";
import { diffSql } from "../../lib/sched/sql.ts";

const [what, first = "", second = ""] = Deno.args;
const instance = await DuckDBInstance.create(":memory:", { threads: what === "make" ? "2" : "1" });
const db = await instance.connect();
if (what === "make") {
  // Fifty pages a host, hosts in the order of their keys, a twentieth of each snapshot not in the other.
  await db.run(
    `CREATE TABLE pages AS SELECT i, md5((i // 50)::VARCHAR)[1:8] || '.com' AS domain,
       CASE WHEN (i // 50) % 5 = 0 THEN 'shop.' WHEN (i // 50) % 3 = 0 THEN 'www.' ELSE '' END AS sub,
       (i % 7) || '/' || md5('p' || i) AS path FROM range(0, ${Number(first)}) t(i)`,
  );
  for (const [pass, name] of ["older", "newer"].entries()) {
    await db.run(
      `COPY (SELECT 'com,' || domain[1:8] || CASE sub WHEN 'shop.' THEN ',shop' ELSE '' END ||
           ')/articles/' || path AS url_surtkey,
         CASE WHEN i % 11 = 0 THEN 'http' ELSE 'https' END || '://' || sub || domain || '/articles/' ||
           path AS url,
         sub || domain AS url_host_name,
         upper(md5('c' || i || CASE WHEN ${pass} = 1 AND hash(i) % 10 < (i // 50) % 10
           THEN 'x' ELSE '' END)) AS content_digest
       FROM pages WHERE hash(i + ${pass}) % 20 <> 0 ORDER BY url_surtkey)
       TO '${second}/${name}.parquet' (FORMAT parquet, COMPRESSION gzip)`,
    );
  }
} else {
  const snapshot = (place: string) => ({ places: [place], captures: false, keyed: true });
  const result = await db.runAndReadAll(
    `SELECT count(*), sum(total_urls), sum(changed_urls) FROM
     (${diffSql(snapshot(first), snapshot(second), "duckdb")})`,
  );
  console.log(result.getRows()[0]!.map(Number).join(" "));
}
