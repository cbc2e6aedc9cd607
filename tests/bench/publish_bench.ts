/**
 * Publishing a part against sending the same bytes to the same hub over a bare socket: what reading, TLS-less
 * HTTP and the protocol add. The hub takes the hash of what comes and writes it to disk, in this process.
 *
 *     deno task bench publish [-- megabytes]
 *
 * @module
 */

import { join } from "node:path";
import { publish } from "../../lib/publish/publisher.ts";
import { startHub } from "../web/hub.ts";
import { localRun } from "../publish/_run.ts";

const size = Number(Deno.args[0] ?? 256) << 20;
const ROUNDS = 3;
const REPO = "bench/captures", TOKEN = "hf_bench";

/** A run with one part of about that size. */
async function bigRun() {
  const run = await localRun();
  const name = run.seal(3), path = join(run.dir, name);
  const footer = run.bytes(name);
  using file = Deno.openSync(path, { write: true, truncate: true });
  const piece = crypto.getRandomValues(new Uint8Array(65_536));
  for (let at = 0; at < size; at += piece.length) {
    piece[0] = at >> 16;
    file.writeSync(piece);
  }
  file.writeSync(footer);
  return { run, path, bytes: size + footer.length };
}

/** Ms that a bare PUT of a file takes. */
async function bare(cdn: string, target: string, path: string, bytes: number): Promise<number> {
  const { hostname, port } = new URL(cdn);
  using conn = await Deno.connect({ hostname, port: Number(port) });
  using file = Deno.openSync(path);
  const start = performance.now();
  await write(
    conn,
    new TextEncoder().encode(
      `PUT ${target} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${bytes}\r\n\r\n`,
    ),
  );
  const buffer = new Uint8Array(256 << 10);
  for (let count; (count = file.readSync(buffer)) !== null;) {
    await write(conn, buffer.subarray(0, count));
  }
  await conn.read(buffer);
  return performance.now() - start;
}

async function write(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

const best = { bare: Infinity, whole: Infinity, pieces: Infinity };
for (let round = 0; round < ROUNDS; round++) {
  for (const [way, chunk] of [["whole", size * 2], ["pieces", 32 << 20]] as const) {
    await using hub = startHub({ token: TOKEN, chunk });
    const { run, path, bytes } = await bigRun();
    await using _run = run;
    // The store does not know that hash, and says so when it has everything.
    const target = `/upload/${"0".repeat(64)}?signature=1`;
    best.bare = Math.min(best.bare, await bare(hub.cdnUrl, target, path, bytes));
    const { dir, state } = run;
    const to = { kind: "urls", repo: REPO, server: "s", hub: hub.url, token: TOKEN } as const;
    const start = performance.now();
    for await (const { outcome } of publish({ dir, state, ...to })) {
      if (outcome !== "published") throw new Error(outcome);
    }
    best[way] = Math.min(best[way], performance.now() - start);
  }
}
const rate = (ms: number) => `${(size / 2 ** 20 / (ms / 1000)).toFixed(0).padStart(5)} MB/s`;
const times = (ms: number) => `${(ms / best.bare).toFixed(2)} of a bare PUT`;
console.log(`a part of ${size >> 20} MB, the best of ${ROUNDS}:`);
console.log(`  a bare PUT            ${rate(best.bare)}`);
console.log(`  published, whole      ${rate(best.whole)}  ${times(best.whole)}`);
console.log(`  published, in pieces  ${rate(best.pieces)}  ${times(best.pieces)}`);
