/** What deploy/install.sh does not install, or not everywhere. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { standIn, startFleet } from "./_fleet.ts";
import { run } from "./_tools.ts";

const INSTALL = new URL("../../deploy/install.sh", import.meta.url).pathname;

const read = (path: string) => readFileSync(path, "utf8");

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

  const versions = await fleet.install("--versions");
  assert.equal(versions.code, 1, "one could not be asked");
  assert.match(versions.stdout, /^server1 +0\/2 +cannot be asked\nserver2 +1\/2 +0\.0\.1/m);
  assert.match(versions.stderr, /Connection refused[^]*could not ask server1, for the reasons/);
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
