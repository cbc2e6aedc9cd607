import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { VERSION } from "../../lib/version.ts";

const cli = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const own = fileURLToPath(new URL("./_process.ts", import.meta.url));

interface Child {
  readonly process: Deno.ChildProcess;
  /** Reads stderr until `text` has come. */
  told(text: string): Promise<void>;
  /** The exit status, stdout and stderr; the process is ended at the latest by the test's own end. */
  ended(): Promise<{ code: number; out: string; err: string }>;
}

function start(script: string, ...args: string[]): Child {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, ...args],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const out = new Response(process.stdout).text();
  const reader = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let err = "";
  return {
    process,
    async told(text) {
      while (!err.includes(text)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`stderr ended without ${JSON.stringify(text)}: ${err}`);
        err += value;
      }
    },
    async ended() {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        err += value;
      }
      const { code } = await process.status;
      return { code, out: await out, err };
    },
  };
}

Deno.test("ccrawl version prints itself as a record", async () => {
  const { code, out, err } = await start(cli, "version").ended();
  assert.equal(code, 0);
  assert.equal(err, "");
  const record = JSON.parse(out);
  assert.equal(record.version, VERSION);
  assert.equal(record.deno, Deno.version.deno);
  assert.deepEqual(Object.keys(record), ["version", "commit", "deno", "v8", "typescript"]);
});

Deno.test("ccrawl with an unknown command exits 2 and leaves stdout alone", async () => {
  const { code, out, err } = await start(cli, "vresion").ended();
  assert.equal(code, 2);
  assert.equal(out, "");
  assert.match(err, /did you mean version\?/);
});

Deno.test({
  name: "| head ends a command that would write for ever, quietly and with exit 0",
  ignore: Deno.build.os === "windows",
  async fn() {
    for (const format of ["jsonl", "csv", "json", "table"]) {
      const { code, stdout, stderr } = await new Deno.Command("sh", {
        args: [
          "-c",
          `{ "$0" run -A --no-check "$1" endless -o ${format}; echo "code $?" >&2; } | head -n 3`,
          Deno.execPath(),
          own,
        ],
        stdout: "piped",
        stderr: "piped",
      }).output();
      assert.equal(code, 0);
      assert.equal(new TextDecoder().decode(stdout).trimEnd().split("\n").length, 3);
      assert.equal(new TextDecoder().decode(stderr), "code 0\n", format);
    }
  },
});

Deno.test({
  name: "SIGTERM stops a command cleanly: what it wrote arrives, exit 0",
  ignore: Deno.build.os === "windows",
  async fn() {
    const child = start(own, "patient");
    await child.told("ready");
    child.process.kill("SIGTERM");
    const { code, out, err } = await child.ended();
    assert.equal(code, 0, err);
    assert.equal(out, '{"text":"first"}\n{"text":"last"}\n');
    assert.match(err, /SIGTERM: stopping cleanly/);
  },
});

Deno.test({
  name: "a second SIGINT ends a command that does not stop",
  ignore: Deno.build.os === "windows",
  async fn() {
    const child = start(own, "stubborn");
    await child.told("ready");
    child.process.kill("SIGINT");
    await child.told("stopping cleanly");
    child.process.kill("SIGINT");
    assert.equal((await child.ended()).code, 130);
  },
});

Deno.test("SIGTERM ends a Parquet file as it should be ended", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", own, "endless", "-o", "parquet"],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of child.stdout) {
    // The first group is there.
    if (chunks.push(chunk) === 1) child.kill("SIGTERM");
  }
  assert.equal((await child.status).code, 0);
  const file = await new Blob(chunks).arrayBuffer();
  const { parquetReadObjects } = await import("hyparquet");
  const rows = await parquetReadObjects({ file });
  assert(rows.length > 1000);
  assert(rows.every(({ text }, i) => text.startsWith(`${i} `)), "every record, in order");
});
