import { killAndResume } from "./_kill.ts";

// A page of `tree-across` has exactly one parent, mostly on another host: a lost link would show.
const WEB = { hosts: 40, pages: 1500, pageBytes: 4000, graph: "tree-across" } as const;

Deno.test("a crawl that is killed again and again loses nothing and repeats little", async () => {
  await killAndResume({ web: WEB, kills: 4, workers: 32, writers: 1, delayMs: 0 });
});

Deno.test("a killed crawl with several writers leaves no revisit without its target", async () => {
  await killAndResume({
    web: { hosts: 100, pages: 1500, pageBytes: 3000, graph: "tree", kind: "same" },
    seedAll: true,
    ...{ kills: 4, workers: 32, writers: 4, delayMs: 10 },
  });
});
