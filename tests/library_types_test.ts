/** The library's types, seen by a program that has the runtime's own settings and not the repository's. */

import assert from "node:assert/strict";

Deno.test("the library passes the type check of a program with other settings", async () => {
  const root = new URL("../", import.meta.url);
  const { name, exports } = JSON.parse(
    Deno.readTextFileSync(new URL("deno.json", root)),
  ) as { name: string; exports: Record<string, string> };
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-test-" });
  try {
    await Deno.writeTextFile(`${dir}/deno.json`, JSON.stringify({ links: [root.pathname] }));
    const lines = Object.keys(exports).map((key) => `import "${name}${key.slice(1)}";\n`);
    await Deno.writeTextFile(`${dir}/all.ts`, lines.join(""));
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "all.ts"],
      cwd: dir,
      env: { NO_COLOR: "1" },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
