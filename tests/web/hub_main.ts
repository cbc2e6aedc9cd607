/**
 * The local hub as a process: `deno task hub`. When it listens it prints one line of JSON: its address for
 * HF_ENDPOINT, and the token that may write.
 *
 * @module
 */

import { statSync } from "node:fs";
import { startHub } from "./hub.ts";

const TOKEN = "hf_local";
const USAGE = `deno task hub [OWNER/NAME=PATH=FILE]...
Serves a dataset hub on this machine until Ctrl-C. Each argument puts a file into a repo, for example
  open-index/ccrawl-urls=data/CC-MAIN-2026-30/0.parquet=urls.parquet`;

/** What an argument asks for; it ends here where it cannot be. */
function fileOf(arg: string): [repo: string, path: string, file: string] {
  const [, repo, path, file] = /^([^/=]+\/[^/=]+)=([^=]+)=(.+)$/.exec(arg) ?? [];
  const isFile = file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile();
  if (repo === undefined || path === undefined || !isFile) {
    console.error(`Cannot start the hub: ${arg} names no file for a repo\n${USAGE}`);
    Deno.exit(2);
  }
  return [repo, path, file];
}

if (Deno.args.includes("--help") || Deno.args.includes("-h")) {
  console.log(USAGE);
  Deno.exit(0);
}
const files = Deno.args.map(fileOf);
const hub = startHub({ token: TOKEN });
for (const [repo, path, file] of files) hub.put(repo, path, file);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, async () => {
    await hub[Symbol.asyncDispose]();
    Deno.exit(0);
  });
}
console.log(JSON.stringify({ hub: hub.url, token: TOKEN, pid: Deno.pid }));
