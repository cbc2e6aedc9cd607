/** The script about publishing in docs/library.md, run as it stands there. */

import assert from "node:assert/strict";
import { REPO, TOKEN, withHub } from "./_publish.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("the script of docs/library.md publishes, and reads the ledgers", () =>
  withHub(async (hub, run) => {
    const name = run.seal(3);
    run.finish();
    const docs = Deno.readTextFileSync(new URL("docs/library.md", ROOT));
    const section = docs.split(/^## /m).find((text) => text.startsWith("Publishing\n"));
    const script = /^```ts\n(.*?)^```$/ms.exec(section ?? "")![1]!;
    assert.ok(script.includes(`"${REPO}"`));
    const door = new URL("lib/publish/mod.ts", ROOT).href;
    await Deno.writeTextFile(
      `${run.folder}/script.ts`,
      script.replace("@ccrawl/cli/publish", door).replace('"captures/"', '"out/"')
        .replace('"urls.json"', '"state.json"'),
    );
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ..."run --no-check --quiet --no-prompt --allow-net --allow-read --allow-sys".split(" "),
        ...["--allow-env", `--allow-write=${run.folder}`],
        ...[`--config=${new URL("deno.json", ROOT).pathname}`, "script.ts"],
      ],
      cwd: run.folder,
      env: { HF_TOKEN: TOKEN, HF_ENDPOINT: hub.url, NO_COLOR: "1" },
      signal: AbortSignal.timeout(60_000), // a script that does not end is no good
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const [part, ledger, sum, ...more] = new TextDecoder().decode(stdout).trim().split("\n");
    assert.match(part!, new RegExp(`^${name} data/[a-z0-9_-]+-shard0of1-[0-9a-f]{12}.parquet 3$`));
    assert.match(ledger!, /^[a-z0-9_-]+ 0 3 true$/);
    assert.deepEqual([sum, more], ["3 rows in all", []]);
  }));
