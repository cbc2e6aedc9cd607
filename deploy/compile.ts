/**
 * `deno task compile`: an executable for each platform, by `deno compile`.
 *
 * Deno fetches the base binary of each target from its download site, or takes the one that DENORT_BIN names.
 * Where neither can be had there is `deno task compile:offline`.
 *
 * @module
 */

import { join, resolve } from "node:path";
import { readOptions, usage } from "./_args.ts";
import { deno, ROOT, stage } from "./_stage.ts";
import { V8_FLAGS } from "./_v8_flags.ts";

const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

const HELP = `Usage: deno task compile [--target TARGET]... [--out DIR]

Compiles ccrawl into DIR/ccrawl-TARGET, DIR being dist where it is not given.
Targets, all of them where none is given:
  ${TARGETS.join("\n  ")}
`;

const { target: targets, out } = readOptions({
  target: { type: "string", multiple: true, default: TARGETS },
  out: { type: "string", default: join(ROOT, "dist") },
}, HELP);
for (const target of targets) {
  if (TARGETS.includes(target)) continue;
  usage(`Cannot compile for ${target}: known are ${TARGETS.join(", ")}`);
}
try {
  await compile(targets, resolve(out));
} catch (error) {
  console.error((error as Error).message);
  console.error(
    "Deno's base binary comes from dl.deno.land, or from the file that DENORT_BIN names; " +
      "deno task compile:offline needs neither.",
  );
  Deno.exit(1);
}

async function compile(targets: readonly string[], out: string): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-compile-" });
  try {
    const { entries } = await stage(dir);
    await Deno.mkdir(out, { recursive: true });
    for (const target of targets) {
      const name = `ccrawl-${target}${target.includes("windows") ? ".exe" : ""}`;
      await deno(
        [
          "compile",
          "--allow-all",
          "--no-check",
          `--v8-flags=${V8_FLAGS}`,
          "--target",
          target,
          "--output",
          join(out, name),
          ...[...entries, "commit.txt"].flatMap((path) => ["--include", path]),
          "cli.ts",
        ],
        dir,
        true,
      );
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
