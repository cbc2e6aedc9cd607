// kill -9 at any moment: nothing that was durable is lost or done again.
import assert from "node:assert/strict";
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
