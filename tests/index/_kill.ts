/** Builds that are killed. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { SearchIndex } from "../../lib/index/search.ts";

const SCRIPT = fileURLToPath(new URL("./_endless_build.ts", import.meta.url));

/**
 * Builds from document `from` on, and kills that after so many commits.
 *
 * @returns The last document that was said to be committed.
 */
export async function killBuild(dir: string, from: number, commits: number): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, dir, String(from)],
    stdout: "piped",
  }).spawn();
  let told = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    told += text;
    if (told.split("\n").length > commits) {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended, and what it said last is still on its way
      }
    }
  }
  assert.equal((await child.status).signal, "SIGKILL");
  return Number(told.split("\n").at(-2));
}

/** Asserts that each document up to `last` is there, and that the index is whole. */
export function checkAfterKill(dir: string, last: number): void {
  const db = new DatabaseSync(join(dir, "index.db"));
  assert.deepEqual(Object.values(db.prepare("PRAGMA integrity_check").get()!), ["ok"]);
  db.exec("INSERT INTO words(words) VALUES('integrity-check')");
  const [rows, keys, figure] = ["count(*) FROM document", "count(*) FROM key", "value FROM figure"]
    .map((what) => Object.values(db.prepare(`SELECT ${what}`).get()!)[0]);
  assert.deepEqual([keys, figure], [rows, rows]);
  db.close();
  assert.ok(Number(rows) > last);
  using index = new SearchIndex(dir);
  const step = Math.max(1, Math.floor(last / 300));
  for (let i = 0; i <= last; i += step) {
    assert.deepEqual(index.search(`unique${i}`).map(({ title }) => title), [`Document ${i}`]);
  }
  assert.equal(index.search(`unique${last}`).length, 1);
}
