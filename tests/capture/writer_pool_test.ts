import assert from "node:assert/strict";
import { join } from "node:path";
import { Worker as NodeWorker } from "node:worker_threads";
import { type NewCaptureRow, RowBatch } from "../../lib/capture/codec.ts";
import { CaptureWriteError } from "../../lib/capture/errors.ts";
import { listParts, removeUnfinished, type SealedPart } from "../../lib/capture/part_sequence.ts";
import { readCaptures, readPartInfo } from "../../lib/capture/reader.ts";
import { RowSender } from "../../lib/capture/row_sender.ts";
import { verifyCaptures } from "../../lib/capture/verify.ts";
import { WriterPool, type WriterPoolOptions } from "../../lib/capture/writer_pool.ts";
import { expected, inFolder, page, sql } from "./_rows.ts";

const createdBy = "ccrawl version 1.2.3 (build abc)";

async function sendAll(
  sender: RowSender,
  rows: Iterable<NewCaptureRow>,
  size = 10,
): Promise<void> {
  const batch = new RowBatch();
  for (const row of rows) {
    batch.add(row);
    if (batch.rows === size) await sender.send(batch);
  }
  await sender.send(batch);
  await sender.drain();
}

function open(dir: string, options: Partial<WriterPoolOptions> = {}): Promise<WriterPool> {
  return WriterPool.open({ dir, createdBy, run: "r", ...options });
}

Deno.test("WriterPool writes every row once, over several writers that seal together", async () => {
  await inFolder(async (dir) => {
    const sealed: (readonly SealedPart[])[] = [];
    const pool = await open(dir, {
      writers: 3,
      shardSize: 120_000,
      queueBytes: 20_000,
      onSealed: (parts) => void sealed.push(parts),
    });
    const sender = new RowSender(pool.connect());
    const rows = Array.from({ length: 900 }, (_, i) => page(i));
    await sendAll(sender, rows);
    const last = await pool.close();
    sender.close();
    assert.deepEqual(sealed.at(-1), last);
    assert.ok(sealed.length > 1);
    // a part that is full seals those of the others, which are not
    const small = sealed.flat().filter(({ payload }) => payload < 120_000);
    assert.ok(small.length > last.length, `${small.length} of ${sealed.flat().length}`);
    const files = sealed.flat().map(({ file }) => file);
    assert.deepEqual(listParts(dir), [...files].sort());
    const positions: number[] = [];
    for (const part of sealed.flat()) {
      const info = await readPartInfo(join(dir, part.file));
      assert.deepEqual(info.ranges, part.ranges);
      assert.deepEqual([info.rows, info.bytes, info.run], [part.rows, part.bytes, "r"]);
      for (const { first, last } of part.ranges) {
        for (let row = first; row <= last; row++) positions.push(row);
      }
    }
    assert.deepEqual(positions.sort((a, b) => a - b), rows.map((_, i) => i));
    const byUrl = new Map(rows.map((row) => [row.url, expected(row)]));
    for await (const row of readCaptures(dir)) {
      assert.deepEqual(row, byUrl.get(row.url!));
      byUrl.delete(row.url!);
    }
    assert.equal(byUrl.size, 0);
    assert.deepEqual(
      await sql(`SELECT count(*) AS n, count(DISTINCT url) AS u FROM '${dir}/*.parquet'`),
      [{ n: 900n, u: 900n }],
    );
    const { figures } = pool;
    assert.equal(figures.queued, 0);
    // one batch may exceed a sender's share, and figures are kept in KB
    assert.ok(figures.queuedPeak > 0 && figures.queuedPeak <= 64 * 1024, `${figures.queuedPeak}`);
    assert.equal(figures.writers.reduce((sum, { rows }) => sum + rows, 0), 900);
    assert.ok(figures.writers.every(({ busyMs, payload }) => busyMs > 0 && payload > 0));
  });
});

Deno.test("WriterPool takes rows from other threads, without the main one", async () => {
  await inFolder(async (dir) => {
    const pool = await open(dir, { writers: 2, senders: 2, queueBytes: 1 << 20 });
    const worker = new NodeWorker(new URL("./_node_sender.ts", import.meta.url));
    const link = pool.connect();
    const done = new Promise((resolve) => worker.once("message", resolve));
    worker.postMessage({ link, rows: 205 }, link.ports as unknown as []);
    const sender = new RowSender(pool.connect());
    await sendAll(sender, Array.from({ length: 95 }, (_, i) => page(i)));
    assert.equal(await done, "done");
    const parts = await pool.close();
    sender.close();
    await worker.terminate();
    assert.equal(parts.length, 2);
    assert.equal(parts.reduce((sum, { rows }) => sum + rows, 0), 300);
    const counts = await sql(`SELECT count(DISTINCT url) AS u FROM '${dir}/*.parquet'`);
    assert.deepEqual(counts, [{ u: 205n }]);
  });
});

Deno.test("WriterPool seals what has waited long enough", async () => {
  await inFolder(async (dir) => {
    const { promise, resolve } = Promise.withResolvers<readonly SealedPart[]>();
    const pool = await open(dir, { sealAfterMs: 20, onSealed: resolve });
    const sender = new RowSender(pool.connect());
    await sendAll(sender, [page(0), page(1)]);
    assert.equal((await promise).reduce((sum, { rows }) => sum + rows, 0) > 0, true);
    await pool.close();
    sender.close();
    let rows = 0;
    for await (const _ of readCaptures(dir, { columns: ["url"] })) rows++;
    assert.equal(rows, 2);
  });
});

Deno.test("WriterPool: a row larger than the whole queue goes through, alone", async () => {
  await inFolder(async (dir) => {
    const pool = await open(dir, { queueBytes: 1000 });
    const sender = new RowSender(pool.connect());
    const large = page(1, { body: crypto.getRandomValues(new Uint8Array(60_000)) });
    await sendAll(sender, [page(0), large, page(2)], 1);
    const [part] = await pool.close();
    sender.close();
    assert.equal(part?.rows, 3);
  });
});

Deno.test("WriterPool: after a write error rows are taken and dropped, and the others are sealed", async () => {
  await inFolder(async (dir) => {
    const errors: Error[] = [];
    const sealed: SealedPart[] = [];
    const pool = await open(dir, {
      writers: 2,
      queueBytes: 50_000,
      onError: (error) => errors.push(error),
      onSealed: (parts) => void sealed.push(...parts),
    });
    const sender = new RowSender(pool.connect());
    await sendAll(sender, Array.from({ length: 40 }, (_, i) => page(i)), 1);
    const first = await pool.seal();
    assert.equal(first.length, 2);
    await sendAll(sender, Array.from({ length: 40 }, (_, i) => page(40 + i)), 1);
    // what one writer has open vanishes, so that it cannot be renamed
    await Deno.remove(join(dir, "ccrawl-recrawl-w1-00001.parquet.open"));
    await assert.rejects(pool.seal(), (error: Error) => {
      assert.ok(error instanceof CaptureWriteError);
      assert.equal(error.code, "ENOENT");
      return /^Cannot seal .*ccrawl-recrawl-w1-00001.parquet: ENOENT/.test(error.message);
    });
    assert.deepEqual(errors, [pool.error]);
    assert.deepEqual(sealed.map(({ file }) => file), [
      "ccrawl-recrawl-w0-00000.parquet",
      "ccrawl-recrawl-w1-00000.parquet",
      "ccrawl-recrawl-w0-00001.parquet",
    ]);
    // the run comes to its end: nobody waits for a writer that has failed
    await sendAll(sender, Array.from({ length: 400 }, (_, i) => page(80 + i)), 1);
    await assert.rejects(pool.close(), CaptureWriteError);
    sender.close();
    for (const name of listParts(dir)) await readPartInfo(join(dir, name));
    assert.equal(sealed.length, 4); // and what the healthy one had since
  });
});

Deno.test("WriterPool.open() refuses folders it cannot have, and too many writers", async () => {
  await inFolder(async (dir) => {
    await Deno.writeTextFile(join(dir, "file"), "");
    await assert.rejects(open(join(dir, "file")), CaptureWriteError);
    await assert.rejects(open(dir, { writers: 17 }), /1 to 16 are possible/);
  });
});

for (const writers of [1, 3]) {
  Deno.test(`WriterPool: kill -9 with ${writers} writers leaves no part that cannot be read`, async () => {
    await inFolder(async (dir) => {
      const known: [string, number][] = [];
      for (let round = 0; round < 3; round++) {
        const child = new Deno.Command(Deno.execPath(), {
          args: [
            "run",
            "-A",
            "--quiet",
            "--no-check",
            new URL("./_endless_writer.ts", import.meta.url).href,
            dir,
            String(writers),
          ],
          stdout: "piped",
        }).spawn();
        let seals = 0;
        let rest = "";
        for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
          const lines = (rest + text).split("\n");
          rest = lines.pop()!;
          for (const line of lines) known.push(...JSON.parse(line) as [string, number][]);
          // somewhere in the middle of the next part
          if ((seals += lines.length) > 2 + round) child.kill("SIGKILL");
        }
        assert.equal((await child.status).signal, "SIGKILL");
        const names = listParts(dir);
        for (const [file, rows] of known) {
          assert.ok(names.includes(file), file);
          assert.equal((await readPartInfo(join(dir, file))).rows, rows);
        }
        for (const name of names) await readPartInfo(join(dir, name));
      }
      assert.ok(removeUnfinished(dir).length <= writers);
      // each run began the list anew, so that rows are in several parts; all else is well
      for await (const { code, message } of verifyCaptures([dir])) {
        if (code !== "ranges" && code !== "digest") assert.fail(`${code}: ${message}`);
      }
      const files = await sql(`SELECT count(DISTINCT file_name) AS n
        FROM parquet_file_metadata('${dir}/*.parquet')`);
      assert.deepEqual(files, [{ n: BigInt(listParts(dir).length) }]);
      // no number was used twice
      assert.equal(new Set(known.map(([file]) => file)).size, known.length);
    });
  });
}
