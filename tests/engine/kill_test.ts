import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { MAX_UNCOMMITTED, replayBound } from "../../lib/engine/replay.ts";
import { readDone } from "../../lib/frontier/read.ts";
import { readRecordAt } from "../../lib/warc/reader.ts";
import { generator, killAndResume } from "./_kill.ts";

// A page of `tree-across` has exactly one parent, mostly on another host: a lost link would show.
const WEB = { hosts: 40, pages: 1500, pageBytes: 4000, graph: "tree-across" } as const;

Deno.test("a crawl that is killed again and again loses nothing and repeats little", async () => {
  await killAndResume({ web: WEB, kills: 4, workers: 32, writers: 1, delayMs: 0 });
});

Deno.test("a killed crawl with several writers leaves no revisit without its target", async () => {
  await killAndResume({
    web: { hosts: 100, pages: 1000, pageBytes: 3000, graph: "tree", kind: "same" },
    seedAll: true,
    ...{ kills: 3, workers: 32, writers: 4, delayMs: 10 },
  });
});

Deno.test("what a kill left unsynced may be cut anywhere, inside an exchange too", async () => {
  const random = generator(7);
  await killAndResume({
    web: { ...WEB, pages: 600 },
    ...{ kills: 3, workers: 32, writers: 1, delayMs: 0 },
    afterKill: (dir) => cutTails(dir, random),
  });
});

/** Cuts each file being written at random behind the last record that the state relies on. */
async function cutTails(dir: string, random: () => number): Promise<void> {
  const ends = new Map<string, number>();
  for await (const { warcFile, warcOffset } of readDone(`${dir}/crawl.db`)) {
    ends.set(warcFile, Math.max(ends.get(warcFile) ?? 0, warcOffset));
  }
  for (const name of readdirSync(`${dir}/warc`)) {
    if (!name.endsWith(".open")) continue;
    const path = `${dir}/warc/${name}`;
    const offset = ends.get(name.slice(0, -".open".length)) ?? 0;
    const { length } = await readRecordAt(path, offset);
    const { size } = await Deno.stat(path);
    await Deno.truncate(path, Math.ceil(offset + length! + random() * (size - offset - length!)));
  }
}

Deno.test("docs/crawl.md gives the replay bound that the crawl keeps", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/crawl.md", import.meta.url));
  const words = text.replaceAll(/\s+/g, " ");
  assert.ok(words.includes(`and ${MAX_UNCOMMITTED} pages that wait`));
  assert.ok(words.includes(`That is ${replayBound({ workers: 64 })} for 64 workers`));
});
