import assert from "node:assert/strict";

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly { isDynamic?: boolean; code?: { specifier?: string } }[];
}

const ROOT = new URL("../../", import.meta.url).href;

/** What is loaded before a command is known, as paths in the repo and names of packages; and by what. */
async function loaded(): Promise<Map<string, string>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `${ROOT}cli.ts`],
    env: { NO_COLOR: "1" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const graph = JSON.parse(new TextDecoder().decode(stdout)) as {
    roots: string[];
    modules: Module[];
  };
  const modules = new Map(graph.modules.map((module) => [module.specifier, module]));
  const by = new Map([[graph.roots[0]!, ""]]);
  for (const specifier of by.keys()) {
    for (const { isDynamic, code } of modules.get(specifier)?.dependencies ?? []) {
      const next = code?.specifier;
      if (!isDynamic && next !== undefined && !by.has(next)) by.set(next, specifier);
    }
  }
  return new Map([...by].map(([a, b]) => [a.replace(ROOT, ""), b.replace(ROOT, "")]));
}

// A start is a matter of what is loaded: `ccrawl version` and a shell's completions have no use for a
// database, and each of a hundred modules is read.
Deno.test("the command line loads nothing that only commands need", async () => {
  const modules = await loaded();
  assert.ok(modules.has("lib/cli/commands/registry.ts"));
  const heavy = [...modules].filter(([name]) =>
    /^npm:/.test(name) && !name.startsWith("npm:@stricli/core@") ||
    /^node:(sqlite|fs|http|crypto|zlib|worker)/.test(name) ||
    /^lib\/(?!cli\/)[^/]+\/mod\.ts$/.test(name) ||
    name.startsWith("lib/cli/commands/bodies/")
  );
  assert.deepEqual(heavy.map(([name, by]) => `${name} by ${by}`), []);
  assert.ok(modules.size < 90, `${modules.size} modules`);
});
