import { killAndResume } from "../engine/_recrawl_kill.ts";

const ROWS = 50_000, KILLS = 20;

for (const writers of [1, 4]) {
  for (const delayMs of [0, 1000]) {
    // a second between the pages of a host, and many hosts; or none, and rendering
    const extract = delayMs === 0;
    const name = `${writers} writers, ${delayMs} ms between pages of a host`;
    Deno.test(`a recrawl of 50 000 rows killed 20 times loses no row: ${name}`, async () => {
      const start = performance.now();
      const { rows, kills, repeats, worst, bound, parts } = await killAndResume({
        web: { hosts: extract ? 500 : 5000, pages: ROWS, pageBytes: 4000 },
        ...{ kills: KILLS, workers: 64, writers, delayMs, shardKb: 2048 },
        args: ["--seal-after", "5s", ...extract ? [] : ["--no-extract"]],
        publish: writers === 4,
      });
      console.log(
        `recrawl, ${name}: ${rows} rows, ${kills} kills, ${repeats} repeats ` +
          `(${Math.round(repeats / kills)} a kill, ${worst} at worst, bound ${bound}), ` +
          `${parts} parts, ${Math.round((performance.now() - start) / 1000)} s`,
      );
    });
  }
}

Deno.test("a recrawl of 50 000 rows of which one host is 100 times slower is killed 20 times", async () => {
  const start = performance.now();
  const { rows, kills, repeats, worst, bound } = await killAndResume({
    web: { hosts: 200, pages: ROWS, pageBytes: 4000, kind: "slow-20" },
    ...{ kills: KILLS, workers: 64, writers: 1, delayMs: 0, shardKb: 1024 },
    args: ["--no-extract"],
    urls: (web) => [
      ...Array.from({ length: 30 }, (_, i) => web.url("lag.slow-2000.test", `/p/${i}`)),
      ...web.expectedUrls(),
    ],
  });
  console.log(
    `recrawl, one slow host: ${rows} rows, ${kills} kills, ${repeats} repeats ` +
      `(${Math.round(repeats / kills)} a kill, ${worst} at worst, bound ${bound}), ` +
      `${Math.round((performance.now() - start) / 1000)} s`,
  );
});

Deno.test("a recrawl of 50 000 rows killed 20 times between a seal and its checkpoint", async () => {
  const start = performance.now();
  const { rows, kills, repeats, worst, bound } = await killAndResume({
    web: { hosts: 500, pages: ROWS, pageBytes: 4000 },
    ...{ kills: KILLS, workers: 64, writers: 4, delayMs: 0, shardKb: 512 },
    args: ["--no-extract"],
    setBack: true,
  });
  console.log(
    `recrawl, checkpoints set back: ${rows} rows, ${kills} kills, ${repeats} repeats ` +
      `(${Math.round(repeats / kills)} a kill, ${worst} at worst, bound ${bound}), ` +
      `${Math.round((performance.now() - start) / 1000)} s`,
  );
});
