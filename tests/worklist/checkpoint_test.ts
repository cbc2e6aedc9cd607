import assert from "node:assert/strict";
import { join } from "node:path";
import { diskFs, type FileSystem } from "../../lib/files/fs.ts";
import { CheckpointFile, readCheckpoint, type RunIdentity } from "../../lib/worklist/checkpoint.ts";
import {
  CheckpointError,
  CheckpointMismatchError,
  SuffixListError,
} from "../../lib/worklist/errors.ts";
import { LAST_ROW } from "../../lib/worklist/ranges.ts";

const dir = await Deno.makeTempDir({ prefix: "ccrawl-checkpoint-" });
globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));
let count = 0;
const fresh = () => join(dir, `run-${count++}`, "urls.json");
const RUN: RunIdentity = {
  source: "open-index/ccrawl-urls#url",
  release: "cc-main-2026-jan-feb-mar",
  shard: 1,
  shards: 3,
};

Deno.test("CheckpointFile gives back what was saved, pending rows as ranges", () => {
  const path = fresh();
  let run: string;
  const change = {
    part: 4,
    partName: "data/cc-main-2026-jan-feb-mar/part-4.parquet",
    row: 489_026,
    pending: [{ part: 3, first: 6_000_000, last: LAST_ROW }, {
      part: 4,
      first: 126_287,
      last: 126_299,
    }],
    sealed: ["ccrawl-recrawl-00007.parquet"],
    highestPart: 7,
    done: false,
    fetched: 400_000,
    rows: 480_000,
  };
  {
    using file = CheckpointFile.open(path, RUN);
    assert.equal(file.fresh, true);
    assert.deepEqual([file.state.part, file.state.row, file.state.highestPart], [0, 0, -1]);
    assert.equal(readCheckpoint(path), undefined);
    run = file.state.run;
    file.save(change);
    file.save({});
  }
  using file = CheckpointFile.open(path, RUN);
  assert.equal(file.fresh, false);
  const { suffixList, ...rest } = file.state;
  assert.match(suffixList, /^[0-9a-f]{64}$/);
  assert.deepEqual(rest, { ...RUN, run, ...change });
  assert.deepEqual(readCheckpoint(path), file.state);
  file.save({ part: 5, partName: "", lastPart: change.partName });
  assert.equal(readCheckpoint(path)!.lastPart, change.partName);
});

Deno.test("a checkpoint of another source, release or shard is refused with both named", () => {
  const path = fresh();
  {
    using file = CheckpointFile.open(path, RUN);
    file.save({});
  }
  for (
    const [change, message] of [
      [
        { source: "open-index/ccrawl-domains#domain" },
        /its source is "open-index\/ccrawl-urls#url", this run's is "open-index\/ccrawl-domains#domain"/,
      ],
      [
        { release: "cc-main-2026-apr-may-jun" },
        /its release is "cc-main-2026-jan-feb-mar", this run's is "cc-main-2026-apr/,
      ],
      [{ shard: 2 }, /its shard is 1, this run's is 2/],
      [{ shards: 2 }, /its shards is 3, this run's is 2/],
    ] as const
  ) {
    assert.throws(() => CheckpointFile.open(path, { ...RUN, ...change }), (error: Error) => {
      assert.ok(error instanceof CheckpointMismatchError);
      assert.match(error.message, message);
      return true;
    });
  }
  // A refusal gives the lock back.
  CheckpointFile.open(path, RUN)[Symbol.dispose]();
});

Deno.test("another public suffix list is refused, unless it is accepted, and is then the one kept", () => {
  const path = fresh();
  {
    using file = CheckpointFile.open(path, RUN, { suffixList: "a".repeat(64) });
    file.save({});
  }
  const other = { suffixList: "b".repeat(64) };
  assert.throws(() => CheckpointFile.open(path, RUN, other), (error: Error) => {
    assert.ok(error instanceof SuffixListError);
    assert.match(
      error.message,
      /suffix list aaaaaaaaaaaa, this program has bbbbbbbbbbbb.*--accept-suffix-list/,
    );
    return true;
  });
  {
    using file = CheckpointFile.open(path, RUN, { ...other, acceptSuffixList: true });
    file.save({});
  }
  CheckpointFile.open(path, RUN, other)[Symbol.dispose]();
});

Deno.test("a state that is open is refused to whoever else wants it, with the holder's pid", () => {
  const path = fresh();
  using _file = CheckpointFile.open(path, RUN);
  assert.throws(
    () => CheckpointFile.open(path, RUN),
    new RegExp(`process ${Deno.pid} is using it`),
  );
});

Deno.test("what is no checkpoint, or a newer one, is refused", () => {
  const path = fresh();
  {
    using file = CheckpointFile.open(path, RUN);
    file.save({});
  }
  const good = JSON.parse(Deno.readTextFileSync(path));
  for (
    const [change, message] of [
      ["", /it is no JSON/],
      ["null", /it is no object/],
      [{ version: undefined }, /no checkpoint of a work list/],
      [{ version: 2 }, /written by a newer version/],
      [{ row: -1 }, /its row is no count/],
      [{ row: 1.5 }, /its row is no count/],
      [{ pending: "0:5,x" }, /its pending rows cannot be read/],
      [{ pending: "0:99999999999" }, /its pending rows cannot be read/],
      [{ sealed: ["../x.parquet"] }, /sealed parts are no list of names/],
      [{ done: 1 }, /whether it is done/],
    ] as const
  ) {
    Deno.writeTextFileSync(
      path,
      typeof change === "string" ? change : JSON.stringify({ ...good, ...change }),
    );
    assert.throws(() => CheckpointFile.open(path, RUN), (error: Error) => {
      assert.ok(error instanceof CheckpointError);
      assert.match(error.message, message);
      assert.ok(error.message.includes(path));
      return true;
    });
  }
});

Deno.test("save() syncs the file before it renames it and the folder after", () => {
  const calls: string[] = [];
  const path = fresh();
  using file = CheckpointFile.open(path, RUN, { fs: watched((call) => calls.push(call)) });
  calls.length = 0;
  file.save({ row: 1 });
  assert.deepEqual(calls.filter((c) => c !== "exists"), [
    "create",
    "write",
    "sync",
    "close",
    "rename",
    "syncDir",
  ]);
});

Deno.test("a kill at any moment of save() leaves the checkpoint before or the one being written", () => {
  for (let at = 0;; at++) {
    const path = fresh();
    let left = Infinity;
    const killed = new Error("killed");
    const fs = watched(() => {
      if (left-- <= 0) throw killed;
    });
    let over = false;
    {
      using file = CheckpointFile.open(path, RUN, { fs });
      file.save({ row: 1 });
      left = at;
      try {
        file.save({ row: 2 });
        over = true;
      } catch (error) {
        assert.ok(error instanceof CheckpointError && error.cause === killed);
        assert.match(error.message, /^Cannot write the state/);
        assert.equal(file.state.row, 1);
      }
    }
    const { row } = readCheckpoint(path)!;
    assert.ok(row === 2 || (row === 1 && !over));
    // What it left beside is in nobody's way.
    using file = CheckpointFile.open(path, RUN);
    file.save({ row: 3 });
    assert.equal(readCheckpoint(path)!.row, 3);
    if (over) break;
  }
});

Deno.test("a full disk says so, and what was saved before is still there", () => {
  const path = fresh();
  let full = false;
  const fs: FileSystem = {
    ...diskFs,
    write(fd, bytes, position) {
      if (full) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      // Short writes are finished.
      return diskFs.write(fd, bytes.subarray(0, 10), position);
    },
  };
  using file = CheckpointFile.open(path, RUN, { fs });
  file.save({ row: 7 });
  full = true;
  assert.throws(() => file.save({ row: 8 }), /the disk is full/);
  full = false;
  assert.equal(readCheckpoint(path)!.row, 7);
  file.save({ row: 9 });
  assert.equal(readCheckpoint(path)!.row, 9);
});

/** The real file system, told before each call. */
function watched(onCall: (name: string) => void): FileSystem {
  const out: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(diskFs)) {
    out[name] = (...args: unknown[]) => {
      onCall(name);
      return (call as (...args: unknown[]) => unknown)(...args);
    };
  }
  return out as unknown as FileSystem;
}
