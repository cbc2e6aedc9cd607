import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { collect } from "./_recrawl.ts";

const SIZE = 300_000;
/** What a page counts for beside its body, at the most. */
const BESIDE = 16_384;

Deno.test("what waits between the stages keeps to --queue-mb, halved or whole, and a page beyond it goes alone", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 100 });
    const from = Array.from(
      { length: 25 },
      (_, i) => web.url(`b${i}.size-${SIZE}.test`, `/p/${i}`),
    );
    from.push(web.url("large.size-5000000.test"));
    for (const extractor of ["main", "none"] as const) {
      const queueBytes = 2 * 2 ** 20;
      const out = `${dir}/${extractor}`;
      const { run, records } = await collect(web, dir, {
        ...{ from, out, extractor, queueBytes, workers: 32, delayMs: 0 },
      });
      assert.equal(records.filter(({ status }) => status === 200).length, from.length);
      const { extract, queue } = run.figures;
      assert.equal(extract === undefined, extractor === "none");
      for (const { boundBytes, peakBytes } of [queue, ...extract ? [extract.queue] : []]) {
        assert.equal(boundBytes, extractor === "main" ? queueBytes / 2 : queueBytes);
        // The large one waits until there is nothing else, and has it all.
        assert.ok(peakBytes >= SIZE, `${peakBytes} bytes at the most`);
        assert.ok(peakBytes <= Math.max(boundBytes, 2 * 5_000_000 + BESIDE), `${peakBytes} bytes`);
      }
    }
  }));

Deno.test("between the stages is never more than --queue-mb where no page is larger", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 100 });
    const from = Array.from(
      { length: 40 },
      (_, i) => web.url(`b${i}.size-${SIZE}.test`, `/p/${i}`),
    );
    const { run, records } = await collect(web, dir, {
      ...{ from, extractor: "main", queueBytes: 4 * 2 ** 20, workers: 40, delayMs: 0 },
    });
    assert.ok(records.every(({ body_length }) => body_length === SIZE));
    const { extract } = run.figures;
    assert.ok(extract!.queue.peakBytes > 2 * SIZE, "pages waited");
    assert.ok(extract!.queue.peakBytes <= extract!.queue.boundBytes);
    assert.ok(run.figures.queue.peakBytes <= run.figures.queue.boundBytes);
  }));
