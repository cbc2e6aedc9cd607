/** The settings of the units, as the commands that they start take them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { globalOptions } from "../../lib/cli/options/global.ts";
import { recrawlPublish } from "../../lib/cli/commands/recrawl_publish.ts";
import { recrawlRun, type RecrawlRunOptions } from "../../lib/cli/commands/recrawl_run.ts";
import type { RecrawlPublishOptions } from "../../lib/cli/commands/recrawl_publish.ts";
import { variableName } from "../../lib/cli/options/spec.ts";
import { options } from "../cli/_tree.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const read = (path: string) => readFileSync(ROOT + path, "utf8");
const KINDS = ["domains", "urls"];

/** The variables of a settings file, as systemd reads them. */
function settings(kind: string): Record<string, string> {
  const text = read(`deploy/env/recrawl-${kind}.env`)
    .replace("@SERVER@", "server2").replace("@SHARD@", "1").replace("@SHARDS@", "3");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => line.split("=") as [string, string]));
}

/** What a unit starts, without the path of the binary. */
function command(unit: string, kind: string): string[] {
  const line = /^ExecStart=\/usr\/local\/bin\/ccrawl (.*)$/m.exec(
    read(`deploy/systemd/${unit}@.service`),
  )![1]!;
  assert.ok(!line.includes("$"), "no variable becomes an argument, empty or not");
  return line.replaceAll("%i", kind).split(" ");
}

function values(unit: string, name: string): string[] {
  const found = [
    ...read(`deploy/systemd/${unit}@.service`).matchAll(new RegExp(`^${name}=(.*)$`, "gm")),
  ];
  return found.map(([, value]) => value!);
}

Deno.test("every variable of the settings and of docs/fleet.md is an option", () => {
  const known = new Set(
    [globalOptions, recrawlRun.options, recrawlPublish.options].flatMap((table) =>
      Object.keys(table).map((key) => variableName(key))
    ),
  );
  const named = [
    ...KINDS.flatMap((kind) => Object.keys(settings(kind))),
    ...[...read("docs/fleet.md").matchAll(/CCRAWL_[A-Z_]+/g)].map(([name]) => name),
    ...values("ccrawl-publish", "UnsetEnvironment").flatMap((line) => line.split(" ")),
  ];
  assert.ok(named.length > 20);
  assert.deepEqual([...new Set(named)].filter((name) => !known.has(name)), []);
});

for (const kind of KINDS) {
  Deno.test(`the units of ${kind} start commands that take their settings`, async () => {
    const env = settings(kind);
    assert.ok(Object.values(env).includes(""), "empty variables are among them");
    const crawl = await options<RecrawlRunOptions>(command("ccrawl-recrawl", kind), env);
    assert.deepEqual(
      [
        crawl.from,
        crawl.column,
        crawl.shard,
        crawl.shards,
        crawl.writers,
        crawl.timeout,
        crawl.dir,
      ],
      [kind, kind === "domains" ? "domain" : "url", 1, 3, 1, 30_000, undefined],
    );
    assert.deepEqual(
      [crawl.out, crawl.state],
      [`/var/lib/ccrawl/${kind}/captures`, `/var/lib/ccrawl/${kind}/state.json`],
    );
    for (const name of values("ccrawl-publish", "UnsetEnvironment")[0]!.split(" ")) {
      delete env[name];
    }
    const publish = await options<RecrawlPublishOptions>(command("ccrawl-publish", kind), env);
    assert.deepEqual(
      [publish.kind, publish.repo, publish.server, publish.shard, publish.shards, publish.watch],
      [kind, `open-index/ccrawl-recrawl-${kind}`, "server2", 1, 3, 60_000],
    );
    assert.deepEqual([publish.dir, publish.state], [crawl.out, crawl.state], "they meet");
  });
}

Deno.test("the units stop, restart and keep the token as docs/fleet.md says", () => {
  for (const unit of ["ccrawl-recrawl", "ccrawl-publish"]) {
    assert.deepEqual(values(unit, "TimeoutStopSec"), ["90"]);
    assert.deepEqual(values(unit, "Restart"), ["on-failure"]);
    assert.deepEqual(values(unit, "RestartForceExitStatus"), ["75"]);
    assert.deepEqual(values(unit, "RestartPreventExitStatus"), ["2 4"]);
    assert.deepEqual(values(unit, "StartLimitBurst"), ["10"]);
    assert.deepEqual(values(unit, "StartLimitIntervalSec"), ["10min"]);
    assert.deepEqual(values(unit, "PartOf"), ["ccrawl-recrawl.target"]);
    assert.deepEqual(values(unit, "WantedBy"), ["ccrawl-recrawl.target"]);
    assert.deepEqual(values(unit, "StandardOutput"), ["null"]);
    // Ten starts that each fail at once come within ten minutes; ten that end with 75 never do.
    const [pause, wait] = [
      values(unit, "RestartSec")[0]!,
      /sleep (\d+)/.exec(values(unit, "ExecStopPost")[0]!)![1]!,
    ];
    assert.ok(10 * Number(pause) < 600 && 10 * (Number(pause) + Number(wait)) > 600);
    assert.ok(Number(wait) < 90);
  }
  assert.deepEqual(values("ccrawl-recrawl", "EnvironmentFile"), ["/etc/ccrawl/recrawl-%i.env"]);
  assert.deepEqual(values("ccrawl-publish", "EnvironmentFile"), [
    "/etc/ccrawl/recrawl-%i.env",
    "/etc/ccrawl/hf.env",
  ]);
  const users = ["ccrawl-recrawl", "ccrawl-publish"].map((unit) => values(unit, "User")[0]!);
  assert.equal(new Set(users).size, 2);
  for (const user of users) {
    assert.match(read("deploy/systemd/sysusers.conf"), new RegExp(`^u ${user} `, "m"));
  }
});
