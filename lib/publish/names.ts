/**
 * What things are called in a published dataset.
 *
 * @module
 */

/** Which work list was recrawled. */
export type RecrawlKind = "domains" | "urls";

/** A machine's share of a work list. */
export interface Slice {
  /** Name of the machine, as {@linkcode serverName} makes it. */
  readonly server: string;
  /** Its share, from 0. */
  readonly shard: number;
  /** How many shares there are. */
  readonly shards: number;
}

/** The repo that a kind is published to where no other is named. */
export function defaultRepo(kind: RecrawlKind): string {
  return `open-index/ccrawl-recrawl-${kind}`;
}

/** The repo that a kind's work list is read from. */
export function listRepo(kind: RecrawlKind): string {
  return `open-index/ccrawl-${kind}`;
}

const LONGEST_SERVER = 64;

/**
 * A host's name as it stands in file names: lower case, of `a` to `z`, digits, `_` and `-`.
 *
 * @throws {RangeError} If nothing is left of it.
 */
export function serverName(host: string): string {
  const name = host.toLowerCase().slice(0, 1024).replace(/[^a-z0-9_-]+/g, "-");
  let start = 0, end = Math.min(name.length, LONGEST_SERVER);
  while (name[start] === "-") start++;
  while (end > start && name[end - 1] === "-") end--;
  if (start === end) {
    throw new RangeError("must have a letter or a digit; it stands in the names of files");
  }
  return name.slice(start, end);
}

/** `server1-shard0of3`. */
export function sliceName({ server, shard, shards }: Slice): string {
  return `${server}-shard${shard}of${shards}`;
}

/** Digits of a part's hash in its name. */
const HASH_DIGITS = 12;

/** Path in the repo of a part, by the hex of its SHA-256: the same bytes have the same path. */
export function dataPath(slice: Slice, sha256: string): string {
  return `data/${sliceName(slice)}-${sha256.slice(0, HASH_DIGITS)}.parquet`;
}

/** Folder of the ledgers. */
export const LEDGER_FOLDER = "ledger";

/** Path in the repo of a machine's ledger, which no other machine writes. */
export function ledgerPath(slice: Slice): string {
  return `${LEDGER_FOLDER}/${sliceName(slice)}.csv`;
}

/** Path in the repo of the dataset's card. */
export const CARD_PATH = "README.md";
