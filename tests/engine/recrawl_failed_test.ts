import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { byUrl, collect, readRows, toward } from "./_recrawl.ts";
import { recrawl } from "../../lib/engine/recrawl.ts";

const web = await startWeb({ hosts: 12, pages: 12, pageBytes: 1000 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());

Deno.test("what failed in a pass is fed back: those rows and no others, until nothing fails", () =>
  withFolder(async (dir) => {
    const good = Array.from({ length: 6 }, (_, i) => web.url(`g${i}.good-g${i}.test`, "/p/0"));
    const down = Array.from({ length: 3 }, (_, i) => web.url(`d${i}.nx-g${i}.test`, "/p/0"));
    const gone = Array.from({ length: 2 }, (_, i) => web.closedUrl(`r${i}.good-g${i}.test`));
    const list = [...good, ...down, ...gone];
    await collect(web, dir, { from: list, out: `${dir}/first` });
    const first = byUrl(await readRows(`${dir}/first`, ["url", "error"]));
    assert.deepEqual(
      [...first.values()].filter(({ error }) => error !== "").map(({ url, error }) => [url, error])
        .sort(),
      [...down.map((url) => [url, "dns"]), ...gone.map((url) => [url, "refused"])].sort(),
    );

    // Their names are there again.
    for (let i = 0; i < 3; i++) await web.set(`d${i}.nx-g${i}.test`, "good");
    const second = await collect(web, dir, {
      from: `${dir}/first`,
      failed: ["dns"],
      out: `${dir}/second`,
      state: `${dir}/second.json`,
    });
    assert.deepEqual(second.records.map(({ url }) => url).sort(), down.toSorted());
    assert.deepEqual(second.records.map(({ status }) => status), [200, 200, 200]);

    const third = await collect(web, dir, {
      from: `${dir}/first`,
      failed: ["all"],
      out: `${dir}/third`,
    });
    assert.deepEqual(third.records.map(({ url }) => url).sort(), [...down, ...gone].sort());
    const fourth = await collect(web, dir, {
      from: `${dir}/second`,
      failed: ["all"],
      out: `${dir}/fourth`,
    });
    assert.deepEqual(fourth.records, []);

    // A state of these failures is none of others.
    const other = recrawl(toward(web, dir, {
      from: `${dir}/first`,
      failed: ["refused"],
      out: `${dir}/fifth`,
      state: `${dir}/second.json`,
    }));
    await assert.rejects(other[Symbol.asyncIterator]().next(), /second\.json.*failed dns/s);
  }));
