import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { ClockMark } from "../../lib/frontier/_clock.ts";
import { startWeb } from "../web/mod.ts";
import { collect, withFolder } from "./_crawl.ts";
import { assertPolite } from "./_politeness.ts";

const DAY = 86_400_000;

/** Changes the reading of the clocks that a state keeps. */
function editClock(state: string, edit: (mark: ClockMark) => ClockMark): void {
  const db = new DatabaseSync(state);
  const { value } = db.prepare("select value from meta where key = 'counters'").get()!;
  const counters = JSON.parse(value as string) as { clock: ClockMark };
  counters.clock = edit(counters.clock);
  db.prepare("update meta set value = ? where key = 'counters'").run(JSON.stringify(counters));
  db.close();
}

const rebooted = ({ at, wall, boot }: ClockMark): ClockMark => ({
  ...{ at, wall },
  ...(boot === undefined ? {} : { boot: { id: `not ${boot.id}`, uptime: boot.uptime + 1e6 } }),
});

const JUMPS: Readonly<Record<string, (mark: ClockMark) => ClockMark>> = {
  "set back by a day": (mark) => ({ ...mark, wall: mark.wall + DAY }),
  "set forward by a day": (mark) => ({ ...mark, wall: mark.wall - DAY }),
  "set back by a day, after a reboot": (mark) => rebooted({ ...mark, wall: mark.wall + DAY }),
  "set back by ten years, after a reboot": (mark) =>
    rebooted({ ...mark, wall: mark.wall + 3650 * DAY }),
};

Deno.test("a wall clock that jumps between two runs shortens no wait, and makes none endless", async (t) => {
  await using web = await startWeb();
  for (const [name, jump] of Object.entries(JUMPS)) {
    const known = Deno.build.os === "linux" || name.includes("reboot");
    await t.step({
      name,
      // Where the system tells no uptime the wall clock is all there is.
      ignore: !known,
      fn: () =>
        withFolder(async (dir) => {
          const host = `${name.replaceAll(/[ ,]+/g, "-")}.status-503.retry-after-1.times-1.test`;
          const options = {
            seeds: [web.url(host, "/p/0"), web.url(host, "/p/1")],
            ...{ state: `${dir}/crawl.db`, warc: `${dir}/warc`, delayMs: 0 },
          };
          const { records } = await collect(web, { ...options, limit: 1 });
          assert.equal(records[0]!.status, 503);
          editClock(options.state, jump);
          // A wait of a day would end the test by its own patience.
          const { records: rest } = await collect(web, {
            ...options,
            signal: AbortSignal.timeout(60_000),
          });
          assert.equal(rest[0]?.status, 200, "it was still waiting after a minute");
          const [first, second] = (await web.requests({ host }))
            .filter(({ path }) => path.startsWith("/p/"));
          assert.ok(second!.t - first!.t >= 1000, `asked again after ${second!.t - first!.t} ms`);
        }),
    });
  }
});

Deno.test("a wall clock that jumps while a crawl runs changes no wait", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 2, pages: 12, pageBytes: 500 });
    const real = Date.now;
    let shift = 0, links = 0;
    Date.now = () => real() + shift;
    try {
      const shifts = [-DAY, DAY, -3650 * DAY, 0];
      const { records } = await collect(web, {
        ...{ seeds: web.seeds(), maxDepth: 9, state: `${dir}/crawl.db`, warc: `${dir}/warc` },
        delayMs: 100,
        accept: () => {
          shift = shifts[links++ % shifts.length]!;
          return true;
        },
      });
      assert.equal(records.length, 12);
      assert.equal(links, 10);
      await assertPolite(web, 100);
    } finally {
      Date.now = real;
    }
  }));
