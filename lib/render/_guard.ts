/**
 * Runs what a page decides about: under a time limit, and where running out of memory ends the thread
 * instead of hanging it.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import vm from "node:vm";

const JOB = "__ccrawlRenderJob";
const script = new vm.Script(`globalThis.${JOB}()`);

/** The guarded work took too long and was stopped wherever it was. */
export class Overtime extends Error {
  /** Tells this class of error from others. */
  override readonly name = "Overtime";
}

/**
 * Run synchronous work in a turn of its own: a thread that meets its heap limit within a promise's
 * continuation or a message's handler hangs; within an immediate it ends.
 *
 * @throws {Overtime} When it took longer than `ms`. Nothing that the work shares with later work may be
 *     relied on then.
 */
export function guarded<T>(work: () => T, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      const scope = globalThis as unknown as Record<string, unknown>;
      scope[JOB] = work;
      try {
        resolve(script.runInThisContext({ timeout: ms }) as T);
      } catch (cause) {
        const late = (cause as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
        reject(late ? new Overtime(`it took longer than ${ms} ms`, { cause }) : cause);
      } finally {
        scope[JOB] = undefined;
      }
    });
  });
}
