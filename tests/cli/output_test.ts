import assert from "node:assert/strict";
import { LimitReachedError, PipeClosedError, UsageError } from "../../lib/cli/errors.ts";
import type { FieldSpec } from "../../lib/cli/output/fields.ts";
import type { OutputFormat } from "../../lib/cli/output/formats_list.ts";
import { openOutput, type OutputOptions } from "../../lib/cli/output/writer.ts";
import { testHost } from "./_host.ts";

const known: FieldSpec[] = [
  { name: "url", type: "string", help: "" },
  { name: "status", type: "number", help: "" },
  { name: "note", type: "string", help: "" },
  { name: "hidden", type: "json", help: "", table: false },
];

const rows = [
  { url: "https://a.example/", status: 200, note: "x", hidden: { a: 1 } },
  { url: "https://b.example/?a,b", status: 404, note: 'say "hi"\nthere\t\\', hidden: null },
];

interface Setup extends Partial<Omit<OutputOptions, "stdout">> {
  terminal?: boolean;
  columns?: number;
}

async function written(
  format: OutputFormat,
  setup: Setup = {},
  records: readonly Record<string, unknown>[] = rows,
): Promise<string> {
  const { terminal, columns, ...options } = setup;
  const host = testHost({
    ...(terminal === undefined ? {} : { terminal }),
    ...(columns === undefined ? {} : { columns }),
  });
  const output = await openOutput({
    format,
    fields: [],
    header: true,
    limit: 0,
    color: false,
    known,
    raw: false,
    stdout: host.stdout,
    ...options,
  });
  for (const record of records) if (!await output.write(record)) break;
  await output.close();
  return host.out();
}

Deno.test("jsonl writes each record whole, or the fields asked for in their order", async () => {
  const lines = (await written("jsonl")).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines, rows);
  assert.equal(
    await written("jsonl", { fields: ["status", "url"] }, [{ url: "u" }]),
    '{"status":null,"url":"u"}\n',
  );
});

Deno.test("json is one array, also of nothing", async () => {
  assert.deepEqual(JSON.parse(await written("json")), rows);
  assert.equal(await written("json", {}, []), "[]\n");
});

Deno.test("jsonl keeps the digits of integers beyond 2^53", async () => {
  const big = [{ url: 2n ** 63n - 1n, status: 5n }];
  assert.equal(await written("jsonl", {}, big), '{"url":"9223372036854775807","status":5}\n');
});

Deno.test("csv quotes as RFC 4180 has it", async () => {
  assert.equal(
    await written("csv", { fields: ["status", "url", "note"] }),
    "status,url,note\n200,https://a.example/,x\n" +
      '404,"https://b.example/?a,b","say ""hi""\nthere\t\\"\n',
  );
  assert.equal(
    await written("csv", { header: false, fields: ["hidden"] }),
    '"{""a"":1}"\n\n',
  );
  assert.equal(await written("csv", {}, []), "url,status,note,hidden\n");
});

Deno.test("tsv escapes tabs, line ends and backslashes", async () => {
  assert.equal(
    await written("tsv", { fields: ["note", "status"], header: false }),
    'x\t200\nsay "hi"\\nthere\\t\\\\\t404\n',
  );
});

Deno.test("url writes the URL of each record that has one", async () => {
  assert.equal(
    await written("url", {}, [...rows, { status: 1 }]),
    "https://a.example/\nhttps://b.example/?a,b\n",
  );
});

Deno.test("auto is a table on a terminal and jsonl elsewhere", async () => {
  assert.match(await written("auto"), /^\{/);
  assert.match(await written("auto", { terminal: true, columns: 80 }), /^url +status +note\n/);
});

Deno.test("table aligns columns, numbers right, and leaves out fields not meant for it", async () => {
  assert.equal(
    await written("table", { fields: ["status", "url"] }, [
      { status: 5, url: "a" },
      { status: 200, url: "bb" },
    ]),
    "status  url\n     5  a\n   200  bb\n",
  );
  assert.doesNotMatch(await written("table"), /hidden/);
  assert.match(await written("table", { fields: ["hidden"] }), /\{"a":1\}/);
  assert.equal(await written("table", {}, []), "");
});

Deno.test("table fits the terminal by cutting its widest cells", async () => {
  const long = `https://a.example/${"x".repeat(200)}`;
  const text = await written("table", { terminal: true, columns: 40 }, [
    { url: long, status: 200, note: "short" },
  ]);
  for (const line of text.trimEnd().split("\n")) assert(line.length <= 40, line);
  assert.match(text, /https:\/\/a\.ex.*… +200 +short/);
});

Deno.test("table cuts nothing where there is no terminal", async () => {
  const long = "x".repeat(500);
  assert(
    (await written("table", { fields: ["url"] }, [{ url: "a" }, { url: long }])).includes(long),
  );
});

Deno.test("table streams: rows after the first hundred keep the columns of those", async () => {
  const many = Array.from({ length: 250 }, (_, i) => ({ url: `u${i}`, status: i, note: "n" }));
  const lines = (await written("table", {}, many)).trimEnd().split("\n");
  assert.equal(lines.length, 251);
  assert.equal(lines[250], "u249     249  n");
});

Deno.test("table shows controls, bidi marks and lone surrogates instead of obeying them", async () => {
  // A page's title can try to clear the screen, forge lines, or reverse what is shown.
  const hostile = "a\x1b[2Jb\nc\rd\te\x07\x9bf\u202eg\u2028h\ud800i";
  const text = await written("table", { fields: ["note"], header: false }, [{ note: hostile }]);
  assert.equal(text, "a\\x1b[2Jb\\nc\\rd\\te\\x07\\x9bf\\u202eg\\u2028h\\ud800i\n");
});

Deno.test("every format keeps control characters off a terminal", async () => {
  const hostile = [{ url: "https://a/\x1b[2J\x9b\u202e\x7f", status: 1, note: "" }];
  for (const format of ["table", "jsonl", "json", "csv", "tsv", "url"] as const) {
    const text = await written(format, { terminal: true, columns: 200 }, hostile);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/, format);
  }
});

Deno.test("--fields refuses an unknown name, lists the known and the near miss", async () => {
  await assert.rejects(
    written("csv", { fields: ["stauts"] }),
    (error: UsageError) =>
      error instanceof UsageError &&
      error.message === '--fields: unknown field "stauts"; did you mean status?' &&
      error.hint === "known fields: url, status, note, hidden",
  );
});

Deno.test("raw and url are refused where records have no body or no url", async () => {
  await assert.rejects(written("raw"), /has no body/);
  await assert.rejects(written("url", { known: [known[1]!] }), /have no url/);
});

Deno.test("raw writes bytes as they are and no records", async () => {
  const chunks: Uint8Array[] = [];
  const host = testHost({
    write: (bytes) => {
      chunks.push(bytes.slice());
      return Promise.resolve();
    },
  });
  const output = await openOutput({
    format: "raw",
    fields: [],
    header: true,
    limit: 0,
    color: false,
    known,
    raw: true,
    stdout: host.stdout,
  });
  await output.write(rows[0]!);
  await output.raw(new Uint8Array([0, 255, 10]));
  await output.close();
  assert.deepEqual(chunks, [new Uint8Array([0, 255, 10])]);
});

Deno.test("-n stops after that many records, and says why", async () => {
  const host = testHost();
  const output = await openOutput({
    format: "jsonl",
    fields: ["status"],
    header: true,
    limit: 2,
    color: false,
    known,
    raw: false,
    stdout: host.stdout,
  });
  assert.equal(await output.write({ status: 1 }), true);
  assert.equal(output.stopped.aborted, false);
  assert.equal(await output.write({ status: 2 }), true);
  assert(output.stopped.reason instanceof LimitReachedError);
  assert.equal(await output.write({ status: 3 }), false);
  await output.close();
  assert.equal(host.out(), '{"status":1}\n{"status":2}\n');
});

Deno.test("flush() shows what a table holds back", async () => {
  const host = testHost();
  const output = await openOutput({
    format: "table",
    fields: ["status"],
    header: false,
    limit: 0,
    color: false,
    known,
    raw: false,
    stdout: host.stdout,
  });
  await output.write({ status: 7 });
  assert.equal(host.out(), "");
  await output.flush();
  assert.equal(host.out(), "7\n");
  await output.close();
  assert.equal(host.out(), "7\n");
});

Deno.test("a reader that has gone stops the output quietly", async () => {
  const host = testHost({ write: () => Promise.reject(new Deno.errors.BrokenPipe("EPIPE")) });
  const output = await openOutput({
    format: "jsonl",
    fields: [],
    header: true,
    limit: 0,
    color: false,
    known,
    raw: false,
    stdout: host.stdout,
  });
  const big = { url: "x".repeat(300_000) };
  assert.equal(await output.write(big), false);
  assert(output.stopped.reason instanceof PipeClosedError);
  assert.equal(await output.write(big), false);
  await output.close();
});

Deno.test("a disk that is full under stdout is an error, not a quiet end", async () => {
  const host = testHost({ write: () => Promise.reject(new Error("No space left on device")) });
  const output = await openOutput({
    format: "jsonl",
    fields: [],
    header: true,
    limit: 0,
    color: false,
    known,
    raw: false,
    stdout: host.stdout,
  });
  await output.write({ url: "a" });
  await assert.rejects(output.close(), /Cannot write to stdout: No space left/);
});

Deno.test("a slow reader holds the writer back, and records keep their order", async () => {
  let release = (): void => {};
  const chunks: string[] = [];
  const host = testHost({
    write: (bytes) =>
      new Promise((resolve) => {
        release = () => {
          chunks.push(new TextDecoder().decode(bytes));
          resolve();
        };
      }),
  });
  const output = await openOutput({
    format: "url",
    fields: [],
    header: true,
    limit: 0,
    color: false,
    known,
    raw: false,
    stdout: host.stdout,
  });
  const first = output.write({ url: "a".repeat(300_000) });
  assert(first instanceof Promise);
  let settled = false;
  void first.then(() => settled = true);
  await Promise.resolve();
  assert.equal(settled, false);
  assert.equal(output.write({ url: "b" }), true);
  release();
  await first;
  const closing = output.close();
  await Promise.resolve();
  await Promise.resolve();
  release();
  await closing;
  assert.equal(chunks.join(""), `${"a".repeat(300_000)}\nb\n`);
});

Deno.test("a reader is given up on only when it has taken nothing for long", async () => {
  let release = (): void => {};
  const host = testHost({ write: () => new Promise((resolve) => release = resolve) });
  const output = await openOutput({
    format: "url",
    fields: [],
    header: true,
    limit: 0,
    color: false,
    known,
    raw: false,
    stdout: host.stdout,
  });
  assert.equal(output.abandon(1), false, "nothing is waited for");
  const first = output.write({ url: "a".repeat(300_000) });
  assert.equal(output.abandon(60_000), false, "not for a minute yet");
  release();
  assert.equal(await first, true);
  const second = output.write({ url: "b".repeat(300_000) });
  await new Promise((resolve) => setTimeout(resolve, 2));
  assert.equal(output.abandon(1), true);
  assert.equal(await second, false);
  await output.close();
});
