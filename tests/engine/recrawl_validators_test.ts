import assert from "node:assert/strict";
import type { CrawlEvent } from "../../lib/engine/crawl_options.ts";
import { conditionsOf } from "../../lib/engine/validators.ts";
import { sql } from "../capture/_rows.ts";
import { startHub } from "../web/hub.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { ccrawl } from "./_process.ts";
import { byUrl, collect, readRows, recrawlArgs, rowsOfRun, verifyClean } from "./_recrawl.ts";

const web = await startWeb({ hosts: 1, pages: 1 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);

Deno.test("a second pass with --validators: what has not changed is a row without a body that finds its own", () =>
  withFolder(async (dir) => {
    await web.reset();
    const host = (i: number) => `v${i}.pages-9.test`;
    const pages = numbers(6).flatMap((i) => numbers(9).map((p) => web.url(host(i), `/p/${p}`)));
    const target = web.url("to.pages-9.test", "/p/3");
    const moved = web.url("from.good.test", `/redirect-to?url=${encodeURIComponent(target)}`);
    const etags = numbers(3).map((i) => web.url("e.good.test", `/etag/${i}`));
    const weak = web.url("e.good.test", "/weak-etag/7");
    const dated = web.url("e.good.test", "/modified/5");
    const changing = web.url("e.good.test", "/changing");
    const without = web.url("e.good.test", "/one");
    const cut = web.url("e.good.test", "/cut");
    const from = [...pages, moved, ...etags, weak, dated, changing, without, cut];
    await collect(web, `${dir}`, { from, out: `${dir}/first`, delayMs: 0, extractor: "main" });
    await verifyClean(`${dir}/first`);
    const first = byUrl(await readRows(`${dir}/first`));
    for (const i of [1, 4]) await web.set(host(i), "pages-9.changed-100");

    const { run } = await collect(web, dir, {
      from,
      out: `${dir}/second`,
      validators: `${dir}/first`,
      delayMs: 0,
      extractor: "main",
    });
    await verifyClean(`${dir}/second`);
    const second = byUrl(await readRows(`${dir}/second`));
    const same = [
      ...pages.filter((url) => !url.includes("//v1.") && !url.includes("//v4.")),
      ...[moved, ...etags, weak, dated],
    ];
    for (const url of from) {
      const row = second.get(url)!, before = first.get(url)!;
      assert.deepEqual(
        [row.status, row.unchanged],
        same.includes(url) ? [304, true] : [200, false],
        url,
      );
      if (!row.unchanged) {
        assert.ok(row.body_length > 0);
        continue;
      }
      assert.deepEqual([row.body_length, row.markdown, row.extractor], [0, "", ""], url);
      for (const column of ["digest", "etag", "last_modified", "final_url"] as const) {
        assert.equal(row[column], before[column], `${column} of ${url}`);
      }
      const sent = JSON.parse(row.req_headers) as Record<string, string>;
      assert.equal(sent["if-none-match"], before.etag === "" ? undefined : before.etag);
      assert.equal(
        sent["if-modified-since"],
        before.last_modified === "" ? undefined : before.last_modified,
      );
    }
    assert.deepEqual([run.figures.unchanged, run.figures.fetched], [same.length, from.length]);
    // the join that the dataset's readers make
    const joined = await sql(`SELECT p2.url, p1.body_length, p1.digest
      FROM read_parquet('${dir}/second/*.parquet') p2
      JOIN read_parquet('${dir}/first/*.parquet') p1 ON p1.url = p2.url AND p1.digest = p2.digest
      WHERE p2.unchanged`);
    assert.deepEqual(joined.map(({ url }) => url as string).sort(), same.toSorted());
    for (const { body_length } of joined) assert.ok(Number(body_length) > 0);

    // a third pass knows what the second one asked for
    const third = await collect(web, dir, {
      from,
      out: `${dir}/third`,
      validators: `${dir}/second`,
      delayMs: 0,
    });
    const still = third.records.filter(({ unchanged }) => unchanged);
    assert.equal(still.length, same.length + 18, "the changed ones stay as they are now");
    for (const row of still) assert.equal(row.digest, second.get(row.url)!.digest);
  }));

Deno.test("validators go to the resource that they are of, not to what redirects there", () =>
  withFolder(async (dir) => {
    const target = web.url("e.good.test", "/etag/9");
    const moved = web.url("m.good.test", `/redirect-to?url=${encodeURIComponent(target)}`);
    await collect(web, dir, { from: [moved], out: `${dir}/first` });
    const rows = byUrl(await readRows(`${dir}/first`));
    assert.equal(rows.get(moved)!.final_url, target);
    const second = await rowsOfRun(web, dir, { from: [moved], validators: `${dir}/first` });
    const row = second.get(moved)!;
    assert.deepEqual([row.status, row.unchanged, row.final_url], [304, true, target]);
  }));

Deno.test("a validator that no request can hold is left out, and costs neither the page nor the other one", () => {
  const lastModified = "Sat, 06 Jan 2024 00:00:00 GMT";
  const since = ["If-Modified-Since", lastModified];
  assert.deepEqual(conditionsOf({ etag: '"a"', lastModified }), [["If-None-Match", '"a"'], since]);
  const long = `"${"a".repeat(5000)}"`;
  for (const etag of ["", '"a\r\nX-Evil: 1"', '"a\0"', '"a\r"', '"a\x01"', '"\x7f"', long]) {
    assert.deepEqual(conditionsOf({ etag, lastModified }), [since]);
    for (const [, value] of conditionsOf({ etag: lastModified, lastModified: etag })) {
      assert.equal(value, lastModified);
    }
  }
});

Deno.test("validators come from a dataset repo of the hub, read by ranges", () =>
  withFolder(async (dir) => {
    await using hub = startHub();
    const from = numbers(5).map((i) => web.url(`h${i}.good.test`, `/etag/${i}`));
    for (const i of [0, 1]) {
      await collect(web, dir, { from: from.slice(i * 3, i * 3 + 3), out: `${dir}/first${i}` });
      const part = `${dir}/first${i}/ccrawl-recrawl-00000.parquet`;
      hub.put("someone/captures", `data/s${i}-shard${i}of2-0123456789ab.parquet`, part);
    }
    hub.put("someone/captures", "README.md", new Uint8Array(9));
    hub.fault({ to: "cdn", kind: "status", status: 503, retryAfter: "1", times: 1 });
    const waits: string[] = [];
    const onEvent = (event: CrawlEvent) => {
      if (event.type === "waiting") waits.push(event.reason);
    };
    const options = { from, validators: "someone/captures", hub: hub.url, onEvent };
    const { records } = await collect(web, dir, options);
    assert.deepEqual(records.map(({ unchanged }) => unchanged), from.map(() => true));
    assert.equal(waits.length, 1);
    assert.match(waits[0]!, /503/);
    const { bytes } = hub.count({ to: "cdn" });
    assert.ok(bytes < 200_000);
    hub.repo("someone/captures", { private: true });
    await assert.rejects(collect(web, dir, options), (e: Error & { exitCode: number }) => {
      assert.match(e.message, /^Cannot read --validators someone\/captures: .*HF_TOKEN/);
      return e.exitCode === 4;
    });
  }));

Deno.test("validators that cannot be read end a run before it fetches", () =>
  withFolder(async (dir) => {
    await web.reset();
    await Deno.writeTextFile(`${dir}/broken.parquet`, "PAR1 this is none");
    for (const validators of [`${dir}/nowhere`, `${dir}/broken.parquet`]) {
      await assert.rejects(
        collect(web, dir, { from: [web.url("a.good.test", "/one")], validators }),
        (e: Error) => e.message.startsWith(`Cannot read --validators ${validators}: `),
      );
    }
    assert.equal((await web.summary()).requests, 0);
    const { code, stderr } = await ccrawl(recrawlArgs(web, dir, "--validators", `${dir}/none`));
    const [word, ...more] = stderr.trim().split("\n");
    assert.match(word!, /^ccrawl: Cannot read --validators \S+none: /);
    assert.deepEqual([code, more], [1, []], "nothing to sum up");
  }));

Deno.test("--validators in which there is no page are told of, and cost nothing else", () =>
  withFolder(async (dir) => {
    await web.reset();
    Deno.mkdirSync(`${dir}/first`);
    const told: string[] = [];
    const { run } = await collect(web, dir, {
      from: [...web.expectedUrls()],
      out: `${dir}/second`,
      validators: `${dir}/first`,
      onEvent: (event: CrawlEvent) => event.type === "warning" && told.push(event.text),
    });
    assert.deepEqual(told, [
      `${dir}/first holds no page of an earlier pass: each is asked for anew`,
    ]);
    assert.deepEqual([run.figures.fetched, run.figures.unchanged], [1, 0]);
  }));
