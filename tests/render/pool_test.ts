import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { base32 } from "../../lib/render/_base32.ts";
import { decodePageRow } from "../../lib/render/page_row.ts";
import { RenderPoolError } from "../../lib/render/pool_error.ts";
import type { RowsMessage } from "../../lib/render/rows.ts";
import { byKey, collect, page } from "./_pool.ts";

const sha1 = (bytes: Uint8Array) => base32(createHash("sha1").update(bytes).digest());
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Numbers that are the same every run. */
function random(seed: number): () => number {
  return () => {
    seed = Math.imul(seed ^ seed >>> 15, 0x2c1b3c6d);
    seed = Math.imul(seed ^ seed >>> 12, 0x297a2d39) + 0x9e3779b9 | 0;
    return (seed >>> 0) / 2 ** 32;
  };
}

Deno.test("RenderPool gives every page back exactly once, as it was, whatever dies in between", async () => {
  const next = random(7);
  const { pool, rows } = collect({ queueBytes: 2 ** 20, sinkBytes: 2 ** 18, deadlineMs: 2_000 });
  const expected = new Map<string, { body: Uint8Array; rest: string; failed: boolean }>();
  const owned: Uint8Array[] = [];
  const evils = new Map([[300, "exit"], [900, "exit 3"], [1501, "throw"], [1502, "exit"]]);
  for (let i = 0; i < 3_000; i++) {
    const body = new Uint8Array(i % 500 === 3 ? 700_000 : Math.floor(next() ** 4 * 60_000)).fill(i);
    const evil = evils.get(i);
    const coded = evil === undefined && next() < 0.3 && body.length > 0;
    const sent = coded ? gzipSync(body, { level: 1 }) : body;
    expected.set(`${i}`, { body: sent, rest: `rest ${i}`, failed: evil !== undefined });
    const given = i % 3 === 0 ? new Uint8Array(sent) : sent;
    if (given !== sent) owned.push(given);
    await pool.push(page(`${i}`, given, {
      owned: given !== sent,
      contentEncoding: evil ? `x-do ${evil}` : coded ? "gzip" : "",
      rest: new TextEncoder().encode(`rest ${i}`),
    }));
  }
  await pool.close();
  const found = byKey(rows);
  assert.equal(found.size, 3_000);
  for (const [key, { body, rest, failed }] of expected) {
    const row = found.get(key)!;
    assert.equal(Buffer.compare(row.body, body), 0);
    assert.equal(text(row.rest), rest);
    assert.equal(row.failed !== "", failed, `${key}: ${row.failed}`);
    if (!failed) assert.equal(row.whole, true);
  }
  assert.ok(owned.every(({ length }) => length === 0), "their memory was given back");
  const figures = pool.figures;
  assert.equal(figures.pages, 3_000);
  assert.equal(figures.failed, 4);
  assert.equal(figures.poison, 3);
  assert.ok(figures.queuePeak <= figures.queueBound);
  assert.ok(figures.sinkPeak <= figures.sinkBound || figures.sinkPeak < 1_500_000);
  assert.equal(figures.queueBytes, 0);
});

Deno.test("RenderPool renders: title, Markdown, links, digest of the decoded body, charset", async () => {
  const { pool, rows } = collect({ extractor: "main", width: 1 });
  const html =
    "<title>T</title><meta name=robots content=noindex><h1>Hello</h1><p>A <a href=/x>b</a>";
  const body = new TextEncoder().encode(html);
  const russian = "Привет всем, это обычная русская страница без указания кодировки";
  const cyrillic = Uint8Array.from(`<p>${russian}`, (c) => {
    const point = c.charCodeAt(0);
    return point < 0x80 ? point : point - 0x350; // windows-1251 has the alphabet at 0xC0
  });
  await pool.push(page("plain", body));
  await pool.push(page("coded", gzipSync(body), { contentEncoding: "gzip" }));
  await pool.push(page("sniffed", body, { contentType: "" }));
  await pool.push(page("other", body, { contentType: "text/plain" }));
  await pool.push(page("unwanted", body, { render: false }));
  await pool.push(page("wrong", body, { contentEncoding: "zstd" }));
  await pool.push(page("cut", gzipSync(body).subarray(0, 60), { contentEncoding: "gzip" }));
  await pool.push(page("undeclared", cyrillic, { contentType: "text/html" }));
  await pool.push(page("empty", ""));
  await pool.close();
  const found = byKey(rows);
  for (const key of ["plain", "coded", "sniffed", "wrong"]) {
    const row = found.get(key)!;
    assert.equal(row.title, "T", key);
    assert.equal(row.markdown, `# Hello\n\nA [b](https://a.example/x)`);
    assert.equal(row.text.replace(/\s+/g, " "), "Hello A b");
    assert.equal(row.wordCount, 3);
    assert.equal(row.links, 1);
    assert.deepEqual(row.robotsMeta, ["noindex"]);
    assert.equal(row.extractor, "main@1");
    assert.equal(row.digest, sha1(body));
    assert.notEqual(row.simhash, 0n);
    assert.equal(row.decodedLength, body.length);
  }
  assert.equal(found.get("wrong")!.whole, false);
  assert.match(found.get("wrong")!.decodeError, /not zstd/);
  for (const key of ["other", "unwanted", "empty"]) {
    const row = found.get(key)!;
    assert.deepEqual([row.extractor, row.markdown, row.failed], ["", "", ""], key);
  }
  const cut = found.get("cut")!;
  assert.equal(cut.digest, sha1(cut.body));
  assert.equal(cut.whole, false);
  assert.equal(found.get("undeclared")!.charset, "windows-1251");
  assert.equal(found.get("undeclared")!.markdown, russian);
});

Deno.test("RenderPool survives pages that break its threads, and remembers them", async () => {
  const told: [string, string][] = [];
  const { pool, rows } = collect({
    deadlineMs: 1_500,
    memoryMb: 32,
    onPoison: (key, reason) => told.push([key, reason]),
  });
  const evils = ["spin", "match", "grow", "exit", "throw", "recurse"];
  for (const evil of evils) {
    await pool.push(page(evil, `<!--do ${evil}--><p>Hello`));
    await pool.push(page(`after ${evil}`, "<p>Hello"));
  }
  await pool.close();
  const found = byKey(rows);
  assert.equal(found.size, 12);
  for (const evil of evils) {
    assert.equal(found.get(`after ${evil}`)!.failed, "");
    const row = found.get(evil)!;
    assert.equal(row.extractor, "");
    assert.equal(row.digest, sha1(row.body));
    assert.ok(row.body.length > 0);
  }
  const why = (key: string) => found.get(key)!.failed;
  assert.equal(why("spin"), "it took longer than 1500 ms");
  assert.equal(why("match"), "it took longer than 1500 ms");
  assert.match(why("grow"), /^it (?:ran out of memory|took longer)/);
  assert.match(why("exit"), /ended \(code 0\)/);
  assert.equal(why("throw"), "told to throw");
  assert.match(why("recurse"), /stack/);
  const { poison, failed, pages } = pool.figures;
  assert.deepEqual([poison, failed, pages], [4, 6, 12]);
  assert.deepEqual(told.map(([key]) => key).sort(), ["exit", "grow", "match", "spin"]);
  assert.deepEqual(told.find(([key]) => key === "exit"), ["exit", why("exit")]);
});

for (const evil of ["exit", "spin"]) {
  Deno.test(`RenderPool fails where a page that is at "${evil}" cannot be remembered`, async () => {
    const errors: Error[] = [];
    const { pool } = collect({
      ...{ width: 1, deadlineMs: 500, onError: (error) => void errors.push(error) },
      onPoison() {
        throw new Error("the disk is full");
      },
    });
    await pool.push(page(evil, `<!--do ${evil}--><p>Hello`));
    const message = "Cannot remember a page: the disk is full";
    await assert.rejects(pool.close(), { name: "RenderPoolError", message });
    assert.deepEqual(errors.map((error) => error.message), [message]);
    await pool.abort();
  });
}

Deno.test("RenderPool does not try what it was told breaks renderers", async () => {
  const told: string[] = [];
  const { pool, rows } = collect({
    poison: [["forgotten", "long ago"], ["exit", "it did so before"], ["spin", "so did this"]],
    maxPoison: 2,
    onPoison: (key) => told.push(key),
    width: 1,
  });
  for (const evil of ["exit", "spin"]) await pool.push(page(evil, `<!--do ${evil}--><p>Hello`));
  await pool.push(page("forgotten", "<p>Hello"));
  await pool.close();
  const found = byKey(rows);
  assert.equal(found.get("exit")!.failed, "it did so before");
  assert.equal(found.get("exit")!.digest, sha1(found.get("exit")!.body));
  assert.equal(found.get("spin")!.failed, "so did this");
  assert.equal(found.get("forgotten")!.failed, "");
  assert.deepEqual(told, []);
  const { poison, remembered, failed } = pool.figures;
  assert.deepEqual({ poison, remembered, failed }, { poison: 0, remembered: 2, failed: 2 });
});

Deno.test("RenderPool makes a row of a page that breaks even its decoding", async () => {
  const { pool, rows } = collect({ deadlineMs: 100, width: 1 });
  for (const evil of ["spin", "exit", "throw"]) {
    await pool.push(page(evil, "<p>x", { contentEncoding: `x-do ${evil}` }));
  }
  await pool.push(page("fine", "<p>x"));
  await pool.close();
  const found = byKey(rows);
  assert.equal(found.get("spin")!.failed, "it took longer than 100 ms");
  assert.match(found.get("exit")!.failed, /ended/);
  assert.equal(found.get("throw")!.failed, "told to throw");
  for (const key of ["spin", "exit", "throw"]) {
    const row = found.get(key)!;
    assert.deepEqual([row.whole, row.digest, row.html], [false, sha1(row.body), false]);
    assert.equal(row.decodeError, row.failed);
  }
  assert.equal(found.get("fine")!.failed, "");
  assert.equal(pool.figures.poison, 2);
});

Deno.test("RenderPool replaces a worker that was stopped amid a page, whatever came after", async () => {
  const { pool, rows } = collect({ deadlineMs: 500, width: 1 });
  await pool.push(page("evil", "<p>x", { contentEncoding: "x-do spin, then throw" }));
  await pool.push(page("next", "<p>x", { contentEncoding: "x-do tell" }));
  await pool.close();
  const found = byKey(rows);
  assert.equal(found.get("evil")!.failed, "it took longer than 500 ms");
  assert.equal(found.get("next")!.failed, "this thread was not stopped");
});

Deno.test("RenderPool replaces a worker that does nothing more", async () => {
  const { pool, rows } = collect({ deadlineMs: 100, width: 1, extractor: "main" });
  await pool.push(page("hang", "<!--hang-->"));
  await pool.push(page("fine", "x", { contentType: "text/plain" }));
  await pool.close();
  const found = byKey(rows);
  assert.equal(found.get("hang")!.failed, "it took longer than 100 ms");
  assert.equal(found.get("hang")!.whole, true);
  assert.equal(pool.figures.stuck, 1);
  assert.equal(found.get("fine")!.failed, "");
});

Deno.test({
  name: "RenderPool takes no thread to hang for the time that the whole process was stopped",
  ignore: Deno.build.os === "windows",
  async fn() {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-check", new URL("./_paused.ts", import.meta.url).href],
      ...{ stdin: "piped", stdout: "piped" },
    }).spawn();
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).values();
    assert.equal((await lines.next()).value, "busy\n");
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      child.kill("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, 4_500));
      child.kill("SIGCONT");
    }
    await child.stdin.close();
    assert.equal((await lines.next()).value, "0\n");
    await child.status;
  },
});

Deno.test("RenderPool that leaves too many threads behind says that a new process may get further", async () => {
  const poison: string[] = [];
  const { promise, resolve } = Promise.withResolvers<RenderPoolError>();
  const { pool } = collect({
    ...{ deadlineMs: 100, width: 9, extractor: "main" as const },
    onPoison: (key) => void poison.push(key),
    onError: resolve,
  });
  for (let i = 0; i < 9; i++) await pool.push(page(`hang ${i}`, "<!--hang-->"));
  const error = await promise;
  assert.ok(error.restart);
  assert.match(error.message, /^Cannot go on rendering: 9 threads hang at pages/);
  // It will not meet them again.
  assert.equal(poison.length, 9);
  await assert.rejects(pool.close(), RenderPoolError);
});

Deno.test("RenderPool gets through hostile pages and bombs", async () => {
  const { pool, rows } = collect({
    extractor: "main",
    width: 1,
    maxDecodedBytes: 8 * 2 ** 20,
    deadlineMs: 60_000,
  });
  const bomb = gzipSync(new Uint8Array(64 * 2 ** 20).fill(60), { level: 9 });
  const bodies = {
    "ten million <": page("ten million <", "<".repeat(10_000_000)),
    "a bomb": page("a bomb", bomb, { contentEncoding: "gzip" }),
    nested: page("nested", "<div>".repeat(100_000) + "needle"),
    entities: page("entities", "&amp;".repeat(500_000)),
    markup: page("markup", "<p>" + "`_".repeat(5_000_000)),
    "white space": page("white space", "<p>" + "x  ".repeat(3_400_000)),
    nothing: page("nothing", new Uint8Array(100_000)),
    noise: page("noise", Uint8Array.from({ length: 50_000 }, (_, i) => i * i * 31 >> 3)),
  };
  for (const one of Object.values(bodies)) await pool.push(one);
  await pool.close();
  const found = byKey(rows);
  assert.deepEqual([...found.keys()].sort(), Object.keys(bodies).sort());
  for (const [key, row] of found) assert.equal(row.failed, "", key);
  assert.equal(pool.figures.poison, 0);
  const exploded = found.get("a bomb")!;
  assert.equal(exploded.bounded, true);
  assert.equal(exploded.decodedLength, 8 * 2 ** 20);
  assert.equal(exploded.digest, sha1(bomb));
});

Deno.test("RenderPool sends rows to several writers within the sink's bound, each told of the end", async () => {
  const ends: MessagePort[] = [];
  const perPort: number[] = [];
  const got: string[] = [];
  const done: Promise<void>[] = [];
  const connect = () => {
    // Gives back the oldest only when a second one has come.
    const kept: [MessagePort, number][] = [];
    return [0, 1].map(() => {
      const { port1, port2 } = new MessageChannel();
      const { promise, resolve } = Promise.withResolvers<void>();
      const at = perPort.push(0) - 1;
      port1.onmessage = ({ data }: MessageEvent<RowsMessage>) => {
        if (data === null) return resolve();
        perPort[at]!++;
        const [rows, lengths] = data instanceof Uint8Array ? [data, [data.length]] : data;
        for (let i = 0, start = 0; i < lengths.length; start += lengths[i++]!) {
          got.push(decodePageRow(rows.subarray(start, start + lengths[i]!)).key);
        }
        kept.push([port1, rows.buffer.byteLength]);
        if (kept.length < 2) return;
        const [port, bytes] = kept.shift()!;
        port.postMessage(bytes);
      };
      ends.push(port1);
      done.push(promise);
      return port2;
    });
  };
  const { pool } = collect({ connect, sinkBytes: 512 * 1024, queueBytes: 60_000 });
  for (let i = 0; i < 2_000; i++) await pool.push(page(`${i}`, "x".repeat(5_000)));
  await pool.close();
  await Promise.all(done);
  for (const port of ends) port.close();
  assert.equal(new Set(got).size, 2_000);
  assert.equal(got.length, 2_000);
  assert.equal(perPort.length, 4);
  assert.ok(perPort.every((n) => n > 0), `${perPort}`);
  const figures = pool.figures;
  assert.ok(figures.sinkPeak > 0 && figures.sinkPeak <= 512 * 1024, `${figures.sinkPeak}`);
  assert.ok(figures.queuePeak > 0 && figures.queuePeak <= 60_000, `${figures.queuePeak}`);
  assert.equal(figures.sinkBound, 512 * 1024);
  const { renderingMs, waitingMs, idleMs, elapsedMs, width } = figures;
  assert.ok(Math.abs(renderingMs + waitingMs + idleMs - width * elapsedMs) < 1e-6);
  assert.ok(renderingMs > 0 && idleMs >= 0);
});

Deno.test("RenderPool lets pages wait, in their order, and a sink that takes nothing holds it all up", async () => {
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const { pool } = collect({
    width: 1,
    queueBytes: 100_000,
    sinkBytes: 1,
    onRow: (row) => {
      order.push(decodePageRow(row).key);
      return gate.promise;
    },
  });
  const admitted: number[] = [];
  const pushes = Array.from(
    { length: 6 },
    (_, i) =>
      pool.push(page(`${i}`, "x".repeat(40_000))).then(() => {
        admitted.push(i);
      }),
  );
  // One row is out, and the next waits for it to be given back.
  const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
  while (pool.figures.waitingMs === 0 || pool.figures.pages === 0) await pause();
  assert.equal(pool.figures.pages, 1);
  assert.ok(admitted.length <= 3);
  gate.resolve();
  await Promise.all(pushes);
  await pool.close();
  assert.deepEqual(admitted, [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(order, ["0", "1", "2", "3", "4", "5"]);
});

Deno.test("RenderPool.close() may be called twice and refuses what comes after", async () => {
  const { pool, rows } = collect({ width: 1 });
  void pool.push(page("a", "x"));
  const closing = pool.close();
  await assert.rejects(pool.push(page("b", "x")), { name: "RenderPoolError", message: /closed/ });
  await Promise.all([closing, pool.close()]);
  await pool.close();
  await pool.abort();
  assert.deepEqual(rows.map((row) => row.key), ["a"]);
});

Deno.test("RenderPool.abort() ends at once, with pages at work, waiting and not yet taken", async () => {
  const { pool } = collect({ width: 1, queueBytes: 5_000, deadlineMs: 1_000 });
  await pool.push(page("spin", "x", { contentEncoding: "x-do spin" }));
  while (pool.figures.renderingMs === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const second = pool.push(page("second", "x"));
  const closing = pool.close();
  const refused = [
    assert.rejects(second, RenderPoolError),
    assert.rejects(closing, { message: /aborted/ }),
  ];
  await pool.abort();
  await Promise.all(refused);
  await assert.rejects(pool.close(), { message: /aborted/ });
  await assert.rejects(pool.push(page("late", "x")), { message: /aborted/ });
});

Deno.test("RenderPool says why when no worker can start, or none can make a row", async () => {
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const missing = collect({
    worker: new URL("./_no_such_worker.ts", import.meta.url),
    width: 1,
    onError,
  });
  await missing.pool.push(page("a", "x"));
  await assert.rejects(missing.pool.close(), {
    name: "RenderPoolError",
    message: /start a worker/,
  });
  const unable = collect({ width: 1, setup: "fail", onError });
  await unable.pool.push(page("a", "x"));
  await assert.rejects(unable.pool.close(), { message: "Cannot render: no row can be made" });
  const refusing = collect({
    width: 1,
    onError,
    onRow: () => Promise.reject(new Error("the disk is full")),
  });
  await refusing.pool.push(page("a", "x"));
  await assert.rejects(refusing.pool.close(), { message: "Cannot take a row: the disk is full" });
  assert.equal(errors.length, 3);
  await Promise.all([missing, unable, refusing].map(({ pool }) => pool.abort()));
});

Deno.test("RenderPool.close() waits for a thread that does not listen yet, and not for ever", async () => {
  const { pool } = collect({ worker: new URL("./_late_worker.ts", import.meta.url) });
  await pool.close();
});
