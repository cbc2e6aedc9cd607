import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stage } from "../../deploy/_stage.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

Deno.test("stage() finds what starts a thread or a process", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const { entries, specifiers } = await stage(dir);
    for (
      const entry of [
        "lib/engine/_archive_worker.ts",
        "lib/frontier/_worker.ts",
        "lib/render/_child_main.ts",
      ]
    ) assert.ok(entries.includes(entry), entry);
    assert.ok(specifiers.includes("htmlparser2"));
    const { imports } = JSON.parse(await Deno.readTextFile(`${dir}/deno.json`));
    assert.equal(imports["fast-check"], undefined, "what only tests use stays out");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("compile.ts embeds every Worker and the commit", async () => {
  const dir = await Deno.makeTempDir();
  try {
    // deno itself stands in for the base binary, which may not be here: what comes out holds everything
    // and does not run.
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ..."run -A --quiet --no-check deploy/compile.ts --out".split(" "),
        dir,
        "--target",
        Deno.build.target,
      ],
      cwd: ROOT,
      env: { DENORT_BIN: Deno.execPath(), NO_COLOR: "1" },
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const [file] = [...Deno.readDirSync(dir)];
    assert.equal(file?.name, `ccrawl-${Deno.build.target}`);
    const binary = readFileSync(`${dir}/${file.name}`);
    const { entries } = await stage(`${dir}/stage`);
    for (const entry of entries) {
      // Its own words: names of files stand in the modules that start them too.
      const lines = (await Deno.readTextFile(ROOT + entry)).split("\n");
      const longest = lines.reduce((a, b) => a.length >= b.length ? a : b).trim();
      assert.ok(binary.includes(longest), `${entry} is not in it`);
    }
    const commit = await Deno.readTextFile(`${dir}/stage/commit.txt`);
    assert.ok(binary.includes(commit));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("compile.ts refuses a target that there is not", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: "run -A --quiet --no-check deploy/compile.ts --target pdp-11".split(" "),
    cwd: ROOT,
  }).output();
  assert.equal(code, 2);
  assert.match(new TextDecoder().decode(stderr), /pdp-11.*known are x86_64-unknown-linux-gnu/);
});
