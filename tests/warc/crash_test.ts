import assert from "node:assert/strict";
import { repairFolder } from "../../lib/warc/repair.ts";
import { verifyWarcs } from "../../lib/warc/verify.ts";
import { verifyCdxj } from "../../lib/warc/verify_cdxj.ts";
import { WarcWriter } from "../../lib/warc/writer.ts";
import type { WrittenExchange } from "../../lib/warc/types.ts";
import { collect, exchange, members, noise, options, seeded, surt } from "./_exchanges.ts";
import { at, Killed, MemFs } from "./_mem_fs.ts";

/** Writes, syncs and rotates; gives what was durable when the end came, whatever kind it was. */
function run(fs: MemFs): WrittenExchange[] {
  const durable: WrittenExchange[] = [];
  let waiting: WrittenExchange[] = [];
  const writer = new WarcWriter(options({ fs, maxBytes: 4500 }));
  try {
    for (let i = 0; i < 10; i++) {
      const body = i % 4 === 3 ? "the same again" : noise(700 + 100 * (i % 5));
      waiting.push(writer.write(exchange(`http://h${i % 3}.example/${i}`, body)));
      if (i % 3 !== 2) continue;
      writer.sync();
      durable.push(...waiting);
      waiting = [];
    }
    writer.close();
    durable.push(...waiting);
  } catch (error) {
    assert.ok(isKill(error), String(error));
  }
  return durable;
}

function isKill(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && isKill(error.cause));
}

/** Makes the process die at its n-th operation from now. */
function killAt(fs: MemFs, n: number): void {
  const last = fs.ops + n;
  fs.before = () => {
    if (fs.ops >= last) throw new Killed();
  };
}

async function assertSound(fs: MemFs, durable: readonly WrittenExchange[]): Promise<void> {
  const names = fs.files();
  assert.deepEqual(names.filter((name) => /\.open$|\.tmp$/.test(name)), []);
  const archives = names.filter((name) => name.endsWith(".warc.gz"));
  assert.deepEqual(await collect(verifyWarcs(archives, { fs })), []);
  for (const path of archives) {
    const index = path.replace(".warc.gz", ".cdxj");
    assert.ok(fs.exists(index), index);
    assert.deepEqual(await collect(verifyCdxj(index, { fs, surt })), []);
  }
  for (const { file, offset, length, recordId } of durable) {
    const record = members(fs.bytes(at(file))).find((r) => r.offset === offset);
    assert.equal(record?.length, length);
    assert.equal(record?.fields.get("WARC-Record-ID"), `<${recordId}>`);
  }
}

async function everyMoment(after: (fs: MemFs, n: number) => MemFs): Promise<void> {
  const whole = new MemFs();
  assert.equal(run(whole).length, 10);
  await assertSound(whole, []);
  for (let n = 1; n <= whole.ops; n++) {
    const fs = new MemFs();
    killAt(fs, n);
    const durable = run(fs);
    const left = after(fs, n);
    // What has its final name is whole before anything is repaired.
    const sealed = left.files().filter((name) => name.endsWith(".warc.gz"));
    assert.deepEqual(await collect(verifyWarcs(sealed, { fs: left })), []);
    // The repair is killed too, at each of its own moments in turn as n goes up.
    killAt(left, n % 12 + 1);
    try {
      await repairFolder("/w", { fs: left, surt });
    } catch (error) {
      assert.ok(isKill(error), String(error));
    }
    const again = after(left, n);
    await repairFolder("/w", { fs: again, surt });
    await assertSound(again, durable);
    assert.deepEqual(await repairFolder("/w", { fs: again, surt }), []);
    // The next run takes numbers that were never used.
    const before = again.files();
    const writer = new WarcWriter(options({ fs: again }));
    const { file } = writer.write(exchange("http://next.example/", "next"));
    assert.ok(!before.includes(at(file)) && !durable.some((d) => d.file === file));
    writer.close();
  }
}

Deno.test("repairFolder() makes whole what a kill left at any moment, with all that was durable", async () => {
  await everyMoment((fs) => fs.afterKill());
});

Deno.test("repairFolder() makes whole what a power cut left at any moment, with all that was durable", async () => {
  await everyMoment((fs, n) => fs.afterPowerLoss(seeded(n)));
});

Deno.test("repairFolder() cuts back to the last whole pair, and says what was cut", async () => {
  const whole = new MemFs();
  const writer = new WarcWriter(options({ fs: whole }));
  for (let i = 0; i < 3; i++) writer.write(exchange(`http://a.example/${i}`, noise(50 + i)));
  writer.sync();
  const bytes = whole.bytes(at("ccrawl-crawl-00000.warc.gz.open")).slice();
  const found = members(bytes);
  const pairEnds = [2, 4, 6].map((i) => found[i]!.offset + found[i]!.length);
  const edges = found.flatMap(({ offset }) => [offset - 1, offset, offset + 1, offset + 12]);
  for (let size = 0; size < bytes.length; size += 23) edges.push(size);
  for (const size of [...edges.filter((size) => size >= 0), bytes.length - 1, bytes.length]) {
    const fs = new MemFs();
    fs.put(at("ccrawl-crawl-00000.warc.gz.open"), bytes.slice(0, size));
    const [repair] = await repairFolder("/w", { fs });
    const kept = pairEnds.findLast((end) => end <= size) ?? 0;
    assert.deepEqual(repair, {
      file: "ccrawl-crawl-00000.warc.gz",
      kept,
      cut: size - kept,
      exchanges: pairEnds.indexOf(kept) + 1,
    });
    if (kept > 0) {
      assert.deepEqual(fs.bytes(at("ccrawl-crawl-00000.warc.gz")), bytes.slice(0, kept));
    } else {
      // Nothing but a warcinfo: the file goes, its number stays used.
      assert.deepEqual(fs.files(), [at("ccrawl-crawl.seq")]);
      const next = new WarcWriter(options({ fs }));
      assert.equal(
        next.write(exchange("http://a.example/", "x")).file,
        "ccrawl-crawl-00001.warc.gz",
      );
    }
  }
});

Deno.test("repairFolder() leaves files of other prefixes and other names alone", async () => {
  const fs = new MemFs();
  const others = ["other-00000.warc.gz.open", "ccrawl-crawl-1.warc.gz.open", "notes.tmp"].map(at);
  for (const path of others) fs.put(path, new Uint8Array(10));
  assert.deepEqual(await repairFolder("/w", { fs, surt }), []);
  assert.deepEqual(fs.files(), others.toSorted());
  assert.deepEqual(await repairFolder("/missing", { fs }), []);
});

Deno.test("repairFolder() refuses to put a file over one that is sealed", async () => {
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs }));
  writer.write(exchange("http://a.example/", "x"));
  writer.close();
  const sealed = fs.bytes(at("ccrawl-crawl-00000.warc.gz")).slice();
  fs.put(at("ccrawl-crawl-00000.warc.gz.open"), sealed);
  await assert.rejects(repairFolder("/w", { fs }), /exists too; move one/);
  assert.deepEqual(fs.bytes(at("ccrawl-crawl-00000.warc.gz")), sealed);
});
