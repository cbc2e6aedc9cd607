/** `recrawl publish` as a process: what it tells whom, how it ends, and what a kill leaves. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CCRAWL, Ccrawl, type Ended } from "../engine/_process.ts";
import type { HubFault, LocalHub } from "../web/hub.ts";
import { checkCounts, committed, REPO, TOKEN, withHub } from "./_publish.ts";
import type { LocalRun } from "./_run.ts";

function args(run: LocalRun, ...more: string[]): string[] {
  return [
    ..."recrawl publish --kind urls --server server1 -o jsonl".split(" "),
    ...["--repo", REPO, "--dir", run.dir, "--state", run.state],
    ...more,
  ];
}

function start(run: LocalRun, hub: LocalHub, ...more: string[]): Ccrawl {
  return new Ccrawl(args(run, ...more), { env: { HF_TOKEN: TOKEN, HF_ENDPOINT: hub.url } });
}

async function ended(process: Ccrawl): Promise<Ended & { stdout: string; stderr: string }> {
  return { ...await process.ended, stdout: process.stdout, stderr: process.stderr };
}

Deno.test("recrawl publish writes a record a part to stdout, and everything else to stderr", () =>
  withHub(async (hub, run) => {
    const names = [run.seal(3), run.seal(4)];
    run.finish();
    const { code, stdout, stderr } = await ended(start(run, hub));
    assert.equal(code, 0, stderr);
    const records = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(records.map(({ part, rows, outcome }) => [part, rows, outcome]), [
      [names[0], 3, "published"],
      [names[1], 4, "published"],
    ]);
    assert.deepEqual(Object.keys(records[0]), [
      ...["part", "path", "rows", "bytes", "sha256", "outcome", "commit"],
    ]);
    assert.match(stderr, /^recrawl publish: made the repo someone\/captures$/m);
    assert.match(stderr, /^recrawl publish: committed [0-9a-f]{12}, parts: 2$/m);
    assert.match(stderr, /^recrawl publish: 2 parts published in 1 commit, 7 rows, /m);
    assert.match(stderr, /^recrawl publish: the list has been worked off, and all of it is pub/m);
    checkCounts(hub, 7);
    const again = await ended(start(run, hub, "--watch", "60s"));
    assert.deepEqual([again.code, again.stdout], [0, ""], "a finished list is done at once");
  }));

Deno.test("the token is in no output, file or list of processes, whatever happens", () =>
  withHub(async (hub, run) => {
    run.seal();
    const journal = join(run.folder, "journal.jsonl");
    const faults: HubFault[] = [
      { to: "head", kind: "status", status: 500, error: `it was Bearer ${TOKEN}`, times: 1 },
      { to: "commit", kind: "status", status: 403, error: `who is ${TOKEN}?` },
    ];
    for (const fault of faults) hub.fault(fault);
    const process = start(run, hub, "-v", "--progress", "json", "--journal", journal);
    assert.ok(!readFileSync(`/proc/${process.pid}/cmdline`, "utf8").includes(TOKEN));
    const { code, stdout, stderr } = await ended(process);
    assert.equal(code, 4);
    assert.match(stderr, /who is …\?/);
    assert.match(readFileSync(journal, "utf8"), /"outcome":"[^"]*who is …\?/);
    const files = readdirSync(run.folder).map((name) => join(run.folder, name))
      .filter((path) => !path.endsWith("out")).map((path) => readFileSync(path, "latin1"));
    assert.ok(files.length >= 3);
    for (const text of [stdout, stderr, ...files]) assert.ok(!text.includes(TOKEN), text);
  }));

Deno.test("exit codes say what to do", () =>
  withHub(async (hub, run) => {
    run.seal();
    const cases: [HubFault | undefined, string[], Record<string, string>, number, RegExp][] = [
      [undefined, [], { HF_TOKEN: "" }, 4, /HF_TOKEN is not set/],
      [undefined, [], { HF_TOKEN: "hf_other" }, 4, /The token in HF_TOKEN is not accepted/],
      [
        { to: "batch", kind: "status", status: 403, error: "storage limit reached" },
        [],
        {},
        75,
        /storage limit reached\)\. Make room in the account/,
      ],
      [undefined, ["--shard", "1"], {}, 1, /the shard of the state .* is 0, --shard is 1/],
      [undefined, [], { HF_ENDPOINT: "nowhere" }, 2, /Check HF_ENDPOINT/],
    ];
    for (const [fault, more, env, wanted, message] of cases) {
      if (fault !== undefined) hub.fault(fault);
      const { code, stdout, stderr } = await ended(
        new Ccrawl(args(run, ...more), {
          env: { HF_TOKEN: TOKEN, HF_ENDPOINT: hub.url, ...env },
        }),
      );
      assert.equal(code, wanted, stderr);
      assert.match(stderr, message);
      assert.equal(stdout, "");
      assert.equal(run.parts().length, 1);
      hub.heal();
    }
  }));

Deno.test("SIGTERM ends it with 0 and a summary, while it watches and while it sends", () =>
  withHub(async (hub, run) => {
    run.seal(2);
    const watching = start(run, hub, "--watch", "1h");
    await watching.until(() => watching.count === 1);
    watching.kill("SIGTERM");
    const first = await ended(watching);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /SIGTERM: stopping cleanly/);
    assert.match(first.stderr, /^recrawl publish: 1 part published in 1 commit, 2 rows/m);

    const name = run.seal(3);
    hub.fault({ to: "put", kind: "silent" });
    hub.reset();
    const sending = start(run, hub);
    await sending.until(() => hub.count({ to: "put" }).requests > 0);
    sending.kill("SIGTERM");
    const second = await ended(sending);
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual(run.parts(), [name], "it is still here");
    hub.heal();
    assert.equal((await ended(start(run, hub))).code, 0);
    checkCounts(hub, 5);
  }));

Deno.test("a kill at any step publishes everything once", async () => {
  const moments: [string, HubFault, (hub: LocalHub) => boolean][] = [
    [
      "while a part is sent",
      { to: "put", kind: "silent" },
      (hub) => hub.count({ to: "put" }).requests > 0,
    ],
    [
      "between upload and commit",
      { to: "tree", kind: "silent" },
      (hub) => hub.count({ to: "tree" }).requests > 0,
    ],
    [
      "between commit and deletion",
      { to: "commit", kind: "stall", bytes: 0 },
      (hub) => hub.commits(REPO).length > 0,
    ],
  ];
  for (const [moment, fault, isThere] of moments) {
    await withHub(async (hub, run) => {
      run.seal(2);
      run.seal(3);
      hub.fault(fault);
      const first = start(run, hub);
      await first.until(() => isThere(hub));
      first.kill("SIGKILL");
      assert.equal((await first.ended).signal, "SIGKILL");
      assert.equal(run.parts().length, 2, moment);
      hub.heal();
      run.seal(4);
      const second = await ended(start(run, hub));
      assert.equal(second.code, 0, second.stderr);
      assert.deepEqual(run.parts(), []);
      assert.equal(committed(hub).flat().length, 3);
      checkCounts(hub, 9);
    });
  }
});

Deno.test("a reader of stdout that goes away ends it quietly, and -n after so many", () =>
  withHub(async (hub, run) => {
    for (let i = 0; i < 3; i++) run.seal(1);
    const limited = await ended(start(run, hub, "-n", "1"));
    assert.deepEqual([limited.code, limited.stdout.split("\n").length], [0, 2], limited.stderr);
    assert.equal(run.parts().length, 2);
    const script = `"$@" | head -n 1`;
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", script, "sh", ...CCRAWL, ...args(run, "--commit-every", "1")],
      env: { HF_TOKEN: TOKEN, HF_ENDPOINT: hub.url },
    }).output();
    assert.equal(code, 0);
    assert.equal(new TextDecoder().decode(stdout).trim().split("\n").length, 1);
    assert.doesNotMatch(new TextDecoder().decode(stderr), /rror/);
    assert.equal((await ended(start(run, hub))).code, 0);
    checkCounts(hub, 3);
  }));

Deno.test("recrawl publish --no-push shows what would be published", () =>
  withHub(async (hub, run) => {
    run.seal(5);
    const process = new Ccrawl(args(run, "--no-push"), { env: { HF_ENDPOINT: hub.url } });
    const { code, stdout, stderr } = await ended(process);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"outcome":"pending"/);
    assert.ok(existsSync(`${run.state}.preview/README.md`));
    assert.equal(run.parts().length, 1);
  }));
