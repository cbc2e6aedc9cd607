/**
 * `deno task compile:offline`: one file that holds ccrawl and the deno that runs this, for this platform, made
 * without a network.
 *
 * It is a shell script with an archive behind it. The sources keep their layout and the dependencies stand
 * beside them, so that Workers, child processes and modules loaded late are found as in a checkout.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join, resolve } from "node:path";
import { readOptions, usage } from "./_args.ts";
import { deno, ROOT, stage } from "./_stage.ts";
import { V8_FLAGS } from "./_v8_flags.ts";

const HELP = `Usage: deno task compile:offline [--out FILE] [--level 1..9]

Writes ccrawl and the deno that runs this into FILE, dist/ccrawl where it is not given.
Needs gzip, GNU tar and, in deno's cache, the dependencies and its bundler: a first run with a network
puts them there. The file needs sh, tar and gzip where it runs.
`;

const { out, level } = readOptions({
  out: { type: "string", default: join(ROOT, "dist", "ccrawl") },
  level: { type: "string", default: "6" },
}, HELP);
if (!/^[1-9]$/.test(level)) usage(`Cannot compress by the level ${level}: it is from 1 to 9`);
await build(resolve(out), level);

async function build(out: string, level: string): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-compile-" });
  try {
    const payload = join(dir, "payload"), archive = join(dir, "payload.tgz");
    await stageProgram(join(payload, "app"), join(dir, "work"));
    await Deno.copyFile(Deno.execPath(), join(payload, "deno"));
    await Deno.chmod(join(payload, "deno"), 0o755);
    await pack(payload, archive, level);
    await Deno.mkdir(join(out, ".."), { recursive: true });
    await write(out, await launcher(archive), archive);
    console.error(`${out}: ${Math.round((await Deno.stat(out)).size / 2 ** 20)} MB`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/**
 * The program, ready to run where there is no network: each dependency is bundled into a module of its own,
 * to which the import map leads.
 */
async function stageProgram(app: string, work: string): Promise<void> {
  const { specifiers } = await stage(app, {}, late);
  await stage(work, { nodeModulesDir: "manual" });
  await Deno.mkdir(join(work, "deps"));
  const imports: Record<string, string> = {};
  for (const specifier of specifiers) {
    const name = specifier.replace(/^@/, "").replaceAll("/", "_");
    // CommonJS modules have one more, `module.exports`, which no import can name.
    const names = Object.keys(await import(specifier)).filter((name) => /^[\w$]+$/.test(name));
    await Deno.writeTextFile(
      join(work, "deps", `${name}.ts`),
      `export { ${names.join(", ")} } from "${specifier}";\n`,
    );
    imports[specifier] = `./deps/${name}.js`;
  }
  const entries = Object.values(imports).map((path) => path.replace(/\.js$/, ".ts"));
  await deno(
    ["install", "--node-modules-dir=auto", "--cached-only", "--entrypoint", ...entries],
    work,
  );
  await deno([
    "bundle",
    "--no-check",
    "--code-splitting",
    "--outdir",
    join(app, "deps"),
    ...entries,
  ], work);
  await Deno.writeTextFile(join(app, "deno.json"), JSON.stringify({ imports }));
  await Deno.remove(join(app, "deno.lock"));
  await Deno.copyFile(join(ROOT, "LICENSE"), join(app, "LICENSE"));
  await copyLicences(join(work, "node_modules/.deno"), join(app, "licences"));
}

/**
 * Deno reads all that an import of a fixed name leads to before it begins, be it only imported later: that
 * is half of a start. A name that is put together is looked up when it is imported. Of the command line
 * alone: a process that renders may read nothing later on.
 */
function late(text: string, path: string): string {
  if (path !== "cli.ts" && !path.startsWith("lib/cli/")) return text;
  return text.replaceAll(/(?<!typeof )\bimport\((\s*)"\./g, 'import($1"" + ".');
}

/** What the authors of the dependencies ask for in return. */
async function copyLicences(store: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name } of Deno.readDir(store)) {
    const id = name.replace(/_.*$/, ""); // what follows tells copies apart
    const at = id.lastIndexOf("@");
    if (at <= 0) continue;
    const folder = join(store, name, "node_modules", id.slice(0, at).replace("+", "/"));
    for await (const file of Deno.readDir(folder)) {
      if (!file.isFile || !/^(?:licen[cs]e|copying|notice)/i.test(file.name)) continue;
      await Deno.copyFile(join(folder, file.name), join(to, `${id}-${file.name}`));
    }
  }
}

/** Packs a folder's contents; the same contents give the same bytes. */
async function pack(folder: string, archive: string, level: string): Promise<void> {
  const order = "--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner".split(" ");
  const { success, stderr } = await new Deno.Command("tar", {
    args: ["-C", folder, ...order, "-I", `gzip -n -${level}`, "-cf", archive, "."],
  }).output();
  if (!success) throw new Error(`Cannot build: ${new TextDecoder().decode(stderr).trim()}`);
}

/** The script that goes before the archive. */
async function launcher(archive: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(archive)) hash.update(piece);
  const sum = hash.digest("hex");
  const text = (await Deno.readTextFile(join(ROOT, "deploy/launcher.sh")))
    .replaceAll("@NAME@", sum.slice(0, 16)).replaceAll("@SUM@", sum)
    .replaceAll("@V8_FLAGS@", V8_FLAGS);
  // The offset is of the script's own length: as many digits as its placeholder has characters.
  const length = new TextEncoder().encode(text).length;
  return text.replaceAll("@OFFSET@", String(length + 1).padStart("@OFFSET@".length, "0"));
}

async function write(out: string, script: string, archive: string): Promise<void> {
  const whole = `${out}.new`;
  await Deno.writeTextFile(whole, script, { mode: 0o755 });
  const file = await Deno.open(whole, { append: true });
  await (await Deno.open(archive)).readable.pipeTo(file.writable);
  await Deno.chmod(whole, 0o755);
  await Deno.rename(whole, out); // a running one keeps its own
}
