// kill -9 at any moment: nothing that was durable is lost or done again.
import assert from "node:assert/strict";
import { StateLockedError } from "../../lib/frontier/errors.ts";
import { lockFile } from "../../lib/frontier/lock.ts";
import { openFrontier } from "../../lib/frontier/open.ts";
import { readDone, readQueued } from "../../lib/frontier/read.ts";
import { tempFolder } from "./_helpers.ts";

const script = new URL("./_crawler.ts", import.meta.url).href;

/** Runs the crawl until it has said `lines` lines, kills it; what it said. */
async function runAndKill(path: string, round: number, lines: number): Promise<string[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, path, String(round)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "", count = 0;
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    for (const byte of chunk) if (byte === 10) count++;
    if (count >= lines) {
      if (lines < Infinity) child.kill("SIGKILL");
      lines = Infinity;
    }
  }
  await child.status;
  return text.split("\n").slice(0, -1);
}

Deno.test("a crawl that is killed loses nothing durable and repeats only what had not ended", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  const offered = new Set<string>(), ended = new Set<string>();
  for (let round = 0; round < 3; round++) {
    for (const line of await runAndKill(path, round, 300 + round * 37)) {
      const [word, url] = line.split(" ") as [string, string];
      if (word === "claimed") assert.ok(!ended.has(url), `${url} had ended and was handed out`);
      if (word === "offered") offered.add(url);
      if (word === "ended") ended.add(url);
    }
    const done: string[] = [], queued: string[] = [];
    for await (const { url } of readDone(path)) done.push(url);
    for await (const { url } of readQueued(path)) queued.push(url);
    const all = [...done, ...queued];
    assert.equal(new Set(all).size, all.length, "a URL is there twice");
    for (const url of ended) assert.ok(done.includes(url), `${url} had ended and has not`);
    for (const url of offered) assert.ok(all.includes(url), `${url} is lost`);
  }
  // And the state opens, unlocked by the kill.
  await using frontier = await openFrontier({ path });
  assert.equal((await frontier.stats()).leased, 0);
});

Deno.test("lockFile() refuses a second holder and names its process, in this one and another", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/out`;
  const lock = lockFile(`${path}/`);
  assert.equal(lock.lockPath, `${path}.lock`);
  const held = (pid: number) => (error: Error) =>
    error instanceof StateLockedError && error.pid === pid && error.message.includes(String(pid));
  assert.throws(() => lockFile(path), held(Deno.pid));
  const module = new URL("../../lib/frontier/lock.ts", import.meta.url).href;
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
