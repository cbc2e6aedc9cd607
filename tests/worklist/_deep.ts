/**
 * What it costs to resume deep in a part, counted at the hub.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { openWorkList } from "../../lib/worklist/open.ts";
import { startHub } from "../web/hub.ts";
import { bigUrl, writeBigList } from "./_big_list.ts";

/** Resumes at row `at` of a part of `rows` rows in one row group, without and with rows that lag behind. */
export async function checkDeepResume(rows: number, at: number): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-deep-" });
  await using hub = startHub();
  try {
    const path = join(dir, "part.parquet");
    const { pages, bytes: size } = writeBigList(path, { rows });
    hub.put("open-index/ccrawl-urls", "data/cc-main-2026-jan-feb-mar/part-0.parquet", path);
    const list = await openWorkList({ from: "urls", hub: hub.url, token: "" });
    hub.reset();
    let first: string | undefined;
    for await (const batch of list.read({ from: { part: 0, row: at } })) {
      first = batch.rows[0]!.url;
      break;
    }
    assert.equal(first, bigUrl(at));
    // The hub's redirect, the end of the file, a window of pages.
    const { requests } = hub.count();
    assert.ok(requests <= 3, `${requests} requests`);
    const { bytes } = hub.count({ to: "cdn" });
    const most = (128 << 10) + (256 << 10);
    assert.ok(bytes <= most, `${bytes} bytes of ${size} in ${pages.length} pages`);
    assert.ok(hub.log.every((entry) => entry.to !== "cdn" || entry.range !== undefined));

    // Rows of hosts that lag behind, far apart, are read again first: a page each.
    hub.reset();
    const lagging = [0.02, 0.2, 0.5, 0.8].map((share) => Math.floor(rows * share));
    const pending = lagging.map((row) => ({ part: 0, first: row, last: row }));
    let again: number[] = [];
    for await (const batch of list.read({ from: { part: 0, row: at }, pending })) {
      again = batch.rows.slice(0, lagging.length).map(({ row }) => row);
      break;
    }
    assert.deepEqual(again, lagging);
    assert.ok(hub.count().requests <= 3 + lagging.length);
    const page = Math.max(...pages.slice(1).map((offset, i) => offset - pages[i]!));
    assert.ok(hub.count({ to: "cdn" }).bytes <= most + lagging.length * page);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
