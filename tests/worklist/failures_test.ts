import assert from "node:assert/strict";
import { join } from "node:path";
import { PartFormatError, WorkListError } from "../../lib/worklist/errors.ts";
import { openWorkList, type OpenWorkListOptions } from "../../lib/worklist/open.ts";
import type { ReadOptions, WorkList, WorkRow } from "../../lib/worklist/types.ts";

const dir = await Deno.makeTempDir({ prefix: "ccrawl-failures-" });
globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));

const CLASSES = ["", "dns", "", "timeout", "refused", "", "dns", "skip", ""];
const errorOf = (row: number) => CLASSES[(row * 7) % CLASSES.length]!;
const urlOf = (row: number) => `https://h${row}.example/${"x".repeat(row % 40)}`;

/** Captures, their two columns in pages that do not begin at the same rows. */
async function captures(path: string, rows: number, groups: number): Promise<void> {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: "root", num_children: 2 },
      { name: "url", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
      { name: "error", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
    ],
  });
  const numbers = Array.from({ length: rows }, (_, row) => row);
  await writer.write({
    columnData: [
      { name: "url", data: numbers.map(urlOf), encoding: "PLAIN" },
      { name: "error", data: numbers.map(errorOf) },
    ],
    rowGroupSize: Math.ceil(rows / groups),
    pageSize: 4096,
  });
  await writer.finish();
  await Deno.writeFile(path, bytes.getBytes().slice());
}

async function read(list: WorkList, options: ReadOptions = {}): Promise<WorkRow[]> {
  const out: WorkRow[] = [];
  for await (const { rows } of list.read(options)) out.push(...rows);
  return out;
}

const open = (from: string, failed: string[], more: Partial<OpenWorkListOptions> = {}) =>
  openWorkList({ from, failed, ...more });

Deno.test("of captures the rows that failed are read, under their own numbers", async () => {
  const path = join(dir, "captures.parquet");
  await captures(path, 20_000, 3);
  const numbers = Array.from({ length: 20_000 }, (_, row) => row);
  const wanted = (keep: (error: string) => boolean) =>
    numbers.filter((row) => keep(errorOf(row))).map((row) => [0, row, urlOf(row)]);
  const all = await open(path, ["all"]);
  const places = async (list: WorkList, options?: ReadOptions) =>
    (await read(list, options)).map(({ part, row, url }) => [part, row, url]);
  assert.deepEqual(await places(all), wanted((error) => error !== ""));
  assert.equal(all.stats.bad, 0);
  assert.equal(all.stats.rows, 20_000);
  assert.deepEqual(
    await places(await open(path, ["dns", "refused"])),
    wanted((error) => error === "dns" || error === "refused"),
  );
  // As a run that goes on reads it: from somewhere, and what is left before that.
  const resumed = await places(await open(path, ["all"]), {
    from: { part: 0, row: 15_001 },
    pending: [{ part: 0, first: 17, last: 400 }, { part: 0, first: 9000, last: 9000 }],
  });
  assert.deepEqual(
    resumed,
    wanted((error) => error !== "").filter(([, row]) =>
      row as number >= 15_001 || row as number >= 17 && row as number <= 400 || row === 9000
    ),
  );
});

Deno.test("other failures are another list; without any it is the list that it always was", async () => {
  const path = join(dir, "few.parquet");
  await captures(path, 30, 1);
  assert.equal((await openWorkList({ from: path })).source, path);
  assert.equal((await open(path, [])).source, path);
  assert.equal((await open(path, ["timeout", "dns"])).source, `${path} failed dns,timeout`);
  assert.equal((await open(path, ["dns", "timeout", "dns"])).source, `${path} failed dns,timeout`);
  assert.equal((await open(path, ["all"])).source, `${path} failed all`);
});

Deno.test("records as JSON lines say what failed, in a file and on standard input", async () => {
  const text =
    [0, 1, 2, 3, 4].map((row) =>
      JSON.stringify({ url: urlOf(row), error: errorOf(row), status: 0 })
    ).join("\n") + '\nhttps://plain.example/\n{"url":"https://no.example/"}\nnot json\n';
  await Deno.writeTextFile(join(dir, "pass.jsonl"), text);
  const failed = [0, 1, 2, 3, 4].filter((row) => errorOf(row) !== "").map(urlOf);
  assert(failed.length > 0);
  const file = await open(join(dir, "pass.jsonl"), ["all"]);
  assert.deepEqual((await read(file)).map(({ url }) => url), failed);
  const stdin = new Blob([text]).stream();
  const piped = await open("-", ["all"], { stdin });
  assert.deepEqual((await read(piped)).map(({ url }) => url), failed);
});

Deno.test("of a folder with WARC files beside captures or records the failures are those of these", async () => {
  const row = JSON.stringify({ url: urlOf(1), error: "dns" });
  for (const beside of ["captures.parquet", "pass.jsonl"]) {
    const folder = await Deno.makeTempDir({ dir });
    if (beside === "pass.jsonl") await Deno.writeTextFile(join(folder, beside), row);
    else await captures(join(folder, beside), 5, 1);
    await Deno.writeTextFile(join(folder, "a.warc.gz"), "is not looked at");
    const list = await open(folder, ["all"]);
    assert.deepEqual(list.parts.map(({ name }) => name), [join(folder, beside)]);
    assert((await read(list)).length > 0);
    await Deno.writeTextFile(join(folder, "plain.txt"), "https://a.example/\n");
    await assert.rejects(open(folder, ["all"]), /Cannot read the failures in ".*plain\.txt"/);
  }
  const archive = await Deno.makeTempDir({ dir });
  await Deno.writeTextFile(join(archive, "a.warc.gz"), "");
  await assert.rejects(open(archive, ["all"]), /Cannot read the failures in ".*a\.warc\.gz"/);
});

Deno.test("a list that does not say what failed is refused", async () => {
  await Deno.writeTextFile(join(dir, "plain.txt"), "https://a.example/\n");
  await assert.rejects(
    open(join(dir, "plain.txt"), ["all"]),
    (error: Error) =>
      error instanceof WorkListError && /Cannot read the failures in/.test(error.message),
  );
  const { writeList } = await import("./_lists.ts");
  await writeList(join(dir, "list.parquet"), ["https://a.example/"]);
  await assert.rejects(
    open(join(dir, "list.parquet"), ["all"]).then((list) => read(list)),
    (error: Error) => error instanceof PartFormatError && /no column "error"/.test(error.message),
  );
});
