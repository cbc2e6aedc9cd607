/** The package as JSR gives it to those who use it. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import config from "../../deno.json" with { type: "json" };
import { startWeb } from "../web/mod.ts";
import { startRegistry } from "./_jsr.ts";
import { jsonl, run } from "./_smoke.ts";

/** A cache with the npm packages of this machine's own, and nothing of JSR. */
async function freshCache(dir: string): Promise<string> {
  const { stdout } = await run(Deno.execPath(), ["info", "--json"], { cwd: dir });
  const { npmCache } = JSON.parse(stdout) as { npmCache: string };
  const cache = `${dir}/cache`;
  await Deno.mkdir(cache);
  if (existsSync(npmCache)) await Deno.symlink(npmCache, `${cache}/npm`);
  return cache;
}

Deno.test("the package runs from JSR", async (t) => {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-jsr-" });
  await using registry = await startRegistry();
  await using web = await startWeb({ hosts: 2, pages: 10, pageBytes: 2000 });
  try {
    const env = { JSR_URL: registry.url, DENO_DIR: await freshCache(dir), NO_COLOR: "1" };
    const deno = (...args: string[]) => run(Deno.execPath(), args, { cwd: dir, env });
    const ccrawl = (...args: string[]) =>
      deno("run", "-A", "--quiet", `jsr:${config.name}`, ...args);
    const toward = [
      ..."--allow-private -o jsonl --progress none --min-free 0 --delay 1ms".split(" "),
      ...web.resolvers.flatMap((server) => ["--resolver", server]),
    ];
    const url = web.seeds()[0]!;

    await t.step("its files are the program, and nothing else", () => {
      for (const file of registry.files) {
        assert.match(
          file,
          /^\/(lib\/.*\.(ts|json|html|css|js)|cli\.ts|mod\.ts|[\w.]+\.(md|json|lock)|LICENSE)$/,
        );
      }
      for (const path of Object.values(config.exports)) {
        assert.ok(registry.files.includes(path.slice(1)), path);
      }
    });

    await t.step("version", async () => {
      const { code, stdout, stderr } = await ccrawl("version", "-o", "jsonl");
      assert.equal(code, 0, stderr);
      const [record] = jsonl<Record<string, string>>(stdout);
      assert.deepEqual(
        [record!.version, record!.commit, record!.deno],
        [config.version, "", Deno.version.deno],
      );
    });

    await t.step("crawl fetch", async () => {
      const args = toward.filter((word) => !/^(--min-free|0|--delay|1ms)$/.test(word));
      const { code, stdout, stderr } = await ccrawl("crawl", "fetch", url, ...args);
      assert.equal(code, 0, stderr);
      const [record] = jsonl<{ url: string; status: number; body_size: number }>(stdout);
      assert.deepEqual([record!.url, record!.status, record!.body_size], [url, 200, 2000]);
    });

    await t.step("crawl run, in threads that come from there too", async () => {
      await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
      const crawled = await ccrawl(
        ...["crawl", "run", "--seeds", "seeds.txt", "--state", "crawl.db", "--out", "warc"],
        ...["--max-depth", "9", ...toward],
      );
      assert.equal(crawled.code, 0, crawled.stderr);
      assert.equal(jsonl(crawled.stdout).length, 10);
    });

    await t.step("recrawl run, rendered in threads and in processes", async () => {
      await Deno.writeTextFile(`${dir}/list.txt`, [...web.expectedUrls()].join("\n"));
      for (const extractor of ["main", "raw"]) {
        const { code, stdout, stderr } = await ccrawl(
          ...["recrawl", "run", "--from", "list.txt", "--out", extractor, "--extractor", extractor],
          ...toward,
        );
        assert.equal(code, 0, stderr);
        const rows = jsonl<{ extractor: string; markdown_length: number }>(stdout);
        assert.equal(rows.length, 10);
        for (const row of rows) assert.ok(row.markdown_length > 0 && row.extractor !== "", stderr);
      }
    });

    await t.step("every subpath can be imported, and is typed", async () => {
      const specifiers = Object.keys(config.exports).map((key) =>
        `jsr:${config.name}${key.slice(1)}`
      );
      await Deno.writeTextFile(
        `${dir}/all.ts`,
        specifiers.map((specifier, i) => `import * as m${i} from "${specifier}";\n`).join("") +
          `console.log([${
            specifiers.map((_, i) => `m${i}`)
          }].map((m) => Object.keys(m).length).join());\n`,
      );
      const { code, stdout, stderr } = await deno("run", "-A", "--quiet", "--check", "all.ts");
      assert.equal(code, 0, stderr);
      const counts = stdout.trim().split(",").map(Number);
      assert.equal(counts.length, specifiers.length);
      assert.ok(counts.every((count) => count > 0), stdout);
    });

    await t.step("nothing was asked for that is not published", () => {
      assert.deepEqual(registry.missing, []);
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
