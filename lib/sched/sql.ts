/**
 * The comparison of two snapshots as a statement, for those who have an engine for it.
 *
 * @module
 */

import { SnapshotError } from "./errors.ts";
import type { SqlDialect } from "./ways.ts";
import { type HostSelection, keyRanges } from "./key_ranges.ts";

/** A snapshot as a statement names it. */
export interface SqlSnapshot {
  /** Files and folders; or one crawl of Common Crawl's by its name. */
  readonly places: readonly string[];
  /** Whether it is captures of ours, which name two columns otherwise. */
  readonly captures: boolean;
  /** Whether it has a column `url_surtkey`, so that row groups can be passed over by it. */
  readonly keyed: boolean;
}

/**
 * The statement whose result is what `sched diff` writes, but for the order of its rows.
 *
 * @throws {SnapshotError} If the dialect cannot read such a snapshot.
 */
export function diffSql(
  older: SqlSnapshot,
  newer: SqlSnapshot,
  dialect: SqlDialect,
  selection: HostSelection = {},
  minUrls = 1,
): string {
  const rows = (snapshot: SqlSnapshot): string => {
    const [host, digest] = snapshot.captures
      ? ["host", "digest"]
      : ["url_host_name", "content_digest"];
    const { from, where } = table(snapshot, dialect);
    const conditions = [
      ...where,
      `${digest} <> ''`,
      ...selected(host!, snapshot.keyed, selection),
    ];
    return `  SELECT url, ${host} AS host, ${digest} AS digest\n  FROM ${from}\n  WHERE ` +
      conditions.join("\n    AND ");
  };
  const having = minUrls > 1 ? `\nHAVING COUNT(*) >= ${minUrls}` : "";
  const rate = "SUM(changed) * 1.0e0 / COUNT(*)";
  return `WITH older AS (\n${rows(older)}\n), newer AS (\n${rows(newer)}\n), pages AS (
  SELECT older.url, MIN(newer.host) AS host,
    MIN(CASE WHEN older.digest = newer.digest THEN 0 ELSE 1 END) AS changed
  FROM older JOIN newer ON older.url = newer.url
  GROUP BY older.url
)
SELECT host, COUNT(*) AS total_urls, CAST(SUM(changed) AS BIGINT) AS changed_urls,
  ${rate} AS change_rate,
  CASE WHEN ${rate} >= 0.5 THEN 3 WHEN ${rate} >= 0.2 THEN 4 ELSE 5 END AS tier
FROM pages
GROUP BY host${having}`;
}

/** What rows are read from. */
function table(
  { places }: SqlSnapshot,
  dialect: SqlDialect,
): { from: string; where: string[] } {
  const crawl = places.length === 1 && /^CC-MAIN-\d{4}-\d{2}$/.test(places[0]!) ? places[0]! : "";
  if (dialect === "athena") {
    if (crawl === "") {
      throw new SnapshotError(
        `Cannot write the statement for Athena: ${places[0]} is no crawl of Common Crawl's, and ` +
          `Athena reads tables, not files. Name two crawls, such as CC-MAIN-2026-13.`,
      );
    }
    return { from: `"ccindex"."ccindex"`, where: [`crawl = '${crawl}'`, `subset = 'warc'`] };
  }
  const index = "commoncrawl/cc-index/table/cc-main/warc";
  if (dialect === "spark") {
    if (crawl !== "") {
      return { from: `parquet.\`s3a://${index}/crawl=${crawl}/subset=warc\``, where: [] };
    }
    const sources = places.map((place) =>
      `SELECT * FROM parquet.\`${place.replaceAll("`", "``")}\``
    );
    return { from: `(${sources.join(" UNION ALL ")})`, where: [] };
  }
  const paths = crawl !== "" ? [`s3://${index}/crawl=${crawl}/subset=warc/*.parquet`] : places;
  return { from: `read_parquet([${paths.map(literal).join(", ")}])`, where: [] };
}

/** Conditions that hold for the hosts of a selection; the keys' first, by which files can be passed over. */
function selected(host: string, keyed: boolean, selection: HostSelection): string[] {
  const ranges = keyRanges(selection);
  if (ranges === undefined) return [];
  const decoder = new TextDecoder();
  const keys = ranges.map(({ least, behind }) =>
    `url_surtkey >= ${literal(decoder.decode(least))} AND url_surtkey < ${
      literal(decoder.decode(behind))
    }`
  );
  const hosts = [
    ...(selection.hosts ?? []).map((name) => `${host} = ${literal(name)}`),
    ...(selection.domains ?? []).flatMap((name) => [
      `${host} = ${literal(name)}`,
      under(host, name),
    ]),
  ];
  return [...(keyed ? [`(${keys.join(" OR ")})`] : []), `(${hosts.join(" OR ")})`];
}

/** That a host is below a domain. An underscore stands for any character there, and is one in names. */
function under(host: string, domain: string): string {
  return domain.includes("_")
    ? `${host} LIKE ${literal(`%.${domain.replaceAll("_", "!_")}`)} ESCAPE '!'`
    : `${host} LIKE ${literal(`%.${domain}`)}`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
