import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { parquetMetadata } from "hyparquet";
import { type Fault, verifyPaths } from "../../lib/engine/verify.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { ccrawl } from "./_process.ts";
import { collect } from "./_recrawl.ts";

interface Recrawled {
  readonly dir: string;
  readonly out: string;
  readonly state: string;
  readonly parts: readonly string[];
}

let template: string | undefined;

/** Each test damages a copy of one small recrawl, gzipped pages among them. */
async function withRecrawl(body: (recrawled: Recrawled) => Promise<void>): Promise<void> {
  template ??= await makeTemplate();
  await withFolder(async (dir) => {
    const out = `${dir}/out`;
    await Deno.mkdir(out);
    const parts: string[] = [];
    for (const name of readdirSync(`${template}/out`).sort()) {
      if (!name.endsWith(".parquet")) continue;
      await Deno.copyFile(`${template}/out/${name}`, `${out}/${name}`);
      parts.push(name);
    }
    await Deno.copyFile(`${template}/state.json`, `${dir}/state.json`);
    await body({ dir, out, state: `${dir}/state.json`, parts });
  });
}

async function makeTemplate(): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-test-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));
  await using web = await startWeb({ hosts: 4, pages: 120, pageBytes: 3000 });
  const coded = ["gzip", "br", "zstd", "deflate"].map((c) => web.url(`a.${c}.test`, "/p/1"));
  const cut = ["gzip-cut", "gzip-not", "br-cut", "unknown"].map((c) =>
    web.url("a.test", `/coding/${c}`)
  );
  const from = [...web.expectedUrls(), ...coded, ...cut, "http://gone.nx.test/"];
  for (const limit of [40, 40, 0]) { // a part each
    await collect(web, dir, { from, state: `${dir}/state.json`, delayMs: 0, limit });
  }
  return dir;
}

async function faultsOf({ out, state }: Recrawled, withState = true): Promise<Fault[]> {
  return await Array.fromAsync(verifyPaths([out], withState ? { state } : {}));
}

async function change(state: string, edit: (json: Record<string, unknown>) => void): Promise<void> {
  const json = JSON.parse(await Deno.readTextFile(state)) as Record<string, unknown>;
  edit(json);
  await Deno.writeTextFile(state, JSON.stringify(json));
}

Deno.test("verifyPaths() finds nothing in a recrawl that is whole", () =>
  withRecrawl(async (recrawled) => {
    assert.equal(recrawled.parts.length, 3);
    assert.deepEqual(await faultsOf(recrawled), []);
  }));

Deno.test("verifyPaths() finds a flipped byte in the bodies of a part", () =>
  withRecrawl(async (recrawled) => {
    const path = `${recrawled.out}/${recrawled.parts[1]}`;
    const whole = await Deno.readFile(path);
    const { row_groups } = parquetMetadata(whole.buffer);
    const { meta_data } = row_groups[0]!.columns.find((column) =>
      column.meta_data?.path_in_schema[0] === "body"
    )!;
    const start = Number(meta_data!.data_page_offset) + 100; // behind the page's header
    const size = Number(meta_data!.total_compressed_size) - 100;
    assert.ok(size > 5000);
    for (let i = 0; i < 12; i++) {
      const bytes = whole.slice();
      bytes[start + Math.floor(size * i / 12)]! ^= 1 << i % 8;
      await Deno.writeFile(path, bytes);
      const faults = await faultsOf(recrawled, false);
      assert.ok(faults.some(({ file }) => file === path), `${i}: ${JSON.stringify(faults)}`);
    }
  }));

Deno.test("verifyPaths() finds a part that was cut, and one that holds another's rows", () =>
  withRecrawl(async (recrawled) => {
    const { out, parts } = recrawled;
    const path = `${out}/${parts[0]}`;
    const whole = await Deno.readFile(path);
    await Deno.writeFile(path, whole.subarray(0, whole.length - 100));
    assert.deepEqual((await faultsOf(recrawled)).map((f) => [f.file, f.fault]), [[
      path,
      "damaged",
    ]]);
    await Deno.copyFile(`${out}/${parts[2]}`, path);
    const faults = await faultsOf(recrawled, false);
    assert.ok(faults.length > 0);
    for (const { fault, detail } of faults) {
      assert.equal(fault, "ranges");
      assert.match(detail, /rows \d+ to \d+ of part 0 of the work list are in .* too/);
    }
  }));

Deno.test("verifyPaths() holds a recrawl's parts against its state", () =>
  withRecrawl(async (recrawled) => {
    const { state, out, parts } = recrawled;
    await change(state, (json) => json.pending = "0:3+2");
    const again = await faultsOf(recrawled);
    assert.ok(again.length >= 1);
    for (const { fault, detail } of again) {
      assert.equal(fault, "state-part");
      assert.match(detail, /[12] of its rows are still to be fetched by the state/);
    }
    await change(state, (json) => Object.assign(json, { pending: "", part: 0, row: 100 }));
    const unread = await faultsOf(recrawled);
    assert.ok(unread.some(({ detail }) => /have not been read yet/.test(detail)));
    await change(state, (json) => Object.assign(json, { part: 1, row: 0, rows: 5 }));
    assert.deepEqual((await faultsOf(recrawled)).map((f) => [f.file, f.fault]), [
      [state, "state-rows"],
    ]);
    await change(state, (json) => json.run = "another");
    const foreign = await faultsOf(recrawled);
    assert.deepEqual(
      foreign.map(({ file, fault }) => [file, fault]),
      (JSON.parse(await Deno.readTextFile(state)).sealed as string[])
        .map((name) => [`${out}/${name}`, "state-part"]),
    );
    assert.equal(foreign.length, parts.length);
  }));

Deno.test("`ccrawl verify` takes a part that is gone for published, and says so", () =>
  withRecrawl(async ({ out, state, parts }) => {
    await Deno.remove(`${out}/${parts[0]}`);
    const { code, stdout, stderr } = await ccrawl(["verify", out, "--state", state, "-v"]);
    assert.deepEqual([code, stdout], [0, ""]);
    assert.match(stderr, /1 of the state's parts is not there: published and deleted/);
    assert.match(stderr, new RegExp(`not there: ${parts[0]}`));
    await Deno.writeTextFile(`${out}/${parts[1]}`, "PAR1");
    const damaged = await ccrawl(["verify", out, "--state", state, "-o", "jsonl"]);
    assert.equal(damaged.code, 1);
    assert.deepEqual(
      damaged.stdout.trim().split("\n").map((line) => JSON.parse(line).file),
      [`${out}/${parts[1]}`],
    );
    const none = await ccrawl(["verify", out, "--state", `${out}/ccrawl.json`]);
    assert.equal(none.code, 1);
    assert.match(none.stderr, /Cannot open the state/);
  }));
