/**
 * Pages of a row group: compressed as they fill, kept or written until the group is whole.
 *
 * @module
 */

import { constants, zstdCompressSync } from "node:zlib";
import { ByteWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";

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

/** Takes bytes for the file, one after the other. */
export interface FileSink {
  /** Byte offset of what is written next. */
  readonly offset: number;
  write(bytes: Uint8Array): void;
}

type ZstdOptions = NonNullable<Parameters<typeof zstdCompressSync>[1]>;

/** Makes pages of one file. */
export class PageCompressor {
  readonly #header = new ByteWriter(64);
  readonly #sparse: ZstdOptions;
  readonly #dense: ZstdOptions;

  constructor(level: number) {
    // The checksum, which every reader of zstd looks at, finds what the disk does to a page.
    const params = {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_checksumFlag]: 1,
    };
    // Output in one piece where that is likely: in the small ones of the default a third is lost.
    this.#sparse = { chunkSize: 1 << 18, params };
    this.#dense = { chunkSize: (1 << 20) + (1 << 13), params };
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
    const body = zstdCompressSync(raw, dense ? this.#dense : this.#sparse);
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
