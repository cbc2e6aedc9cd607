/** A recrawl and a publisher side by side, both killed now and then: every row is published once. */

import assert from "node:assert/strict";
import { readCaptures } from "../../lib/capture/reader.ts";
import { readCheckpoint } from "../../lib/worklist/checkpoint.ts";
import { generator } from "../engine/_kill.ts";
import { Ccrawl, ccrawl } from "../engine/_process.ts";
import { recrawlArgs, writeList } from "../engine/_recrawl.ts";
import { type LocalHub, startHub } from "../web/hub.ts";
import { startWeb } from "../web/mod.ts";
import { checkCounts, committed, ledgerOf, REPO, TOKEN } from "./_publish.ts";

/** How many pages there are, and how often what is killed. */
export interface BesidePlan {
  readonly hosts: number;
  readonly pages: number;
  /** KB of a part before compression. */
  readonly shardKb: number;
  readonly writers: number;
  /** Kills of the run, and of the publisher. */
  readonly kills: number;
  /** A failing round can be run again with the seed that its message names. */
  readonly seed?: number;
}

/** What came of it. */
export interface BesideResult {
  readonly rows: number;
  readonly files: number;
  readonly commits: number;
}

/** Lets both run to the end of the list, killing and starting them again on the way. */
export async function besideRun(plan: BesidePlan): Promise<BesideResult> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-beside-" });
  const seed = plan.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!;
  try {
    return await round(dir, plan, generator(seed));
  } catch (cause) {
    throw new Error(`Seed ${seed}: ${(cause as Error).message}`, { cause });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function round(dir: string, plan: BesidePlan, random: () => number): Promise<BesideResult> {
  const { hosts, pages, shardKb, writers, kills } = plan;
  await using web = await startWeb({ hosts, pages, pageBytes: 2000 });
  await using hub = startHub({ token: TOKEN, chunk: 8000 });
  const urls = [...web.expectedUrls()];
  writeList(dir, urls);
  const out = `${dir}/out`, state = `${dir}/state.json`;
  const runArgs = recrawlArgs(
    web,
    dir,
    ...["--delay", "20ms", "-j", "8", "--writers", `${writers}`, "--no-extract"],
    ...["--shard-size", `${shardKb}KB`, "--seal-after", "500ms", "--queue-mb", "2"],
  );
  const publishArgs = [
    ..."recrawl publish --kind urls --server server1 --watch 100ms --progress none".split(" "),
    ...["--repo", REPO, "--dir", out, "--state", state, "--commit-every", "3", "-o", "jsonl"],
  ];
  const env = { HF_TOKEN: TOKEN, HF_ENDPOINT: hub.url };
  const alive = (args: string[], more: { env?: Record<string, string> } = {}) =>
    keptAlive(() => new Ccrawl(args, { keep: false, ...more }), kills, random);
  await Promise.all([alive(runArgs), alive(publishArgs, { env })]);

  const rows = await publishedRows(hub);
  assert.deepEqual(rows.toSorted(), urls.toSorted(), "every row is published, none twice");
  checkCounts(hub, urls.length);
  const commits = committed(hub);
  const { done, sealed } = readCheckpoint(state)!;
  assert.equal(done, true);
  assert.equal(ledgerOf(hub).done, true);
  const left = [...Deno.readDirSync(out)].map(({ name }) => name)
    .filter((name) => name.endsWith(".parquet"));
  assert.deepEqual(left, [], `${sealed.length} parts are named`);
  const checked = await ccrawl(["verify", out, "--state", state]);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  const again = await ccrawl(runArgs);
  assert.deepEqual([again.code, again.stdout], [0, ""], again.stderr);
  return { rows: rows.length, files: commits.flat().length, commits: commits.length };
}

/** Starts it again after each kill, until it ends by itself. */
async function keptAlive(start: () => Ccrawl, kills: number, random: () => number): Promise<void> {
  for (let left = kills;; left--) {
    const process = start();
    const timer = left > 0
      ? setTimeout(() => process.kill("SIGKILL"), 300 + random() * 2500)
      : undefined;
    const { code, signal } = await process.ended;
    clearTimeout(timer);
    if (signal === "SIGKILL") continue;
    assert.equal(code, 0, process.stderr);
    return;
  }
}

async function publishedRows(hub: LocalHub): Promise<string[]> {
  const urls: string[] = [];
  for (const path of hub.paths(REPO)) {
    if (!path.startsWith("data/")) continue;
    const file = hub.file(REPO, path) as string;
    for await (const { url } of readCaptures(file, { columns: ["url"] })) urls.push(url!);
  }
  return urls;
}
