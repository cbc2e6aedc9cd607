import assert from "node:assert/strict";
import fc from "fast-check";
import { UsageError } from "../../lib/cli/errors.ts";
import type { FieldSpec } from "../../lib/cli/output/fields.ts";
import { markdownCell, markdownFormatter } from "../../lib/cli/output/markdown.ts";
import { templateFormatter } from "../../lib/cli/output/template.ts";
import type { GlobalOptions } from "../../lib/cli/options/global.ts";
import { main } from "../../lib/cli/app.ts";
import { testHost } from "./_host.ts";
import { refused, tree } from "./_tree.ts";

const known: FieldSpec[] = [
  { name: "url", type: "string", help: "" },
  { name: "status", type: "integer", help: "" },
  { name: "counts", type: "json", help: "" },
];

Deno.test("markdown is a table, numbers at the right, URLs as links", () => {
  const table = markdownFormatter(known, true, false);
  assert.equal(
    table.begin() +
      table.record({ url: "https://a.example/x_y_z", status: 200, counts: { a: 1 } }) +
      table.record({ url: "https://a.example/a|b", status: 0 }) + table.end(),
    "| url | status | counts |\n" +
      "| --- | ---: | --- |\n" +
      '| <https://a.example/x_y_z> | 200 | {"a":1} |\n' +
      "| <https://a.example/a\\|b> | 0 |  |\n",
  );
  assert.match(markdownFormatter(known, false, false).begin(), /^\| {3}\| {3}\| {3}\|\n\| ---/);
});

Deno.test("markdown takes no markup from a value", () => {
  assert.equal(markdownCell("a|b\\"), "a\\|b\\\\");
  assert.equal(markdownCell("*x* _y_ `z` ~~w~~"), "\\*x\\* \\_y\\_ \\`z\\` \\~\\~w\\~\\~");
  assert.equal(markdownCell("![i](http://e/)"), "\\!\\[i\\](http://e/)");
  assert.equal(markdownCell("<script>&lt;"), "\\<script\\>\\&lt;");
  assert.equal(markdownCell("one\r\ntwo\nthree\tfour"), "one<br>two<br>three four");
  // Nothing that could end the link, or be taken for an escape within it.
  assert.equal(markdownCell("https://a/>x"), "https://a/\\>x");
  assert.equal(markdownCell("https://a/\\|x"), "https://a/\\\\\\|x");
  assert.equal(markdownCell("javascript:alert(1)"), "javascript:alert(1)");
});

Deno.test("markdown keeps any value in its cell and its line", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
    const cell = markdownCell(text);
    assert(!/[\r\n]/.test(cell), JSON.stringify(cell));
    // Every bar stands behind an odd number of backslashes.
    for (const [, before] of cell.matchAll(/(\\*)\|/g)) assert.equal(before!.length % 2, 1, cell);
  }));
});

Deno.test("a template writes a line a record", () => {
  const line = templateFormatter("{{ status }}\\t{{url}} {x} \\\\ {{counts}}", known, false);
  assert.equal(
    line.record({ url: "u", status: 200, counts: { a: 1 } }),
    '200\tu {x} \\ {"a":1}\n',
  );
  assert.equal(line.record({ url: "{{status}}" }), "\t{{status}} {x} \\ \n");
  assert.equal(templateFormatter("{{url}}", known, true).record({ url: "\x1b[2J" }), "\\x1b[2J\n");
});

Deno.test("a template that cannot be filled is a usage error", () => {
  const refusal = (template: string, pattern: RegExp) =>
    assert.throws(
      () => templateFormatter(template, known, false),
      (error: Error) =>
        error instanceof UsageError && pattern.test(`${error.message}\n${error.hint}`),
    );
  refusal("{{urll}}", /--template: unknown field "urll"; did you mean url\?/);
  refusal("{{}}", /known fields: url, status, counts/);
  refusal("a {{url", /the braces at "\{\{url" do not close/);
});

Deno.test("of --template and -o what was said nearer to the command counts", async () => {
  const wrote = async (args: string[], env: Record<string, string> = {}) => {
    const host = testHost({ env });
    const body = async (
      _: GlobalOptions,
      io: Parameters<Parameters<typeof tree>[0] & object>[1],
    ) => {
      await io.output.write({ version: "1" });
      return 0;
    };
    assert.equal(await main(["version", ...args], host, tree(body)), 0, host.err());
    return host.out();
  };
  assert.equal(await wrote(["--template", "v{{version}}"]), "v1\n");
  assert.equal(await wrote(["--template", "v{{version}}"], { CCRAWL_OUTPUT: "csv" }), "v1\n");
  assert.match(await wrote(["-ocsv"], { CCRAWL_TEMPLATE: "v{{version}}" }), /^version,commit/);
  assert.match(
    await refused(["version", "-ocsv", "--template", "v{{version}}"]),
    /--template is a format of its own, and -o csv another/,
  );
  assert.match(
    await refused(["version", "--fields", "version", "--template", "v{{version}}"]),
    /--template says which fields to write, and --fields too/,
  );
});
