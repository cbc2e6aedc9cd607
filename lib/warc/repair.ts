/**
 * Making whole what a killed run left behind.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { diskFs, fileBytes, type FileSystem } from "../files/mod.ts";
import { noteNumbers, numberIn, OPEN, openPrefixes, SEALED } from "./_names.ts";
import { buildCdxj } from "./build_cdx.ts";
import type { SurtFunction } from "./cdxj.ts";
import { WarcWriteError } from "./errors.ts";
import { readWarc, type WarcDamage } from "./reader.ts";

/** Options of {@linkcode repairFolder}. */
export interface RepairOptions {
  /** Prefix of the run's files. @default "ccrawl-crawl" */
  readonly prefix?: string;
  /** Builds the index that a sealed file lacks, in SURT keys; without it none is built. */
  readonly surt?: SurtFunction;
  /** File operations. @default {@linkcode diskFs} */
  readonly fs?: FileSystem;
}

/** What was done to one file. */
export interface Repair {
  /** Final name of the file, without its folder. */
  readonly file: string;
  /** Bytes kept; 0 where nothing but a warcinfo was there and the file was removed. */
  readonly kept: number;
  /** Bytes cut off its end. */
  readonly cut: number;
  /** Whole exchanges kept. */
  readonly exchanges: number;
}

/**
 * Cuts each `.open` file of a prefix back to its last whole exchange, seals it, and builds the
 * indexes that are missing. A file without an exchange is removed; its number is not used again.
 * May be killed at any moment and run again.
 *
 * Nobody may be writing under the prefix: the caller holds the folder's lock.
 *
 * @returns What was done, file by file; nothing for a folder that is whole or does not exist.
 * @throws {WarcWriteError} If the disk refuses.
 */
export async function repairFolder(dir: string, options: RepairOptions = {}): Promise<Repair[]> {
  const fs = options.fs ?? diskFs, prefix = options.prefix ?? "ccrawl-crawl";
  if (!fs.exists(dir)) return [];
  const repairs: Repair[] = [];
  for (const name of fs.list(dir).sort()) {
    if (numberIn(name, prefix, OPEN) < 0) continue;
    const path = join(dir, name);
    try {
      repairs.push(await repairFile(path, prefix, fs));
    } catch (cause) {
      throw cause instanceof WarcWriteError ? cause : new WarcWriteError(path, "repair", cause);
    }
  }
  const names = new Set(fs.list(dir));
  for (const name of names) {
    // Parts of an index that was being sorted.
    if (numberIn(name.replace(/\.cdxj(?:\.\d+)?\.tmp$/, ".tmp"), prefix, ".tmp") >= 0) {
      fs.remove(join(dir, name));
    }
  }
  if (options.surt === undefined) return repairs;
  for (const name of [...names].sort()) {
    if (numberIn(name, prefix, SEALED) < 0 || names.has(indexName(name))) continue;
    const path = join(dir, name);
    try {
      // Damage of the disk's own making is for `verify` to tell: what is whole is indexed.
      await buildCdxj(path, { surt: options.surt, fs, onDamage: () => {} });
    } catch (cause) {
      throw new WarcWriteError(path, "index", cause);
    }
  }
  return repairs;
}

/**
 * The prefixes under which files were being written in a folder: those of a run that was killed stay
 * `.open` until somebody repairs them.
 *
 * @param fs File operations. @default {@linkcode diskFs}
 */
export function unsealedPrefixes(dir: string, fs: FileSystem = diskFs): string[] {
  return fs.exists(dir) ? openPrefixes(fs.list(dir)) : [];
}

async function repairFile(path: string, prefix: string, fs: FileSystem): Promise<Repair> {
  const dir = dirname(path), file = basename(path).slice(0, -".open".length);
  const { end, exchanges } = await wholePart(path, fs);
  const fd = fs.open(path, true);
  let size: number;
  try {
    size = fs.size(fd);
    if (exchanges > 0) {
      fs.truncate(fd, end);
      fs.sync(fd);
    }
  } finally {
    fs.close(fd);
  }
  if (exchanges === 0) {
    noteNumbers(fs, dir, prefix);
    fs.remove(path);
    fs.syncDir(dir);
    return { file, kept: 0, cut: size, exchanges };
  }
  const sealed = join(dir, file);
  if (fs.exists(sealed)) {
    throw new WarcWriteError(path, "repair", `${sealed} exists too; move one of them away`);
  }
  fs.rename(path, sealed);
  fs.syncDir(dir);
  return { file, kept: end, cut: size - end, exchanges };
}

/** Where the last whole exchange ends: every request needs the answer that follows it. */
async function wholePart(
  path: string,
  fs: FileSystem,
): Promise<{ end: number; exchanges: number }> {
  let end = 0, exchanges = 0;
  let damaged: WarcDamage | undefined;
  const onDamage = (damage: WarcDamage) => void (damaged ??= damage);
  for await (const record of readWarc(fileBytes(path, fs), { onDamage, maxContent: 1 << 16 })) {
    // What lies behind the first damage was never synced with what lies before it.
    if (damaged !== undefined || record.length === undefined) break;
    if (record.type === "request") continue;
    end = record.offset + record.length;
    if (record.type !== "warcinfo") exchanges++;
  }
  return { end, exchanges };
}

function indexName(archive: string): string {
  return archive.slice(0, -SEALED.length) + ".cdxj";
}
