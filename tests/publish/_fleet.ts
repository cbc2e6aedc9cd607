/**
 * A fleet on this machine: each shard of one published list has a crawl and a publisher beside it, all
 * against one web and one hub, and they are killed at random and started again.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readPartInfo } from "../../lib/capture/reader.ts";
import { parseLedger } from "../../lib/publish/ledger.ts";
import { registeredDomain } from "../../lib/url/mod.ts";
import { shardOf } from "../../lib/url/shard.ts";
import { readCheckpoint } from "../../lib/worklist/checkpoint.ts";
import { generator } from "../engine/_kill.ts";
import { Ccrawl } from "../engine/_process.ts";
import { readRows, verifyClean } from "../engine/_recrawl.ts";
import { startHub } from "../web/hub.ts";
import { type LocalWeb, startWeb } from "../web/mod.ts";
import { writeList } from "../worklist/_lists.ts";

const LIST = "open-index/ccrawl-urls", REPO = "open-index/ccrawl-recrawl-urls";
const TOKEN = "hf_fleetToken";

/** How hard a fleet is treated. */
export interface FleetPlan {
  readonly shards: number;
  readonly kills: number;
  /** Registered domains, and pages of each. */
  readonly domains: number;
  readonly pages: number;
  readonly delayMs: number;
  /** KB of a part before compression. */
  readonly shardKb: number;
  readonly args?: readonly string[];
  /** A failing round can be run again with the seed that its message names. */
  readonly seed?: number;
}

/** What came of it. */
export interface FleetResult {
  readonly rows: number;
  readonly parts: number;
  readonly commits: number;
  /** Requests for a page beyond the first for each. */
  readonly repeats: number;
  /** Most memory of a crawl in each half of the round, bytes; 0 where the system does not say. */
  readonly memory: readonly [number, number];
}

/** Runs a fleet to the end of its list under kills, and proves what must hold then. */
export async function killFleet(plan: FleetPlan): Promise<FleetResult> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-fleet-" });
  const seed = plan.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!;
  try {
    return await round(dir, plan, generator(seed));
  } catch (cause) {
    throw new Error(`Seed ${seed}: ${(cause as Error).message}`, { cause });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function round(dir: string, plan: FleetPlan, random: () => number): Promise<FleetResult> {
  await using web = await startWeb({
    hosts: plan.domains,
    domains: plan.domains,
    pages: plan.domains * plan.pages,
    pageBytes: 3000,
  });
  await using hub = startHub({ token: TOKEN });
  const urls = [...web.expectedUrls()];
  await writeList(`${dir}/list.parquet`, urls);
  hub.put(LIST, "data/CC-MAIN-2026-10/part-00000.parquet", `${dir}/list.parquet`);

  const fleet = Array.from(
    { length: plan.shards },
    (_, shard) => new Machine(dir, shard, plan, web, hub.url),
  );
  try {
    const services = fleet.flatMap(({ services }) => services);
    const memory: [number, number] = [0, 0];
    for (const service of services) service.start();
    const share = urls.length / (plan.kills + 1);
    for (let kill = 0; kill < plan.kills; kill++) {
      const target = (kill + random()) * share;
      const told = () => fleet.reduce((sum, { crawl }) => sum + crawl.records, 0);
      for (const service of services) await service.until(() => told() >= target);
      for (const { crawl } of fleet) {
        const half = kill < plan.kills / 2 ? 0 : 1;
        memory[half] = Math.max(memory[half], crawl.memory());
      }
      const running = services.filter(({ over }) => !over);
      if (running.length === 0) break;
      await running[Math.floor(random() * running.length)]!.killed();
    }
    for (const service of services) await service.succeeds();

    const seen = new Set<string>();
    const owner = new Map<string, number>();
    const paths = hub.paths(REPO).filter((path) => path.startsWith("data/"));
    await Deno.mkdir(`${dir}/published`);
    const filesOf = new Map<number, { files: number; rows: number }>();
    for (const path of paths) {
      const [, server, shard] = /^data\/(server\d)-shard(\d)of\d-[0-9a-f]{12}\.parquet$/.exec(
        path,
      )!;
      assert.equal(server, `server${shard}`);
      const file = hub.file(REPO, path)!;
      const local = `${dir}/published/${path.slice("data/".length)}`;
      await Deno.writeFile(local, typeof file === "string" ? readFileSync(file) : file);
      for (const { url } of await readRows(local, ["url"])) {
        assert.ok(!seen.has(url), `${url} was published twice`);
        seen.add(url);
        const domain = registeredDomain(new URL(url).hostname)!;
        const first = owner.get(domain) ?? Number(shard);
        assert.equal(first, Number(shard), `${domain} is in two shards`);
        assert.equal(shardOf(url, plan.shards), Number(shard));
        owner.set(domain, first);
      }
      const of = filesOf.get(Number(shard)) ?? { files: 0, rows: 0 };
      of.files++;
      of.rows += (await readPartInfo(local)).rows;
      filesOf.set(Number(shard), of);
    }
    await verifyClean(`${dir}/published`);
    assert.equal(seen.size, urls.length, "every row of the list was published");
    assert.ok(urls.every((url) => seen.has(url)));
    assert.equal(filesOf.size, plan.shards, "every shard had its share");

    const commits = hub.commits(REPO);
    const added = commits.flatMap(({ paths }) => paths).filter((path) => path.startsWith("data/"));
    assert.deepEqual(added.toSorted(), paths, "no file was written twice, none is gone");
    for (const { shard, out, state } of fleet) {
      const [ledger] = parseLedger(
        hub.text(REPO, `ledger/server${shard}-shard${shard}of${plan.shards}.csv`),
      );
      const { files, rows, done } = ledger!;
      assert.deepEqual({ files, rows }, filesOf.get(shard), "the ledger counts what is there");
      assert.equal(done, true);
      const left = [...Deno.readDirSync(out)].filter(({ name }) => name.endsWith(".parquet"));
      assert.deepEqual(left, [], "what is published is deleted");
      const checkpoint = readCheckpoint(state)!;
      assert.deepEqual([checkpoint.done, checkpoint.pending, checkpoint.rows], [true, [], rows]);
    }
    const { repeated, missingSample } = await web.coverage();
    assert.deepEqual(missingSample, []);
    return {
      rows: urls.length,
      parts: paths.length,
      commits: commits.length,
      repeats: repeated,
      memory,
    };
  } finally {
    for (const { services } of fleet) for (const service of services) await service.end();
  }
}

/** One machine of the fleet: its two services, and their folder. */
class Machine {
  readonly shard: number;
  readonly out: string;
  readonly state: string;
  readonly crawl: Service;
  readonly services: readonly Service[];

  constructor(dir: string, shard: number, plan: FleetPlan, web: LocalWeb, hub: string) {
    this.shard = shard;
    this.out = `${dir}/${shard}/captures`;
    this.state = `${dir}/${shard}/state.json`;
    Deno.mkdirSync(this.out, { recursive: true });
    // As the units give them: by the environment, save for what is of this web.
    const env = {
      HF_ENDPOINT: hub,
      CCRAWL_SERVER: `server${shard}`,
      CCRAWL_SHARD: `${shard}`,
      CCRAWL_SHARDS: `${plan.shards}`,
      CCRAWL_WRITERS: "",
      CCRAWL_SHARD_SIZE: `${plan.shardKb}KB`,
    };
    this.crawl = new Service([
      ..."recrawl run --from urls --allow-private --min-free 0 -o jsonl --progress none".split(" "),
      ...["--out", this.out, "--state", this.state, "--delay", `${plan.delayMs}ms`],
      ...["--seal-after", "5s", "--queue-mb", "4", "--extractors", "1"],
      ...web.resolvers.flatMap((resolver) => ["--resolver", resolver]),
      ...plan.args ?? [],
    ], env);
    const publish = new Service([
      ..."recrawl publish --kind urls --watch 1s -o jsonl".split(" "),
      ...["--dir", this.out, "--state", this.state],
    ], { ...env, HF_TOKEN: TOKEN });
    this.services = [this.crawl, publish];
  }
}

/** A command that is started again when it was killed. */
class Service {
  readonly #args: readonly string[];
  readonly #env: Record<string, string>;
  #process: Ccrawl | undefined;
  #before = 0;

  constructor(args: readonly string[], env: Record<string, string>) {
    this.#args = args;
    this.#env = env;
  }

  /** Records that it has told of, over all its lives. */
  get records(): number {
    return this.#before + (this.#process?.count ?? 0);
  }

  get over(): boolean {
    return this.#process?.over ?? true;
  }

  start(): void {
    this.#before = this.records;
    this.#process = new Ccrawl(this.#args, { keep: false, env: this.#env });
  }

  /** Waits for something that any of the services may bring about; not longer than this one lives. */
  async until(condition: () => boolean): Promise<void> {
    await this.#process!.until(condition);
  }

  /** Kills it, and starts it again. */
  async killed(): Promise<void> {
    this.#process!.kill("SIGKILL");
    const { code, signal } = await this.#process!.ended;
    if (signal !== "SIGKILL") assert.equal(code, 0, this.#process!.stderr);
    this.start();
  }

  /** Waits until it has done all there is. */
  async succeeds(): Promise<void> {
    await this.#process!.succeeds();
    assert.doesNotMatch(this.#process!.stderr, new RegExp(TOKEN));
  }

  /** Whatever it was doing. */
  async end(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.ended;
  }

  /** Memory that it holds, bytes. */
  memory(): number {
    if (Deno.build.os !== "linux" || this.over) return 0;
    try {
      const status = readFileSync(`/proc/${this.#process!.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error;
      return 0; // it has just ended
    }
  }
}
