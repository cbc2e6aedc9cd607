/** Writes parts until it is killed. Arguments: folder, number of writers. */

import { RowBatch } from "../../lib/capture/codec.ts";
import { removeUnfinished } from "../../lib/capture/part_sequence.ts";
import { RowSender } from "../../lib/capture/row_sender.ts";
import { WriterPool } from "../../lib/capture/writer_pool.ts";
import { page } from "./_rows.ts";

const dir = Deno.args[0]!;
removeUnfinished(dir);
const pool = await WriterPool.open({
  dir,
  createdBy: "test",
  run: "r",
  writers: Number(Deno.args[1]),
  shardSize: 300_000,
  queueBytes: 200_000,
  onSealed: (parts) => console.log(JSON.stringify(parts.map(({ file, rows }) => [file, rows]))),
});
const sender = new RowSender(pool.connect());
const batch = new RowBatch();
const body = new Uint8Array(3000);
for (let i = 0;; i++) {
  batch.add(page(i, { body }));
  if (batch.rows === 7) await sender.send(batch);
}
