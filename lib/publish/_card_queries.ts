/**
 * The queries that a dataset's card shows.
 */

/** A query and what it finds. */
export interface CardQuery {
  readonly about: string;
  readonly sql: string;
}

/** Queries over a repo's files, and over those of one machine's share. */
export function cardQueries(repo: string, slice: string): CardQuery[] {
  const data = `hf://datasets/${repo}/data`;
  const all = `read_parquet('${data}/*.parquet')`;
  return [
    {
      about: "What answered and what did not",
      sql: `SELECT status, count(*) AS rows
FROM ${all}
GROUP BY status
ORDER BY rows DESC;`,
    },
    {
      about: "Pages that can be read, which is what most queries are about",
      sql: `SELECT count(*) AS pages
FROM ${all}
WHERE status = 200 AND error = '';`,
    },
    {
      about: "Why the others failed",
      sql: `SELECT error, count(*) AS rows
FROM ${all}
WHERE error <> ''
GROUP BY error
ORDER BY rows DESC;`,
    },
    {
      about: "A page as Markdown",
      sql: `SELECT url, title, language, word_count, markdown
FROM ${all}
WHERE status = 200 AND markdown <> ''
LIMIT 1;`,
    },
    {
      about: "When the rows were fetched",
      sql: `SELECT date_trunc('day', to_timestamp(fetched_at / 1000)) AS day, count(*) AS rows
FROM ${all}
GROUP BY day
ORDER BY day;`,
    },
    {
      about: "Languages of pages with some text",
      sql: `SELECT language, count(*) AS pages, round(avg(word_count)) AS words
FROM ${all}
WHERE language <> '' AND language_confidence > 0.8
GROUP BY language
ORDER BY pages DESC
LIMIT 20;`,
    },
    {
      about: "What servers say they are",
      sql: `SELECT resp_headers::JSON->>'$.server' AS server, count(*) AS rows
FROM ${all}
WHERE status <> 0
GROUP BY server
ORDER BY rows DESC
LIMIT 20;`,
    },
    {
      about: "The share of one machine, by the names of its files",
      sql: `SELECT count(*) AS rows
FROM read_parquet('${data}/${slice}-*.parquet');`,
    },
  ];
}
