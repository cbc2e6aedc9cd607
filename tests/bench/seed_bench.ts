/**
 * `crawl seed` over a table of millions of rows, beside gunzip alone on the same file.
 *
 *     deno task bench seed -- [--rows 2000000] [--rounds 2] [--table FILE]
 *
 * The table is made first; `--table` keeps it, and takes the one that is there.
 *
 * @module
 */

import { createReadStream } from "node:fs";
import { parseArgs } from "node:util";
import { createGunzip } from "node:zlib";
import { rankLines, writeGzip } from "../web/data_site.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    rows: { type: "string", default: "2000000" },
    rounds: { type: "string", default: "2" },
    table: { type: "string" },
  },
});
const rows = Number(values.rows);
const dir = await Deno.makeTempDir({ prefix: "ccrawl-bench-" });
const table = values.table ?? `${dir}/ranks.txt.gz`;
const CLI = new URL("../../cli.ts", import.meta.url).href;

interface Run {
  seconds: number;
  /** Most resident, where the system tells. */
  peakMb: number;
}

async function timed(command: string, args: string[]): Promise<Run> {
  const begun = performance.now();
  const child = new Deno.Command(command, { args, stdout: "null", stderr: "inherit" }).spawn();
  let peakMb = 0;
  const look = () => {
    try {
      const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  };
  const looking = setInterval(look, 100);
  const { success } = await child.status;
  clearInterval(looking);
  if (!success) throw new Error(`${command} failed`);
  return { seconds: (performance.now() - begun) / 1000, peakMb };
}

async function zlibAlone(): Promise<Run> {
  const begun = performance.now();
  for await (const _ of createReadStream(table).pipe(createGunzip({ chunkSize: 1 << 18 })));
  return { seconds: (performance.now() - begun) / 1000, peakMb: NaN };
}

try {
  if (values.table === undefined || !await exists(table)) {
    await writeGzip(table, rankLines(rows), { linesPerMember: 5_000_000 });
  }
  const { size } = await Deno.stat(table);
  console.log(`${rows.toLocaleString("en")} rows, ${(size / 2 ** 20).toFixed(0)} MB packed`);
  const seed = ["run", "-A", "--quiet", "--no-check", CLI, "crawl", "seed", "--ranks", table];
  const ways: [string, () => Promise<Run>][] = [
    ["gunzip -c", () => timed("gunzip", ["-c", table])],
    ["node:zlib alone", zlibAlone],
    [
      "crawl seed -o jsonl",
      () => timed(Deno.execPath(), [...seed, "--max-seeds", "1000000000", "-o", "jsonl"]),
    ],
  ];
  const best = new Map<string, Run>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, run] of ways) {
      const { seconds, peakMb } = await run();
      const before = best.get(name);
      best.set(name, {
        seconds: Math.min(seconds, before?.seconds ?? Infinity),
        peakMb: Math.max(peakMb, before?.peakMb ?? 0),
      });
    }
  }
  const base = best.get("gunzip -c")!.seconds;
  for (const [name, { seconds, peakMb }] of best) {
    console.log(
      `${name.padEnd(20)} ${seconds.toFixed(2).padStart(7)} s  ` +
        `${(rows / seconds / 1e6).toFixed(2)} M rows/s  ` +
        `${(100 * base / seconds).toFixed(0).padStart(4)} % of gunzip` +
        (peakMb > 0 ? `  ${peakMb.toFixed(0)} MB at most` : ""),
    );
  }
} finally {
  await Deno.remove(dir, { recursive: true });
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
