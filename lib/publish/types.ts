/**
 * What publishing is told, and what it tells.
 *
 * @module
 */

import type { HubSettings } from "../hub/mod.ts";
import type { RecrawlKind } from "./names.ts";

/** Options of `publish()`. */
export interface PublishOptions extends HubSettings {
  /** Folder that the run writes its parts into. */
  readonly dir: string;
  /** Path of the run's checkpoint. */
  readonly state: string;
  /** Which work list was recrawled. */
  readonly kind: RecrawlKind;
  /** Dataset repo, `owner/name`. @default `open-index/ccrawl-recrawl-<kind>` */
  readonly repo?: string;
  /** Name of this machine, in the names of files. @default the host's name */
  readonly server?: string;
  /** Share that the run has taken, from 0. @default the checkpoint's */
  readonly shard?: number;
  /** How many shares there are. @default the checkpoint's */
  readonly shards?: number;
  /** Most parts of one commit. @default 4 */
  readonly commitEvery?: number;
  /** Ms between two looks, until the run is done; 0 looks once. @default 0 */
  readonly watchMs?: number;
  /** Leaves parts where they are when they are published. @default false */
  readonly keep?: boolean;
  /** Makes the repo a private one, where it is made. @default false */
  readonly private?: boolean;
  /** Publishes nothing, and puts card and ledger as they would be beside the state. @default true */
  readonly push?: boolean;
  /** Stop after this many parts; 0 for no limit. @default 0 */
  readonly limit?: number;
  /** Told of what happens beside the parts. */
  readonly onEvent?: (event: PublishEvent) => void;
}

/** A part, and what became of it. */
export interface PublishedPart {
  /** Name of the file on disk. */
  readonly part: string;
  /** Path in the repo. */
  readonly path: string;
  /** Rows in it. */
  readonly rows: number;
  /** Its size. */
  readonly bytes: number;
  /** Hex SHA-256. */
  readonly sha256: string;
  /** `published` now, `present` on the hub already, or `pending` where nothing is pushed. */
  readonly outcome: "published" | "present" | "pending";
  /** The commit that it was found in; empty where nothing is pushed. */
  readonly commit: string;
}

/** What happens beside the parts. */
export type PublishEvent =
  /** The repo was made. */
  | { readonly type: "created"; readonly repo: string }
  /** Something a person should know. */
  | { readonly type: "warning"; readonly text: string }
  /** The hub is not asked for so many ms. */
  | { readonly type: "waiting"; readonly ms: number; readonly reason: string }
  /** Nothing to do yet: the run has no checkpoint. */
  | { readonly type: "no-state"; readonly state: string }
  /** A commit was made; `parts` is 0 where it is of card and ledger alone. */
  | { readonly type: "committed"; readonly commit: string; readonly parts: number }
  /** Card and ledger were put there, and nothing was pushed. */
  | { readonly type: "preview"; readonly dir: string };

export type { PublishFigures } from "../report/types.ts";
