/** Files that a run stands on, and that others can take away from under it. */

import { type Stats, statSync } from "node:fs";
import { RunError } from "./errors.ts";

/**
 * Notices that a file has been removed or another put in its place. The system keeps a removed file for
 * those who have it open, so that a run goes on writing, for months if need be, into what nobody will
 * ever see.
 */
export class Intact {
  readonly #files: { readonly path: string; readonly dev: number; readonly ino: number }[];

  /** @param paths Files that are there. */
  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, dev, ino };
    });
  }

  /** @throws {RunError} Where one is not what it was. */
  check(): void {
    for (const { path, dev, ino } of this.#files) {
      let now: Stats | undefined;
      try {
        now = statSync(path);
      } catch (e) {
        // A file system that does not answer now may do so again; what cannot be written says so itself.
        if ((e as { code?: unknown }).code !== "ENOENT") continue;
      }
      if (now?.dev === dev && now.ino === ino) continue;
      throw new RunError(
        `Cannot go on: ${path} was removed or replaced while the crawl was using it; what it wrote ` +
          "since then may be lost",
      );
    }
  }
}
