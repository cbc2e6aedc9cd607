/**
 * Memory over a recrawl of 200 000 pages (`CCRAWL_MEMORY_PAGES` for another number), rendered, of 1 KB up to more
 * than the cap. It is sampled twenty times, at as many pages each, and drawn.
 */

import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { V8_FLAGS } from "../../deploy/_v8_flags.ts";
import { Ccrawl } from "../engine/_process.ts";
import { readRows, recrawlArgs, verifyClean, writeList } from "../engine/_recrawl.ts";
import { withFolder } from "../engine/_crawl.ts";

const PAGES = Number(Deno.env.get("CCRAWL_MEMORY_PAGES") ?? 200_000);
const SAMPLES = 20;
const MB = 2 ** 20;

/** Bytes of the `i`-th page: most are small, one in 500 is of a megabyte, one in 5000 is cut at the cap. */
function sizeOf(i: number): number {
  if (i % 5000 === 4999) return 11 * MB;
  if (i % 500 === 499) return MB;
  return [1_000, 2_000, 4_000, 16_000][i % 4]!;
}

/** Resident bytes of a process and the most they were; 0 where the system does not tell. */
function resident(pid: number): { now: number; most: number } {
  let status: string;
  try {
    status = Deno.readTextFileSync(`/proc/${pid}/status`);
  } catch {
    return { now: 0, most: 0 }; // it has ended
  }
  const of = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) * 1024;
  return { now: of("VmRSS"), most: of("VmHWM") };
}

Deno.test(`memory stays flat over a recrawl of ${PAGES} pages`, () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: PAGES, logMax: 0 });
    writeList(
      dir,
      Array.from({ length: PAGES }, (_, i) => {
        const size = sizeOf(i);
        return web.url(`m${i % 1000}.size-${size}.test`, `/p/${i}`);
      }),
    );
    const start = performance.now();
    const options = ["--workers", "64", "--writers", "2", "--delay", "0", "--shard-size", "64MB"];
    const run = new Ccrawl(recrawlArgs(web, dir, ...options, "--seal-after", "30s"), {
      keep: false,
      // As the executables and the units have it.
      env: { DENO_V8_FLAGS: V8_FLAGS, MALLOC_MMAP_THRESHOLD_: "65536", MALLOC_ARENA_MAX: "2" },
    });
    const samples: number[] = [];
    let most = 0;
    for (let part = 1; part <= SAMPLES; part++) {
      // In small steps, so that a busy machine is not taken for one that stands still. The last rows come with
      // the last seal: the last sample is a little before the end.
      for (let step = 1; step <= 20; step++) {
        await run.until(() => run.count >= (part - 1 + step / 20) * PAGES / SAMPLES * 0.98);
      }
      const { now, most: peak } = resident(run.pid);
      samples.push(now);
      most = Math.max(most, peak);
      const mb = Math.round(now / MB);
      const pages = String(part * PAGES / SAMPLES).padStart(7);
      console.log(`${pages} ${"#".repeat(Math.round(mb / 10))} ${mb} MB`);
    }
    await run.succeeds();
    const seconds = (performance.now() - start) / 1000;
    assert.equal(run.count, PAGES);
    console.log(
      `recrawl, ${PAGES} pages in ${Math.round(seconds)} s; most ${Math.round(most / MB)} MB`,
    );
    assert.match(run.stderr, new RegExp(`${PAGES} fetched, 0 failed`));
    let longest = 0, bytes = 0;
    for (const row of await readRows(`${dir}/out`, ["status", "body_length"])) {
      assert.equal(row.status, 200);
      longest = Math.max(longest, Number(row.body_length));
      bytes += Number(row.body_length);
    }
    assert.equal(longest, 10 * MB, "some were cut at the cap");
    assert.ok(bytes > PAGES * 7_000, `${bytes} bytes in all`);
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
    if (samples[0] === 0) return; // this system does not tell
    const mean = (part: number[]) => part.reduce((sum, x) => sum + x, 0) / part.length;
    const middle = mean(samples.slice(5, 10)), end = mean(samples.slice(15));
    assert.ok(end < middle + 60 * MB, `it grew from ${middle / MB} to ${end / MB} MB`);
  }));
