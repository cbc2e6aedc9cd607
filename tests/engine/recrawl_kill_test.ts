import { killAndResume } from "./_recrawl_kill.ts";

const WEB = { hosts: 40, pages: 1200, pageBytes: 3000 } as const;

Deno.test("a recrawl that is killed again and again loses no row and repeats few", async () => {
  await killAndResume({ web: WEB, kills: 3, workers: 16, writers: 1, delayMs: 0, shardKb: 300 });
});

Deno.test("a kill between a seal and its checkpoint neither repeats nor loses", async () => {
  await killAndResume({
    ...{
      web: WEB,
      kills: 2,
      workers: 16,
      writers: 4,
      delayMs: 40,
      shardKb: 60,
      args: ["--no-extract"],
    },
    setBack: true,
  });
});
