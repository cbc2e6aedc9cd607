import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import { describeTree } from "../../lib/cli/completions/describe.ts";
import { commands, groups } from "../../lib/cli/commands/registry.ts";
import { optionName } from "../../lib/cli/options/spec.ts";
import { testHost } from "./_host.ts";
import { refused } from "./_tree.ts";
import { askBash, askFish, askZsh, hasShell } from "./_shells.ts";

/** Writes a shell's script into a folder of its own. */
async function script(
  shell: string,
  work: (path: string, dir: string) => Promise<void>,
): Promise<void> {
  const host = testHost();
  assert.equal(await main(["completions", shell], host), 0, host.err());
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/_ccrawl`, host.out());
    await Deno.writeTextFile(`${dir}/seeds list.txt`, "");
    await work(`${dir}/_ccrawl`, dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

type Ask = (script: string, lines: string[], dir: string) => Promise<string[][]>;

const bashLines: Ask = async (script, lines, dir) => {
  const out: string[][] = [];
  for (const line of lines) out.push(await askBash(script, line, dir));
  return out;
};

/** What every shell offers; of a line with `*` more may be offered than these. */
const CASES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["ccrawl ver*", ["verify", "version"]],
  ["ccrawl recrawl s*", ["status"]],
  ["ccrawl -o json crawl r", ["run"]],
  ["ccrawl --limit 3 crawl fe", ["fetch"]],
  ["ccrawl crawl run --warc-h", ["--warc-http"]],
  ["ccrawl crawl run --no-rob", ["--no-robots"]],
  ["ccrawl crawl run --warc-http cl", ["clean"]],
  ["ccrawl version -o ra", []],
  ["ccrawl crawl fetch -o ra", ["raw"]],
  ["ccrawl crawl run --fields dep", ["depth"]],
  ["ccrawl completions f", ["fish"]],
  ["ccrawl crawl control bl", ["block"]],
];

for (
  const [shell, ask] of [["bash", bashLines], ["fish", askFish], ["zsh", askZsh]] as [
    string,
    Ask,
  ][]
) {
  Deno.test(`${shell} completes commands, options and values`, async () => {
    if (!await hasShell(shell)) return;
    await script(shell, async (path, dir) => {
      const lines = [...CASES.map(([line]) => line.replace("*", "")), "ccrawl crawl "];
      const offered = await ask(path, lines, dir);
      assert.equal(offered.length, lines.length);
      CASES.forEach(([line, wanted], i) => {
        if (line.endsWith("*")) {
          for (const word of wanted) assert(offered[i]!.includes(word), `${line}: ${offered[i]}`);
        } else assert.deepEqual(offered[i], wanted, line);
      });
      assert.deepEqual(
        offered.at(-1)!.sort(),
        commands.flatMap(({ path }) => path[0] === "crawl" ? [path[1]!] : []).sort(),
      );
    });
  });
}

Deno.test("bash completes what stands behind = and commas, and files with spaces", async () => {
  if (!await hasShell("bash")) return;
  await script("bash", async (path, dir) => {
    assert.deepEqual(await askBash(path, "ccrawl crawl run --warc-http=r", dir), ["raw"]);
    assert.deepEqual(await askBash(path, "ccrawl crawl run --warc-http=", dir), ["clean", "raw"]);
    assert.deepEqual(await askBash(path, "ccrawl crawl run --fields url,dep", dir), ["url,depth"]);
    assert.deepEqual(await askBash(path, "ccrawl crawl run --seeds see", dir), ["seeds list.txt"]);
    assert.deepEqual(await askBash(path, "ccrawl verify see", dir), ["seeds list.txt"]);
    assert.deepEqual(await askBash(path, "ccrawl crawl run --user-agent ", dir), []);
    // A value is no command.
    assert.deepEqual(await askBash(path, "ccrawl --journal crawl r", dir), ["recrawl"]);
  });
});

Deno.test("completions know every command, option and closed list of values", () => {
  const nodes = describeTree(commands, groups);
  for (const { path, spec } of commands) {
    const node = nodes.find((one) => one.path.join(" ") === path.join(" "))!;
    for (const [key, option] of Object.entries(spec.options)) {
      const name = option.kind === "flag" && option.default
        ? `no-${optionName(key)}`
        : optionName(key);
      const known = node.options.find((one) => one.name === name);
      assert(known !== undefined, `${path.join(" ")} --${name}`);
      assert.equal(known.value === undefined, option.kind === "flag");
      if (option.kind !== "flag" && option.type.values !== undefined) {
        assert.deepEqual(known.value, option.type.values);
      }
    }
    for (let depth = 0; depth < path.length; depth++) {
      const parent = nodes.find((one) => one.path.join(" ") === path.slice(0, depth).join(" "))!;
      assert(
        parent.children.some(([name, help]) => name === path[depth] && help !== ""),
        `${path}`,
      );
    }
  }
});

Deno.test("completions of an unknown shell are a usage error", async () => {
  assert.match(await refused(["completions", "fsh"]), /no completions for "fsh"\n.*fish/);
  assert.match(await refused(["completions"]), /bash\|zsh\|fish is needed/);
});

Deno.test("a script is the same whatever format a configuration asks for", async () => {
  const wrote = async (env: Record<string, string>) => {
    const host = testHost({ env });
    assert.equal(await main(["completions", "bash"], host), 0, host.err());
    return host.out();
  };
  const plain = await wrote({});
  assert.match(plain, /complete -F _ccrawl ccrawl\n$/);
  for (const format of ["json", "csv", "parquet", "url"]) {
    assert.equal(await wrote({ CCRAWL_OUTPUT: format, CCRAWL_FIELDS: "x" }), plain);
  }
  assert.equal(await wrote({ CCRAWL_TEMPLATE: "{{x}}" }), plain);
});
