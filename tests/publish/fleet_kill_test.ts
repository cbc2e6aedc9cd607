import { killFleet } from "./_fleet.ts";

Deno.test("three shards side by side, killed at random, publish every row of the list once", async () => {
  await killFleet({
    ...{ shards: 3, kills: 4, domains: 30, pages: 10, delayMs: 5, shardKb: 100 },
    args: ["--no-extract"],
  });
});
