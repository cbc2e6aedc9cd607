/** A run that has sealed parts, without a crawl: its folder and its state. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CaptureWriter } from "../../lib/capture/writer.ts";
import { type Checkpoint, CheckpointFile } from "../../lib/worklist/checkpoint.ts";
import { page } from "../capture/_rows.ts";

/** What a run is of. */
export interface LocalRunOptions {
  readonly source?: string;
  readonly shard?: number;
  readonly shards?: number;
}

/** A run's folder and state, as `recrawl run` leaves them. */
export class LocalRun implements AsyncDisposable {
  readonly folder: string;
  /** Where parts lie. */
  readonly dir: string;
  readonly state: string;
  readonly #checkpoint: CheckpointFile;
  #row = 0;
  #number = -1;

  constructor(folder: string, options: LocalRunOptions) {
    const { source = "open-index/ccrawl-urls#url", shard = 0, shards = 1 } = options;
    this.folder = folder;
    this.dir = join(folder, "out");
    this.state = join(folder, "state.json");
    Deno.mkdirSync(this.dir);
    this.#checkpoint = CheckpointFile.open(this.state, {
      source,
      release: "cc-main-2026-jan-feb-mar",
      shard,
      shards,
    });
    this.#checkpoint.save({});
  }

  /** What the state says. */
  get checkpoint(): Checkpoint {
    return this.#checkpoint.state;
  }

  /** Seals a part with that many rows, and tells the checkpoint of it unless it is not to know. */
  seal(rows = 3, options: { known?: boolean; run?: string } = {}): string {
    const { known = true, run = this.checkpoint.run } = options;
    const name = `ccrawl-recrawl-${String(++this.#number).padStart(5, "0")}.parquet`;
    const writer = new CaptureWriter(join(this.dir, name), { createdBy: "test", run });
    for (let i = 0; i < rows; i++) {
      writer.add(page(this.#row, { position: { part: 0, row: this.#row } }));
      this.#row++;
    }
    writer.finish();
    if (known) this.know(name);
    return name;
  }

  /** Tells the checkpoint of a part, as a run does that has sealed it. */
  know(name: string): void {
    const there = new Set(this.parts());
    const sealed = this.checkpoint.sealed.filter((other) => there.has(other));
    this.#checkpoint.save({
      sealed: [...sealed, name],
      highestPart: this.#number,
      row: this.#row,
      rows: this.#row,
    });
  }

  /** The list has been worked off. */
  finish(): void {
    this.#checkpoint.save({ done: true });
  }

  /** Names of the parts that are there. */
  parts(): string[] {
    return [...Deno.readDirSync(this.dir)].map(({ name }) => name)
      .filter((name) => name.endsWith(".parquet")).sort();
  }

  bytes(name: string): Uint8Array {
    return readFileSync(join(this.dir, name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#checkpoint[Symbol.dispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** A run with nothing sealed yet. */
export async function localRun(options: LocalRunOptions = {}): Promise<LocalRun> {
  return new LocalRun(await Deno.makeTempDir({ prefix: "ccrawl-publish-" }), options);
}
