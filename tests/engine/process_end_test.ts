/** Programs with runs that were stopped or left: they end by themselves, for nothing of a run stays behind. */

import assert from "node:assert/strict";
import { withFolder } from "./_crawl.ts";

const ROOT = new URL("../../", import.meta.url);

/** What stands before each program: a run of either kind, without a page to ask for. */
const PRELUDE = `
import { crawl } from "${new URL("lib/crawl.ts", ROOT)}";
import { recrawl } from "${new URL("lib/recrawl.ts", ROOT)}";
const url = "http://127.0.0.1:1/";
Deno.writeTextFileSync("list.txt", url + "\\n");
const both = { allowPrivate: true, minFree: 0, robots: false, retries: 0 };
const runs = (options) => [
  crawl({ ...both, seeds: [url], state: "state.db", warc: { dir: "warc" }, ...options }),
  ...["parquet", "warc"].map((format) =>
    recrawl({ ...both, from: "list.txt", out: format, extractor: "none", format, ...options })
  ),
];
const read = async (run) => (await Array.fromAsync(run)).length;
`;

/** Runs a program in a folder of its own: it is to print `lines` and to end by itself. */
function prints(lines: readonly string[], program: string): Promise<void> {
  return withFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/program.ts`, PRELUDE + program);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ..."run -A --no-check --quiet".split(" "),
        `--config=${new URL("deno.json", ROOT).pathname}`,
        "program.ts",
      ],
      cwd: dir,
      env: { NO_COLOR: "1" },
      signal: AbortSignal.timeout(60_000), // one that does not end is what is looked for
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    assert.equal(code, 0, `${text(stdout)}${text(stderr)}`);
    assert.deepEqual(text(stdout).split("\n").slice(0, -1), lines);
  });
}

Deno.test("a program ends whose runs were stopped before they began", () =>
  prints(
    ["0", "0", "0"],
    `for (const run of runs({ signal: AbortSignal.abort() })) console.log(await read(run));`,
  ));

Deno.test("a program ends whose runs were stopped as they opened", () =>
  prints(
    ["0", "0", "0"],
    `for (const run of runs({})) {
      const reading = read(run);
      run.stop();
      console.log(await reading);
    }`,
  ));

Deno.test("a program ends that reads its runs twice, at once and again", () =>
  prints(
    ["1", "1", "1"],
    `for (const run of runs({})) {
      const [one, other] = await Promise.all([read(run), read(run)]);
      console.log(one + other + await read(run));
    }`,
  ));
