/** A render thread as far as the writers see it: sends rows from a worker of Node's kind. */

import { parentPort } from "node:worker_threads";
import { RowBatch } from "../../lib/capture/codec.ts";
import { RowSender, type WriterLink } from "../../lib/capture/row_sender.ts";
import { page } from "./_rows.ts";

parentPort!.on("message", async ({ link, rows }: { link: WriterLink; rows: number }) => {
  const sender = new RowSender(link);
  const batch = new RowBatch();
  for (let i = 0; i < rows; i++) {
    batch.add(page(i, { position: { part: 1, row: i } }));
    if (batch.rows === 10) await sender.send(batch);
  }
  await sender.send(batch);
  await sender.drain();
  sender.close();
  parentPort!.postMessage("done");
});
