import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import type { RecrawlPublishOptions } from "../../lib/cli/commands/recrawl_publish.ts";
import { testHost } from "./_host.ts";
import { options, refused, tree } from "./_tree.ts";

const publish = (...more: string[]) =>
  options<RecrawlPublishOptions>([
    ...["recrawl", "publish", "--kind", "domains", "--state", "s.json"],
    ...more,
  ]);

Deno.test("options of recrawl publish have the defaults that are promised", async () => {
  const met = await publish();
  const wanted: Partial<RecrawlPublishOptions> = {
    kind: "domains",
    dir: "recrawl/",
    state: "s.json",
    repo: "open-index/ccrawl-recrawl-domains",
    shard: undefined,
    shards: undefined,
    commitEvery: 4,
    watch: 0,
    keep: false,
    private: false,
    push: true,
    timeout: 30_000,
  };
  for (const [key, value] of Object.entries(wanted)) {
    assert.deepEqual(met[key as keyof RecrawlPublishOptions], value, key);
  }
  assert.match(met.server, /^[a-z0-9_-]+$/);
});

Deno.test("recrawl publish takes its switches, and the variables of a unit", async () => {
  const met = await publish(
    ...["--server", "Web_3.Example.org", "--shard=1", "--shards=3", "--watch", "60s"],
    ...["--keep", "--private", "--repo", "me/captures", "--commit-every=1"],
  );
  assert.deepEqual(
    [met.server, met.shard, met.shards, met.watch, met.keep, met.private, met.repo],
    ["web_3-example-org", 1, 3, 60_000, true, true, "me/captures"],
  );
  assert.equal((await publish("--no-push")).push, false);
  const unit = await options<RecrawlPublishOptions>(["recrawl", "publish", "--kind", "urls"], {
    CCRAWL_STATE: "/var/lib/ccrawl/urls/state.json",
    CCRAWL_SERVER: "server2",
    CCRAWL_SHARD: "1",
    CCRAWL_SHARDS: "3",
    CCRAWL_REPO: "",
    CCRAWL_COMMIT_EVERY: "",
  });
  assert.deepEqual([unit.server, unit.shard, unit.shards], ["server2", 1, 3]);
  assert.equal(unit.repo, "open-index/ccrawl-recrawl-urls");
  assert.equal(unit.commitEvery, 4);
});

Deno.test("usage errors of recrawl publish name what is wrong, and exit 2", async () => {
  const cases: [string[], RegExp][] = [
    [["--commit-every", "0"], /--commit-every=0: must be 1 or more/],
    [["--commit-every", "101"], /--commit-every=101: must be 100 or less/],
    [["--repo", "captures"], /--repo=captures: not a repo; write owner\/name/],
    [["--repo", "a/../b"], /not a repo/],
    [["--server", "..."], /--server=\.\.\.: must have a letter or a digit/],
    [["--kind", "url"], /--kind=url: must be one of domains, urls; did you mean urls/],
    [["--shard", "3", "--shards", "3"], /--shard=3: there are 3 shards, numbered from 0/],
    [["--no-push", "--keep"], /nothing is deleted that is not published/],
    [["--no-push", "--watch", "1m"], /there is nothing to wait for/],
    [["--watch", "60"], /a duration needs a unit/],
    [["--fields", "url"], /unknown field "url".*\n.*known fields: part, path, rows/],
    [["--token", "hf_x"], /unknown option --token/],
  ];
  for (const [args, pattern] of cases) {
    const words = ["recrawl", "publish", "--kind", "urls", "--state", "s.json", ...args];
    assert.match(await refused(words), pattern, args.join(" "));
  }
  assert.match(await refused(["recrawl", "publish", "--state", "s"]), /--kind is needed/);
  assert.match(await refused(["recrawl", "publish", "--kind", "urls"]), /--state is needed/);
});

Deno.test("help of recrawl publish says its defaults and what the environment is for", async () => {
  const host = testHost();
  await main(["recrawl", "publish", "--help"], host, tree());
  const help = host.out().replace(/\s+/g, " ");
  for (
    const part of [
      "(default open-index/ccrawl-recrawl-KIND)",
      "(default the host's name)",
      "--no-push Publish nothing",
      "HF_TOKEN",
      "HF_ENDPOINT",
      "(default 4)",
    ]
  ) assert(help.includes(part), part);
});
