import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { crawlArgs, statusOf, verifyClean } from "./_kill.ts";
import { Ccrawl, ccrawl } from "./_process.ts";

Deno.test("crawl control acts on a running crawl, and what it says of hosts persists", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 4, pages: 100_000, pageBytes: 500, fanout: 50 });
    await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
    const args = crawlArgs(web, dir, "--max-depth", "1000", "--delay", "25ms", "-j", "4");
    const crawl = new Ccrawl(args, { keep: false });
    const control = async (...words: string[]) => {
      const { code, stderr } = await ccrawl([
        ...["crawl", "control", "--state", `${dir}/crawl.db`, ...words],
      ]);
      assert.equal(code, 0, stderr);
      // The crawl says so when it has obeyed.
      await crawl.until(() => crawl.stderr.includes(`told to ${words.slice(0, 2).join(" ")}`));
    };
    const [a, b, c] = [0, 1, 2].map((i) => web.hostName(i)) as [string, string, string];
    const requests = async () =>
      new Map((await web.summary()).hosts.map((h) => [h.host, h.requests] as const));
    /** Waits until `host` was asked `n` times more. */
    const more = async (host: string, n: number) => {
      const enough = (await requests()).get(host)! + n;
      while ((await requests()).get(host)! < enough) {
        assert.ok(!crawl.over, crawl.stderr);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await crawl.until(() => crawl.count >= 100);

    await control("block", a);
    const blocked = (await requests()).get(a)!;
    await more(b, 20);
    assert.ok((await requests()).get(a)! <= blocked + 1, "one may have been in flight");

    await control("delay", b, "1h");
    const delayed = (await requests()).get(b)!;
    await more(c, 20);
    assert.ok((await requests()).get(b)! <= delayed + 1);

    await control("pause");
    const paused = await requests();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const later = await requests();
    for (const [host, n] of later) assert.ok(n <= paused.get(host)! + 1, `${host} while paused`);
    assert.equal((await statusOf(dir)).paused as unknown, true);

    await control("resume");
    await more(c, 5);
    await control("unblock", a);
    await more(a, 5);
    await control("block", a);
    await control("priority", c, "1000");
    await control("stop");
    await crawl.succeeds();
    assert.match(crawl.stderr, /crawl run: \d+ fetched/);

    // Another run knows what was said of hosts.
    const again = new Ccrawl(args, { keep: false });
    const before = await requests();
    await again.until(() => again.count >= 50);
    again.kill("SIGTERM");
    await again.succeeds();
    const after = await requests();
    assert.equal(after.get(a), before.get(a), "still blocked");
    // Its hour runs from the last request.
    assert.ok(after.get(b)! - before.get(b)! <= 1, "still slow");
    assert.ok(after.get(c)! > before.get(c)! + 10);
    await verifyClean(dir);
    const db = new DatabaseSync(`${dir}/crawl.db`);
    assert.equal(db.prepare("pragma integrity_check").get()!.integrity_check, "ok");
    db.close();
  }));
