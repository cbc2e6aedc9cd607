import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { crawlArgs } from "./_kill.ts";
import { Ccrawl, ccrawl } from "./_process.ts";

type Event = Record<string, unknown> & { event: string; time: string; command: string };

function events(text: string): Event[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Event);
}

Deno.test("a crawl tells its events as JSON, keeps them in a journal, and serves its figures", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 4, pages: 400, pageBytes: 4000 });
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    const args = crawlArgs(web, dir, "--max-depth", "99", "--delay", "10ms")
      .map((word) => word === "none" ? "json" : word);
    args.push("--journal", `${dir}/journal.jsonl`, "--metrics-addr", "127.0.0.1:0");
    const crawl = new Ccrawl(args);
    const address = () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(crawl.stderr)?.[0];
    await crawl.until(() => address() !== undefined && crawl.count >= 50);
    const text = await (await fetch(address()!)).text();
    const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    assert.ok(metric("ccrawl_pages_fetched_total") >= 50, text);
    assert.ok(metric("ccrawl_pages_fetched_total") < 400);
    assert.equal(metric("ccrawl_workers"), 64);
    assert.equal(metric("ccrawl_robots_hosts_total"), 4);
    assert.ok(metric("ccrawl_body_bytes_total") >= 50 * 4000);
    crawl.kill("SIGTERM");
    await crawl.succeeds();
    const first = events(crawl.stderr);
    assert.deepEqual(
      first.map(({ event }) => event),
      ["start", "message", "message", "seal", "end"],
    );
    for (const { time, command } of first) {
      assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.equal(command, "crawl run");
    }
    assert.equal(first[0]!.event, "start");
    const details = first[0]!.details as Record<string, unknown>;
    assert.deepEqual(
      [details.state, details.out, details.delayMs],
      [`${dir}/crawl.db`, `${dir}/warc`, 10],
    );
    const { event, time: _, command: __, ...seal } = first[3]!;
    const { size } = await Deno.stat(`${dir}/warc/ccrawl-crawl-00000.warc.gz`);
    assert.equal(event, "seal");
    const records = crawl.count + 4; // and robots.txt of each host
    assert.deepEqual(seal, { file: "ccrawl-crawl-00000.warc.gz", bytes: size, records });
    const { outcome, figures } = first[4]! as unknown as {
      outcome: string;
      figures: Record<string, number>;
    };
    assert.equal(outcome, "stopped");
    assert.deepEqual([figures.fetched, figures.files], [crawl.count, 1]);

    // The journal goes on where it was; a run that comes to its end says so.
    const rest = await ccrawl([...args, "--max-pages", String(crawl.count + 20)]);
    assert.equal(rest.code, 0, rest.stderr);
    const journal = events(await Deno.readTextFile(`${dir}/journal.jsonl`));
    assert.deepEqual(journal, [...first, ...events(rest.stderr)]);
    assert.equal(journal.at(-1)!.outcome, "finished");

    const limited = await ccrawl([...args, "-n", "5"]);
    assert.equal(events(limited.stderr).at(-1)!.outcome, "limit");
  }));
