/**
 * The work of `index cdx`.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { expandPaths, WARC_FILES } from "../../../parse/mod.ts";
import { surt } from "../../../url/mod.ts";
import { buildCdx, type BuildCdxOptions, cdxjPath } from "../../../warc/mod.ts";
import type { CommandIo } from "../../command.ts";
import { CommandError, ExitCode } from "../../errors.ts";
import { isDiskFull } from "../../../engine/errors.ts";
import type { IndexCdxArguments, IndexCdxOptions } from "../index_cdx.ts";

/** Index files, a record a file; or the index itself on stdout. */
export async function run(
  options: IndexCdxOptions & IndexCdxArguments,
  io: CommandIo,
): Promise<number> {
  const { format, to } = options;
  const files = await expandPaths(options.paths, WARC_FILES);
  let lines = 0, damaged = 0;
  const build = async (paths: readonly string[], index: string, tell: boolean): Promise<void> => {
    const building: BuildCdxOptions = {
      surt,
      to: index,
      format,
      signal: io.signal,
      onDamage(path, { offset, reason }) {
        io.report.warn(`${path}, byte ${offset}: ${reason}`);
      },
    };
    for (const file of await written(index, buildCdx(paths, building))) {
      lines += file.lines;
      damaged += file.damaged;
      if (!tell) continue;
      await io.output.write({ file: file.path, index, lines: file.lines, damaged: file.damaged });
    }
  };
  if (io.output.format === "raw") await toStdout((index) => build(files, index, false), io);
  else if (to !== undefined) await build(files, to, true);
  else {
    // x.warc and x.warc.gz are in one index: either of their own would have the same name.
    const together = Map.groupBy(files, (file) => beside(file, format));
    for (const [index, paths] of together) {
      if (io.signal.aborted) break;
      await build(paths, index, true);
    }
  }
  if (damaged > 0) return ExitCode.error;
  return lines > 0 || io.signal.aborted ? ExitCode.done : ExitCode.nothing;
}

/** What building gives; a disk that takes no more is told with the index's name. */
async function written<T>(index: string, building: Promise<T>): Promise<T> {
  try {
    return await building;
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause;
    throw new CommandError(
      `Cannot write ${index}: the disk is full`,
      ExitCode.temporary,
      "make room and run it again: what was there before is as it was",
      { cause },
    );
  }
}

function beside(file: string, format: IndexCdxOptions["format"]): string {
  const cdxj = cdxjPath(file);
  return format === "cdxj" ? cdxj : join(dirname(cdxj), basename(cdxj, ".cdxj") + ".cdx");
}

/** Builds an index aside, since its first line may be of the last file, and writes it out. */
async function toStdout(build: (index: string) => Promise<void>, io: CommandIo): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-cdx-" });
  try {
    const index = join(dir, "index");
    await build(index);
    using file = await Deno.open(index);
    const piece = new Uint8Array(1 << 18);
    for (let n; (n = await file.read(piece)) !== null;) {
      await io.output.raw(piece.slice(0, n));
      if (io.output.stopped.aborted) break;
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
