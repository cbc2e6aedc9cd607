/**
 * `sched diff` of two snapshots of millions of rows, beside DuckDB doing the same on one thread.
 *
 *     deno task bench diff -- [--rows 1000000] [--rounds 2] [--dir DIR]
 *
 * Ours runs under the executables' V8 flags. The snapshots are made first; `--dir` keeps them, and takes those that are there.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { V8_FLAGS } from "../../deploy/_v8_flags.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    rows: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "2" },
    dir: { type: "string" },
  },
});
const temporary = await Deno.makeTempDir({ prefix: "ccrawl-bench-" });
const dir = values.dir ?? temporary;
const rows = Number(values.rows);
const script = (name: string) => new URL(name, import.meta.url).href;
const DENO = ["run", "-A", "--quiet", "--no-check"];
const DUCKDB = [...DENO, script("./_diff_duckdb.ts")];

interface Run {
  seconds: number;
  /** Most resident, where the system tells. */
  peakMb: number;
  out: string;
}

async function timed(args: string[]): Promise<Run> {
  const begun = performance.now();
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "piped" })
    .spawn();
  let peakMb = 0;
  const look = () => {
    try {
      const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  };
  const looking = setInterval(look, 50);
  const { success, stdout, stderr } = await child.output();
  clearInterval(looking);
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, peakMb, out: new TextDecoder().decode(stdout) };
}

try {
  const files = [`${dir}/older.parquet`, `${dir}/newer.parquet`];
  if (values.dir === undefined || !await exists(files[1]!)) {
    await Deno.mkdir(dir, { recursive: true });
    await timed([...DUCKDB, "make", String(rows), dir]);
  }
  const bytes = (await Deno.stat(files[0]!)).size + (await Deno.stat(files[1]!)).size;
  console.log(`two snapshots of ${rows.toLocaleString("en")} rows, ${bytes >> 20} MB`);
  const ways: [string, string[]][] = [
    ["DuckDB, one thread", [...DUCKDB, "diff", ...files]],
    [
      "sched diff",
      [
        ...DENO,
        `--v8-flags=${V8_FLAGS}`,
        script("../../cli.ts"),
        "sched",
        "diff",
        ...files,
        "-o",
        "jsonl",
      ],
    ],
  ];
  const best = new Map<string, Run>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, args] of ways) {
      const run = await timed(args);
      const before = best.get(name);
      best.set(name, {
        seconds: Math.min(run.seconds, before?.seconds ?? Infinity),
        peakMb: Math.max(run.peakMb, before?.peakMb ?? 0),
        out: run.out,
      });
    }
  }
  const [duckdb, own] = [best.get("DuckDB, one thread")!, best.get("sched diff")!];
  const sums = [0, 0, 0];
  for (const line of own.out.trim().split("\n")) {
    const { total_urls, changed_urls } = JSON.parse(line);
    sums[0]!++;
    sums[1]! += total_urls;
    sums[2]! += changed_urls;
  }
  assert.equal(sums.join(" "), duckdb.out.trim(), "both must come to the same");
  for (const [name, { seconds, peakMb }] of best) {
    console.log(
      `${name.padEnd(20)} ${seconds.toFixed(2).padStart(7)} s  ` +
        `${(2 * rows / seconds / 1e6).toFixed(2)} M rows/s  ` +
        `${(seconds / duckdb.seconds).toFixed(2)} of DuckDB's time  ${
          peakMb.toFixed(0)
        } MB at most, ` +
        `${(peakMb / duckdb.peakMb).toFixed(2)} of DuckDB's`,
    );
  }
} finally {
  await Deno.remove(temporary, { recursive: true });
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
