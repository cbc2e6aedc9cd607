/**
 * Commits of parts with the machine's ledger and the dataset's card.
 */

import { createHash } from "node:crypto";
import { Again, HubConflictError } from "../hub/mod.ts";
import type { Checkpoint } from "../worklist/mod.ts";
import type { LocalFile } from "./_hashes.ts";
import { datasetCard } from "./card.ts";
import { LedgerError, PartChangedError, PublishError } from "./errors.ts";
import { formatLedger, type LedgerRow, ledgerTime, mergeLedgers } from "./ledger.ts";
import { readLedgers } from "./ledgers.ts";
import { CARD_PATH, ledgerPath, type RecrawlKind, type Slice, sliceName } from "./names.ts";
import type { CommitFile, HubRepo } from "./repo.ts";
import { type UploadOptions, uploadText } from "./upload.ts";

/** A part with what the hub needs to know of it. */
export interface PreparedPart {
  readonly file: LocalFile;
  /** Path in the repo. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  readonly rows: number;
}

/** What a {@linkcode Committer} is made of. */
export interface CommitterOptions {
  readonly repo: HubRepo;
  readonly slice: Slice;
  readonly kind: RecrawlKind;
  readonly upload: UploadOptions;
  readonly onWarning: (text: string) => void;
}

/** Wait before what another machine's commit has overtaken is tried again: some ms, not the same for all. */
const OVERTAKEN_MS = 1500;

/** Makes commits. */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #ledgers = new Map<string, { oid: string; rows: readonly LedgerRow[] }>();
  #large: Set<string> | undefined;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /**
   * Those of `parts` that a commit does not have.
   *
   * @throws {PartChangedError} If it has something else under the name of one.
   */
  async missing(parts: readonly PreparedPart[], commit: string): Promise<PreparedPart[]> {
    const there = await this.#options.repo.files(parts.map(({ path }) => path), commit);
    // Two files that hold the same are one on the hub.
    const each = [...new Map(parts.map((part) => [part.path, part])).values()];
    return each.filter(({ file, path, sha256, size }) => {
      const found = there.get(path);
      if (found === undefined) return true;
      if (found.sha256 === sha256 && found.size === size) return false;
      throw new PartChangedError(
        `Cannot publish ${file.path}: ${this.#options.repo.name} has something else at ${path}. ` +
          `Remove that file from the repo if it does not belong there.`,
      );
    });
  }

  /**
   * Commits parts that are in the store. Ledger and card are in the same commit, so that what is
   * counted is what is there. Where another machine commits at the same time, or nothing is heard of
   * the commit, it looks again what there is and does what is left.
   *
   * @returns The commit that has them, and how many are new in it.
   */
  commit(
    parts: readonly PreparedPart[],
    checkpoint: Checkpoint,
  ): Promise<{ commit: string; added: number }> {
    const { repo, slice } = this.#options;
    return this.#following(async (head) => {
      const missing = await this.missing(parts, head);
      if (missing.length === 0) return { commit: head, added: 0 };
      const rows = await this.#rows(head);
      const own = counted(slice, rows.find((row) => sliceName(row) === sliceName(slice)), {
        parts: missing,
        checkpoint,
      });
      const files = missing.map(({ path, sha256, size }) => ({ path, sha256, size }));
      const count = missing.length === 1 ? "1 part" : `${missing.length} parts`;
      const summary = `${sliceName(slice)}: ${count}, ${rowsText(own.rows)} in all`;
      const texts = await this.#texts(own, rows);
      const commit = await repo.commit({ parent: head, summary, files: [...files, ...texts] });
      await this.#seen(missing, commit);
      return { commit, added: missing.length };
    });
  }

  /** What is said to be committed is deleted here next: it is looked at, where it is said to be. */
  #seen(parts: readonly PreparedPart[], commit: string): Promise<void> {
    const { repo } = this.#options;
    return repo.client.retrying("find what was committed to", repo.url, async () => {
      const unseen = await this.missing(parts, commit);
      if (unseen.length === 0) return;
      const names = unseen.slice(0, 10).map(({ path }) => path).join(", ");
      throw new Again(`${commit} has no ${names}`, 200, undefined);
    });
  }

  /**
   * Commits that the share has been worked off, where the ledger does not say so yet.
   *
   * @returns The commit; nothing where there was nothing to say.
   */
  finish(checkpoint: Checkpoint): Promise<string | undefined> {
    const { repo, slice } = this.#options;
    return this.#following(async (head) => {
      const rows = await this.#rows(head);
      const before = rows.find((row) => sliceName(row) === sliceName(slice));
      if (before?.done === checkpoint.done) return undefined;
      if (before === undefined && checkpoint.sealed.length > 0) {
        throw new PublishError(
          `Cannot publish: the run has written ${checkpoint.sealed.length} parts, none of them is in ` +
            `the folder, and ${
              ledgerPath(slice)
            } of ${repo.name} is not there. Give the folder that ` +
            `the run has written into with --dir, and the name that it was published under with --server.`,
        );
      }
      const own = counted(slice, before, { parts: [], checkpoint });
      const files = await this.#texts(own, rows);
      const summary = `${sliceName(slice)}: worked off, ${rowsText(own.rows)} in all`;
      return await repo.commit({ parent: head, summary, files });
    });
  }

  /** Card and ledger as they would be with these parts, beside what a commit has. */
  async preview(
    parts: readonly PreparedPart[],
    checkpoint: Checkpoint,
    commit: string | undefined,
  ): Promise<{ path: string; text: string }[]> {
    const { slice } = this.#options;
    const rows = commit === undefined ? [] : await this.#rows(commit);
    const before = rows.find((row) => sliceName(row) === sliceName(slice));
    return this.#written(counted(slice, before, { parts, checkpoint }), rows);
  }

  /** Does `work` on the newest commit, until nothing comes between. */
  #following<T>(work: (head: string) => Promise<T>): Promise<T> {
    const { repo } = this.#options;
    return repo.client.retrying("commit to", repo.url, async () => {
      const head = await repo.head();
      if (head === undefined) {
        throw new PublishError(`Cannot publish to ${repo.name}: the repo is no longer there.`);
      }
      try {
        return await work(head);
      } catch (error) {
        if (!(error instanceof HubConflictError)) throw error;
        const wait = OVERTAKEN_MS * (0.2 + Math.random());
        throw new Again("others have committed meanwhile", error.status, wait);
      }
    });
  }

  async #rows(commit: string): Promise<LedgerRow[]> {
    const { repo, slice, onWarning } = this.#options;
    const own = ledgerPath(slice);
    return await readLedgers(repo, commit, {
      known: this.#ledgers,
      // What another machine has written is its own to put right.
      onDamaged: (path, error) => {
        if (path !== own) onWarning(`${path} of ${repo.name} is left out: ${error.message}`);
        else {
          throw new LedgerError(
            `Cannot publish to ${repo.name}: its ${own} is damaged, and counting would begin ` +
              `anew. Put back the last good version of that file from the repo's history.`,
            { cause: error },
          );
        }
      },
    });
  }

  #written(own: LedgerRow, rows: readonly LedgerRow[]): { path: string; text: string }[] {
    const { repo, slice, kind } = this.#options;
    const others = rows.filter((row) => sliceName(row) !== sliceName(slice));
    const card = datasetCard(mergeLedgers([...others, own]), { repo: repo.name, kind });
    return [
      { path: ledgerPath(slice), text: formatLedger([own]) },
      { path: CARD_PATH, text: card },
    ];
  }

  /** Ledger and card as a commit takes them: as text, or, where the repo wants that, from its store. */
  async #texts(own: LedgerRow, rows: readonly LedgerRow[]): Promise<CommitFile[]> {
    const { repo, upload } = this.#options;
    const files: CommitFile[] = [];
    for (const { path, text } of this.#written(own, rows)) {
      const bytes = new TextEncoder().encode(text);
      this.#large ??= await repo.wantsLarge(
        [CARD_PATH, ledgerPath(this.#options.slice)].map((path) => ({
          path,
          size: bytes.length,
          sample: bytes,
        })),
      );
      if (!this.#large.has(path)) files.push({ path, text });
      else {
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        const object = { sha256, size: bytes.length };
        await uploadText(repo, bytes, object, upload);
        files.push({ path, ...object });
      }
    }
    return files;
  }
}

function rowsText(rows: number): string {
  return rows === 1 ? "1 row" : `${rows} rows`;
}

/** The machine's row with these parts in it. */
function counted(
  slice: Slice,
  before: LedgerRow | undefined,
  { parts, checkpoint }: { parts: readonly PreparedPart[]; checkpoint: Checkpoint },
): LedgerRow {
  const sum = (of: (part: PreparedPart) => number) => parts.reduce((n, part) => n + of(part), 0);
  const now = ledgerTime(Date.now());
  // A clock that was set back must not make the newest row look like an old one.
  const late = before !== undefined && Date.parse(before.lastCommitted) > Date.parse(now);
  return {
    ...slice,
    files: (before?.files ?? 0) + parts.length,
    rows: (before?.rows ?? 0) + sum(({ rows }) => rows),
    bytes: (before?.bytes ?? 0) + sum(({ size }) => size),
    part: checkpoint.part,
    row: checkpoint.row,
    done: checkpoint.done,
    firstCommitted: before?.firstCommitted ?? now,
    lastCommitted: late ? before.lastCommitted : now,
  };
}
