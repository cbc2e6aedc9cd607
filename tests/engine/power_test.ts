import { canRecord } from "./_power.ts";
import { powerLoss } from "./_power_loss.ts";

Deno.test("what a crawl relies on was synced before: the power may fail at any moment", async () => {
  if (!await canRecord()) return;
  await powerLoss({
    web: { hosts: 20, pages: 300, pageBytes: 1500, graph: "tree-across" },
    ...{ writers: 1, moments: 25, resumed: 1 },
  });
});

Deno.test("with several writers a revisit only refers to what was synced before", async () => {
  if (!await canRecord()) return;
  await powerLoss({
    web: { hosts: 40, pages: 400, pageBytes: 6000, kind: "same" },
    seedAll: true,
    ...{ writers: 3, moments: 25, resumed: 1 },
  });
});
