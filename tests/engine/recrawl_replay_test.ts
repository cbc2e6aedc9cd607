import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { readRows } from "./_recrawl.ts";
import { killAndResume } from "./_recrawl_kill.ts";

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
    web: { hosts: 12, pages: 1000, pageBytes: 20_000, kind: "slow-10" },
    ...{ kills: 2, workers: 8, writers: 1, delayMs: 0, shardKb: 200, args: QUICK },
    urls: (web) => [
      ...Array.from({ length: 8 }, (_, i) => web.url("lag.slow-1000.test", `/p/${i}`)),
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
