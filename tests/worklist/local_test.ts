import assert from "node:assert/strict";
import { join } from "node:path";
import { WorkListError } from "../../lib/worklist/errors.ts";
import { openWorkList } from "../../lib/worklist/open.ts";
import { LAST_ROW } from "../../lib/worklist/ranges.ts";
import type { ReadOptions, WorkList, WorkRow } from "../../lib/worklist/types.ts";
import { writeList } from "./_lists.ts";

const dir = await Deno.makeTempDir({ prefix: "ccrawl-local-" });
globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));

async function rows(list: WorkList, options: ReadOptions = {}): Promise<WorkRow[]> {
  const out: WorkRow[] = [];
  for await (const batch of list.read(options)) out.push(...batch.rows);
  return out;
}

const places = (list: WorkRow[]) => list.map(({ part, row, url }) => [part, row, url]);

async function* pieces(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.slice(at, at + size));
  }
}

Deno.test("a .txt file is one URL a line; blank lines and comments are no rows", async () => {
  const path = join(dir, "a.txt");
  await Deno.writeTextFile(
    path,
    "\ufeffhttps://a.example/\r\n\r\n# a comment\n  b.example  \nhttp://c.example/x#y\n//d.example/p\nlast.example",
  );
  const list = await openWorkList({ from: path });
  assert.equal(list.source, path);
  assert.deepEqual(places(await rows(list)), [
    [0, 0, "https://a.example/"],
    [0, 1, "https://b.example/"],
    [0, 2, "http://c.example/x#y"],
    [0, 3, "https://d.example/p"],
    [0, 4, "https://last.example/"],
  ]);
  assert.deepEqual(places(await rows(list, { from: { part: 0, row: 3 } })).map(([, row]) => row), [
    3,
    4,
  ]);
});

Deno.test("a .jsonl file gives its url fields; what has none is a row that is counted", async () => {
  const path = join(dir, "b.jsonl");
  await Deno.writeTextFile(
    path,
    '{"url":"https://a.example/","priority":1}\n{"URL":"x"}\nnot json\n\n{"url":5}\n[]\nnull\n{"url":""}\n{"url":"https://b.example/"}\n',
  );
  const list = await openWorkList({ from: path });
  assert.deepEqual(places(await rows(list)), [[0, 0, "https://a.example/"], [
    0,
    7,
    "https://b.example/",
  ]]);
  assert.equal(list.stats.bad, 6);
  assert.equal(list.stats.rows, 8);
});

Deno.test("a column of JSON lines is the field of that name, in a file and on standard input", async () => {
  const path = join(dir, "links.jsonl");
  const text = '{"link":"https://a.example/"}\n{"url":"https://no.example/"}\n{"link":5}\n';
  await Deno.writeTextFile(path, text);
  const file = await openWorkList({ from: path, column: "link" });
  assert.equal(file.source, `${path}#link`);
  const piped = await openWorkList({ from: "-", stdin: pieces(text, 9), column: "link" });
  assert.equal(piped.source, "-#link");
  for (const list of [file, piped]) {
    assert.deepEqual(places(await rows(list)), [[0, 0, "https://a.example/"]]);
    assert.equal(list.stats.bad, 2);
  }
  const usual = await openWorkList({ from: "-", stdin: pieces("", 1), column: "url" });
  assert.equal(usual.source, "-", "as it has always been in states");
});

Deno.test("a release of a list on disk is refused: there is none", async () => {
  const path = join(dir, "released.txt");
  await Deno.writeTextFile(path, "https://a.example/\n");
  for (const from of [path, dir]) {
    await assert.rejects(
      openWorkList({ from, dir: "captures/" }),
      (error: Error) => error instanceof WorkListError && /"captures\/".*--out/.test(error.message),
    );
  }
});

Deno.test("standard input is URLs or JSON objects, in pieces of any size", async () => {
  const text = 'https://a.example/\n{"url":"https://b.example/ü"}\n# no\nc.example\n';
  for (const size of [1, 3, 1000]) {
    const list = await openWorkList({ from: "-", stdin: pieces(text, size) });
    assert.equal(list.source, "-");
    assert.deepEqual(places(await rows(list)), [
      [0, 0, "https://a.example/"],
      [0, 1, "https://b.example/ü"],
      [0, 2, "https://c.example/"],
    ]);
  }
  // A resume is given the same input again.
  const list = await openWorkList({ from: "-", stdin: pieces(text, 5) });
  const again = await rows(list, {
    from: { part: 0, row: 2 },
    pending: [{ part: 0, first: 0, last: 0 }],
  });
  assert.deepEqual(again.map((r) => r.row), [0, 2]);
});

Deno.test("a line without an end is a bad row, and is not kept in memory", async () => {
  const list = await openWorkList({
    from: "-",
    stdin: (async function* () {
      yield* pieces("https://a.example/\n", 100);
      const junk = new Uint8Array(1 << 20).fill(0x78);
      for (let i = 0; i < 64; i++) yield junk;
      yield* pieces("\nhttps://b.example/\n", 100);
    })(),
  });
  assert.deepEqual(places(await rows(list)), [[0, 0, "https://a.example/"], [
    0,
    2,
    "https://b.example/",
  ]]);
  assert.equal(list.stats.bad, 1);
});

Deno.test("a folder's files are its parts, by the numbers in their names, whatever their formats", async () => {
  const folder = join(dir, "folder");
  await Deno.mkdir(join(folder, "below"), { recursive: true });
  await Deno.writeTextFile(join(folder, "part-10.txt"), "ten.example");
  await Deno.writeTextFile(join(folder, "part-9.jsonl"), '{"url":"https://nine.example/"}');
  await writeList(join(folder, "part-1.parquet"), ["https://one.example/"]);
  await Deno.writeTextFile(join(folder, "README.md"), "no");
  await Deno.writeTextFile(join(folder, ".part-2.txt"), "hidden.example");
  await Deno.writeTextFile(join(folder, "below", "part-0.txt"), "below.example");
  const list = await openWorkList({ from: folder + "/" });
  assert.deepEqual(list.parts.map((p) => p.name.slice(folder.length + 1)), [
    "part-1.parquet",
    "part-9.jsonl",
    "part-10.txt",
  ]);
  assert.deepEqual(places(await rows(list)), [
    [0, 0, "https://one.example/"],
    [1, 0, "https://nine.example/"],
    [2, 0, "https://ten.example/"],
  ]);
});

Deno.test("a WARC file gives the URLs of its responses", async () => {
  const { WarcWriter } = await import("../../lib/warc/writer.ts");
  const out = join(dir, "warc");
  const bytes = (text: string) => new TextEncoder().encode(text);
  using writer = new WarcWriter({
    dir: out,
    software: "test/1",
    command: "test",
    surt: (url) => url,
  });
  for (let i = 0; i < 3; i++) {
    writer.write({
      url: `https://w${i}.example/`,
      date: Date.UTC(2026, 0, 1),
      ip: "192.0.2.1",
      request: bytes("GET / HTTP/1.1\r\n\r\n"),
      status: 200,
      head: bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"),
      body: bytes(`o${i}`),
      mime: "text/html",
    });
  }
  writer.close();
  const list = await openWorkList({ from: out });
  assert.deepEqual(
    places(await rows(list)),
    [0, 1, 2].map((i) => [0, i, `https://w${i}.example/`]),
  );
  assert.deepEqual((await rows(list, { from: { part: 0, row: 2 } })).map((r) => r.row), [2]);
});

Deno.test("read() reads pending rows again and goes on, in one pass and in order", async () => {
  const folder = join(dir, "again");
  await Deno.mkdir(folder);
  for (let p = 0; p < 3; p++) {
    await writeList(
      join(folder, `${p}.parquet`),
      Array.from({ length: 100 }, (_, i) => `https://h${i}.example/${p}`),
      { pageSize: 300 },
    );
  }
  const list = await openWorkList({ from: folder });
  const batches = await Array.fromAsync(list.read({
    from: { part: 1, row: 90 },
    pending: [
      { part: 1, first: 20, last: 21 },
      { part: 0, first: 95, last: LAST_ROW },
      { part: 1, first: 89, last: 89 },
    ],
    batch: 4,
  }));
  const read = batches.flatMap((b) => b.rows).map((r) => [r.part, r.row]);
  const expected = [
    ...[95, 96, 97, 98, 99].map((r) => [0, r]),
    ...[20, 21, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99].map((r) => [1, r]),
    ...Array.from({ length: 100 }, (_, r) => [2, r]),
  ];
  assert.deepEqual(read, expected);
  // What is still to be read again when a batch was read: a checkpoint made then keeps it.
  assert.deepEqual(batches[0]!.unread, [
    { part: 0, first: 99, last: LAST_ROW },
    { part: 1, first: 20, last: 21 },
    { part: 1, first: 89, last: 89 },
  ]);
  assert.deepEqual(batches[2]!.unread, []);
  // Rows that are read again do not move the position, and nothing moves it backwards.
  assert.deepEqual(batches[0]!.next, { part: 1, row: 90 });
  assert.deepEqual(batches.at(-1)!.next, { part: 3, row: 0 });
  assert.deepEqual(await rows(list, { from: { part: 3, row: 0 } }), []);
});

Deno.test("rows and files that an earlier run had and the list has no more are told, not passed over", async () => {
  const path = join(dir, "shrunk.txt");
  await Deno.writeTextFile(path, "a.example\nb.example\nc.example\n");
  const list = await openWorkList({ from: path });
  const end = { part: 1, row: 0 };
  for (
    const [options, message] of [
      [{ from: end, pending: [{ part: 0, first: 1, last: 3 }] }, /shrunk\.txt has no row 3, which/],
      [{ from: { part: 0, row: 5 }, pending: [{ part: 0, first: 4, last: 4 }] }, /has no row 4/],
      [
        { from: end, pending: [{ part: 1, first: 0, last: 0 }] },
        /has fewer files \(1\) than an earlier run read \(2\)/,
      ],
      [{ from: { part: 3, row: 0 } }, /has fewer files \(1\) than an earlier run read \(3\)/],
    ] as const
  ) {
    await assert.rejects(rows(list, options), (error: Error) => {
      assert.ok(error instanceof WorkListError);
      assert.match(error.message, message);
      return true;
    });
  }
  for (
    const [options, read] of [
      [{ from: { part: 0, row: 3 } }, []],
      [{ from: end, pending: [{ part: 0, first: 1, last: LAST_ROW }] }, [1, 2]],
      [{ from: end, pending: [{ part: 0, first: 2, last: 2 }] }, [2]],
    ] as const
  ) assert.deepEqual((await rows(list, options)).map((r) => r.row), read);
});

Deno.test("a batch's position is behind its last row, so that rows of other shards are not read again", async () => {
  const path = join(dir, "shards.txt");
  await Deno.writeTextFile(
    path,
    [
      "example.com",
      "ycombinator.com",
      "wikipedia.org",
      "bbc.co.uk",
      "golang.org",
      "commoncrawl.org",
    ].join("\n"),
  );
  const list = await openWorkList({ from: path });
  const of = async (shard: number) =>
    (await Array.fromAsync(list.read({ shard, shards: 3, batch: 1 }))).flatMap((b) =>
      b.rows.map((r) => [r.row, r.host, b.next.row])
    );
  assert.deepEqual(await of(0), [[1, "ycombinator.com", 2], [3, "bbc.co.uk", 4], [
    4,
    "golang.org",
    5,
  ]]);
  assert.deepEqual(await of(1), [[5, "commoncrawl.org", 6]]);
  assert.deepEqual(await of(2), [[0, "example.com", 1], [2, "wikipedia.org", 3]]);
  await assert.rejects(rows(list, { shard: 3, shards: 3 }), RangeError);
  await assert.rejects(rows(list, { batch: 0 }), RangeError);
});

Deno.test("what is not there, and what is no work list, are named", async () => {
  const empty = join(dir, "empty");
  await Deno.mkdir(empty);
  for (
    const [from, message] of [
      [join(dir, "none.txt"), /Cannot read the work list ".*none\.txt"/],
      ["no/such/path.parquet", /Cannot read the work list "no\/such\/path\.parquet"/],
      [empty, /the folder has no \.parquet/],
      [new URL(import.meta.url).pathname, /its name must end in/],
    ] as const
  ) {
    await assert.rejects(openWorkList({ from }), (error: Error) => {
      assert.ok(error instanceof WorkListError);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(openWorkList({ from: "urls", hub: "ftp://x" }), /no http or https URL/);
});

Deno.test("a signal ends reading with its reason", async () => {
  const path = join(dir, "long.txt");
  await Deno.writeTextFile(
    path,
    Array.from({ length: 30_000 }, (_, i) => `h${i}.example`).join("\n"),
  );
  const stop = new AbortController();
  const reason = new Error("enough");
  let read = 0;
  await assert.rejects(async () => {
    for await (const batch of (await openWorkList({ from: path })).read({ signal: stop.signal })) {
      read += batch.rows.length;
      if (read >= 4000) stop.abort(reason);
    }
  }, reason);
  assert.ok(read < 30_000);
});
