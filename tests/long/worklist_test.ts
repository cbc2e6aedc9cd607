import assert from "node:assert/strict";
import { join } from "node:path";
import { openWorkList } from "../../lib/worklist/open.ts";
import { bigUrl, writeBigList } from "../worklist/_big_list.ts";
import { checkDeepResume } from "../worklist/_deep.ts";

Deno.test("read() resumes at row 4.9 million of 5 million at the cost of a few pages, counted at the server", async () => {
  await checkDeepResume(5_000_000, 4_900_000);
});

Deno.test("a list of 5 million rows is read row for row, in memory that does not grow with it", async () => {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-long-" });
  try {
    const path = join(dir, "part.parquet");
    writeBigList(path, { rows: 5_000_000 });
    let row = 0;
    let early = 0;
    let late = 0;
    for await (const batch of (await openWorkList({ from: path })).read()) {
      for (const { row: own, url } of batch.rows) {
        if (own !== row || url !== bigUrl(row)) {
          assert.fail(`row ${own} where ${row} should be: ${url}`);
        }
        row++;
      }
      const { heapUsed, external } = Deno.memoryUsage();
      if (row < 1_000_000) early = Math.max(early, heapUsed + external);
      else late = Math.max(late, heapUsed + external);
    }
    assert.equal(row, 5_000_000);
    assert.ok(late < early + (64 << 20), `${early} bytes in the first million rows, ${late} later`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
