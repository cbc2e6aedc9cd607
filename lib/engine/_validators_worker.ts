/** Holds the validators of an earlier pass in a temporary SQLite file that nobody else sees. */

import { DatabaseSync } from "node:sqlite";
import { readCaptures } from "../capture/mod.ts";
import type { FromValidators, ToValidators, Validator } from "./validators.ts";

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ToValidators>) => void) | null;
  postMessage(message: FromValidators): void;
};

/** Rows of one transaction. */
const CHUNK = 10_000;
/** A database without a name is a temporary file, removed when it is closed. */
const db = new DatabaseSync("");
db.exec("pragma journal_mode=off; pragma synchronous=off; pragma cache_size=-32768");
db.exec(
  "create table known(url text primary key, at int, etag text, modified text, digest text) without rowid",
);
const insert = db.prepare(
  "insert into known values (?, ?, ?, ?, ?) on conflict(url) do update set " +
    "at = excluded.at, etag = excluded.etag, modified = excluded.modified, digest = excluded.digest " +
    "where excluded.at > at",
);
const select = db.prepare("select etag, modified, digest from known where url = ?");

async function open(path: string): Promise<number> {
  let count = 0;
  db.exec("begin");
  const rows = readCaptures(path, {
    columns: ["url", "status", "etag", "last_modified", "digest", "fetched_at"],
  });
  for await (const row of rows) {
    if (row.status !== 200 && row.status !== 304) continue;
    if (row.etag === "" && row.last_modified === "") continue;
    insert.run(row.url!, Number(row.fetched_at), row.etag!, row.last_modified!, row.digest!);
    if (++count % CHUNK === 0) db.exec("commit; begin");
  }
  db.exec("commit");
  return count;
}

function get(url: string): Validator | undefined {
  const row = select.get(url) as { etag: string; modified: string; digest: string } | undefined;
  return row && { etag: row.etag, lastModified: row.modified, digest: row.digest };
}

scope.onmessage = ({ data }) => {
  if (data.kind === "get") {
    scope.postMessage({ kind: "got", found: data.urls.map(get) });
    return;
  }
  open(data.path).then(
    (count) => scope.postMessage({ kind: "opened", count }),
    (e: Error) =>
      scope.postMessage({
        kind: "failed",
        message: `Cannot read --validators ${data.path}: ${e.message}`,
      }),
  );
};
