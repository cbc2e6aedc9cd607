import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { readCheckpoint } from "../../lib/worklist/checkpoint.ts";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { Ccrawl } from "./_process.ts";
import { readRows, recrawlArgs, verifyClean, writeList } from "./_recrawl.ts";
import { killAndResume } from "./_recrawl_kill.ts";
import { answersOf } from "./_warc.ts";

const WEB = { hosts: 40, pages: 1200, pageBytes: 3000 } as const;
const QUICK = ["--no-extract"];

Deno.test("a kill after a publisher took parts away repeats nothing, and no number twice", async () => {
  await killAndResume({
    ...{ web: WEB, kills: 2, workers: 16, writers: 2, delayMs: 0, shardKb: 60, args: QUICK },
    publish: true,
  });
});

Deno.test("a kill repeats nothing of the others when one host lags far behind", async () => {
  // its pages come first in the list and take 100 times as long
  await killAndResume({
    web: { hosts: 12, pages: 1000, pageBytes: 20_000, kind: "slow-5" },
    ...{ kills: 2, workers: 8, writers: 1, delayMs: 0, shardKb: 200, args: QUICK },
    urls: (web) => [
      ...Array.from({ length: 8 }, (_, i) => web.url("lag.slow-500.test", `/p/${i}`)),
      ...web.expectedUrls(),
    ],
  });
});

Deno.test("a killed recrawl that writes both has the record of every row", async () => {
  await killAndResume({
    ...{ web: WEB, kills: 2, workers: 16, writers: 1, delayMs: 0, shardKb: 60 },
    args: [...QUICK, "--format", "both", "--warc-size", "1MB"],
    check: async (dir) => {
      for (const { url, warc_file, warc_offset, warc_length } of await readRows(`${dir}/out`)) {
        const bytes = await Deno.readFile(`${dir}/out/${warc_file}`);
        const record = bytes.subarray(warc_offset, warc_offset + warc_length);
        assert.ok(
          gunzipSync(record).toString("latin1").includes(`WARC-Target-URI: ${url}\r\n`),
          url,
        );
      }
    },
  });
});

Deno.test("a killed recrawl that writes WARC alone has a record of every page, few of them twice", () =>
  withFolder(async (dir) => {
    await using web = await startWeb(WEB);
    const urls = [...web.expectedUrls()];
    writeList(dir, [...urls, "http://gone.nx.test/"]);
    const args = recrawlArgs(web, dir, "--format", "warc", "--delay", "10ms", "-j", "16");
    const first = new Ccrawl(args, { keep: false });
    await first.until(() => first.count >= 400);
    first.kill("SIGKILL");
    await first.ended;
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
    const asked = (await web.summary()).requests;
    const last = new Ccrawl(args, { keep: false });
    await last.succeeds();
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
    const answers = await answersOf(`${dir}/out`);
    assert.deepEqual([...answers.keys()].sort(), urls.toSorted());
    const { repeated } = await web.coverage();
    assert.ok(repeated <= asked, `${repeated} of ${asked} were fetched again`);
    const { done, rows, pending } = readCheckpoint(`${dir}/state.json`)!;
    assert.deepEqual([done, rows, pending], [true, urls.length + 1, []]);
  }));
