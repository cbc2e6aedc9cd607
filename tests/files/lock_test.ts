import assert from "node:assert/strict";
import { StateLockedError } from "../../lib/files/errors.ts";
import { lockFile } from "../../lib/files/lock.ts";
import { tempFolder } from "../frontier/_helpers.ts";

Deno.test("lockFile() refuses a second holder and names its process, in this one and another", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/out`;
  const lock = lockFile(`${path}/`);
  assert.equal(lock.lockPath, `${path}.lock`);
  const held = (pid: number) => (error: Error) =>
    error instanceof StateLockedError && error.pid === pid && error.message.includes(String(pid));
  assert.throws(() => lockFile(path), held(Deno.pid));
  const module = new URL("../../lib/files/lock.ts", import.meta.url).href;
  const code = `import { lockFile } from ${JSON.stringify(module)};
    try { lockFile(${JSON.stringify(path)}); console.log("got it"); }
    catch (error) { console.log(error.name, error.pid); }
    await new Response(Deno.stdin.readable).text();`;
  const start = () =>
    new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", code],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
  const refused = start();
  await refused.stdin.close();
  assert.equal(await new Response(refused.stdout).text(), `StateLockedError ${Deno.pid}\n`);
  await refused.status;
  lock.release();
  lock.release();

  // Now the other process holds it, and a kill gives it back.
  const holder = start();
  const reader = holder.stdout.getReader();
  const { value } = await reader.read();
  assert.equal(new TextDecoder().decode(value), "got it\n");
  assert.throws(() => lockFile(path), held(holder.pid));
  holder.kill("SIGKILL");
  await holder.status;
  await reader.cancel();
  await holder.stdin.close().catch(() => {});
  lockFile(path).release();
});

Deno.test({
  name: "lockFile() holds a file under every name that links give it",
  ignore: Deno.build.os === "windows", // there, links take a right that few have
  fn() {
    using folder = tempFolder();
    Deno.symlinkSync("state.db", `${folder.path}/link.db`);
    for (const [first, second] of [["state.db", "link.db"], ["link.db", "state.db"]]) {
      using _held = lockFile(`${folder.path}/${first}`);
      assert.throws(() => lockFile(`${folder.path}/${second}`), StateLockedError);
    }
  },
});
