import assert from "node:assert/strict";
import { join } from "node:path";
import { CaptureWriteError } from "../../lib/capture/errors.ts";
import {
  listParts,
  PartSequence,
  type PartSequenceOptions,
  removeUnfinished,
} from "../../lib/capture/part_sequence.ts";
import { MemFs, type Operation, systemError } from "./_mem_fs.ts";
import { assertReadsBack, inFolder, page } from "./_rows.ts";

const createdBy = "ccrawl version 1.2.3 (build abc)";

function sequence(fs: MemFs, options: Partial<PartSequenceOptions> = {}): PartSequence {
  return new PartSequence({ dir: "/out", createdBy, prefix: "p", fs, ...options });
}

Deno.test("PartSequence numbers parts by stem, and says which writer's they are", async () => {
  await inFolder(async (dir) => {
    const alone = new PartSequence({ dir, createdBy });
    const second = new PartSequence({ dir, createdBy, writer: 1, writers: 2 });
    assert.equal(alone.seal(), undefined);
    alone.add(page(0));
    second.add(page(1));
    assert.deepEqual([alone.rows, second.rows], [1, 1]);
    assert.equal(alone.seal()?.file, "ccrawl-recrawl-00000.parquet");
    assert.equal(second.seal()?.file, "ccrawl-recrawl-w1-00000.parquet");
    alone.add(page(2));
    const part = alone.seal()!;
    assert.deepEqual([part.file, part.rows], ["ccrawl-recrawl-00001.parquet", 1]);
    assert.deepEqual(part.ranges, [{ part: 0, first: 2, last: 2 }]);
    await assertReadsBack(join(dir, part.file), [page(2)]);
    assert.deepEqual(listParts(dir), [
      "ccrawl-recrawl-00000.parquet",
      "ccrawl-recrawl-00001.parquet",
      "ccrawl-recrawl-w1-00000.parquet",
    ]);
  });
});

Deno.test("PartSequence never uses a number again, though a publisher removed every part", () => {
  const fs = new MemFs();
  for (let run = 0; run < 3; run++) {
    const parts = sequence(fs);
    for (let i = 0; i < 2; i++) {
      parts.add(page(i));
      assert.equal(parts.seal()?.number, run * 2 + i);
    }
    for (const name of listParts("/out", "p", fs)) fs.remove(`/out/${name}`);
  }
  assert.deepEqual(fs.names(), ["p-00005.used"]);
  // nor one that only the checkpoint knows of
  const parts = sequence(fs, { after: 41 });
  parts.add(page(0));
  assert.equal(parts.seal()?.file, "p-00042.parquet");
});

Deno.test("PartSequence is full when its payload, before compression, has reached the size", () => {
  const fs = new MemFs();
  const parts = sequence(fs, { shardSize: 100_000 });
  const body = new Uint8Array(9_000); // compresses to almost nothing
  let rows = 0;
  while (!parts.full) parts.add(page(rows++, { body }));
  assert.ok(parts.payload >= 100_000 && parts.payload < 112_000);
  assert.ok(rows >= 9 && rows <= 11, String(rows));
  assert.ok(parts.seal()!.bytes < 20_000);
  assert.equal(parts.full, false);
});

Deno.test("PartSequence: a full disk ends it, names the file, and leaves earlier parts alone", () => {
  const fs = new MemFs();
  const parts = sequence(fs);
  parts.add(page(0));
  const first = parts.seal()!;
  const bytes = fs.files.get(`/out/${first.file}`)!.slice();
  fs.capacity = bytes.length + 500_000;
  const error = thrown(() => {
    for (let i = 0; i < 100; i++) {
      parts.add(page(i, { body: crypto.getRandomValues(new Uint8Array(60_000)) }));
    }
    parts.seal();
  });
  assert.ok(error instanceof CaptureWriteError);
  assert.equal(error.file, "/out/p-00001.parquet.open");
  assert.equal(error.diskFull, true);
  assert.match(
    error.message,
    /^Cannot (write|finish) .*p-00001.*the disk is full; free some space/,
  );
  assert.deepEqual(fs.files.get(`/out/${first.file}`), bytes);
  assert.deepEqual(fs.names(), ["p-00000.parquet", "p-00001.used"]);
  assert.equal(fs.open, 0);
  // it stays at that: rows written after a hole would be lost without anybody knowing
  fs.capacity = Infinity;
  assert.equal(thrown(() => parts.add(page(1))), error);
  assert.equal(thrown(() => parts.seal()), error);
});

const FAILURES: readonly (readonly [Operation, string])[] = [
  ["create", "p-00000.used"],
  ["create", "p-00000.parquet.open"],
  ["write", "p-00000.parquet.open"],
  ["sync", "p-00000.parquet.open"],
  ["close", "p-00000.parquet.open"],
  ["rename", "p-00000.parquet.open"],
];

for (const [operation, name] of FAILURES) {
  Deno.test(`PartSequence: a failed ${operation} of ${name} is told and leaves no part`, () => {
    const fs = new MemFs();
    const parts = sequence(fs);
    fs.before = (doing, path) => {
      if (doing === operation && path.endsWith(name)) throw systemError("EIO");
    };
    const error = thrown(() => {
      parts.add(page(0));
      parts.seal();
    });
    assert.ok(error instanceof CaptureWriteError, String(error));
    assert.match(error.file, /p-00000/);
    assert.equal(error.code, "EIO");
    assert.deepEqual(listParts("/out", "p", fs), []);
  });
}

Deno.test("PartSequence: a part whose folder could not be synced is told, and never overwritten", () => {
  const fs = new MemFs();
  const parts = sequence(fs);
  parts.add(page(0));
  fs.before = (doing) => {
    if (doing === "syncDir") throw systemError("EIO");
  };
  assert.equal((thrown(() => parts.seal()) as CaptureWriteError).code, "EIO");
  fs.before = () => {};
  const again = sequence(fs);
  again.add(page(1));
  assert.equal(again.seal()?.number, 1);
});

Deno.test("PartSequence refuses to rename over a file that is there", () => {
  const fs = new MemFs();
  const parts = sequence(fs);
  parts.add(page(0));
  fs.files.set("/out/p-00000.parquet", new Uint8Array(5));
  assert.match(
    String(thrown(() => parts.seal())),
    /Cannot seal .*p-00000.parquet: there is a file/,
  );
  assert.equal(fs.files.get("/out/p-00000.parquet")?.length, 5);
});

Deno.test("PartSequence: a damaged batch ends it too, a row that is refused does not", () => {
  const fs = new MemFs();
  const parts = sequence(fs);
  parts.add(page(0));
  assert.ok(thrown(() => parts.add(page(1, { ttfb_ms: NaN }))) instanceof RangeError);
  parts.add(page(2));
  assert.equal(parts.seal()?.rows, 2);
  parts.add(page(3));
  const error = thrown(() => parts.addPacked(new Uint8Array(17)));
  assert.ok(error instanceof RangeError);
  assert.equal(thrown(() => parts.seal()), error);
  assert.deepEqual(fs.names(), ["p-00000.parquet", "p-00001.used"]);
});

Deno.test("PartSequence refuses prefixes that are no file names", () => {
  for (const prefix of ["", "a/b", "..", ".x", "a b", "x".repeat(101)]) {
    assert.throws(() => sequence(new MemFs(), { prefix }), TypeError, prefix);
  }
});

Deno.test("removeUnfinished() removes what a killed run left, of any writer, and nothing else", () => {
  const fs = new MemFs();
  const keep = ["p-00001.parquet", "q-00001.parquet.open", "p-00002.used", "p-x.parquet.open"];
  const left = ["p-00003.parquet.open", "p-w11-00000.parquet.open"];
  for (const name of [...keep, ...left]) fs.files.set(`/out/${name}`, new Uint8Array(1));
  assert.deepEqual(removeUnfinished("/out", "p", fs), left);
  assert.deepEqual(fs.names(), keep.sort());
});

function thrown(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  assert.fail("nothing was thrown");
}
