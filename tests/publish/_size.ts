/** Publishing one part of a size, in a process of its own whose memory is looked at. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Ccrawl } from "../engine/_process.ts";
import { REPO, TOKEN, withHub } from "./_publish.ts";

/** The most memory that publishing a part of about `size` bytes takes, and how long. */
export async function publishPart(size: number): Promise<{ peak: number; ms: number }> {
  let result = { peak: 0, ms: 0 };
  await withHub(async (hub, run) => {
    const name = run.seal(3), path = join(run.dir, name);
    // A footer is the end of a file: what is before it may be a hole.
    const footer = run.bytes(name);
    {
      using file = Deno.openSync(path, { write: true, truncate: true });
      file.truncateSync(size);
      file.seekSync(size, Deno.SeekMode.Start);
      file.writeSync(footer);
    }
    const process = new Ccrawl([
      ..."recrawl publish --kind urls --server server1 --progress json".split(" "),
      ...["--repo", REPO, "--dir", run.dir, "--state", run.state],
    ], { env: { HF_TOKEN: TOKEN, HF_ENDPOINT: hub.url } });
    await process.succeeds();
    const end = process.stderr.trim().split("\n").map((line) => JSON.parse(line))
      .find(({ event }) => event === "end");
    assert.deepEqual([end.figures.published, end.figures.bytes], [1, size + footer.length]);
    assert.equal(hub.taken, size + footer.length, "it is sent once");
    result = { peak: end.figures.peakMemoryBytes, ms: end.figures.elapsedMs };
  }, { hub: { chunk: 64 << 20 } });
  return result;
}
