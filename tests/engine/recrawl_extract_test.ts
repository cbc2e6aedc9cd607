import assert from "node:assert/strict";
import { bodyDigest } from "../../lib/capture/digest.ts";
import { RunError } from "../../lib/engine/errors.ts";
import { readCheckpoint } from "../../lib/worklist/checkpoint.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { collect, countRows, metaOf, rowsOfRun, verifyClean } from "./_recrawl.ts";

const web = await startWeb({ hosts: 1, pages: 20, pageBytes: 2500 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());
const URLS = [...web.expectedUrls()];

for (const extractor of ["readability", "raw"] as const) {
  Deno.test(`--extractor ${extractor} renders in a child process`, () =>
    withFolder(async (dir) => {
      const rows = await rowsOfRun(web, dir, {
        from: [...URLS, web.url("a.good.test", "/pdf")],
        extractor,
        delayMs: 0,
      });
      const rendered = URLS.map((url) => rows.get(url)!);
      for (const row of rendered) {
        assert.match(row.extractor, new RegExp(`^${extractor}@\\d`), row.meta_json);
        assert.ok(row.markdown_length > 100 && row.word_count > 10, row.url);
      }
      assert.equal(rows.get(web.url("a.good.test", "/pdf"))!.extractor, "");
    }));
}

Deno.test("hostile pages are rows, and the pages behind them too", () =>
  withFolder(async (dir) => {
    const pages: Record<string, () => string> = {
      nested: () => "<div>".repeat(100_000) + "needle",
      unclosed: () => "<b>x ".repeat(20_000) + "needle",
      tables: () => "<table><tr><td>".repeat(20_000) + "needle",
      attributes: () => "<p " + "a=b ".repeat(500_000) + ">needle",
      angles: () => "needle" + "<".repeat(10 << 20),
      entities: () => "needle" + "&amp;".repeat(1_000_000),
      anchors: () => "<a href=/x>y ".repeat(100_000) + "needle",
      comments: () => "needle" + "<!--".repeat(500_000),
    };
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (r) => {
      const name = new URL(r.url).pathname.slice(1);
      const body = pages[name]?.() ?? "<title>Fine</title><p>after all that";
      return new Response(body, { headers: { "content-type": "text/html" } });
    });
    const base = `http://127.0.0.1:${server.addr.port}`;
    const every = Object.keys(pages);
    const kinds = { main: every, readability: every.slice(0, 3) } as const;
    for (const extractor of ["main", "readability"] as const) {
      const names = kinds[extractor].flatMap((name) => [name, `behind-${name}`]);
      const rows = await rowsOfRun(web, dir, {
        from: names.map((name) => `${base}/${name}`),
        out: `${dir}/out`,
        prefix: extractor,
        extractor,
        delayMs: 0,
        queueBytes: 8 << 20,
      });
      for (const name of names) {
        const row = rows.get(`${base}/${name}`)!;
        assert.deepEqual([row.status, row.digest], [200, bodyDigest(row.body)], name);
        if (name.startsWith("behind-")) assert.equal(row.title, "Fine", row.meta_json);
        else assert.ok(row.extractor !== "" || metaOf(row).reason !== undefined, name);
      }
      await Deno.remove(`${dir}/out`, { recursive: true });
    }
  }));

Deno.test("a recrawl that cannot remember a page that breaks renderers says so, with what it has", () =>
  withFolder(async (dir) => {
    const state = `${dir}/state.json`;
    Deno.symlinkSync(`${dir}/missing/poison`, `${state}.poison`);
    const options = { from: URLS, state, extractor: "raw" as const, delayMs: 0 };
    await assert.rejects(
      collect(web, dir, { ...options, childCommand: ["/bin/false"] }),
      (error: Error) => {
        assert.ok(error instanceof RunError);
        assert.equal(error.exitCode, 1);
        assert.match(error.message, /^Cannot write "\S+state\.json\.poison": ENOENT/);
        return true;
      },
    );
    const { rows } = readCheckpoint(state)!;
    assert.ok(rows > 0);
    assert.equal(await countRows(`${dir}/out`), rows);
    await verifyClean(`${dir}/out`, state);
  }));
