// What the duckdb program does with a statement on its stdin, by its library.
import { DuckDBInstance } from "@duckdb/node-api";

const sql = await new Response(Deno.stdin.readable).text();
try {
  const db = await (await DuckDBInstance.create(":memory:")).connect();
  const rows = (await db.runAndReadAll(sql)).getRowObjectsJson();
  for (const row of rows) console.log(JSON.stringify(row));
} catch (error) {
  console.error((error as Error).message);
  Deno.exit(1);
}
