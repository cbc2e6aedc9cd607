import { canRecord } from "../engine/_power.ts";
import { powerLoss, type PowerPlan } from "../engine/_power_loss.ts";

const PLANS: Readonly<Record<string, PowerPlan>> = {
  "one writer": {
    web: { hosts: 60, pages: 2000, pageBytes: 4000, graph: "tree-across" },
    ...{ writers: 1, moments: 200, resumed: 4, delayMs: 5 },
  },
  "four writers, the same pages again and again": {
    web: { hosts: 100, pages: 2000, pageBytes: 12_000, kind: "same" },
    seedAll: true,
    ...{ writers: 4, moments: 200, resumed: 4, delayMs: 5 },
  },
};

for (const [name, plan] of Object.entries(PLANS)) {
  Deno.test(`a crawl whose power fails at 200 moments loses nothing: ${name}`, async () => {
    if (!await canRecord()) return;
    const start = performance.now();
    const { calls, moments, yielded } = await powerLoss(plan);
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(
      `${name}: ${moments} moments of ${calls} file operations, up to ${yielded} records relied ` +
        `on, ${seconds} s`,
    );
  });
}
