import assert from "node:assert/strict";
import { parquetReadObjects } from "hyparquet";
import { CommandError, UsageError } from "../../lib/cli/errors.ts";
import type { FieldSpec, OutputRecord } from "../../lib/cli/output/fields.ts";
import { parquetFormatter } from "../../lib/cli/output/parquet.ts";
import { openOutput, type OutputOptions } from "../../lib/cli/output/writer.ts";
import { testHost } from "./_host.ts";

const known: FieldSpec[] = [
  { name: "url", type: "string", help: "" },
  { name: "status", type: "integer", help: "" },
  { name: "score", type: "number", help: "" },
  { name: "simhash", type: "uint64", help: "" },
  { name: "unchanged", type: "boolean", help: "" },
  { name: "counts", type: "json", help: "" },
];

const rows: OutputRecord[] = [
  {
    url: "https://a.example/",
    status: 200,
    score: 0.5,
    simhash: 2n ** 64n - 1n,
    unchanged: false,
    counts: { dns: 1 },
  },
  { url: "https://b.example/\ud800é漢", status: 404, simhash: 0n, unchanged: true, counts: [] },
  { url: "", status: 0, score: -0.25, simhash: 7n },
];

const read = rows.map((row, i) => ({
  url: i === 1 ? "https://b.example/\ufffdé漢" : row.url,
  status: BigInt(row.status as number),
  score: row.score ?? null,
  simhash: row.simhash,
  unchanged: row.unchanged ?? null,
  counts: row.counts ?? null,
}));

/** The bytes of a file with these records. */
async function written(
  records: Iterable<OutputRecord>,
  more: Partial<OutputOptions> = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const host = testHost({
    write: (bytes) => {
      chunks.push(bytes.slice());
      return Promise.resolve();
    },
  });
  const output = await openOutput({
    format: "parquet",
    fields: [],
    header: true,
    limit: 0,
    color: false,
    known,
    raw: false,
    stdout: host.stdout,
    ...more,
  });
  for (const record of records) if (!await output.write(record)) break;
  await output.close();
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

Deno.test("-o parquet is read by hyparquet, types and missing values kept", async () => {
  const file = (await written(rows)).buffer;
  assert.deepEqual(await parquetReadObjects({ file }), read);
});

Deno.test("-o parquet is read by DuckDB", async () => {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${dir}/records.parquet`, await written(rows));
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const from = `from '${dir}/records.parquet'`;
    const types = await connection.runAndReadAll(`describe select * ${from}`);
    assert.deepEqual(
      types.getRowObjects().map(({ column_name, column_type }) => [
        column_name,
        column_type,
      ]),
      [
        ["url", "VARCHAR"],
        ["status", "BIGINT"],
        ["score", "DOUBLE"],
        ["simhash", "UBIGINT"],
        ["unchanged", "BOOLEAN"],
        ["counts", "JSON"],
      ],
    );
    const sums = await connection.runAndReadAll(
      `select count(*), sum(status), max(simhash), sum(score), count(unchanged),
        first(counts->>'dns') ${from}`,
    );
    assert.deepEqual(sums.getRows(), [[3n, 604n, 2n ** 64n - 1n, 0.25, 2n, "1"]]);
    connection.closeSync();
    instance.closeSync();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("-o parquet keeps to --fields and -n, and a file of nothing is a file", async () => {
  const some = await written(rows, { fields: ["status", "url"], limit: 2 });
  assert.deepEqual(
    await parquetReadObjects({ file: some.buffer }),
    read.slice(0, 2).map(({ status, url }) => ({ status, url })),
  );
  assert.deepEqual(await parquetReadObjects({ file: (await written([])).buffer }), []);
});

Deno.test("-o parquet writes by groups: what it holds does not grow with the records", () => {
  const formatter = parquetFormatter(known);
  const text = "x".repeat(1000);
  let bytes = 0;
  let pieces = 0;
  let since = 0;
  let longest = 0;
  const record = { url: "", status: 200, score: 1, simhash: 1n, unchanged: true, counts: null };
  for (let i = 0; i < 60_000; i++) {
    const piece = formatter.record({ ...record, url: `https://example.com/${i}/${text}` });
    since++;
    if (piece === "") continue;
    longest = Math.max(longest, since);
    since = 0;
    pieces++;
    bytes += (piece as Uint8Array).length;
  }
  const end = formatter.end() as Uint8Array;
  assert(pieces >= 6 && longest <= 8 * 1024 ** 2 / 1000, `${pieces} pieces, ${longest} records`);
  // The last group, and little for each of those before.
  assert(end.length < bytes / pieces + 64 * 1024, `${end.length} bytes at the end`);
});

Deno.test("-o parquet refuses a terminal, and a value that is none of its column", async () => {
  const terminal = testHost({ terminal: true });
  const options = { fields: [], header: true, limit: 0, color: false, known, raw: false } as const;
  await assert.rejects(
    openOutput({ ...options, format: "parquet", stdout: terminal.stdout }),
    (error: Error) =>
      error instanceof UsageError && /a terminal cannot show it/.test(error.message),
  );
  assert.equal(terminal.out(), "");
  await assert.rejects(written([], { known: [] }), /this command has no records/);
  await assert.rejects(
    written([{ status: 2.5 }]),
    (error: Error) =>
      error instanceof CommandError && /status is integer .* "2.5"/.test(error.message),
  );
});
