/**
 * Writing archives.
 *
 * @module
 */

import { join } from "node:path";
import { diskFs, type FileSystem, writeAll } from "../files/mod.ts";
import type { ArchivedExchange, OtherRecord, WrittenExchange, WrittenRecord } from "./types.ts";
import { DedupMemory, packEntry } from "./_dedup.ts";
import { checkPrefix, fileName, OPEN, stem, takeNumber } from "./_names.ts";
import { type EncodedPair, RecordEncoder } from "./_encoder.ts";
import { MergeSort } from "./_merge_sort.ts";
import { cdxjKey, cdxjLine, type SurtFunction } from "./cdxj.ts";
import { WarcWriteError } from "./errors.ts";

/** Bytes gathered before they go to the file. */
const BATCH = 1 << 20;
/** Bytes after which the writer syncs by itself, so that what waits for a sync is bounded. */
const SYNC_EVERY = 64 << 20;
/** Bytes of durable payload entries kept for others to take; the oldest go first. */
const SHARED = 4 << 20;

/** Options of {@linkcode WarcWriter}. */
export interface WarcWriterOptions {
  /** Folder to write in; made if missing. */
  readonly dir: string;
  /** What the names of the files begin with. @default "ccrawl-crawl" */
  readonly prefix?: string;
  /** Least number of a file, where more is known of used ones than the folder tells. @default 0 */
  readonly firstNumber?: number;
  /** A file is sealed before an exchange would make it longer. @default 1 GiB */
  readonly maxBytes?: number;
  /** zlib's level, 1 to 9. @default 1 */
  readonly gzipLevel?: number;
  /** Name and version of the program, for warcinfo. */
  readonly software: string;
  /** The exact command line, for warcinfo. */
  readonly command: string;
  /** What the files are part of, for warcinfo. */
  readonly isPartOf?: string;
  /** The user agent sent, for warcinfo. */
  readonly userAgent?: string;
  /**
   * How answers are stored: `clean` with transfer coding removed and untrue header lines renamed,
   * or the wire bytes whole. @default "clean"
   */
  readonly http?: "clean" | "raw";
  /** Whether a payload that is already on disk is stored as a revisit. @default true */
  readonly dedup?: boolean;
  /** Most payloads remembered, about 140 bytes each. @default 131 072 */
  readonly dedupEntries?: number;
  /** Whether a CDXJ index is put beside each file; needs `surt`. @default true */
  readonly cdx?: boolean;
  /** SURT form of a URL, for the index. */
  readonly surt?: SurtFunction;
  /** Told of each file that was sealed. */
  readonly onSealed?: (file: SealedFile) => void;
  /** Unix ms. @default Date.now */
  readonly now?: () => number;
  /** Makes a UUID. @default crypto.randomUUID */
  readonly uuid?: () => string;
  /** File operations. @default {@linkcode diskFs} */
  readonly fs?: FileSystem;
}

/** A file that is whole and will not change. */
export interface SealedFile {
  /** Name without its folder. */
  readonly file: string;
  /** Its size in bytes. */
  readonly bytes: number;
  /** Exchanges in it. */
  readonly exchanges: number;
}

/** The file being written. */
interface Current {
  readonly fd: number;
  readonly name: string;
  readonly openPath: string;
  readonly warcinfoId: string;
  readonly sort: MergeSort | undefined;
  /** Bytes on file that are whole records. */
  flushed: number;
  /** Bytes known to be on disk. */
  durable: number;
  /** The file may be longer than `flushed`: a failed write could not be cut back yet. */
  ragged: boolean;
  exchanges: number;
}

/** A file that is synced and only wants its final name and its index. */
interface Sealing {
  readonly file: Current;
  renamed: boolean;
}

/**
 * Writes exchanges into archive files, request and response as one unit, synchronously.
 *
 * What {@linkcode WarcWriter.write} gives back is on disk once {@linkcode WarcWriter.sync} has
 * returned, and only then may anything refer to it. When writing fails the file is cut back to its
 * last whole exchange and {@linkcode WarcWriteError} is thrown; the exchange given to that call was
 * not written, earlier ones were kept (in the file or in memory), and the writer can go on.
 *
 * Several writers, in other threads or processes, may write in one folder under one prefix.
 *
 * @example Write one exchange
 * ```ts ignore
 * const writer = new WarcWriter({ dir: "warc", software: "x/1", command: "x", cdx: false });
 * const where = writer.write(exchange);
 * writer.close();
 * ```
 */
export class WarcWriter {
  readonly #options: WarcWriterOptions;
  readonly #fs: FileSystem;
  readonly #prefix: string;
  readonly #maxBytes: number;
  readonly #encoder: RecordEncoder;
  readonly #dedup: DedupMemory | undefined;
  readonly #surt: SurtFunction | undefined;
  readonly #batch = new Uint8Array(BATCH);
  #batched = 0;
  #file: Current | undefined;
  #sealing: Sealing | undefined;
  /** What the exchanges since the last sync add once they are durable. */
  #waitingEntries: Uint8Array[] = [];
  #waitingLines: string[] = [];
  #unsynced = 0;
  #unsyncedExchanges = 0;
  #shared: Uint8Array[] = [];
  #sharedBytes = 0;

  /**
   * Opens nothing yet: the first file is made with the first write.
   *
   * @throws {TypeError} If the prefix cannot stand in a name, or `surt` is missing.
   */
  constructor(options: WarcWriterOptions) {
    const prefix = options.prefix ?? "ccrawl-crawl";
    checkPrefix(prefix);
    if ((options.cdx ?? true) && options.surt === undefined) {
      throw new TypeError("Cannot index archives: the option surt is missing");
    }
    this.#options = options;
    this.#fs = options.fs ?? diskFs;
    this.#prefix = prefix;
    this.#maxBytes = options.maxBytes ?? 2 ** 30;
    this.#surt = (options.cdx ?? true) ? options.surt : undefined;
    this.#dedup = (options.dedup ?? true)
      ? new DedupMemory(options.dedupEntries ?? 131_072)
      : undefined;
    this.#encoder = new RecordEncoder(
      options.gzipLevel ?? 1,
      options.http ?? "clean",
      options.uuid ?? (() => crypto.randomUUID()),
    );
  }

  /** Bytes in the file being written, those in memory included; 0 between files. */
  get fileBytes(): number {
    return this.#file === undefined ? 0 : this.#file.flushed + this.#batched;
  }

  /**
   * Writes one exchange.
   *
   * @returns Where it went. The record is durable after the next {@linkcode WarcWriter.sync}.
   * @throws {WarcWriteError} If the disk refuses; this exchange was not written.
   * @throws {TypeError} If wire bytes are to be stored and are missing.
   */
  write(exchange: ArchivedExchange): WrittenExchange {
    if (this.#unsynced >= SYNC_EVERY) this.sync();
    let file = this.#current();
    let pair = this.#encoder.pair(exchange, file.warcinfoId, this.#dedup);
    const size = pair.request.length + pair.answer.length;
    if (file.exchanges > 0 && file.flushed + this.#batched + size > this.#maxBytes) {
      this.#seal();
      file = this.#current();
      // The records name the warcinfo of the file that they lie in.
      pair = this.#encoder.pair(exchange, file.warcinfoId, this.#dedup);
    }
    const at = this.#append(file, [pair.request, pair.answer]);
    file.exchanges++;
    const written: WrittenExchange = {
      file: file.name,
      offset: at + pair.request.length,
      length: pair.answer.length,
      type: pair.type,
      recordId: pair.recordId,
      date: pair.date,
      payloadDigest: pair.payloadDigest,
      ...(pair.payloadRecord === undefined ? {} : { payloadRecord: pair.payloadRecord }),
    };
    this.#remember(exchange, pair, written);
    return written;
  }

  /**
   * Writes a record of another kind (`metadata`, `resource`, `conversion`), alone.
   *
   * @returns Where it went.
   * @throws {WarcWriteError} If the disk refuses; the record was not written.
   */
  writeRecord(record: OtherRecord): WrittenRecord {
    if (this.#unsynced >= SYNC_EVERY) this.sync();
    let file = this.#current();
    let made = this.#encoder.other(record, file.warcinfoId);
    if (
      file.exchanges > 0 && file.flushed + this.#batched + made.bytes.length > this.#maxBytes
    ) {
      this.#seal();
      file = this.#current();
      made = this.#encoder.other(record, file.warcinfoId);
    }
    const offset = this.#append(file, [made.bytes]);
    file.exchanges++;
    const length = made.bytes.length;
    if (this.#surt !== undefined && record.type === "resource") {
      this.#waitingLines.push(cdxjLine({
        key: cdxjKey(record.url, this.#surt),
        timestamp: stamp(made.date),
        url: record.url,
        mime: record.contentType.split(";", 1)[0]!.trim(),
        status: "",
        digest: made.digest,
        length,
        offset,
        filename: file.name,
      }));
    }
    return { file: file.name, offset, length, recordId: made.recordId };
  }

  /**
   * Forces everything written so far to the disk. Afterwards it is durable, may be referred to,
   * and can be taken by {@linkcode WarcWriter.drainDurable}.
   *
   * @throws {WarcWriteError} If the disk refuses. When the forcing itself failed nobody knows what
   *   of the bytes since the last sync is on disk: they are cut off, and counted in `lost`.
   */
  sync(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#flush(file);
    if (file.durable < file.flushed) {
      try {
        this.#fs.sync(file.fd);
      } catch (cause) {
        const lost = this.#unsyncedExchanges;
        this.#forget(file);
        throw new WarcWriteError(file.openPath, "sync", cause, lost);
      }
      file.durable = file.flushed;
      this.#unsynced = 0;
      this.#unsyncedExchanges = 0;
    }
    this.#settle(file);
  }

  /**
   * Payloads that became durable since the last call, packed, for
   * {@linkcode WarcWriter.learn} of the other writers of the run.
   *
   * @returns Bytes of their own, that may be transferred; empty when there is nothing new.
   */
  drainDurable(): Uint8Array<ArrayBuffer> {
    const packed = new Uint8Array(this.#sharedBytes);
    let at = 0;
    for (const entry of this.#shared) {
      packed.set(entry, at);
      at += entry.length;
    }
    this.#shared = [];
    this.#sharedBytes = 0;
    return packed;
  }

  /**
   * Learns payloads that another writer made durable.
   *
   * @param packed From {@linkcode WarcWriter.drainDurable}.
   * @throws {RangeError} If the bytes are no such list.
   */
  learn(packed: Uint8Array): void {
    this.#dedup?.learn(packed);
  }

  /**
   * Syncs and seals the file being written, if any: final name, index. The next write opens
   * another.
   *
   * @throws {WarcWriteError} If the disk refuses; calling again takes up where it failed.
   */
  close(): void {
    if (this.#sealing !== undefined) this.#finishSealing(this.#sealing);
    if (this.#file !== undefined) this.#seal();
  }

  /** {@linkcode WarcWriter.close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  #current(): Current {
    if (this.#sealing !== undefined) this.#finishSealing(this.#sealing);
    return this.#file ??= this.#openNext();
  }

  #openNext(): Current {
    const fs = this.#fs, { dir } = this.#options;
    let openPath = join(dir, this.#prefix);
    let fd = -1;
    try {
      fs.makeDir(dir);
      const number = takeNumber(fs, dir, this.#prefix, this.#options.firstNumber ?? 0);
      const name = fileName(this.#prefix, number);
      const path = join(dir, stem(this.#prefix, number) + OPEN);
      fd = fs.create(path);
      openPath = path;
      const info = this.#encoder.warcinfo(name, this.#options, (this.#options.now ?? Date.now)());
      writeAll(fs, fd, info.bytes, 0);
      fs.sync(fd);
      fs.syncDir(dir);
      return {
        fd,
        name,
        openPath,
        warcinfoId: info.recordId,
        sort: this.#surt === undefined
          ? undefined
          : new MergeSort(join(dir, stem(this.#prefix, number) + ".cdxj"), fs),
        flushed: info.bytes.length,
        durable: info.bytes.length,
        ragged: false,
        exchanges: 0,
      };
    } catch (cause) {
      if (fd >= 0) {
        // Its number is used up, and stays so; a file that cannot be removed is repaired later.
        quietly(() => fs.close(fd));
        quietly(() => fs.remove(openPath));
      }
      throw new WarcWriteError(openPath, "open", cause);
    }
  }

  /** Adds parts to the batch, or writes them at once if too large; gives their offset. */
  #append(file: Current, parts: readonly Uint8Array[]): number {
    const size = parts.reduce((n, part) => n + part.length, 0);
    if (this.#batched + size > BATCH) this.#flush(file);
    const offset = file.flushed + this.#batched;
    if (size > BATCH) {
      this.#writeOut(file, parts);
    } else {
      for (const part of parts) {
        this.#batch.set(part, this.#batched);
        this.#batched += part.length;
      }
    }
    this.#unsynced += size;
    this.#unsyncedExchanges++;
    return offset;
  }

  #flush(file: Current): void {
    if (this.#batched === 0) return;
    this.#writeOut(file, [this.#batch.subarray(0, this.#batched)]);
    this.#batched = 0;
  }

  #writeOut(file: Current, parts: readonly Uint8Array[]): void {
    const fs = this.#fs;
    try {
      if (file.ragged) {
        fs.truncate(file.fd, file.flushed);
        file.ragged = false;
      }
      let at = file.flushed;
      for (const part of parts) {
        file.ragged = true;
        writeAll(fs, file.fd, part, at);
        at += part.length;
      }
      file.flushed = at;
      file.ragged = false;
    } catch (cause) {
      this.#cutBack(file);
      throw new WarcWriteError(file.openPath, "write", cause);
    }
  }

  /** Takes a failed write back; if that fails too, the next write tries again. */
  #cutBack(file: Current): void {
    if (file.ragged && quietly(() => this.#fs.truncate(file.fd, file.flushed))) file.ragged = false;
  }

  /** After a failed sync: drops everything since the last one that succeeded. */
  #forget(file: Current): void {
    file.flushed = file.durable;
    file.exchanges -= this.#unsyncedExchanges;
    file.ragged = true;
    this.#cutBack(file);
    this.#batched = 0;
    this.#unsynced = 0;
    this.#unsyncedExchanges = 0;
    this.#waitingEntries = [];
    this.#waitingLines = [];
  }

  /** Takes up what exchanges add that are durable now. */
  #settle(file: Current): void {
    for (const entry of this.#waitingEntries) {
      this.#dedup?.learn(entry);
      this.#shared.push(entry);
      this.#sharedBytes += entry.length;
    }
    this.#waitingEntries = [];
    while (this.#sharedBytes > SHARED) this.#sharedBytes -= this.#shared.shift()!.length;
    const lines = this.#waitingLines;
    let taken = 0;
    try {
      // A line counts as taken even when the run that it fills cannot be put on disk yet.
      while (taken < lines.length) file.sort?.add(lines[taken++]!);
    } catch (cause) {
      throw new WarcWriteError(file.openPath, "index", cause);
    } finally {
      this.#waitingLines = lines.slice(taken);
    }
  }

  #seal(): void {
    const file = this.#file!;
    this.sync();
    // A write that failed may have left bytes behind the last whole exchange.
    if (file.ragged) this.#writeOut(file, []);
    this.#file = undefined;
    this.#sealing = { file, renamed: false };
    this.#finishSealing(this.#sealing);
  }

  #finishSealing(sealing: Sealing): void {
    const fs = this.#fs, { file } = sealing, { dir } = this.#options;
    const path = join(dir, file.name);
    try {
      if (!sealing.renamed) {
        if (fs.exists(path)) throw new Error(`${file.name} exists already`);
        fs.rename(file.openPath, path);
        sealing.renamed = true;
        fs.close(file.fd);
      }
      fs.syncDir(dir);
      file.sort?.finish();
    } catch (cause) {
      throw new WarcWriteError(sealing.renamed ? path : file.openPath, "seal", cause);
    }
    this.#sealing = undefined;
    this.#options.onSealed?.({
      file: file.name,
      bytes: file.flushed,
      exchanges: file.exchanges,
    });
  }

  #remember(exchange: ArchivedExchange, pair: EncodedPair, written: WrittenExchange): void {
    if (this.#surt !== undefined) {
      this.#waitingLines.push(cdxjLine({
        key: cdxjKey(exchange.url, this.#surt),
        timestamp: stamp(pair.date),
        url: exchange.url,
        mime: pair.type === "revisit" ? "warc/revisit" : exchange.mime,
        status: String(exchange.status),
        digest: pair.payloadDigest,
        length: written.length,
        offset: written.offset,
        filename: written.file,
      }));
    }
    if (pair.rememberAs === undefined) return;
    const entry = packEntry(pair.rememberAs, {
      recordId: pair.recordId,
      date: Math.floor(exchange.date / 1000) * 1000,
      url: exchange.url,
    });
    if (entry !== undefined) this.#waitingEntries.push(entry);
  }
}

/** `2024-05-06T07:08:09Z` as fourteen digits. */
function stamp(date: string): string {
  return date.slice(0, 4) + date.slice(5, 7) + date.slice(8, 10) + date.slice(11, 13) +
    date.slice(14, 16) + date.slice(17, 19);
}

/** Runs what tidies up after a failure that is being reported; says whether it worked. */
function quietly(tidy: () => void): boolean {
  try {
    tidy();
    return true;
  } catch {
    return false;
  }
}
