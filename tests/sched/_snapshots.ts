/** Snapshots for tests. */

import { gzipSync, zstdCompressSync } from "node:zlib";
import { surt } from "../../lib/url/surt.ts";

/** A row of an index. */
export interface SnapshotRow {
  readonly url: string;
  readonly digest: string;
}

/** How a snapshot is written. */
export interface SnapshotShape {
  /** @default by url_surtkey */
  readonly sorted?: boolean;
  /** Whether there is a column url_surtkey. @default true */
  readonly keyed?: boolean;
  /** Name of the digests' column. @default content_digest */
  readonly digest?: string;
  readonly codec?: "SNAPPY" | "GZIP" | "ZSTD" | "UNCOMPRESSED";
  readonly rowGroupSize?: number;
  readonly pageSize?: number;
  readonly statistics?: boolean;
  /** Bytes that bounds are cut to. @default 4096 */
  readonly boundBytes?: number;
  readonly pageIndex?: boolean;
  readonly nullable?: boolean;
}

/** Writes a snapshot in Common Crawl's layout. */
export async function writeSnapshot(
  path: string,
  rows: readonly SnapshotRow[],
  shape: SnapshotShape = {},
): Promise<void> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const keyed = rows.map((row) => ({ ...row, key: surt(row.url) }));
  // By UTF-16 units, which for ASCII is by bytes.
  if (shape.sorted ?? true) keyed.sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  const index = shape.pageIndex ?? true;
  const column = (name: string, data: string[], encoding?: "PLAIN") => ({
    name,
    data,
    type: "STRING" as const,
    columnIndex: index,
    offsetIndex: index,
    nullable: shape.nullable ?? false,
    ...(encoding === undefined ? {} : { encoding }),
  });
  const bytes = parquetWriteBuffer({
    codec: shape.codec ?? "ZSTD",
    compressors: {
      ZSTD: (bytes) => zstdCompressSync(bytes),
      GZIP: (bytes) => gzipSync(bytes, { level: 1 }),
    },
    statistics: shape.statistics ?? true,
    statisticsTruncateLength: shape.boundBytes ?? 4096,
    rowGroupSize: shape.rowGroupSize ?? 100_000,
    pageSize: shape.pageSize ?? 64 << 10,
    columnData: [
      ...(shape.keyed ?? true ? [column("url_surtkey", keyed.map(({ key }) => key), "PLAIN")] : []),
      column("url", keyed.map(({ url }) => url), "PLAIN"),
      column("url_host_name", keyed.map(({ url }) => new URL(url).hostname)),
      column(shape.digest ?? "content_digest", keyed.map(({ digest }) => digest)),
      ...(shape.digest === "digest"
        ? [column("host", keyed.map(({ url }) => new URL(url).hostname))]
        : []),
    ],
  });
  await Deno.writeFile(path, new Uint8Array(bytes));
}

/** What a comparison must come to, worked out plainly. */
export function expectedChanges(
  older: readonly SnapshotRow[],
  newer: readonly SnapshotRow[],
): Map<string, { total: number; changed: number }> {
  const byUrl = (rows: readonly SnapshotRow[]) => {
    const urls = new Map<string, Set<string>>();
    for (const { url, digest } of rows) {
      if (digest !== "") urls.set(url, (urls.get(url) ?? new Set()).add(digest));
    }
    return urls;
  };
  const [before, after] = [byUrl(older), byUrl(newer)];
  const hosts = new Map<string, { total: number; changed: number }>();
  for (const [url, digests] of before) {
    const others = after.get(url);
    if (others === undefined) continue;
    const { hostname } = new URL(url);
    const counts = hosts.get(hostname) ?? { total: 0, changed: 0 };
    hosts.set(hostname, {
      total: counts.total + 1,
      changed: counts.changed + ([...digests].some((digest) => others.has(digest)) ? 0 : 1),
    });
  }
  return hosts;
}

/** Numbers from 0 to below 1, the same each time. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const HOSTS = ["example.com", "www.example.com", "www2.example.com", "a.example.com"];
HOSTS.push("shop.a.example.com", "example.com:8080", "a.example.com:81", "example-b.com");
HOSTS.push("examplea.com", "example.org", "1.2.3.4", "www3288.com", "xn--bcher-kva.example");

/** Two snapshots with all that makes a comparison hard. */
export function randomSnapshots(
  random: () => number,
  count: number,
): [SnapshotRow[], SnapshotRow[]] {
  const pages: string[] = [];
  for (let i = 0; i < count; i++) {
    const host = HOSTS[Math.floor(random() * HOSTS.length)]!;
    const scheme = random() < 0.5 ? "http" : "https";
    // Paths that differ in case alone have one key.
    const path = Math.floor(random() * count / 3).toString(36);
    pages.push(`${scheme}://${host}/${random() < 0.3 ? path.toUpperCase() : path}`);
  }
  const snapshot = () => {
    const rows: SnapshotRow[] = [];
    for (const url of pages) {
      while (random() < 0.7) {
        rows.push({ url, digest: random() < 0.05 ? "" : `D${Math.floor(random() * 3)}` });
      }
    }
    return rows;
  };
  return [snapshot(), snapshot()];
}
