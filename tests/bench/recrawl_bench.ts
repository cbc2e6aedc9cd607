/**
 * A whole pass over a list of domains, of which, as of the published one, a third do not exist, 7 % have broken TLS
 * and 6 % never answer; the others serve pages of the open web (`CCRAWL_CORPUS`), gzipped. Rendered, and written by
 * four writers, with the server on the same cores. Beside it, in the same run, what a pass could not do without:
 * the same bodies decoded, rendered and written as Parquet in a loop, on as many threads as the machine has cores.
 * That is done before the pass and after it, and counts by its mean: a machine's speed changes by the minute.
 *
 * `deno task bench recrawl -- [domains] [rounds] [https]`; 20 000 domains is the figure that the docs quote. With
 * `https` the good ones are asked over TLS, a handshake each. `CCRAWL_BENCH_FLAGS` are other flags for V8 than those
 * of the executables.
 *
 * @module
 */

import { join } from "node:path";
import { V8_FLAGS } from "../../deploy/_v8_flags.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";
import type { AloneResult, AloneSetup } from "./_recrawl_alone.ts";
import type { OnceResult, OnceSetup } from "./_recrawl_once.ts";

const domains = Number(Deno.args[0] ?? 3000), rounds = Number(Deno.args[1] ?? 1);
const https = Deno.args.includes("https");
const WORKERS = 256, WRITERS = 4, TIMEOUT_MS = 3000, QUEUE_MB = 128;
const FLAGS = Deno.env.get("CCRAWL_BENCH_FLAGS") ?? V8_FLAGS;
/** As the units and the launcher have it. */
const ENV = { MALLOC_MMAP_THRESHOLD_: "65536", MALLOC_ARENA_MAX: "2" };
const BROKEN = ["expired", "wrong-name", "self-signed", "unknown-ca", "alert", "close", "garbage"];

const corpus = Deno.env.get("CCRAWL_CORPUS");
if (corpus === undefined) {
  console.log(
    "CCRAWL_CORPUS names a folder with pages/*/source.html; without it there is nothing to serve",
  );
  Deno.exit(0);
}

/** Kinds lie mixed, as they do in a list by rank. Those from 46 on serve pages. */
const kindOf = (i: number) => i * 37 % 100;

function list(web: LocalWeb): string[] {
  return Array.from({ length: domains }, (_, i) => {
    const kind = kindOf(i);
    if (kind < 33) return `http://d${i}.nx-g${i}.test/`;
    if (kind < 40) {
      return web.url(`d${i}.tls-${BROKEN[i % BROKEN.length]}.a-g${i}.test`, "/", "https");
    }
    if (kind < 46) return web.url(`d${i}.tarpit-g${i}.test`);
    return web.url(`d${i}.good-g${i}.test`, `/corpus/${i}`, https ? "https" : "http");
  });
}

async function child<T>(script: string, args: string[]): Promise<T> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      ...(FLAGS === "" ? [] : [`--v8-flags=${FLAGS}`]),
      new URL(script, import.meta.url).href,
      ...args,
    ],
    env: ENV,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${script} failed`);
  return JSON.parse(new TextDecoder().decode(stdout)) as T;
}

/** Numbers of the pages that the pass fetches. */
const numbers = Array.from({ length: domains }, (_, i) => i).filter((i) => kindOf(i) >= 46);

async function alone({ out, extractors }: OnceSetup): Promise<AloneResult> {
  await Deno.mkdir(out);
  const setup: AloneSetup = { numbers, pages: join(corpus!, "pages"), out, threads: extractors };
  const result = await child<AloneResult>("./_recrawl_alone.ts", [JSON.stringify(setup)]);
  await Deno.remove(out, { recursive: true });
  return result;
}

const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
const ms = (seconds: number, pages: number) => `${(seconds * 1000 / pages).toFixed(2)} ms`;

const dir = await Deno.makeTempDir({ prefix: "ccrawl-bench-" });
try {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const from = join(dir, "list.txt");
  await Deno.writeTextFile(from, list(web).join("\n"));
  for (let round = 0; round < rounds; round++) {
    const out = join(dir, `out${round}`);
    const setup: OnceSetup = {
      from,
      out,
      resolvers: web.resolvers,
      caFile: web.caFile,
      workers: WORKERS,
      writers: WRITERS,
      extractors: navigator.hardwareConcurrency,
      timeoutMs: TIMEOUT_MS,
      queueMb: QUEUE_MB,
    };
    const before = await alone(setup);
    const once = await child<OnceResult>("./_recrawl_once.ts", [JSON.stringify(setup)]);
    await Deno.remove(out, { recursive: true });
    const after = await alone(setup);
    const { pages } = once;
    if (once.rows !== domains) throw new Error(`${once.rows} rows of ${domains}`);
    if (pages !== numbers.length) throw new Error(`${pages} pages of ${numbers.length}`);
    const mean = (of: (result: AloneResult) => number) => (of(before) + of(after)) / 2;
    const cpuAlone = mean(({ cpuSeconds }) => cpuSeconds);
    for (const line of once.summary) console.log(line);
    console.log(
      `pages a second       ${(pages / once.seconds).toFixed(0)}, server on the same cores; ` +
        `${(once.bytes / pages / 1024).toFixed(0)} KB a page on the wire`,
    );
    console.log(`CPU a page           ${ms(once.cpuSeconds, pages)} in all`);
    console.log(
      `  render and Parquet ${ms(cpuAlone, pages)} alone (${
        ms(before.cpuSeconds, pages)
      } before, ` +
        `${ms(after.cpuSeconds, pages)} after), of it ` +
        `threads ${ms(mean(({ threads }) => threads), pages)}, ` +
        `writing ${ms(mean(({ cpuSeconds, writing }) => cpuSeconds * writing), pages)}; ` +
        mb(Math.max(before.peakBytes, after.peakBytes)),
    );
    console.log(
      `  ratio              ${(once.cpuSeconds / cpuAlone).toFixed(2)} (at most 1.35 wanted)`,
    );
    for (const [name, seconds] of Object.entries(once.threads).sort((a, b) => b[1] - a[1])) {
      if (seconds * 1000 / pages >= 0.01) console.log(`  ${name.padEnd(18)} ${ms(seconds, pages)}`);
    }
    console.log(`peak memory          ${mb(once.peakBytes)}`);
    for (const [name, bytes] of Object.entries(once.mapped).sort((a, b) => b[1] - a[1])) {
      if (bytes >= 2 ** 20) console.log(`  ${name.padEnd(18)} ${mb(bytes)}`);
    }
    console.log(
      `  main heap ${mb(once.main.heap)}, external ${mb(once.main.external)}, queues at most ` +
        `${mb(once.queues.extract)} and ${mb(once.queues.write)}`,
    );
  }
} finally {
  await Deno.remove(dir, { recursive: true });
}
