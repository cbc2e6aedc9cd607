/**
 * `deno task smoke BINARY`: proves that an executable is all of ccrawl on this machine.
 *
 * @module
 */

import assert from "node:assert/strict";
import { resolve } from "node:path";
import { VERSION } from "../../lib/version.ts";
import { jsonl, run, smoke } from "./_smoke.ts";

const [binary] = Deno.args;
if (binary === undefined || binary.startsWith("-")) {
  console.error("Usage: deno task smoke BINARY");
  Deno.exit(2);
}
const dir = await Deno.makeTempDir({ prefix: "ccrawl-smoke-" });
try {
  const ccrawl = (...args: string[]) => run(resolve(binary), args, { cwd: dir });
  const said = await ccrawl("version", "-o", "jsonl");
  assert.equal(said.code, 0, said.stderr);
  const [version] = jsonl<Record<"version" | "commit" | "deno" | "v8", string>>(said.stdout);
  assert.equal(version!.version, VERSION);
  assert.match(version!.commit, /^[0-9a-f]{12}$/);
  assert.ok(version!.deno !== "" && version!.v8 !== "");
  await smoke(ccrawl, dir);
  console.log(`${binary} ${version!.version} ${version!.commit}: crawls, recrawls, verifies`);
} finally {
  await Deno.remove(dir, { recursive: true });
}
