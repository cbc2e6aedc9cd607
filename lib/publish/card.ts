/**
 * The dataset's card: what the repo's page says, made anew from the ledgers with every commit.
 *
 * @module
 */

import { CAPTURE_COLUMNS, sqlType } from "../capture/mod.ts";
import { cardQueries } from "./_card_queries.ts";
import { type LedgerRow, ledgerTotals } from "./ledger.ts";
import { listRepo, type RecrawlKind } from "./names.ts";

/** Which dataset a card is of. */
export interface CardOptions {
  /** `owner/name`. */
  readonly repo: string;
  /** Which work list was recrawled. */
  readonly kind: RecrawlKind;
}

/** What a kind's card says that the other's does not. */
const KINDS: Readonly<Record<RecrawlKind, { title: string; row: string; list: string }>> = {
  domains: {
    title: "Recrawled home pages of ranked domains",
    row: "the home page of one domain",
    list: "every ranked domain of a Common Crawl web graph, one home page each, some 121 million",
  },
  urls: {
    title: "Recrawled URLs of a monthly crawl",
    row: "one URL",
    list: "the URLs in the index of one monthly Common Crawl, some 2.1 billion",
  },
};

/**
 * The text of `README.md`.
 *
 * @param ledgers Merged rows of all machines.
 */
export function datasetCard(ledgers: readonly LedgerRow[], { repo, kind }: CardOptions): string {
  const totals = ledgerTotals(ledgers);
  const { title, row, list } = KINDS[kind];
  const date = totals.lastCommitted === "" ? "not yet" : day(totals.lastCommitted);
  const example = ledgers[0];
  const slice = example === undefined
    ? "server1-shard0of3"
    : `${example.server}-shard${example.shard}of${example.shards}`;
  return `---
pretty_name: ${title}
license: odc-by
language:
- multilingual
task_categories:
- text-generation
- feature-extraction
- text-classification
tags:
- common-crawl
- web
- crawl
- markdown
- html
size_categories:
- ${sizeCategory(totals.rows)}
configs:
- config_name: default
  data_files:
  - split: train
    path: data/*.parquet
---

# ${title}

<!-- Made by ccrawl from the ledgers with every commit; what is edited here is overwritten. -->

The pages of [${listRepo(kind)}](https://huggingface.co/datasets/${
    listRepo(kind)
  }) (${list}), fetched
anew and rendered to Markdown and plain text. One row is one attempt to fetch ${row}: what was asked,
what came back byte for byte, and what was made of it.

| | |
| --- | --- |
| Rows | ${number(totals.rows)} |
| Files | ${number(totals.files)} |
| Size | ${gigabytes(totals.bytes)} |
| Machines | ${number(totals.servers)} |
| Last commit | ${date} |

The crawl goes on for months, and files come in while it does. These figures are of the last commit.

## Files

\`\`\`
data/
  ${slice}-a1b2c3d4e5f6.parquet
ledger/
  ${slice}.csv
README.md
\`\`\`

A file is named after the machine that fetched it, the share of the work list that the machine has, and
the first twelve digits of the SHA-256 of what is in it. Its name never comes to mean something else, and
a file that is published twice is there once. Each machine keeps one ledger, which no other writes. This
page is the union of all ledgers.

Files do not depend on each other. Any of them together can be queried, and a query over ten files is an
answer about those ten.

## Shares

The work list is shared out by registered domain: FNV-1a of the domain's name, modulo the number of
shares. So a site and all its subdomains are fetched by one machine, which waits between two requests to
the same host. For the same reason one share is a sample of domains, not a random sample of pages.

## A row is an attempt

Attempts that failed are kept. Where a name does not resolve, a server does not answer or a handshake
fails, \`status\` is 0 and \`error\` says which it was, in one of six words: \`dns\`, \`timeout\`, \`refused\`,
\`tls\`, \`skip\` (we did not ask), \`other\`. \`meta_json\` has the network's own words as \`error_detail\`.
\`count(*)\` counts URLs that were tried${
    kind === "domains" ? ", and a good part of ranked domains have lapsed" : ""
  }.

An answer that was cut is no failure: it keeps its status and what came of its body, and \`meta_json\` has
\`truncated\`. Redirects are followed, at most five; \`final_url\` is where they led.

Rows of a later pass may have \`unchanged\`: the server answered 304 Not Modified, and \`body\`, \`markdown\`
and \`text\` are empty. Join the earlier pass on \`url\` and \`digest\` for what they refer to.

## Queries

They run in [DuckDB](https://duckdb.org) 0.10 or newer as they stand here, without a download.

${
    cardQueries(repo, slice).map(({ about, sql }) => `${about}:\n\n\`\`\`sql\n${sql}\n\`\`\``).join(
      "\n\n",
    )
  }

A query that does not name \`body\` does not read the bodies, which are most of the bytes.

## Machines

${machines(ledgers)}

\`Reads\` is the part of the work list and the row in it that the machine had come to at its last commit.

## Fields

\`From\` says what a value is evidence of: \`served\` is the site's own answer, \`computed\` our opinion over
the bytes, \`measured\` our clock on our network, \`asked\` what we sent.

| Column | Type | From | Description |
| --- | --- | --- | --- |
${
    CAPTURE_COLUMNS.map(({ name, type, from, about }) =>
      `| \`${name}\` | ${sqlType(type)} | ${from} | ${about} |`
    ).join("\n")
  }

Every column is REQUIRED: what does not apply is empty, 0 or false, never null. New columns are appended.
A row with an empty \`extractor\` was not rendered, which tells a PDF from a page without text. Rows that
were fetched months apart may carry different versions of it.

## Limits

- One attempt, from one network, at one moment. A timeout says as much about the way as about the site.
- No scripts are run: a page that its scripts make is what its HTML says without them.
- Bodies end at 10 MB of the wire.
- The main content, the language and the words are found by rules, which are wrong now and then. \`body\`
  is there to find them again.
- Files come in as machines get on, so that at any moment some domains are missing and others are not.
- The rights in a page are its author's. The licence above is of the collection.
`;
}

/** The hub's own words for sizes. */
function sizeCategory(rows: number): string {
  if (rows < 1000) return "n<1K";
  const steps = ["1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T"];
  let step = 0;
  for (let bound = 10_000; rows >= bound && step < steps.length - 2; bound *= 10) step++;
  return `${steps[step]}<n<${steps[step + 1]}`;
}

function machines(ledgers: readonly LedgerRow[]): string {
  if (ledgers.length === 0) return "None has published yet.";
  const lines = ledgers.map((r) =>
    `| ${r.server} | ${r.shard} of ${r.shards} | ${number(r.files)} | ${number(r.rows)} | ${
      gigabytes(r.bytes)
    } | ${r.done ? "all" : `part ${r.part} row ${number(r.row)}`} | ${day(r.firstCommitted)} | ${
      day(r.lastCommitted)
    } |`
  );
  return [
    "| Machine | Share | Files | Rows | Size | Reads | First commit | Last commit |",
    "| --- | --- | ---: | ---: | ---: | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

/** `1 234 567`, as digits alone are hard to read. */
function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, " ");
}

function gigabytes(bytes: number): string {
  if (bytes < 1e6) return `${number(bytes)} bytes`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** `2026-12-01 09:30 UTC`. */
function day(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}
