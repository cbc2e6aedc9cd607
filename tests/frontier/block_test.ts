// Blocks that are used in part: what is left goes back as it is, in its order, once.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import { BlockReader, BlockWriter, decodeBlock, LoadedBlock } from "../../lib/frontier/_block.ts";
import { RawEntry } from "../../lib/frontier/_entry.ts";
import { FrontierEngine } from "../../lib/frontier/engine.ts";
import { readQueued } from "../../lib/frontier/read.ts";
import { drain, ended, killCopy, open, seed, tempFolder } from "./_helpers.ts";

function block(count: number): Uint8Array {
  const writer = new BlockWriter(), raw = new RawEntry();
  for (let i = 0; i < count; i++) {
    const bytes = Buffer.from(`https://a.example/page/${i}`);
    raw.setUrl(bytes, 0, 8, 17, bytes.length);
    raw.seq = 100 + i * 3;
    raw.priority = i % 2 === 0 ? 1 : 1.5;
    raw.depth = i % 3;
    writer.add(raw);
  }
  return writer.take();
}

Deno.test("a block's rest has the entries that are left, also of a rest, under its priority", () => {
  const whole = { priority: null, body: block(100) };
  const all = decodeBlock("a.example", whole);
  assert.equal(all.length, 100);
  let row: { priority: number | null; body: Uint8Array } = { priority: 4, body: whole.body };
  let left = 100;
  for (const taken of [0, 1, 16, 30]) {
    const loaded = new LoadedBlock(row, left);
    for (let i = 0; i < taken; i++) loaded.advance();
    left -= taken;
    const rest = loaded.rest();
    assert.ok(rest !== undefined);
    assert.deepEqual(
      decodeBlock("a.example", rest),
      all.slice(100 - left).map((entry) => ({ ...entry, priority: 4 })),
    );
    row = rest;
  }
  const loaded = new LoadedBlock(row, left);
  for (let i = 0; i < 4; i++) loaded.advance();
  assert.equal(loaded.rest(), undefined, "less than half is written anew");
});

Deno.test("a block with more or fewer entries than its row says is an error", () => {
  const row = { priority: null, body: block(5) };
  const more = new LoadedBlock(row, 6);
  assert.throws(() => {
    for (let i = 0; i < 6; i++) more.advance();
  }, RangeError);
  const fewer = new LoadedBlock(row, 4);
  assert.throws(() => {
    for (let i = 0; i < 4; i++) fewer.advance();
  }, RangeError);
  assert.throws(() => new LoadedBlock(row, 0), RangeError);
  const tooFar = new Uint8Array([64, 9, ...row.body]);
  assert.throws(() => new BlockReader({ priority: null, body: tooFar }), RangeError);
});

const urls = Array.from(
  { length: 1000 },
  (_, i) => `https://h${i % 3}.example/some/longer/path/${i}`,
);

/**
 * A state whose blocks have been used in part, through several generations; the URLs that
 * ended, and how often a rest lay on disk.
 */
function usedInPart(
  engine: FrontierEngine,
  path: string,
  rounds: number,
): { done: string[]; rests: number } {
  const done: string[] = [];
  let rests = 0;
  const db = new DatabaseSync(path, { readOnly: true });
  const count = db.prepare("select count(*) as n from blocks where hex(body) like '40%'");
  for (let round = 0; round < rounds; round++) {
    const hosts = engine.claim(3, 7);
    for (const { host, urls } of hosts) {
      done.push(...urls.slice(0, 5).map(({ url }) => url));
      engine.complete(urls.slice(0, 5).map(({ id }) => ended(id)));
      engine.releaseHosts([{ host, notBefore: 0, unused: urls.slice(5).map(({ id }) => id) }]);
    }
    engine.commit();
    while (engine.work(1000));
    engine.commit();
    rests += Number(count.get()!.n);
  }
  db.close();
  return { done, rests };
}

Deno.test("blocks used in part keep every URL once and in order, through kills and priorities", async () => {
  for (const priority of [undefined, 0.5]) {
    using folder = tempFolder();
    let path = `${folder.path}/0.db`;
    const options = { blockUrls: 64, generationOps: 40 };
    const left = new Set(urls), order = new Map(urls.map((url, at) => [url, at]));
    let engine = new FrontierEngine({ ...options, path });
    engine.put(urls.map((url) => seed(url)));
    let rests = 0;
    for (let life = 1; life <= 4; life++) {
      const used = usedInPart(engine, path, 6);
      for (const url of used.done) assert.ok(left.delete(url), `${url} came twice`);
      rests += used.rests;
      if (priority !== undefined && life === 2) engine.setPriority("h1.example", priority);
      engine.commit();
      // Some are out when the process ends.
      engine.claim(2, 3);
      const next = `${folder.path}/${life}.db`;
      killCopy(path, next);
      engine.close();
      path = next;
      const queued: string[] = [];
      for await (const { url } of readQueued(path)) queued.push(url);
      assert.deepEqual(queued.sort(), [...left].sort());
      engine = new FrontierEngine({ ...options, path });
    }
    assert.ok(rests > 0, "no block went back as it was");
    const last = drain(engine);
    engine.close();
    assert.deepEqual([...last].sort(), [...left].sort());
    for (const host of ["h0", "h1", "h2"]) {
      const places = last.filter((url) => url.includes(`//${host}.`)).map((url) => order.get(url)!);
      assert.deepEqual(places, [...places].sort((a, b) => a - b), host);
    }
  }
});

Deno.test("a state of the version before opens, with all that is in it", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  {
    using engine = open({ path });
    engine.put(urls.map((url) => seed(url)));
  }
  const db = new DatabaseSync(path);
  db.exec("pragma user_version = 2");
  db.close();
  {
    using engine = open({ path });
    assert.equal(drain(engine).length, urls.length);
  }
  const after = new DatabaseSync(path, { readOnly: true });
  assert.equal(after.prepare("pragma user_version").get()!.user_version, 3);
  after.close();
  const older = new DatabaseSync(path);
  older.exec("pragma user_version = 1");
  older.close();
  assert.throws(() => new FrontierEngine({ path }), /version 1, this program knows 3/);
});
