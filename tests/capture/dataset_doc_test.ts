/** docs/dataset.md: its table is the schema, and its queries run. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { CAPTURE_COLUMNS, sqlType } from "../../lib/capture/schema.ts";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { failure, inFolder, page, sql } from "./_rows.ts";

const doc = Deno.readTextFileSync(new URL("../../docs/dataset.md", import.meta.url));

Deno.test("the table of docs/dataset.md is the schema, line by line", () => {
  const wanted = CAPTURE_COLUMNS.map(({ name, type, from, about }) =>
    `| \`${name}\` | ${sqlType(type)} | ${from} | ${about} |`
  );
  const section = doc.slice(doc.indexOf("## Columns"), doc.indexOf("## An unchanged row"));
  const lines = section.split("\n").filter((line) => line.startsWith("| `"))
    .map((line) => line.replaceAll(/ +/g, " "));
  assert.deepEqual(lines, wanted);
});

Deno.test("the queries of docs/dataset.md run on the files of two passes, and find something", async () => {
  await inFolder(async (dir) => {
    const rows = Array.from({ length: 60 }, (_, i) => i % 3 === 2 ? failure(i) : page(i));
    rows.push({ ...page(3), url: "https://copy.example/" });
    const again = page(1, { status: 304, unchanged: true, body: new Uint8Array(0), markdown: "" });
    for (const [pass, written] of [["captures", rows], ["second", [again]]] as const) {
      Deno.mkdirSync(join(dir, pass));
      const writer = new CaptureWriter(join(dir, pass, "a.parquet"), { createdBy: "test" });
      for (const row of written) writer.add(row);
      writer.finish();
    }
    const queries = [...doc.matchAll(/```sql\n([^`]*)```/g)].map(([, query]) => query!);
    assert.equal(queries.length, 9);
    for (const query of queries) {
      const found = await sql(
        query.replaceAll(/'(captures|second)\/\*/g, (_, pass) => `'${join(dir, pass)}/*`),
      );
      assert(found.length > 0, query);
    }
  });
});
