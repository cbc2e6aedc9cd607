import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import { commands } from "../../lib/cli/commands/registry.ts";
import { testHost } from "../cli/_host.ts";
import { collect } from "./_recrawl.ts";
import { withFolder } from "./_crawl.ts";
import { startWeb } from "../web/mod.ts";

async function ccrawl(args: readonly string[]): Promise<string> {
  const host = testHost();
  assert.equal(await main([...args], host, commands), 0, host.err());
  return host.out();
}

const lines = (text: string) =>
  text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

Deno.test("the loop closes: passes of a recrawl give rates, rates give seeds, seeds are the next pass's list", async () => {
  await using web = await startWeb({ hosts: 3, pages: 36 });
  const [news, still, half] = ["h0000.good.test", "h0001.good.test", "h0002.good.test"];
  await withFolder(async (dir) => {
    const urls = [news, still, half].flatMap((host) =>
      Array.from({ length: 12 }, (_, i) => web.url(host!, `/p/${i}`))
    );
    for (let pass = 0; pass < 4; pass++) {
      const version = pass % 2 === 0 ? "good" : "good.changed";
      await web.set(news!, version);
      await web.set(half!, pass === 1 ? "good.changed" : "good");
      await collect(web, dir, {
        from: urls,
        state: `${dir}/pass-${pass}.json`,
        out: `${dir}/pass-${pass}`,
        delayMs: 0,
      });
    }
    const passes = [0, 1, 2, 3].map((pass) => `${dir}/pass-${pass}`);
    const rates = await ccrawl(["sched", "rates", ...passes, "--days", "1", "-o", "jsonl"]);
    await Deno.writeTextFile(`${dir}/rates.jsonl`, rates);
    const byHost = new Map(lines(rates).map((row) => [row.host, row]));
    const seen = (host: string) => [byHost.get(host)!.visits, byHost.get(host)!.changed_visits];
    assert.deepEqual(seen(news!), [36, 36]);
    assert.deepEqual(seen(still!), [36, 0]);
    assert.deepEqual(seen(half!), [36, 24]);
    assert.equal(byHost.get(still!)!.change_rate, 0);
    // Passes were seconds apart: what changed in between changes all day.
    assert.equal(byHost.get(news!)!.tier, 3);
    const diff = lines(await ccrawl(["sched", "diff", passes[0]!, passes[1]!, "-o", "jsonl"]));
    assert.deepEqual(
      diff.map((row) => [row.host, row.total_urls, row.changed_urls]).sort(),
      [[news, 12, 12], [still, 12, 0], [half, 12, 12]],
    );
    await Deno.writeTextFile(
      `${dir}/ranks`,
      [news, still, half].map((host, i) =>
        `${i + 1} ${9 - i} 1 1 ${host!.split(".").reverse().join(".")}\n`
      ).join(""),
    );
    const seed = ["crawl", "seed", "--ranks", `${dir}/ranks`, "--rates", `${dir}/rates.jsonl`];
    const seeds = lines(await ccrawl([...seed, "-o", "jsonl"]));
    assert.deepEqual(seeds.map(({ host, tier }) => [host, tier]), [[news, 1], [still, 4], [
      half,
      1,
    ]]);
    await Deno.writeTextFile(
      `${dir}/next.jsonl`,
      await ccrawl([...seed, "--max-tier", "1", "-o", "jsonl"]),
    );
    const { records: next } = await collect(web, dir, {
      from: `${dir}/next.jsonl`,
      state: `${dir}/next.json`,
      out: `${dir}/next`,
    });
    // Home pages on the usual port, which nobody listens on here: asked for they were.
    assert.deepEqual(next.map(({ url }) => url).sort(), [`https://${news}/`, `https://${half}/`]);
  });
});
