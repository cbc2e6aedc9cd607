import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import { CAPTURE_COLUMNS } from "../../lib/capture/schema.ts";
import { recrawlFields } from "../../lib/cli/commands/recrawl_fields.ts";
import type { RecrawlRunOptions } from "../../lib/cli/commands/recrawl_run.ts";
import {
  type RecrawlStatusArguments,
  type RecrawlStatusOptions,
  statusFiles,
} from "../../lib/cli/commands/recrawl_status.ts";
import { testHost } from "./_host.ts";
import { options, refused, tree } from "./_tree.ts";

const run = (...more: string[]) =>
  options<RecrawlRunOptions>(["recrawl", "run", "--from", "domains", ...more]);

Deno.test("options of recrawl run have the defaults that are promised", async () => {
  const met = await run();
  const wanted: Partial<RecrawlRunOptions> = {
    from: "domains",
    column: "domain",
    dir: undefined,
    out: "recrawl/",
    state: undefined,
    shard: 0,
    shards: 1,
    acceptSuffixList: false,
    workers: 64,
    extractors: navigator.hardwareConcurrency,
    writers: 1,
    batch: 2000,
    queueMb: 128,
    shardSize: 512 * 1024 ** 2,
    sealAfter: 600_000,
    prefix: "ccrawl-recrawl",
    format: "parquet",
    maxPages: 0,
    delay: 1000,
    perIp: 16,
    robots: false,
    obeyRobotsMeta: false,
    robotsTimeout: 10_000,
    robotsCacheEntries: 200_000,
    robotsCacheMb: 64,
    maxCrawlDelay: 300_000,
    dnsLookups: 16,
    extract: true,
    extractor: "main",
    storeBody: "served",
    validators: undefined,
    warcSize: 1024 ** 3,
    warcHttp: "clean",
    cdx: true,
    dedup: true,
    minFree: 1024 ** 3,
    insecure: false,
    caCert: undefined,
    timeout: 30_000,
    retries: 0,
    profileDir: undefined,
    profileName: undefined,
  };
  for (const [key, value] of Object.entries(wanted)) {
    assert.deepEqual(met[key as keyof RecrawlRunOptions], value, key);
  }
});

Deno.test("recrawl run reads the column that the list has its URLs in", async () => {
  const column = async (from: string, ...more: string[]) =>
    (await options<RecrawlRunOptions>(["recrawl", "run", "--from", from, ...more])).column;
  assert.equal(await column("domains"), "domain");
  assert.equal(await column("urls"), "url");
  assert.equal(await column("list.jsonl"), "url");
  assert.equal(await column("-"), "url");
  assert.equal(await column("someone/list", "--column", "address"), "address");
});

Deno.test("recrawl run bounds lookups by the width, as crawl run does", async () => {
  assert.equal((await run("-j", "256")).dnsLookups, 32);
  assert.equal((await run("-j", "256", "--dns-lookups", "128")).dnsLookups, 128);
});

Deno.test("recrawl run takes its switches", async () => {
  const met = await run(
    "--no-extract",
    "--robots",
    "--format=both",
    "--store-body=none",
    "--extractor=readability",
    "--validators=captures/",
    "--shard=2",
    "--shards=3",
    "--shard-size=20MB",
    "--profile-dir=p",
    "--profile-name=a.1",
  );
  assert.equal(met.extract, false);
  assert.equal(met.robots, true);
  assert.equal(met.format, "both");
  assert.equal(met.storeBody, "none");
  assert.equal(met.extractor, "readability");
  assert.equal(met.validators, "captures/");
  assert.deepEqual([met.shard, met.shards], [2, 3]);
  assert.equal(met.shardSize, 20 * 1024 ** 2);
  assert.deepEqual([met.profileDir, met.profileName], ["p", "a.1"]);
});

Deno.test("variables of a unit set options of recrawl run, empty ones do not", async () => {
  const met = await options<RecrawlRunOptions>(["recrawl", "run"], {
    CCRAWL_FROM: "urls",
    CCRAWL_SHARD: "1",
    CCRAWL_SHARDS: "3",
    CCRAWL_WRITERS: "",
    CCRAWL_DIR: "",
    CCRAWL_NO_EXTRACT: "1",
  });
  assert.equal(met.from, "urls");
  assert.deepEqual([met.shard, met.shards, met.writers], [1, 3, 1]);
  assert.equal(met.dir, undefined);
  assert.equal(met.extract, false);
});

Deno.test("usage errors of recrawl run name what is wrong, and exit 2", async () => {
  const cases: [string[], RegExp][] = [
    [["--shard", "1"], /--shard=1: there are 1 shards, numbered from 0\n.*--shards/],
    [["--shard", "3", "--shards", "3"], /give --shard 0 to 2/],
    [["--writers", "17"], /--writers=17: must be 16 or less/],
    [["--writers", "0"], /--writers=0: must be 1 or more/],
    [["--extractors", "0"], /--extractors=0: must be 1 or more/],
    [["--format", "parqet"], /--format=parqet: must be one of parquet, warc, both; did you mean/],
    [["--store-body", "raw"], /must be one of served, decoded, none/],
    [["--extractor", "fast"], /must be one of main, readability, raw/],
    [["--seal-after", "10"], /a duration needs a unit/],
    [["--profile-dir", "p"], /--profile-dir=p needs --profile-name/],
    [["--profile-name", "a"], /--profile-name=a needs --profile-dir/],
    [["--profile-dir", "p", "--profile-name", "../a"], /--profile-name=.*must be letters/],
    [["--prefix", "a/b"], /--prefix=a\/b: must be letters/],
    [["--prefix", ".."], /--prefix=\.\.: must be letters/],
    [["--validators="], /--validators needs a value/],
    [["--from", "-", "--dir", "x"], /stdin has no releases/],
    [["--fields", "body"], /unknown field "body".*\n.*known fields: url, host, status/],
    [["--shard-sizes", "2"], /unknown option --shard-sizes\n {2}did you mean --shard-size\?/],
  ];
  for (const [args, pattern] of cases) {
    assert.match(await refused(["recrawl", "run", "--from", "domains", ...args]), pattern);
  }
  assert.match(await refused(["recrawl", "run"]), /--from is needed\n.*CCRAWL_FROM/);
});

Deno.test("records of recrawl run are the capture row without its large columns", () => {
  const large = ["meta_json", "markdown", "resp_headers", "req_headers", "body", "text"];
  assert.deepEqual(
    recrawlFields.map(({ name }) => name),
    CAPTURE_COLUMNS.map(({ name }) => name as string).filter((name) => !large.includes(name)),
  );
  const types = new Map(recrawlFields.map(({ name, type }) => [name, type]));
  assert.equal(types.get("url"), "string");
  assert.equal(types.get("status"), "integer");
  assert.equal(types.get("simhash"), "uint64");
  assert.equal(types.get("unchanged"), "boolean");
  assert.equal(types.get("language_confidence"), "number");
  const shown = recrawlFields.filter(({ table }) => table !== false).map(({ name }) => name);
  assert.deepEqual(shown.slice(0, 3), ["url", "status", "content_type"]);
  assert(shown.length < 10, "a table has a terminal's width");
});

Deno.test("help of recrawl run says its defaults", async () => {
  const host = testHost();
  await main(["recrawl", "run", "--help"], host, tree());
  const help = host.out().replace(/\s+/g, " ");
  for (
    const part of [
      "Usage: ccrawl recrawl run --from LIST [OPTIONS]",
      "(default the number of cores)",
      "(default domain for domains, else url)",
      "(default 512MB)",
      "(default 10m)",
      "--no-extract Render nothing",
      "--robots Ask robots.txt",
      "parquet|warc|both",
    ]
  ) assert(help.includes(part), part);
});

Deno.test("recrawl status takes one state or many, as a shell's pattern gives them", async () => {
  const files = async (...args: string[]) =>
    statusFiles(
      await options<RecrawlStatusOptions & RecrawlStatusArguments>(["recrawl", "status", ...args]),
    );
  assert.deepEqual(await files("--state", "a.json"), ["a.json"]);
  assert.deepEqual(await files("--state", "a.json", "--state", "b.json"), ["a.json", "b.json"]);
  assert.deepEqual(await files("--state", "a.json", "b.json", "c.json"), [
    "a.json",
    "b.json",
    "c.json",
  ]);
  assert.deepEqual(await files("a.json"), ["a.json"]);
  assert.match(await refused(["recrawl", "status"]), /--state is needed\n.*CCRAWL_STATE/);
});
