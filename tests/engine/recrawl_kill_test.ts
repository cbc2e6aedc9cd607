import { killAndResume } from "./_recrawl_kill.ts";

const WEB = { hosts: 40, pages: 1200, pageBytes: 3000 } as const;
/** Rendering is in one of them: it makes a start slow, not the others' questions harder. */
const QUICK = ["--no-extract"];

Deno.test("a recrawl that is killed again and again loses no row and repeats few", async () => {
  await killAndResume({ web: WEB, kills: 3, workers: 16, writers: 1, delayMs: 0, shardKb: 300 });
});

Deno.test("a kill between a seal and its checkpoint neither repeats nor loses", async () => {
  await killAndResume({
    ...{ web: WEB, kills: 2, workers: 16, writers: 4, delayMs: 0, shardKb: 60, args: QUICK },
    setBack: true,
  });
});

Deno.test("a kill after a publisher took parts away repeats nothing, and no number twice", async () => {
  await killAndResume({
    ...{ web: WEB, kills: 2, workers: 16, writers: 2, delayMs: 0, shardKb: 60, args: QUICK },
    publish: true,
  });
});

Deno.test("a kill repeats nothing of the others when one host lags far behind", async () => {
  // its pages come first in the list and take 100 times as long
  await killAndResume({
    web: { hosts: 12, pages: 1000, pageBytes: 20_000, kind: "slow-10" },
    ...{ kills: 2, workers: 8, writers: 1, delayMs: 0, shardKb: 200, args: QUICK },
    urls: (web) => [
      ...Array.from({ length: 8 }, (_, i) => web.url("lag.slow-1000.test", `/p/${i}`)),
      ...web.expectedUrls(),
    ],
  });
});
