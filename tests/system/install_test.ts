/** deploy/install.sh, run for real on machines that are folders behind throw-away ssh servers. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { standIn, startFleet } from "./_fleet.ts";

const read = (path: string) => readFileSync(path, "utf8");
const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);
/** Value of a variable of a settings file. */
const value = (path: string, name: string) =>
  new RegExp(`^${name}=(.*)$`, "m").exec(read(path))?.[1];

Deno.test("install.sh installs a fleet", async (t) => {
  await using fleet = await startFleet("server1", "server2", "server3");
  const [server1, server2] = fleet.machines as [typeof fleet.machines[0], typeof fleet.machines[0]];
  const env1 = `${server1.root}/etc/ccrawl/recrawl-domains.env`;
  const hf1 = `${server1.root}/etc/ccrawl/hf.env`;

  await t.step("with one shard of the whole to each, in the order of the list", async () => {
    const { code, stdout, stderr } = await fleet.install();
    assert.equal(code, 0, stdout + stderr);
    for (const [i, { name, root }] of fleet.machines.entries()) {
      assert.equal(read(`${root}/usr/local/bin/ccrawl`), read(fleet.binary));
      assert.equal(mode(`${root}/usr/local/bin/ccrawl`), "755");
      const env = `${root}/etc/ccrawl/recrawl-domains.env`;
      assert.deepEqual(
        ["CCRAWL_SERVER", "CCRAWL_SHARD", "CCRAWL_SHARDS", "CCRAWL_WRITERS"].map((n) =>
          value(env, n)
        ),
        [name, `${i}`, "3", ""],
      );
      assert.ok(!read(env).includes("@" + "SH"), "no placeholder is left");
      const row = stdout.split("\n").find((line) => line.startsWith(`${name} `));
      assert.match(
        row!,
        new RegExp(
          `^${name} +${i}/3 +0\\.0\\.1 +aaaaaaaaaaaa +2\\.9\\.6 +15\\.0 +inactive +inactive$`,
        ),
      );
    }
  });

  await t.step("with the token's file created empty, and for root alone", () => {
    assert.deepEqual([read(hf1), mode(hf1)], ["", "600"]);
  });

  await t.step("with a bound of 70 % of the memory", () => {
    const place = `${server1.root}/etc/systemd/system/ccrawl.slice.d/50-memory.conf`;
    const kilobytes = Number(/^MemoryHigh=(\d+)K$/m.exec(read(place))![1]);
    assert.ok(Math.abs(kilobytes * 1024 / totalmem() - 0.7) < 0.001, `${kilobytes}K`);
    assert.match(
      read(`${server1.root}/etc/systemd/system/ccrawl-recrawl@.service`),
      /^Slice=ccrawl\.slice$/m,
      "both lists of a machine are under the one bound",
    );
  });

  await t.step("with users of their own, and a folder that both write to", () => {
    const [, crawl, publish] = [/^/, /^ccrawl:x:(\d+):(\d+):/m, /^ccrawl-publish:x:(\d+):(\d+):/m]
      .map((pattern) => pattern.exec(read(`${server1.root}/etc/passwd`)));
    assert.notEqual(crawl![1], publish![1]);
    assert.equal(crawl![2], publish![2]);
    for (const folder of ["", "/domains", "/urls"]) {
      const path = `${server1.root}/var/lib/ccrawl${folder}`;
      assert.deepEqual(
        [mode(path), statSync(path).uid, statSync(path).gid],
        ["2770", Number(crawl![1]), Number(crawl![2])],
      );
    }
  });

  await t.step("enabled, and not started", async () => {
    const enabled = (name: string) =>
      Deno.readLinkSync(`${server1.root}/etc/systemd/system/${name}`);
    assert.match(
      enabled("multi-user.target.wants/ccrawl-recrawl.target"),
      /ccrawl-recrawl\.target$/,
    );
    for (const unit of ["ccrawl-recrawl@", "ccrawl-publish@"]) {
      assert.ok(
        enabled(`ccrawl-recrawl.target.wants/${unit}domains.service`).endsWith(`/${unit}.service`),
      );
    }
    for (const { name } of fleet.machines) {
      assert.deepEqual(await fleet.told(name), [
        "daemon-reload",
        "enable ccrawl-recrawl@domains.service ccrawl-publish@domains.service ccrawl-recrawl.target",
      ]);
    }
  });

  await t.step("again, with what an operator has written left as it is", async () => {
    const edited = read(env1).replace("CCRAWL_WORKERS=64", "CCRAWL_WORKERS=12") +
      "CCRAWL_MIN_FREE=5GB\n";
    await Deno.writeTextFile(env1, edited);
    await Deno.writeTextFile(hf1, "HF_TOKEN=hf_secret\n");
    await Deno.chmod(hf1, 0o644); // somebody's slip
    await Deno.remove(`${server2.root}/etc/ccrawl/recrawl-domains.env`);
    await Deno.writeTextFile(fleet.binary, standIn("bbbbbbbbbbbb"));
    const { code, stdout, stderr } = await fleet.install();
    assert.equal(code, 0, stdout + stderr);
    assert.equal(read(env1), edited);
    assert.deepEqual([read(hf1), mode(hf1)], ["HF_TOKEN=hf_secret\n", "600"]);
    assert.ok(!(stdout + stderr).includes("hf_secret"));
    assert.equal(value(`${server2.root}/etc/ccrawl/recrawl-domains.env`, "CCRAWL_SHARD"), "1");
    assert.match(stdout, /^server3 +2\/3 +0\.0\.1 +bbbbbbbbbbbb/m);
    assert.equal(read(`${server1.root}/usr/local/bin/ccrawl`), read(fleet.binary));
  });

  await t.step("and a third time, with nothing to do", async () => {
    const { code, stdout } = await fleet.install();
    assert.equal(code, 0);
    assert.match(stdout, /^server1: .*has it already, sha256 [0-9a-f]{64}$/m);
    assert.doesNotMatch(stdout, /: written/);
  });

  await t.step("one server of it, with its own shard and another list", async () => {
    const { code, stdout, stderr } = await fleet.install("--servers", "server2", "--kind=urls");
    assert.equal(code, 0, stdout + stderr);
    const env = `${server2.root}/etc/ccrawl/recrawl-urls.env`;
    assert.deepEqual([value(env, "CCRAWL_SHARD"), value(env, "CCRAWL_SHARDS")], ["1", "3"]);
    assert.ok(!existsSync(`${server1.root}/etc/ccrawl/recrawl-urls.env`));
    assert.match(stdout, /^server3 +2\/3 +0\.0\.1/m, "versions are told of all of them");
  });

  await t.step("and starts it where it is told to", async () => {
    for (const { name } of fleet.machines) await fleet.told(name);
    const { code } = await fleet.install("--servers=server1", "--start");
    assert.equal(code, 0);
    assert.deepEqual((await fleet.told("server1")).slice(2), ["start ccrawl-recrawl.target"]);
    assert.deepEqual(await fleet.told("server2"), []);
  });

  await t.step(
    "what runs goes on with what it was started with, unless it is to be started",
    async () => {
      await Deno.writeTextFile(`${fleet.dir}/server1.state`, "active\n");
      await Deno.writeTextFile(fleet.binary, standIn("cccccccccccc"));
      const quiet = await fleet.install("--servers=server1");
      assert.match(
        quiet.stdout,
        /^server1: ccrawl-recrawl@domains: runs on with what it was started/m,
      );
      assert.match(quiet.stderr, /not the same: cccccccccccc bbbbbbbbbbbb/);
      assert.equal((await fleet.told("server1")).length, 2);
      assert.equal((await fleet.install("--servers=server1", "--start")).code, 0);
      const restarted = "try-restart ccrawl-recrawl@domains.service ccrawl-publish@domains.service";
      assert.equal((await fleet.told("server1"))[2], restarted, "what the install before has left");
      assert.equal((await fleet.install("--servers=server1", "--start")).code, 0);
      assert.ok(!(await fleet.told("server1")).includes(restarted));
      await Deno.writeTextFile(fleet.binary, standIn("dddddddddddd"));
      assert.equal((await fleet.install("--servers=server1", "--start")).code, 0);
      assert.deepEqual((await fleet.told("server1")).slice(2), [
        restarted,
        "start ccrawl-recrawl.target",
      ]);
      await Deno.remove(`${fleet.dir}/server1.state`);
      assert.equal((await fleet.install()).code, 0);
    },
  );

  await t.step("or tells the versions alone", async () => {
    for (const { name } of fleet.machines) await fleet.told(name);
    await Deno.writeTextFile(fleet.binary, standIn("eeeeeeeeeeee"));
    const { code, stdout } = await fleet.install("--versions");
    assert.equal(code, 0);
    assert.deepEqual(
      stdout.trim().split("\n").map((line) => line.split(/ +/).slice(0, 4)),
      [
        ["server", "shard", "version", "commit"],
        ...[0, 1, 2].map((i) => [`server${i + 1}`, `${i}/3`, "0.0.1", "dddddddddddd"]),
      ],
    );
    assert.deepEqual(await fleet.told("server1"), []);
  });

  await t.step("it leaves nothing behind on the way", () => {
    for (const { root, temp } of fleet.machines) {
      assert.deepEqual(readdirSync(temp), []);
      for (const folder of ["usr/local/bin", "etc/ccrawl", "etc/systemd/system"]) {
        assert.deepEqual(
          readdirSync(`${root}/${folder}`).filter((name) => name.startsWith(".")),
          [],
        );
      }
    }
  });
});
