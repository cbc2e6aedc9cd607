import assert from "node:assert/strict";
import { V8_FLAGS } from "../../deploy/_v8_flags.ts";
import { startWeb } from "../web/mod.ts";
import { crawlArgs, verifyClean } from "../engine/_kill.ts";
import { Ccrawl } from "../engine/_process.ts";

const MB = 1_000_000;

/** Resident bytes of a process; 0 where the system does not tell. */
function resident(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it has ended
  }
}

Deno.test("memory stays flat over a crawl of 200 000 pages", async () => {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-memory-" });
  try {
    await using web = await startWeb({
      ...{ hosts: 2000, pages: 200_000, pageBytes: 2000, graph: "tree-across", logMax: 0 },
    });
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    const start = performance.now();
    const crawl = new Ccrawl(
      crawlArgs(web, dir, "--max-depth", "60000", "--delay", "10ms", "--warc-size", "16MB"),
      // As the executables are: left to itself V8 takes what a large machine has, and goes on taking.
      { keep: false, env: { DENO_V8_FLAGS: V8_FLAGS } },
    );
    const samples: number[] = [];
    for (let part = 1; part <= 20; part++) {
      await crawl.until(() => crawl.count >= part * 9_900);
      samples.push(resident(crawl.pid));
    }
    await crawl.succeeds();
    const seconds = (performance.now() - start) / 1000;
    assert.equal(crawl.count, 200_000);
    console.log(
      `200 000 pages in ${Math.round(seconds)} s, resident MB every 9 900 pages: ` +
        samples.map((bytes) => Math.round(bytes / MB)).join(" "),
    );
    await verifyClean(dir);
    if (samples[0] === 0) return; // this system does not tell
    const mean = (part: number[]) => part.reduce((sum, x) => sum + x, 0) / part.length;
    const middle = mean(samples.slice(5, 10)), end = mean(samples.slice(15));
    // The seen set and the hosts grow by a few tens of bytes each; nothing else may grow.
    assert.ok(end < middle + 60 * MB, `it grew from ${middle / MB} to ${end / MB} MB`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
