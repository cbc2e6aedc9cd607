/** Pools and pages for tests. */

import { decodePageRow, type PageRow } from "../../lib/render/page_row.ts";
import { RenderPool } from "../../lib/render/pool.ts";
import type { RenderPoolOptions } from "../../lib/render/pool_options.ts";
import type { PoolPage } from "../../lib/render/pool_types.ts";

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);

/** A page of HTML, or of bytes. */
export function page(key: string, body: string | Uint8Array, more?: Partial<PoolPage>): PoolPage {
  return {
    key,
    url: `https://a.example/${key}`,
    contentType: "text/html; charset=utf-8",
    contentEncoding: "",
    body: typeof body === "string" ? encoder.encode(body) : body,
    rest: NOTHING,
    ...more,
  };
}

/** A pool, and the rows that come out of it. */
export interface Collected {
  readonly pool: RenderPool;
  readonly rows: PageRow[];
}

/** A pool that renders nothing unless told so, its rows copied. */
export function collect(options: Partial<RenderPoolOptions> = {}): Collected {
  const rows: PageRow[] = [];
  const pool = new RenderPool({
    worker: new URL("./_pool_worker.ts", import.meta.url),
    width: 2,
    extractor: "none",
    onRow: (row) => void rows.push(decodePageRow(row.slice())),
    ...options,
  });
  return { pool, rows };
}

/** Rows by key; a key that came twice is an error. */
export function byKey(rows: readonly PageRow[]): Map<string, PageRow> {
  const map = new Map<string, PageRow>();
  for (const row of rows) {
    if (map.has(row.key)) throw new Error(`${row.key} came twice`);
    map.set(row.key, row);
  }
  return map;
}
