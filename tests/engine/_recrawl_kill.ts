/**
 * A recrawl through the command line that is killed again and again: what must hold after each kill,
 * and in the end.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { listParts } from "../../lib/capture/part_sequence.ts";
import { readPartInfo } from "../../lib/capture/reader.ts";
import { recrawlReplayBound } from "../../lib/engine/replay.ts";
import { readCheckpoint } from "../../lib/worklist/checkpoint.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";
import type { Scenario } from "../web/scenario.ts";
import { generator } from "./_kill.ts";
import { Ccrawl, ccrawl } from "./_process.ts";
import { countRows, readRows, recrawlArgs, verifyClean, writeList } from "./_recrawl.ts";

/** How hard a recrawl is treated. */
export interface RecrawlKillPlan {
  readonly web: Partial<Scenario>;
  readonly kills: number;
  readonly workers: number;
  readonly writers: number;
  readonly delayMs: number;
  /** KB of a part before compression. */
  readonly shardKb: number;
  readonly args?: readonly string[];
  /** Between runs a publisher takes every part that the checkpoint knows. */
  readonly publish?: boolean;
  /** After each kill the checkpoint is set back to one that was there some seals ago. */
  readonly setBack?: boolean;
  /** URLs of the list; the pages of the web, host by host, where left out. */
  readonly urls?: (web: LocalWeb) => readonly string[];
  /** Looks at what there is in the end. */
  readonly check?: (dir: string) => Promise<void>;
  /** A failing round can be run again with the seed that its message names. */
  readonly seed?: number;
}

/** What came of it. */
export interface RecrawlKillResult {
  readonly rows: number;
  readonly kills: number;
  /** Requests for a page beyond the first for each. */
  readonly repeats: number;
  /** The most that one kill cost. */
  readonly worst: number;
  /** The most that one kill may cost. */
  readonly bound: number;
  readonly parts: number;
}

const QUEUE_MB = 2;

/**
 * Recrawls a web, kills the run with SIGKILL at random moments of its work, and resumes it each time.
 * After every kill `verify` must find nothing and no sealed part may have changed; in the end every row
 * is in exactly one part, and the repeats keep to the bound.
 */
export async function killAndResume(plan: RecrawlKillPlan): Promise<RecrawlKillResult> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-recrawl-kill-" });
  const seed = plan.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!;
  try {
    await using web = await startWeb(plan.web);
    return await round(web, dir, plan, generator(seed));
  } catch (cause) {
    throw new Error(`Seed ${seed}: ${(cause as Error).message}`, { cause });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function round(
  web: LocalWeb,
  dir: string,
  plan: RecrawlKillPlan,
  random: () => number,
): Promise<RecrawlKillResult> {
  const urls = plan.urls?.(web) ?? [...web.expectedUrls()];
  writeList(dir, urls);
  await Deno.mkdir(`${dir}/published`);
  const out = `${dir}/out`, state = `${dir}/state.json`;
  const args = recrawlArgs(
    web,
    dir,
    ...["--delay", `${plan.delayMs}ms`, "-j", `${plan.workers}`, "--writers", `${plan.writers}`],
    ...["--shard-size", `${plan.shardKb}KB`, "--queue-mb", `${QUEUE_MB}`, "--extractors", "1"],
    ...plan.args ?? [],
  );
  const { pageBytes } = web.scenario;
  const bound = recrawlReplayBound({
    workers: plan.workers,
    writers: plan.writers,
    shardSize: plan.shardKb * 1024,
    queueBytes: QUEUE_MB * 2 ** 20,
    rowBytes: pageBytes,
  });
  const share = urls.length / (plan.kills + 1);
  const sealed = new SealedParts(out);
  let worst = 0, kills = 0, done = 0, takenIn = 0;
  const asked = async () => (await web.summary()).requests;
  while (kills < plan.kills) {
    const before = await asked();
    const run = new Ccrawl(args, { keep: false });
    // Where seals must lie between, there must be a list left to seal.
    const target = Math.floor(random() * (plan.setBack ? 0.8 : 1.7) * share);
    const older = plan.setBack ? await checkpointAt(run, state, target / 2) : undefined;
    await run.until(() => target === 0 ? run.stderr !== "" : run.count >= target);
    if (older !== undefined) {
      const parts = countSealed(older);
      await run.until(() => countSealed(Deno.readTextFileSync(state)) > parts);
    }
    await new Promise((resolve) => setTimeout(resolve, random() * 300));
    run.kill("SIGKILL");
    const { code, signal } = await run.ended;
    if (signal !== "SIGKILL") assert.equal(code, 0, run.stderr);
    assert.doesNotMatch(run.stderr, /error|Cannot/i);
    takenIn += count(run.stderr, "taken in");
    await verifyClean(out, existsSync(state) ? state : undefined);
    await sealed.check();
    const durable = await countRows(out) + await countRows(`${dir}/published`);
    const lost = await asked() - before - (durable - done);
    done = durable;
    if (signal !== "SIGKILL") break;
    kills++;
    worst = Math.max(worst, lost);
    assert.ok(lost <= bound, `${lost} rows are to be fetched again after one kill, over ${bound}`);
    if (older !== undefined) await Deno.writeTextFile(state, older);
    if (plan.publish) publish(dir, sealed);
  }
  const last = new Ccrawl(args, { keep: false });
  await last.succeeds();
  await verifyClean(out, state);
  await sealed.check();
  takenIn += count(last.stderr, "taken in");
  if (plan.setBack) assert.ok(takenIn > 0, "no kill lay between a seal and its checkpoint");

  const rows = [
    ...await readRows(out, ["url", "status"]),
    ...await readRows(`${dir}/published`, ["url", "status"]),
  ];
  assert.deepEqual(
    rows.map(({ url }) => url).sort(),
    urls.toSorted(),
    "every row of the list has one row, none has two",
  );
  await plan.check?.(dir);
  const { repeated, missingSample } = await web.coverage();
  if (plan.urls === undefined) assert.deepEqual(missingSample, []);
  assert.ok(repeated <= kills * bound, `${repeated} repeats in ${kills} kills`);
  const checked = await ccrawl(["verify", out, "--state", state]);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  const { done: finished, pending, rows: counted, fetched } = readCheckpoint(state)!;
  const answered = rows.filter(({ status }) => status !== 0).length;
  assert.deepEqual([finished, pending, counted, fetched], [true, [], urls.length, answered]);
  const again = await ccrawl(args);
  assert.deepEqual([again.code, again.stdout], [0, ""], "a finished list is done at once");
  return { rows: urls.length, kills, repeats: repeated, worst, bound, parts: sealed.names.size };
}

function count(text: string, words: string): number {
  return text.split(words).length - 1;
}

/** The checkpoint as it is when so many rows have been told. */
async function checkpointAt(run: Ccrawl, state: string, rows: number): Promise<string | undefined> {
  await run.until(() => run.count >= rows && existsSync(state));
  return existsSync(state) ? await Deno.readTextFile(state) : undefined;
}

/** Parts that a checkpoint knows. */
function countSealed(checkpoint: string): number {
  return (JSON.parse(checkpoint) as { sealed: unknown[] }).sealed.length;
}

/** Takes away what the checkpoint knows, as a publisher does. */
function publish(dir: string, sealed: SealedParts): void {
  for (const name of readCheckpoint(`${dir}/state.json`)?.sealed ?? []) {
    if (!existsSync(`${dir}/out/${name}`)) continue;
    renameSync(`${dir}/out/${name}`, `${dir}/published/${name}`);
    sealed.gone(name);
  }
}

/** Remembers sealed parts: none may change, and no number may come again. */
class SealedParts {
  readonly #out: string;
  readonly names = new Map<string, string>();
  readonly #gone = new Set<string>();

  constructor(out: string) {
    this.#out = out;
  }

  gone(name: string): void {
    this.#gone.add(name);
  }

  async check(): Promise<void> {
    const there = existsSync(this.#out) ? listParts(this.#out) : [];
    for (const name of there) {
      assert.ok(!this.#gone.has(name), `${name} was published, and is written again`);
      const { size, mtimeMs, ino } = statSync(`${this.#out}/${name}`);
      const look = `${size} ${mtimeMs} ${ino}`;
      assert.equal(this.names.get(name) ?? look, look, `${name} has changed`);
      this.names.set(name, look);
      assert.ok((await readPartInfo(`${this.#out}/${name}`)).rows > 0);
    }
    for (const name of this.names.keys()) {
      assert.ok(there.includes(name) || this.#gone.has(name), `${name} is gone`);
    }
    const left = existsSync(this.#out) ? readdirSync(this.#out) : [];
    const known = /\.(parquet|warc\.gz)(\.open)?$|\.(used|seq|cdxj)$|^ccrawl\.lock$/;
    const strange = left.filter((name) => !known.test(name));
    assert.deepEqual(strange, []);
  }
}
