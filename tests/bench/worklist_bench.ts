/**
 * Reading a work list of the published shape (one row group, V2 pages of 256 KiB, zstd,
 * DELTA_LENGTH_BYTE_ARRAY): rows a second of CPU and memory, each way in a process of its own, beside zstd
 * alone on the same pages. V8 has the flags that the executables give it.
 *
 *     deno run -A tests/bench/worklist_bench.ts [ROWS]
 */

import process from "node:process";
import { join } from "node:path";
import { V8_FLAGS } from "../../deploy/_v8_flags.ts";

const [rowsOrWay = "2000000", path = ""] = Deno.args;
if (path === "") await compare(Number(rowsOrWay));
else await one(rowsOrWay, path);

/** Writes the lists, runs every way, prints ratios. */
async function compare(rows: number): Promise<void> {
  const { writeBigList } = await import("../worklist/_big_list.ts");
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-bench-" });
  try {
    const urls = join(dir, "urls.parquet");
    const { bytes } = writeBigList(urls, { rows });
    const domains = join(dir, "domains.parquet");
    writeBigList(domains, {
      rows,
      column: "domain",
      value: (row) => "name-" + ((row * 2_654_435_761) >>> 0).toString(36) + ".com",
    });
    console.log(`${rows} rows, ${(bytes / 1e6).toFixed(1)} MB of URLs, one row group`);
    console.log(
      "                                        rows/s of CPU  × zstd alone   peak RSS MB",
    );
    const ways: [string, string, string][] = [
      ["nothing", "the runtime and what is loaded", urls],
      ["zstd", "zstd alone, urls", urls],
      ["column", "one column, urls", urls],
      ["list", "batches with hosts, urls", urls],
      ["shards", "a shard of three, urls", urls],
      ["reorder", "reordered for 64 workers, urls", urls],
      ["list", "batches with hosts, domains", domains],
      ["shards", "a shard of three, domains", domains],
      ["hyparquet", "hyparquet, 10 000 rows at a time, urls", urls],
    ];
    let zstd = NaN;
    for (const [way, title, list] of ways) {
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-A", "--quiet", "--no-check", `--v8-flags=${V8_FLAGS}`],
          ...[import.meta.filename!, way, list],
        ],
        stderr: "inherit",
      }).output();
      const { ms, peak, count } = JSON.parse(new TextDecoder().decode(stdout));
      if (way === "zstd") zstd = ms;
      const rate = way === "nothing" ? "" : Math.round(rows / ms * 1000).toLocaleString("en");
      console.log(
        `${title.padEnd(40)}${rate.padStart(13)}` +
          `${Number.isNaN(zstd) ? "".padStart(14) : (ms / zstd).toFixed(2).padStart(14)}` +
          `${(peak / 2 ** 20).toFixed(0).padStart(14)}${
            count === rows || way === "nothing" ? "" : `   ${count} rows`
          }`,
      );
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Reads the list one way and prints CPU ms, peak RSS and rows as JSON. */
async function one(way: string, path: string): Promise<void> {
  const { openWorkList } = await import("../../lib/worklist/open.ts");
  const { parquetPart } = await import("../../lib/worklist/_parquet.ts");
  const { openFile } = await import("../../lib/worklist/_source.ts");
  const { ReorderBuffer } = await import("../../lib/worklist/reorder.ts");
  const stats = { rows: 0, bad: 0, bytes: 0, requests: 0, retries: 0 };
  let peak = 0;
  const look = () => peak = Math.max(peak, Deno.memoryUsage().rss);
  const before = process.cpuUsage();
  let count = 0;
  switch (way) {
    case "nothing":
      break;
    case "zstd":
      count = await zstdAlone(path, look);
      break;
    case "column":
      for await (
        const { values } of parquetPart(path, () => openFile(path, stats), undefined)
          .read([{ start: 0, end: 2 ** 33 }])
      ) {
        count += values.length;
        look();
      }
      break;
    case "list":
    case "shards":
      for await (
        const { rows } of (await openWorkList({ from: path })).read({
          shards: way === "list" ? 1 : 3,
        })
      ) {
        count += rows.length;
        look();
      }
      break;
    case "reorder": {
      const list = await openWorkList({ from: path });
      const buffer = new ReorderBuffer(list.read(), { workers: 64, onBatch: look });
      while (await buffer.fill()) for (; buffer.take() !== undefined;) count++;
      break;
    }
    case "hyparquet":
      count = await hyparquet(path, look);
      break;
    default:
      throw new TypeError(`There is no way called ${way}`);
  }
  look();
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ ms: (user + system) / 1000, peak, count }));
}

/** Unpacks the pages of the list, and does nothing with them. */
async function zstdAlone(path: string, look: () => void): Promise<number> {
  const { openFile } = await import("../../lib/worklist/_source.ts");
  const { readColumn, readIndex } = await import("../../lib/worklist/_parquet_file.ts");
  const { readPageHeader } = await import("../../lib/worklist/_page_header.ts");
  const source = await openFile(path, { bytes: 0 });
  const column = await readColumn(source);
  const chunk = column.chunks[0]!;
  const { offsets, sizes } = (await readIndex(source, column, chunk))!;
  for (const [i, offset] of offsets.entries()) {
    const page = new Uint8Array(sizes[i]!);
    await source.read(offset, page);
    const header = readPageHeader(page)!;
    chunk.decompress(page.subarray(header.length), header.uncompressedSize);
    look();
  }
  await source[Symbol.asyncDispose]();
  return column.rows;
}

async function hyparquet(path: string, look: () => void): Promise<number> {
  const { parquetScan } = await import("hyparquet");
  const { zstdDecompressSync } = await import("node:zlib");
  const file = await Deno.open(path);
  const { size: byteLength } = await file.stat();
  const scan = await parquetScan({
    file: {
      byteLength,
      async slice(start, end = byteLength) {
        const bytes = new Uint8Array(end - start);
        await file.seek(start, Deno.SeekMode.Start);
        for (let done = 0; done < bytes.length;) done += await file.read(bytes.subarray(done)) ?? 0;
        return bytes.buffer;
      },
    },
    columns: ["url"],
    compressors: { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) },
  });
  let count = 0;
  const total = Number(scan.metadata.num_rows);
  for (let rowStart = 0; rowStart < total; rowStart += 10_000) {
    const rowEnd = Math.min(rowStart + 10_000, total);
    count += (await scan.readColumn({ column: "url", rowStart, rowEnd })).length;
    look();
  }
  file.close();
  return count;
}
