/** The hub's own client against the local hub: what it takes for a hub is one. */

import {
  commit,
  createRepo,
  downloadFile,
  HubApiError,
  listFiles,
  pathsInfo,
} from "@huggingface/hub";
import assert from "node:assert/strict";
import { startHub } from "./hub.ts";

Deno.test("the hub's own client writes to the local hub, and reads from it", async () => {
  await using hub = startHub({ token: "hf_x", chunk: 1000, pageSize: 2 });
  const to = {
    repo: { type: "dataset", name: "me/x" },
    hubUrl: hub.url,
    accessToken: "hf_x",
  } as const;
  await createRepo({ ...to, visibility: "private" });
  assert.equal(hub.look("me/x")?.private, true);
  const file = (path: string, content: BlobPart) => ({
    operation: "addOrUpdate" as const,
    path,
    content: new Blob([content]),
  });
  await commit({
    ...to,
    title: "first",
    useXet: false,
    operations: [
      file("data/pieces.parquet", new Uint8Array(3500).fill(7)),
      file("data/whole.parquet", new Uint8Array(300).fill(8)),
      file("README.md", "hello"),
      ...["1", "2", "3"].map((name) => file(`ledger/${name}.csv`, name)),
    ],
  });
  assert.equal(hub.commits("me/x").length, 1);
  assert.ok(hub.log.some(({ to }) => to === "complete"), "in pieces");

  const ledgers: string[] = [];
  for await (const { path } of listFiles({ ...to, path: "ledger" })) ledgers.push(path);
  assert.deepEqual(ledgers, ["ledger/1.csv", "ledger/2.csv", "ledger/3.csv"]);
  const infos = await pathsInfo({ ...to, paths: ["data/pieces.parquet", "none", "README.md"] });
  assert.deepEqual(infos.map(({ path, size, lfs }) => [path, size, lfs?.size]), [
    ["data/pieces.parquet", 3500, 3500],
    ["README.md", 5, undefined],
  ]);
  const download = async (path: string) =>
    new Uint8Array(await (await downloadFile({ ...to, path }))!.arrayBuffer());
  assert.equal(new TextDecoder().decode(await download("README.md")), "hello");
  assert.deepEqual(await download("data/pieces.parquet"), new Uint8Array(3500).fill(7));

  const late = { ...to, title: "late", parentCommit: "0".repeat(40), operations: [file("b", "x")] };
  await assert.rejects(commit({ ...late, useXet: false }), (error) => {
    assert.ok(error instanceof HubApiError);
    assert.equal(error.statusCode, 412);
    return true;
  });
});
