import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { verifyPaths } from "../../lib/engine/verify.ts";
import { collect, withFolder } from "./_crawl.ts";
import { startWeb } from "../web/mod.ts";

const archives = (dir: string) =>
  readdirSync(dir).filter((name) => /\.warc\.gz(\.open)?$/.test(name)).sort();

async function faults(paths: readonly string[], state: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { file, fault, detail } of verifyPaths(paths, { state })) {
    found.push(`${file}: ${fault}: ${detail}`);
  }
  return found;
}

Deno.test("crawl() repairs what a killed run left under another prefix of its folder", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 4, pages: 80, pageBytes: 1000 });
    const warc = `${dir}/warc`, state = `${dir}/crawl.db`;
    const options = { seeds: web.seeds(), maxDepth: 100, state };
    await collect(web, { ...options, limit: 40, warc: { dir: warc, prefix: "before" } });
    // As a kill leaves it: not sealed, without an index, half a record at its end.
    const left = `${warc}/before-00000.warc.gz`;
    Deno.removeSync(`${warc}/before-00000.cdxj`);
    Deno.writeFileSync(left, Deno.readFileSync(left).slice(0, 300), { append: true });
    Deno.renameSync(left, `${left}.open`);
    const { records } = await collect(web, { ...options, warc: { dir: warc, prefix: "after" } });
    assert.equal(records.length, 40);
    assert.deepEqual(archives(warc), ["after-00000.warc.gz", "before-00000.warc.gz"]);
    assert.ok(readdirSync(warc).includes("before-00000.cdxj"));
    assert.deepEqual(await faults([warc], state), []);
  }));

Deno.test("crawl() gives no file a name that its state knows, in a folder that knows it not", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 4, pages: 80, pageBytes: 1000 });
    const warc = `${dir}/warc`, state = `${dir}/crawl.db`;
    const options = { seeds: web.seeds(), maxDepth: 100, state };
    await collect(web, { ...options, limit: 20, warc: { dir: warc, writers: 2 } });
    const first = archives(warc);
    Deno.renameSync(warc, `${dir}/moved`);
    await collect(web, { ...options, limit: 20, warc });
    const second = archives(warc);
    await collect(web, { ...options, limit: 20, warc: { dir: warc, prefix: "own" } });
    await collect(web, { ...options, warc: `${dir}/other` });
    const names = [...first, ...second, ...archives(`${dir}/other`)];
    assert.ok(second.length > 0 && archives(`${dir}/other`).length > 0);
    assert.deepEqual(names.filter((name, at) => names.indexOf(name) !== at), []);
    assert.ok(archives(warc).includes("own-00000.warc.gz"), "a prefix counts for itself");
    assert.deepEqual(await faults([`${dir}/moved`, warc, `${dir}/other`], state), []);
  }));
