/** The units as systemd reads them, and the scripts as a shell does. */

import assert from "node:assert/strict";
import { need, run } from "./_tools.ts";

const DEPLOY = new URL("../../deploy", import.meta.url).pathname;
const SERVICES = ["ccrawl-recrawl@", "ccrawl-publish@"];

/** A folder with the units, in which the binary is one that is here. */
async function units(): Promise<string> {
  const dir = await Deno.makeTempDir();
  for (const { name } of Deno.readDirSync(`${DEPLOY}/systemd`)) {
    const text = await Deno.readTextFile(`${DEPLOY}/systemd/${name}`);
    await Deno.writeTextFile(
      `${dir}/${name}`,
      text.replaceAll("/usr/local/bin/ccrawl", "/bin/true"),
    );
  }
  return dir;
}

Deno.test("systemd finds nothing wrong with the units", async () => {
  const tools = need("systemd-analyze");
  const dir = await units();
  try {
    for (const kind of ["domains", "urls"]) {
      const names = [...SERVICES.map((unit) => `${unit}${kind}.service`), "ccrawl-recrawl.target"];
      const { code, stdout, stderr } = await run(tools["systemd-analyze"], [
        "verify",
        ...names.map((name) => `${dir}/${name}`),
      ]);
      assert.deepEqual([code, stdout, stderr], [0, "", ""]);
    }
    await Deno.writeTextFile(`${dir}/ccrawl-recrawl@.service`, "[Service]\nExecStrat=/bin/true\n");
    const broken = await run(tools["systemd-analyze"], [
      "verify",
      `${dir}/ccrawl-recrawl@x.service`,
    ]);
    assert.match(broken.stderr, /ExecStrat/, "it would say so");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("systemd finds the services well shut in", async () => {
  const tools = need("systemd-analyze");
  const dir = await units();
  try {
    for (const unit of SERVICES) {
      const { code, stdout } = await run(tools["systemd-analyze"], [
        ..."security --offline=true --no-pager --threshold=15".split(" "),
        `${dir}/${unit}.service`,
      ]);
      const [, exposure] = /exposure level for \S+: (\d+\.\d+)/.exec(stdout)!;
      console.log(`${unit}.service: exposure ${exposure} of 10`);
      assert.equal(code, 0, `${unit} is at ${exposure}: ${stdout}`);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("shellcheck finds nothing wrong with the scripts", async () => {
  const { shellcheck } = need("shellcheck");
  const scripts = [...Deno.readDirSync(DEPLOY)].map(({ name }) => name)
    .filter((name) => name.endsWith(".sh")).map((name) => `${DEPLOY}/${name}`);
  assert.ok(scripts.length >= 5);
  const { code, stdout } = await run(shellcheck, [...scripts, `${DEPLOY}/../.ci/run`]);
  assert.equal(code, 0, stdout);
});
