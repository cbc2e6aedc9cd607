import { killAndResume } from "../engine/_kill.ts";

for (const writers of [1, 4]) {
  for (const delayMs of [0, 10]) {
    const name = `${writers} writers, ${delayMs} ms between pages of a host`;
    Deno.test(`a crawl of 20 000 pages killed 20 times loses nothing: ${name}`, async () => {
      const start = performance.now();
      const { pages, kills, repeats, bound, files } = await killAndResume({
        web: { hosts: 200, pages: 20_000, pageBytes: 5000, graph: "tree-across" },
        ...{ kills: 20, workers: 64, writers, delayMs },
      });
      console.log(
        `${name}: ${pages} pages, ${kills} kills, ${repeats} repeats ` +
          `(${Math.round(repeats / kills)} a kill, bound ${bound}), ${files} files, ` +
          `${Math.round((performance.now() - start) / 1000)} s`,
      );
    });
  }
}
