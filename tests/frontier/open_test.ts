// The door and the Worker behind it.
import assert from "node:assert/strict";
import { StateLockedError } from "../../lib/files/errors.ts";
import { sendControl } from "../../lib/frontier/control.ts";
import {
  FrontierError,
  FrontierIdentityError,
  FrontierStateError,
} from "../../lib/frontier/errors.ts";
import { openFrontier } from "../../lib/frontier/open.ts";
import { readDone, readStats } from "../../lib/frontier/read.ts";
import type { ControlCommand } from "../../lib/frontier/types.ts";
import { ended, links, open, seed, tempFolder } from "./_helpers.ts";

Deno.test("openFrontier() carries every verb to the engine and back", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  {
    await using frontier = await openFrontier({ path, identity: { shard: "0" } });
    const urls = Array.from(
      { length: 25_000 },
      (_, i) => seed(`https://h${i % 50}.example/${i}`, 4),
    );
    const put = await frontier.put([...urls, ...urls.slice(0, 10)], { seed: true });
    assert.deepEqual(put, { added: 25_000, known: 10, refused: 0, staged: 0 });
    await Promise.all([
      frontier.setDelay("h0.example", 7000),
      frontier.blockHost("h1.example", Infinity),
      frontier.setPriority("h2.example", 64),
    ]);
    frontier.putCached("k", Uint8Array.of(7), frontier.now() + 60_000);
    assert.deepEqual((await frontier.getCached("k"))!.value, Uint8Array.of(7));
    const leases = await frontier.claim(3, 2);
    assert.deepEqual(leases.map(({ host, urls }) => [host, urls.length]), [
      ["h2.example", 2],
      ["h0.example", 2],
      ["h3.example", 2],
    ]);
    assert.equal(leases[1]!.delayMs, 7000);
    const [first, second] = leases[0]!.urls;
    const notBefore = frontier.now() + 60_000;
    frontier.releaseHosts([{ host: "h2.example", notBefore, unused: [second!.id], failures: 1 }]);
    await frontier.complete([
      ended(first!.id, {
        warcFile: "a.warc.gz",
        warcOffset: 5,
        outlinks: links("https://new.example/"),
      }),
    ]);
    const stats = await frontier.stats();
    assert.deepEqual([stats.answered, stats.leased, stats.known, stats.blockedHosts], [
      1,
      4,
      25_001,
      2,
    ]);
    assert.ok(stats.nextDue! >= notBefore);
    // Durable when it resolves: another connection sees it while this one is open.
    assert.equal((await readStats(path)).answered, 1);
  }
  const log = [];
  for await (const url of readDone(path)) log.push(url);
  assert.equal(log.length, 1);
  await using again = await openFrontier({ path, identity: { shard: "0" } });
  assert.equal((await again.stats()).queued, 25_000);
});

Deno.test("openFrontier() without a path keeps everything in memory", async () => {
  await using frontier = await openFrontier();
  await frontier.put([seed("https://a.example/")]);
  assert.equal((await frontier.claim(1, 1))[0]!.urls[0]!.url, "https://a.example/");
});

Deno.test("openFrontier() rejects with the typed error of the engine", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  open({ path, identity: { shard: "0" } }).close();
  await assert.rejects(openFrontier({ path, identity: { shard: "1" } }), (error) => {
    assert.ok(error instanceof FrontierIdentityError);
    assert.deepEqual([error.key, error.stored, error.given], ["shard", "0", "1"]);
    return true;
  });
  const broken = `${folder.path}/broken.db`;
  Deno.writeTextFileSync(broken, "no database ".repeat(1000));
  await assert.rejects(openFrontier({ path: broken }), (error) => {
    assert.ok(error instanceof FrontierStateError && error.cause instanceof Error);
    return error.path === broken;
  });
  // A failed opening holds no lock.
  await using held = await openFrontier({ path });
  await assert.rejects(openFrontier({ path }), StateLockedError);
  assert.equal((await held.stats()).queued, 0);
});

Deno.test("a verb that fails rejects, and the frontier goes on", async () => {
  await using frontier = await openFrontier();
  await frontier.put([seed("https://a.example/")]);
  await assert.rejects(frontier.complete([ended(99)]), /lease 99: it is not held/);
  await assert.rejects(frontier.complete([ended(-1)]), FrontierError);
  await assert.rejects(frontier.put([seed("https://a.example/", NaN)]), FrontierError);
  await assert.rejects(frontier.setPriority("a.example", 0), FrontierError);
  assert.equal((await frontier.claim(1, 1)).length, 1);
});

Deno.test("releaseHosts() of a host that is not out is told to onWarning", async () => {
  const warned = Promise.withResolvers<string>();
  await using frontier = await openFrontier({ onWarning: warned.resolve });
  frontier.releaseHosts([{ host: "a.example", notBefore: 0, unused: [] }]);
  assert.match(await warned.promise, /Cannot release the host "a\.example"/);
});

Deno.test("a closed frontier rejects, and its controls end", async () => {
  const frontier = await openFrontier();
  const controls = frontier.controls()[Symbol.asyncIterator]();
  const waiting = controls.next();
  await Promise.all([frontier.close(), frontier.close()]);
  assert.equal((await waiting).done, true);
  await assert.rejects(frontier.stats(), /it is closed/);
  assert.throws(() => frontier.releaseHosts([]), FrontierError);
});

/** The next commands of a frontier. */
async function take(
  controls: AsyncIterator<ControlCommand>,
  count: number,
): Promise<ControlCommand[]> {
  const commands: ControlCommand[] = [];
  while (commands.length < count) commands.push((await controls.next()).value);
  return commands;
}

Deno.test("sendControl() reaches a running frontier, which applies, hands over and forgets it", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  const warned = Promise.withResolvers<string>();
  await using frontier = await openFrontier({ path, onWarning: warned.resolve });
  await frontier.put([seed("https://a.example/1", 1), seed("https://b.example/1", 4)]);
  const controls = frontier.controls()[Symbol.asyncIterator]();
  const commands: ControlCommand[] = [
    { verb: "pause" },
    { verb: "delay", host: "a.example", delayMs: 9000 },
    { verb: "priority", host: "a.example", priority: 1000 },
    { verb: "block", host: "b.example" },
    { verb: "stop" },
  ];
  for (const command of commands) await sendControl(path, command);
  assert.deepEqual(await take(controls, 5), commands);
  assert.equal((await readStats(path)).paused, true);
  const leases = await frontier.claim(9, 9);
  assert.deepEqual(leases.map(({ host, delayMs }) => [host, delayMs]), [["a.example", 9000]]);
  await sendControl(path, { verb: "unblock", host: "B.example" });
  await sendControl(path, { verb: "resume" });
  assert.deepEqual((await take(controls, 2))[0], { verb: "unblock", host: "b.example" });
  assert.equal((await frontier.claim(9, 9))[0]!.host, "b.example");
  assert.equal((await readStats(path)).paused, false);

  // A malformed file is told of and set aside, and what comes after it is taken.
  Deno.writeTextFileSync(`${path}.control/000-bad.json`, `{"verb": "explode"}`);
  await sendControl(path, { verb: "stop" });
  assert.match(await warned.promise, /000-bad\.json.*verb must be one of/s);
  assert.deepEqual(await take(controls, 1), [{ verb: "stop" }]);
  assert.deepEqual([...Deno.readDirSync(`${path}.control`)].map(({ name }) => name), [
    "000-bad.json.bad",
  ]);
});

Deno.test("sendControl() waits for the next opening when no crawl runs", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  await assert.rejects(sendControl(path, { verb: "pause" }), /there is no such state/);
  open({ path }).close();
  await sendControl(path, { verb: "block", host: "a.example" });
  await assert.rejects(sendControl(path, { verb: "block" }), /needs a host/);
  await assert.rejects(sendControl(path, { verb: "priority", host: "a" }), FrontierError);
  await using frontier = await openFrontier({ path });
  await frontier.put([seed("https://a.example/")]);
  assert.deepEqual(await frontier.claim(1, 1), []);
  const controls = frontier.controls()[Symbol.asyncIterator]();
  assert.deepEqual(await take(controls, 1), [{ verb: "block", host: "a.example" }]);
});

Deno.test("commands that cannot be looked for are told of once, and the frontier goes on", async () => {
  using folder = tempFolder();
  const path = `${folder.path}/s.db`;
  open({ path }).close();
  Deno.writeTextFileSync(`${path}.control`, "a file in the folder's place");
  const warnings: string[] = [];
  const first = Promise.withResolvers<void>();
  await using frontier = await openFrontier({
    path,
    onWarning: (text) => {
      warnings.push(text);
      first.resolve();
    },
  });
  await first.promise;
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(warnings.length, 1, warnings.join("\n"));
  assert.match(warnings[0]!, /^Cannot take commands of "crawl control": .*s\.db\.control/);
  await frontier.put([seed("https://a.example/")]);
  assert.equal((await frontier.claim(1, 1)).length, 1);
  // Put right, commands are taken, and what the parser quotes of a bad one is not shown.
  Deno.removeSync(`${path}.control`);
  Deno.mkdirSync(`${path}.control`);
  Deno.writeTextFileSync(`${path}.control/000-bad.json`, "\x1b[31mred");
  await sendControl(path, { verb: "stop" });
  assert.deepEqual(await take(frontier.controls()[Symbol.asyncIterator](), 1), [{ verb: "stop" }]);
  assert.match(warnings.at(-1)!, /000-bad\.json" \(set aside as \.bad\): it is not JSON$/);
});
