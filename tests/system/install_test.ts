/** deploy/install.sh, run for real on machines that are folders behind throw-away ssh servers. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { standIn, startFleet } from "./_fleet.ts";
import { run } from "./_tools.ts";

const INSTALL = new URL("../../deploy/install.sh", import.meta.url).pathname;

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

Deno.test("install.sh refuses a copy that is not what was sent", async (t) => {
  await using fleet = await startFleet("server1", "server2");
  const [server1, server2] = fleet.machines as [typeof fleet.machines[0], typeof fleet.machines[0]];
  const place = `${server1.root}/usr/local/bin/ccrawl`;
  assert.equal((await fleet.install()).code, 0);
  const first = read(place);
  const units = readdirSync(`${server1.root}/etc/systemd/system`);
  const refused = async (pattern: RegExp, commit: string) => {
    await fleet.told("server1");
    await Deno.writeTextFile(fleet.binary, standIn(commit));
    const { code, stdout, stderr } = await fleet.install("--start");
    assert.equal(code, 1, stdout + stderr);
    assert.match(stdout, pattern);
    assert.match(stderr, /not done on server1,/);
    assert.equal(read(place), first, "the one that was there stays");
    assert.deepEqual(readdirSync(`${server1.root}/usr/local/bin`), ["ccrawl"]);
    assert.deepEqual(readdirSync(`${server1.root}/etc/systemd/system`), units);
    assert.deepEqual(readdirSync(server1.temp), []);
    assert.deepEqual(await fleet.told("server1"), [], "nothing was enabled or started");
    assert.match(
      read(`${server2.root}/usr/local/bin/ccrawl`),
      new RegExp(commit),
      "the others go on",
    );
  };

  await t.step("damaged on its way", async () => {
    await fleet.replace(
      "server1",
      "tar",
      '#!/bin/sh\n/bin/tar "$@" && printf x | dd of="$4/ccrawl" bs=1 seek=30 conv=notrunc 2> /dev/null\n',
    );
    await refused(
      /^server1: Cannot install: what arrived is damaged.*\.\/ccrawl: FAILED/m,
      "b".repeat(12),
    );
    await fleet.restore("server1", "tar");
  });

  await t.step("with a list of hashes that is another", async () => {
    await fleet.replace(
      "server1",
      "tar",
      '#!/bin/sh\n/bin/tar "$@" && echo >> "$4/ccrawl" && (cd "$4" && find . -type f ! -name SHA256SUMS -exec sha256sum {} + > SHA256SUMS)\n',
    );
    await refused(/^server1: Cannot install: the list of hashes arrived damaged/m, "c".repeat(12));
    await fleet.restore("server1", "tar");
  });

  await t.step("cut on the disk that it goes to", async () => {
    await fleet.replace(
      "server1",
      "cp",
      '#!/bin/sh\ncase "$2" in */.ccrawl.new) head -c 40 "$1" > "$2" ;; *) exec /bin/cp "$@" ;; esac\n',
    );
    await refused(
      /^server1: Cannot install: the copy in .* has sha256 [0-9a-f]{64}, not /m,
      "d".repeat(12),
    );
    await fleet.restore("server1", "cp");
  });

  await t.step("of which the half did not come", async () => {
    await fleet.replace("server1", "tar", '#!/bin/sh\nhead -c 2000 | /bin/tar "$@"\n');
    await Deno.writeTextFile(fleet.binary, standIn("e".repeat(12)));
    const { code, stdout } = await fleet.install();
    assert.equal(code, 1);
    assert.match(stdout, /^server1: Cannot install: the copy did not get through/m);
    assert.equal(read(place), first);
    assert.deepEqual(readdirSync(server1.temp), []);
    await fleet.restore("server1", "tar");
  });

  await t.step("and one that does not run there", async () => {
    await Deno.writeTextFile(fleet.binary, "#!/bin/sh\necho wrong machine >&2\nexit 126\n");
    const { code, stdout } = await fleet.install("--servers=server1");
    assert.equal(code, 1);
    assert.match(stdout, /^server1: Cannot install: the binary does not run here.*wrong machine/m);
    assert.equal(read(place), first);
  });
});

Deno.test("install.sh goes on past a machine that cannot be reached", async () => {
  await using fleet = await startFleet("server1", "server2");
  await fleet.stop("server1");
  const { code, stdout, stderr } = await fleet.install();
  assert.equal(code, 1);
  assert.match(stderr, /^server1: cannot be reached$/m);
  assert.match(stdout, /^server1 +0\/2 +cannot be asked$/m);
  assert.match(stdout, /^server2 +1\/2 +0\.0\.1/m);
  assert.match(stderr, /not done on server1,/);
});

Deno.test("install.sh neither repartitions a fleet nor starts what would be", async () => {
  await using fleet = await startFleet("server1", "server2");
  assert.equal((await fleet.install("--servers=server1")).code, 0);
  const env = `${fleet.machines[0]!.root}/etc/ccrawl/recrawl-domains.env`;
  const before = read(env);
  await fleet.told("server1");
  await Deno.writeTextFile(`${fleet.dir}/fleet`, "server2\nserver1\n");
  const { code, stdout } = await fleet.install("--servers=server1", "--start");
  assert.equal(code, 1);
  assert.match(
    stdout,
    /recrawl-domains\.env says that this is shard 0 of 2, .* it is 1 of 2; nothing was started/,
  );
  assert.equal(read(env), before);
  assert.ok(!(await fleet.told("server1")).some((line) => line.startsWith("start")));
});

Deno.test("install.sh names what is wrong with its command line, and exits 2", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/fleet`, "server1\nserver2\n");
    await Deno.writeTextFile(`${dir}/twice`, "server1\nserver1\n");
    await Deno.writeTextFile(`${dir}/users`, "root@server1\nserver1\n");
    await Deno.writeTextFile(`${dir}/option`, "-oProxyCommand=x\n");
    await Deno.writeTextFile(`${dir}/none`, "# none\n");
    const cases: [string[], RegExp][] = [
      [
        ["--servers", "server9", "--fleet", `${dir}/fleet`],
        /server9: the fleet in .* is server1 server2/,
      ],
      [["--fleet", `${dir}/twice`], /server1 is there twice/],
      [["--fleet", `${dir}/users`], /server1 is there twice/],
      [["--fleet", `${dir}/option`], /"-oProxyCommand=x" is no name/],
      [["--fleet", `${dir}/none`], /names no machine/],
      [["--fleet", `${dir}/nowhere`], /no such file/],
      [["--kind", "hosts"], /--kind hosts: it is domains or urls/],
      [["--root", "here"], /--root here: it is a path from \//],
      [["--servers"], /--servers needs a value/],
      [["--servers="], /--servers needs a value/],
      [["--strat"], /no option --strat/],
    ];
    for (const [args, pattern] of cases) {
      const { code, stderr } = await run("bash", [INSTALL, ...args]);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, pattern);
    }
    const help = await run("bash", [INSTALL, "--help"]);
    assert.equal(help.code, 0);
    for (const option of ["--servers", "--kind", "--start", "--no-build", "--fleet"]) {
      assert.ok(help.stdout.includes(option));
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("install.sh builds the binary that it installs", async () => {
  await using fleet = await startFleet("server1");
  await Deno.remove(fleet.binary);
  const { code, stdout, stderr } = await fleet.build();
  assert.equal(code, 0, stdout + stderr);
  const { default: config } = await import("../../deno.json", { with: { type: "json" } });
  const row = stdout.split("\n").find((line) => line.startsWith("server1 "))!;
  const [, shard, version, commit, deno] = row.split(/ +/);
  assert.deepEqual([shard, version, deno], ["0/1", config.version, Deno.version.deno]);
  assert.match(commit!, /^[0-9a-f]{12}$/);
});
