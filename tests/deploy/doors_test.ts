import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import config from "../../deno.json" with { type: "json" };

const ROOT = new URL("../..", import.meta.url).pathname;

Deno.test("every way into the library has an example that runs, of that way in", () => {
  for (const [key, path] of Object.entries(config.exports)) {
    const head = readFileSync(ROOT + path, "utf8").split("@module")[0]!;
    const examples = head.split("```ts\n").slice(1).map((text) => text.split("```")[0]!);
    const own = examples.filter((text) => text.includes(`from "${config.name}${key.slice(1)}"`));
    assert.ok(own.length > 0, `${path} has none that runs`);
  }
});

Deno.test("docs/library.md and mod.ts name every way in", () => {
  const docs = readFileSync(`${ROOT}docs/library.md`, "utf8");
  const mod = readFileSync(`${ROOT}mod.ts`, "utf8").split("@module")[0]!;
  for (const key of Object.keys(config.exports)) {
    if (key === ".") continue;
    assert.ok(
      docs.includes(`| \`${config.name}${key.slice(1)}\``),
      `${key} is not in docs/library.md`,
    );
    assert.ok(mod.includes(`${key.slice(1)}\``), `${key} is not in mod.ts`);
  }
});
