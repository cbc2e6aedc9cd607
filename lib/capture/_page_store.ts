/**
 * Pages of a row group: compressed as they fill, kept or written until the group is whole.
 *
 * @module
 */

import { constants, createZstdCompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { ByteWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { type Coder, reusing, ZSTD_END } from "../zlib/mod.ts";
import { PAGE_BYTES } from "./_chunks.ts";

/** Encodings that are written. */
export type PageEncoding = "PLAIN" | "RLE_DICTIONARY";

/** One page. */
export interface StoredPage {
  /** Values in it; 0 for a dictionary. */
  readonly values: number;
  readonly encoding: PageEncoding;
  readonly dictionary: boolean;
  /** Bytes with the header, before and after compression. */
  readonly rawSize: number;
  readonly size: number;
  /** Where it lies in the file, once it does. */
  offset: number;
}

/** Pages to try an engine on: one that is packed well after one that is not. */
const TRIALS = [
  Uint8Array.from({ length: 1000 }, (_, i) => Math.imul(i, 2654435761) >>> 24),
  new Uint8Array(10_000),
];

/** Takes bytes for the file, one after the other. */
export interface FileSink {
  /** Byte offset of what is written next. */
  readonly offset: number;
  write(bytes: Uint8Array): void;
}

type ZstdOptions = NonNullable<Parameters<typeof zstdCompressSync>[1]>;

/** What a page of common size takes at most. */
const ROOM = PAGE_BYTES + (1 << 13);

/**
 * A coder of pages by an engine that is set up once, and its room: to have both anew costs more than
 * writing a page. One a level for all files of a thread, as what an engine holds is not the collector's to see.
 */
const coders = new Map<number, Coder>();

function coderOf(level: number, options: ZstdOptions): Coder {
  let coder = coders.get(level);
  if (coder === undefined) {
    // A window as long as a page: that of the level is twice that, and an engine keeps it.
    const params = { ...options.params, [constants.ZSTD_c_windowLog]: Math.log2(PAGE_BYTES) };
    const plain = (raw: Uint8Array) => zstdCompressSync(raw, options);
    const alike = (a: Uint8Array, b: Uint8Array) =>
      zstdDecompressSync(a).equals(zstdDecompressSync(b));
    const stream = createZstdCompress({ params });
    coder = reusing(stream, ZSTD_END, plain, TRIALS, alike, new Uint8Array(ROOM));
    coders.set(level, coder);
  }
  return coder;
}

/** Makes pages of one file. */
export class PageCompressor {
  readonly #header = new ByteWriter(64);
  readonly #sparse: ZstdOptions;
  readonly #dense: ZstdOptions;
  readonly #common: Coder;

  constructor(level: number) {
    // The checksum, which every reader of zstd looks at, finds what the disk does to a page.
    const params = {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_checksumFlag]: 1,
    };
    // Output in one piece where that is likely: in the small ones of the default a third is lost.
    this.#sparse = { chunkSize: 1 << 18, params };
    this.#dense = { chunkSize: ROOM, params };
    this.#common = coderOf(level, this.#dense);
  }

  /**
   * Compresses a page; gives its header and its body. Both are valid until the next call.
   *
   * @param dense Whether it will hardly become smaller, as far as one can tell.
   */
  page(
    raw: Uint8Array,
    values: number,
    encoding: PageEncoding,
    dictionary: boolean,
    dense: boolean,
    use: (page: StoredPage, header: Uint8Array, body: Uint8Array) => void,
  ): void {
    const body = raw.length <= PAGE_BYTES
      ? this.#common(raw)
      : zstdCompressSync(raw, dense ? this.#dense : this.#sparse);
    const header = this.#header;
    header.index = 0;
    header.offset = 0;
    writePageHeader(header, {
      type: dictionary ? "DICTIONARY_PAGE" : "DATA_PAGE_V2",
      uncompressed_page_size: raw.length,
      compressed_page_size: body.length,
      ...(dictionary ? { dictionary_page_header: { num_values: values, encoding: "PLAIN" } } : {
        data_page_header_v2: {
          num_values: values,
          num_nulls: 0,
          num_rows: values,
          encoding,
          definition_levels_byte_length: 0,
          repetition_levels_byte_length: 0,
          is_compressed: true,
        },
      }),
    });
    const head = header.getBytes();
    use(
      {
        values: dictionary ? 0 : values,
        encoding,
        dictionary,
        rawSize: head.length + raw.length,
        size: head.length + body.length,
        offset: -1,
      },
      head,
      body,
    );
  }
}

/** Bytes of one block of a {@linkcode PageStore}. */
const BLOCK = 1 << 20;

/**
 * Compressed pages that wait for their group to be whole, in blocks that are used again. A column's
 * pages must lie together in the file, so that all columns but one have to wait.
 */
export class PageStore {
  #blocks: Uint8Array[] = [];
  #used = 0;

  /** Bytes allocated. */
  get byteLength(): number {
    return this.#blocks.length * BLOCK;
  }

  /** Keeps bytes; gives where. */
  put(bytes: Uint8Array): number {
    const start = this.#used;
    for (let at = 0; at < bytes.length;) {
      const block = Math.floor(this.#used / BLOCK), into = this.#used % BLOCK;
      if (block === this.#blocks.length) this.#blocks.push(new Uint8Array(BLOCK));
      const n = Math.min(BLOCK - into, bytes.length - at);
      this.#blocks[block]!.set(bytes.subarray(at, at + n), into);
      at += n;
      this.#used += n;
    }
    return start;
  }

  /** Writes kept bytes out. */
  copy(start: number, length: number, sink: FileSink): void {
    for (let at = start; at < start + length;) {
      const into = at % BLOCK;
      const n = Math.min(BLOCK - into, start + length - at);
      sink.write(this.#blocks[Math.floor(at / BLOCK)]!.subarray(into, into + n));
      at += n;
    }
  }

  /** Forgets everything; blocks beyond those of a common group are given up. */
  clear(): void {
    this.#used = 0;
    this.#blocks.length = Math.min(this.#blocks.length, 16);
  }
}
