// The file: whose it is, what may open it, what is left of it after a crash.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { FrontierEngine } from "../../lib/frontier/engine.ts";
import { FrontierIdentityError, FrontierStateError } from "../../lib/frontier/errors.ts";
import { readDone, readQueued, readStats } from "../../lib/frontier/read.ts";
import { drain, ended, killCopy, links, open, seed, tempFolder, TestClock } from "./_helpers.ts";

Deno.test("FrontierEngine refuses another identity and names both values", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  open({ path, identity: { shard: "0 of 3", list: "abc" } }).close();
  assert.throws(() => new FrontierEngine({ path, identity: { shard: "1 of 3" } }), (error) => {
    assert.ok(error instanceof FrontierIdentityError);
    assert.deepEqual([error.key, error.stored, error.given], ["shard", "0 of 3", "1 of 3"]);
    assert.match(error.message, /0 of 3.*1 of 3/);
    return true;
  });
  open({ path, identity: { shard: "0 of 3", list: "def" }, accept: ["list"] }).close();
  assert.throws(
    () => new FrontierEngine({ path, identity: { list: "abc" } }),
    FrontierIdentityError,
  );
  open({ path, identity: { scope: "new" } }).close();
  assert.throws(
    () => new FrontierEngine({ path, identity: { scope: "old" } }),
    FrontierIdentityError,
  );
});

Deno.test("FrontierEngine refuses a state of a newer version", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  open({ path }).close();
  const db = new DatabaseSync(path);
  db.exec("pragma user_version = 99");
  db.close();
  assert.throws(() => new FrontierEngine({ path }), (error) => {
    assert.ok(error instanceof FrontierStateError);
    assert.match(error.message, /version 99/);
    assert.ok(error.message.includes(path));
    return true;
  });
});

Deno.test("FrontierEngine names the file that is no state, another program's, or damaged", () => {
  using folder = tempFolder();
  const named = (path: string) => (error: Error) =>
    error instanceof FrontierStateError && error.path === path && error.message.includes(path);
  const text = `${folder.path}/text.db`;
  Deno.writeTextFileSync(
    text,
    "not a database at all, but long enough to be looked at\n".repeat(40),
  );
  assert.throws(() => new FrontierEngine({ path: text }), named(text));
  const other = `${folder.path}/other.db`;
  const db = new DatabaseSync(other);
  db.exec("create table t(a)");
  db.close();
  assert.throws(() => new FrontierEngine({ path: other }), named(other));
  assert.throws(() => new FrontierEngine({ path: `${folder.path}/none/s.db` }), FrontierStateError);

  const torn = `${folder.path}/torn.db`;
  {
    using engine = open({ path: torn, blockUrls: 16 });
    engine.put(Array.from({ length: 2000 }, (_, i) => seed(`https://h${i % 50}.example/${i}`)));
  }
  const file = Deno.openSync(torn, { write: true });
  const { size } = file.statSync();
  for (let at = 4096; at < size; at += 4096) {
    file.seekSync(at, Deno.SeekMode.Start);
    file.writeSync(crypto.getRandomValues(new Uint8Array(4096)));
  }
  file.close();
  assert.throws(() => new FrontierEngine({ path: torn }), named(torn));
});

Deno.test("readDone(), readQueued() and readStats() name a state that is not there", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/none.db`;
  const readers = [
    () => readStats(path),
    async () => void await readDone(path)[Symbol.asyncIterator]().next(),
    async () => void await readQueued(path)[Symbol.asyncIterator]().next(),
  ];
  for (const read of readers) await assert.rejects(read, /Cannot open the state .*none\.db/);
});

Deno.test("what was not synced may be lost, what was committed may not", () => {
  using folder = tempFolder();
  const clock = new TestClock();
  const path = `${folder.path}/s.db`;
  using engine = open({ path, clock, blockUrls: 8, generationOps: 100 });
  const committed: { ended: Set<string>; admitted: Set<string>; wal: number }[] = [];
  const ends = new Set<string>(), admitted = new Set<string>();
  const put = (url: string) => (admitted.add(url), seed(url));
  for (let round = 0; round < 6; round++) {
    engine.put(
      Array.from({ length: 30 }, (_, i) => put(`https://h${i % 4}.example/${round}-${i}`)),
    );
    for (const { host, urls } of engine.claim(3, 4)) {
      const found = `https://x.example/${urls[0]!.id}`;
      admitted.add(found);
      engine.complete(urls.map(({ id }) => ended(id, { outlinks: links(found) })));
      for (const { url } of urls) ends.add(url);
      engine.releaseHosts([{ host, notBefore: 0, unused: [] }]);
    }
    engine.work(5);
    engine.commit();
    const wal = Deno.statSync(`${path}-wal`).size;
    committed.push({ ended: new Set(ends), admitted: new Set(admitted), wal });
    // Work that no commit follows, and a power cut: the log keeps what was synced and not a byte more.
    engine.put(Array.from({ length: 150 }, (_, i) => put(`https://y${i}.example/${round}`)));
    const claimed = engine.claim(2, 2);
    engine.complete(claimed.flatMap(({ urls }) => urls.map(({ id }) => ended(id))));
    const cut = `${folder.path}/cut${round}.db`;
    Deno.copyFileSync(path, cut);
    Deno.copyFileSync(`${path}-wal`, `${cut}-wal`);
    Deno.truncateSync(`${cut}-wal`, wal);
    const last = committed.at(-1)!;
    using after = open({ path: cut, clock, blockUrls: 8 });
    assert.equal(after.stats().answered, last.ended.size);
    const expected = [...last.admitted].filter((url) => !last.ended.has(url)).sort();
    assert.deepEqual(drain(after).sort(), expected);
    for (const { urls } of claimed) for (const { url } of urls) ends.add(url);
    engine.releaseHosts(claimed.map(({ host }) => ({ host, notBefore: 0, unused: [] })));
  }
});

Deno.test("hosts that were brought into memory and not handed out come back after a kill", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`, clock = new TestClock();
  const urls = Array.from({ length: 12 }, (_, i) => `https://h${i}.example/`);
  // Generations end at every commit, so that all hosts go to the tables.
  using engine = open({ path, clock, generationOps: 1 });
  engine.put(urls.map((url) => seed(url)));
  engine.commit();
  while (engine.work(1000));
  engine.commit();
  while (engine.work(1000));
  engine.commit();
  assert.equal(engine.claim(1, 1).length, 1);
  engine.commit();
  killCopy(path, `${folder.path}/killed.db`);
  using after = open({ path: `${folder.path}/killed.db`, clock });
  assert.deepEqual(drain(after).sort(), urls.sort());
});

Deno.test("an error inside a verb ends the engine's use, with the cause kept", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  const engine = new FrontierEngine({ path });
  engine.put([seed("https://a.example/")]);
  engine.commit();
  const other = new DatabaseSync(path);
  other.exec("drop table journal");
  other.close();
  engine.put([seed("https://b.example/")]);
  assert.throws(() => engine.commit(), (error) => {
    assert.ok(error instanceof FrontierStateError && error.cause instanceof Error);
    return true;
  });
  assert.throws(
    () => engine.put([seed("https://c.example/")]),
    /an earlier error ended its use.*no such table/,
  );
  assert.throws(() => engine.close());
  assert.throws(() => engine.stats(), /it is closed/);
});

Deno.test("a state whose rows are spoilt is said to be damaged, and what to do", () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  const engine = new FrontierEngine({ path });
  engine.put([seed("https://a.example/")]);
  engine.commit();
  engine.close();
  const spoilt = [
    "update journal set body = x'00ff00ff'",
    "update journal set body = x'28b52ffdff'",
    "update meta set value = '{' where key = 'counters'",
    "delete from meta where key = 'counters'",
    "delete from meta where key = 'key'",
  ];
  for (const sql of spoilt) {
    const copy = `${folder.path}/copy.db`;
    Deno.copyFileSync(path, copy);
    const db = new DatabaseSync(copy);
    db.exec(sql);
    db.close();
    assert.throws(() => new FrontierEngine({ path: copy }), (error) => {
      assert.ok(error instanceof FrontierStateError, sql);
      assert.match(
        error.message,
        /^Cannot open the state ".+": .+\. It is damaged: .+ another state\.$/,
      );
      return true;
    });
    Deno.removeSync(copy);
  }
});
