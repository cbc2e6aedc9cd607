import assert from "node:assert/strict";
import { DoneRecords } from "../../lib/engine/_done_records.ts";
import { FrontierEngine } from "../../lib/frontier/engine.ts";
import type { WarcRecord } from "../../lib/warc/reader.ts";
import { withFolder } from "./_crawl.ts";

/** A state in which `count` URLs are done, each at ten times its number in `file`. */
function doneState(path: string, count: number, file: string): void {
  const engine = new FrontierEngine({ path });
  const urls = Array.from({ length: count }, (_, i) => `http://a.test/${i}`);
  engine.put(urls.map((url) => ({ url, priority: 1, depth: 0 })));
  const [lease] = engine.claim(1, count);
  engine.complete(lease!.urls.map(({ id }, i) => ({
    ...{ id, outcome: "done", status: 200, error: "", reason: "" } as const,
    ...{ warcFile: file, warcOffset: 10 * (i + 1) },
  })));
  engine.commit();
  engine.close();
}

function record(offset: number, url: string, type = "response"): WarcRecord {
  return { offset, url, type } as WarcRecord;
}

async function faults(done: DoneRecords): Promise<string[]> {
  const found: string[] = [];
  for await (const { file, offset, url, detail } of done.faults()) {
    found.push(`${file}:${offset} ${url}: ${detail}`);
  }
  return found;
}

Deno.test("DoneRecords finds every record of a state of any length, and no more", () =>
  withFolder(async (dir) => {
    // A page of the table is 1000 rows.
    for (const count of [1, 999, 1000, 1001, 2000]) {
      doneState(`${dir}/${count}.db`, count, "a.warc.gz");
      using done = await DoneRecords.of(`${dir}/${count}.db`);
      for (let i = 0; i < count; i++) {
        done.record("a.warc.gz", record(10 * (i + 1) - 5, `http://a.test/${i}`, "request"));
        done.record("a.warc.gz", record(10 * (i + 1), `http://a.test/${i}`));
      }
      assert.deepEqual(await faults(done), []);
    }
  }));

Deno.test("DoneRecords tells what is missing, elsewhere, of another URL or of another kind", () =>
  withFolder(async (dir) => {
    doneState(`${dir}/x.db`, 5, "a.warc.gz");
    using done = await DoneRecords.of(`${dir}/x.db`);
    done.record("a.warc.gz", record(10, "http://a.test/0", "revisit"));
    done.record("a.warc.gz", record(20, "http://b.test/1"));
    done.record("a.warc.gz", record(31, "http://a.test/2"));
    done.record("a.warc.gz", record(40, "http://a.test/3", "request"));
    assert.deepEqual(await faults(done), [
      "a.warc.gz:20 http://a.test/1: the record there is of http://b.test/1",
      "a.warc.gz:30 http://a.test/2: no whole record begins there",
      "a.warc.gz:40 http://a.test/3: a request is there",
      "a.warc.gz:50 http://a.test/4: no whole record begins there",
    ]);
  }));

Deno.test("DoneRecords counts the faults beyond ten thousand", () =>
  withFolder(async (dir) => {
    doneState(`${dir}/x.db`, 10_002, "a.warc.gz");
    using done = await DoneRecords.of(`${dir}/x.db`);
    const found = await faults(done);
    assert.equal(found.length, 10_001);
    assert.equal(found[0], "a.warc.gz:10 http://a.test/0: the file is not there");
    assert.match(found.at(-1)!, /2 more are not there$/);
  }));
