/**
 * Publishing a part against sending the same bytes to the same hub over a bare socket, whole and in the same
 * pieces: what reading, hashing and the protocol add. The hub writes to disk what comes, takes its hash, and puts
 * pieces together, in this process.
 *
 *     deno task bench publish [-- megabytes]
 *
 * @module
 */

import { createHash } from "node:crypto";
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

/** A bare PUT of the next `bytes` of a file; the head of the answer. */
async function bare(target: URL, file: Deno.FsFile, bytes: number): Promise<string> {
  const { hostname, port, pathname, search } = target;
  using conn = await Deno.connect({ hostname, port: Number(port) });
  await write(
    conn,
    new TextEncoder().encode(
      `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${bytes}\r\n\r\n`,
    ),
  );
  const buffer = new Uint8Array(256 << 10);
  for (let left = bytes; left > 0;) {
    const count = file.readSync(buffer.subarray(0, Math.min(left, buffer.length)))!;
    await write(conn, buffer.subarray(0, count));
    left -= count;
  }
  const count = await conn.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, count ?? 0));
}

/** Ms that bare PUTs of a file's pieces take, and the request that has the hub put them together. */
async function barePieces(hub: string, path: string, bytes: number): Promise<number> {
  const hash = createHash("sha256");
  using file = Deno.openSync(path);
  for await (const piece of Deno.openSync(path).readable) hash.update(piece);
  const oid = hash.digest("hex");
  const post = async (url: string, body: unknown) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  const [organization, name] = REPO.split("/");
  await post(`${hub}/api/repos/create`, { type: "dataset", name, organization });
  const start = performance.now();
  const { objects } = await post(`${hub}/datasets/${REPO}.git/info/lfs/objects/batch`, {
    operation: "upload",
    transfers: ["basic", "multipart"],
    objects: [{ oid, size: bytes }],
  });
  const { href, header } = objects[0].actions.upload;
  const chunk = Number(header.chunk_size);
  const parts: { partNumber: number; etag: string }[] = [];
  for (let at = 0; at < bytes; at += chunk) {
    const partNumber = parts.length + 1;
    const target = new URL(header[String(partNumber).padStart(5, "0")]);
    const head = await bare(target, file, Math.min(chunk, bytes - at));
    parts.push({ partNumber, etag: /^etag: *(.*)\r$/im.exec(head)![1]! });
  }
  await post(href, { oid, parts });
  return performance.now() - start;
}

async function write(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

const best = { bareWhole: Infinity, barePieces: Infinity, whole: Infinity, pieces: Infinity };
for (let round = 0; round < ROUNDS; round++) {
  for (const [way, chunk] of [["whole", size * 2], ["pieces", 32 << 20]] as const) {
    await using hub = startHub({ token: TOKEN, chunk });
    const { run, path, bytes } = await bigRun();
    await using _run = run;
    if (way === "whole") {
      // The store does not know that hash, and says so when it has everything.
      const target = new URL(`/upload/${"0".repeat(64)}?signature=1`, hub.cdnUrl);
      using file = Deno.openSync(path);
      const start = performance.now();
      await bare(target, file, bytes);
      best.bareWhole = Math.min(best.bareWhole, performance.now() - start);
    } else {
      await using other = startHub({ token: TOKEN, chunk });
      best.barePieces = Math.min(best.barePieces, await barePieces(other.url, path, bytes));
    }
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
const times = (ms: number, bare: number) => `${(ms / bare).toFixed(2)} of the bare one`;
console.log(`a part of ${size >> 20} MB, the best of ${ROUNDS}:`);
console.log(`  a bare PUT            ${rate(best.bareWhole)}`);
console.log(`  published, whole      ${rate(best.whole)}  ${times(best.whole, best.bareWhole)}`);
console.log(`  bare PUTs of pieces   ${rate(best.barePieces)}`);
console.log(`  published, in pieces  ${rate(best.pieces)}  ${times(best.pieces, best.barePieces)}`);
