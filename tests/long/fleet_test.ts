import assert from "node:assert/strict";
import { killFleet } from "../publish/_fleet.ts";

/** Rows of a domain: with a second between two, the round lasts longer than as many seconds. */
const PAGES = Number(Deno.env.get("CCRAWL_FLEET_SECONDS") ?? 500);

Deno.test(`a fleet of three shards, for ${PAGES} s and more with a kill every 20 s`, async () => {
  const start = performance.now();
  const { rows, parts, commits, repeats, memory } = await killFleet({
    shards: 3,
    kills: Math.floor(PAGES / 20),
    domains: 150,
    pages: PAGES,
    delayMs: 1000,
    shardKb: 2048,
  });
  const [first, second] = memory.map((bytes) => Math.round(bytes / 2 ** 20)) as [number, number];
  console.log(
    `fleet: ${rows} rows, ${parts} parts, ${commits} commits, ${repeats} repeats, most memory of a ` +
      `crawl ${first} MB in the first half, ${second} MB in the second, ` +
      `${Math.round((performance.now() - start) / 1000)} s`,
  );
  assert.ok(second <= first * 1.5 + 50, `memory grew from ${first} MB to ${second} MB`);
});
