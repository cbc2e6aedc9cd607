/** `deno task hub` as somebody starts it by hand. */

import assert from "node:assert/strict";

const MAIN = new URL("./hub_main.ts", import.meta.url).pathname;

function start(...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", MAIN, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("the hub says where it listens, has the files it was given, and ends with SIGTERM", async () => {
  const child = start(`open-index/ccrawl-urls=data/x/0.txt=${MAIN}`);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) {
    const { value, done } = await reader.read();
    assert.ok(!done, `it ended: ${said}`);
    said += value;
  }
  const { hub, token } = JSON.parse(said) as { hub: string; token: string };
  const place = "datasets/open-index/ccrawl-urls";
  const list = await (await fetch(`${hub}/api/${place}`)).json();
  assert.deepEqual(list.siblings, [{ rfilename: "data/x/0.txt" }]);
  const file = await fetch(`${hub}/${place}/resolve/main/data/x/0.txt`);
  assert.equal(await file.text(), await Deno.readTextFile(MAIN));
  const create = (authorization: string) =>
    fetch(`${hub}/api/repos/create`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ type: "dataset", organization: "someone", name: "captures" }),
    }).then(async (answer) => {
      await answer.body?.cancel();
      return answer.status;
    });
  assert.equal(await create("Bearer hf_other"), 401);
  assert.equal(await create(`Bearer ${token}`), 200);
  child.kill("SIGTERM");
  assert.equal((await child.status).code, 0);
  await reader.cancel();
  await child.stderr.cancel();
});

Deno.test("the hub refuses what is no file for a repo", async () => {
  const child = start("urls.parquet");
  const { code, stderr } = await child.output();
  assert.equal(code, 2);
  assert.match(new TextDecoder().decode(stderr), /urls\.parquet names no file for a repo/);
});
