import assert from "node:assert/strict";
import { stage } from "../../deploy/_stage.ts";
import { VERSION } from "../../lib/version.ts";
import { jsonl, run, smoke } from "../deploy/_smoke.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

Deno.test("compile_offline.ts makes one file that is all of ccrawl", async (t) => {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-test-" });
  const binary = `${dir}/ccrawl`, cache = `${dir}/cache`;
  // Neither deno nor its cache is to be found, and where it starts there is no configuration.
  const env = { XDG_CACHE_HOME: cache, PATH: "/usr/bin:/bin", HOME: `${dir}/none`, NO_COLOR: "1" };
  const ccrawl = (...args: string[]) => run(binary, args, { cwd: dir, env });
  const unpacked = () => `${cache}/ccrawl/${[...Deno.readDirSync(`${cache}/ccrawl`)][0]!.name}`;
  const inside = async (script: string) => {
    await Deno.writeTextFile(`${unpacked()}/app/test.ts`, script);
    const flags = "run -A --no-check --no-lock --no-remote --cached-only".split(" ");
    return await run(`${unpacked()}/deno`, [...flags, `${unpacked()}/app/test.ts`], {
      cwd: dir,
      env,
    });
  };
  try {
    await t.step("without a network", async () => {
      const args = "run -A --quiet --no-check deploy/compile_offline.ts --level 1 --out".split(" ");
      const built = await run(Deno.execPath(), [...args, binary], { cwd: ROOT });
      assert.equal(built.code, 0, built.stderr);
    });

    await t.step("which refuses to start where a byte of it is another", async () => {
      const bytes = await Deno.readFile(binary);
      bytes[bytes.length >> 1]! ^= 1;
      await Deno.writeFile(`${dir}/damaged`, bytes, { mode: 0o755 });
      const { code, stderr } = await run(`${dir}/damaged`, ["version"], { cwd: dir, env });
      assert.equal(code, 1);
      assert.match(stderr, /^ccrawl: Cannot start: .*damaged/m);
      assert.deepEqual([...Deno.readDirSync(`${cache}/ccrawl`)], [], "nothing is left of it");
      await Deno.remove(`${dir}/damaged`);
    });

    await t.step("which unpacks itself once, however many start at a time", async () => {
      const outputs = await Promise.all([ccrawl("version"), ccrawl("version"), ccrawl("version")]);
      for (const { code, stdout, stderr } of outputs) {
        assert.equal(code, 0, stderr);
        const [record] = jsonl<{ version: string; commit: string }>(stdout);
        assert.equal(record!.version, VERSION);
        assert.match(record!.commit, /^[0-9a-f]{12}$/);
        assert.equal(record!.commit, Deno.readTextFileSync(`${unpacked()}/app/commit.txt`).trim());
      }
      assert.equal([...Deno.readDirSync(`${cache}/ccrawl`)].length, 1);
    });

    await t.step("which has help", async () => {
      const { code, stdout } = await ccrawl("--help");
      assert.equal(code, 0);
      assert.match(stdout, /crawl/);
    });

    await t.step("which reads no more to start than a start needs", async () => {
      const args = ["info", "--json", "--no-lock", "--no-remote", `${unpacked()}/app/cli.ts`];
      const { code, stdout, stderr } = await run(`${unpacked()}/deno`, args, { cwd: dir, env });
      assert.equal(code, 0, stderr);
      const modules = (JSON.parse(stdout) as { modules: { specifier: string }[] }).modules
        .map(({ specifier }) => specifier);
      assert.ok(modules.some((name) => name.endsWith("/commands/registry.ts")));
      // Those that only types lead to are told of too.
      assert.ok(modules.length < 150, `${modules.length} modules`);
      assert.ok(!modules.some((name) => name.includes("/lib/engine/")), modules.join("\n"));
    });

    await t.step("which hands on its exit code", async () => {
      assert.equal((await ccrawl("crawl", "nonsense")).code, 2);
    });

    await t.step(
      "which crawls, recrawls and verifies, in threads and processes of its own",
      async () => {
        await smoke(ccrawl, dir);
      },
    );

    await t.step("which holds its dependencies whole", async () => {
      const { specifiers } = await stage(`${dir}/stage`);
      assert.ok(specifiers.length > 5);
      const { stdout, stderr } = await inside(`
        const names = async (specifier) => Object.keys(await import(specifier));
        console.log(JSON.stringify(await Promise.all(${JSON.stringify(specifiers)}.map(names))));
      `);
      assert.notEqual(stdout, "", stderr);
      const held = JSON.parse(stdout) as string[][];
      for (const [i, specifier] of specifiers.entries()) {
        // A package that is CommonJS to the runtime and a module to the bundler has a default for the first
        // alone; nothing imports that where there are names.
        const names = Object.keys(await import(specifier)).filter((name) => /^\w+$/.test(name));
        const wanted = names.length > 1 ? names.filter((name) => name !== "default") : names;
        assert.deepEqual(wanted.filter((name) => !held[i]!.includes(name)), [], specifier);
      }
    });

    await t.step("which renders in child processes", async () => {
      const { stdout, stderr } = await inside(`
        import { renderPage } from "./lib/render/mod.ts";
        const page = { url: "https://a.test/", extractor: "raw" };
        console.log((await renderPage("<p>Some <b>text</b>.", page)).markdown);
      `);
      assert.equal(stdout, "Some **text**.\n", stderr);
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
