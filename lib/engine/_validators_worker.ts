/** Holds the validators of an earlier pass in a temporary SQLite file that nobody else sees. */

import { DatabaseSync } from "node:sqlite";
import { type CaptureSource, readCaptures } from "../capture/mod.ts";
import { openHubFiles } from "../worklist/mod.ts";
import type { RunExitCode } from "./errors.ts";
import type { FromValidators, ToValidators, Validator } from "./validators.ts";

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ToValidators>) => void) | null;
  postMessage(message: FromValidators): void;
};

/** Rows of one transaction. */
const CHUNK = 10_000;
const COLUMNS = [
  "url",
  "final_url",
  "status",
  "etag",
  "last_modified",
  "digest",
  "fetched_at",
  "meta_json",
] as const;
/** A database without a name is a temporary file, removed when it is closed. */
const db = new DatabaseSync("");
db.exec("pragma journal_mode=off; pragma synchronous=off; pragma cache_size=-32768");
db.exec(
  "create table known(url text primary key, at int, final text, etag text, modified text, digest text)" +
    " without rowid",
);
const insert = db.prepare(
  "insert into known values (?, ?, ?, ?, ?, ?) on conflict(url) do update set at = excluded.at, " +
    "final = excluded.final, etag = excluded.etag, modified = excluded.modified, " +
    "digest = excluded.digest where excluded.at > at",
);
const select = db.prepare("select final, etag, modified, digest from known where url = ?");

async function open(path: string, hub: string | undefined): Promise<number> {
  let count = 0;
  db.exec("begin");
  const files = await openHubFiles(path, {
    ...(hub === undefined ? {} : { hub }),
    onWait: (ms, reason) => scope.postMessage({ kind: "waiting", ms, reason }),
  });
  if (files === undefined) count += await read(path, count);
  else for await (const file of files) count += await read(file, count);
  db.exec("commit");
  return count;
}

/** Takes in the rows of a file or folder; `before` were taken in already. */
async function read(from: string | CaptureSource, before: number): Promise<number> {
  let count = 0;
  for await (const row of readCaptures(from, { columns: COLUMNS })) {
    const { url, final_url, status, etag, last_modified, digest, fetched_at, meta_json } = row;
    // the latest answer counts, also one that has no validators or is not whole
    if (url === undefined || (status !== 200 && status !== 304)) continue;
    const whole = !cut(meta_json ?? "");
    insert.run(
      url,
      Number(fetched_at ?? 0),
      final_url ?? "",
      whole ? etag ?? "" : "",
      whole ? last_modified ?? "" : "",
      digest ?? "",
    );
    if ((++count + before) % CHUNK === 0) db.exec("commit; begin");
  }
  return count;
}

/** Whether a body is missing its end, so that a 304 would make that final. One cut at our cap is not. */
function cut(metaJson: string): boolean {
  if (!metaJson.includes('"truncated"')) return false;
  const { truncated } = JSON.parse(metaJson) as { truncated?: unknown };
  return truncated === "time" || truncated === "disconnect";
}

function get(url: string): Validator | undefined {
  const row = select.get(url) as Record<"final" | "etag" | "modified" | "digest", string>;
  if (row === undefined || (row.etag === "" && row.modified === "")) return undefined;
  const { final, etag, modified, digest } = row;
  return {
    url: URL.parse(final === "" ? url : final)?.href ?? "",
    etag,
    lastModified: modified,
    digest,
  };
}

scope.onmessage = ({ data }) => {
  if (data.kind === "get") {
    scope.postMessage({ kind: "got", found: data.urls.map(get) });
    return;
  }
  open(data.path, data.hub).then(
    (count) => scope.postMessage({ kind: "opened", count }),
    (e: Error & { exitCode?: RunExitCode }) =>
      scope.postMessage({
        kind: "failed",
        message: `Cannot read --validators ${data.path}: ${e.message}`,
        exitCode: e.exitCode ?? 1,
      }),
  );
};
