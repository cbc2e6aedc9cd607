/**
 * SIGINT and SIGTERM: the first asks for a clean stop, the second ends the process.
 *
 * @module
 */

import { StopRequestedError } from "./errors.ts";
import type { CliHost } from "./host.ts";

const NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Run `work` with a signal that aborts at the first SIGINT or SIGTERM, its reason a
 * {@linkcode StopRequestedError}; `onStop` is told first. A second ends the process at once with 130
 * or 143, as the shell reports a process that such a signal ended.
 */
export async function runWithSignals<T>(
  host: Pick<CliHost, "onSignal" | "exit">,
  work: (signal: AbortSignal) => Promise<T>,
  onStop?: (name: string) => void,
): Promise<T> {
  const controller = new AbortController();
  const remove = host.onSignal((name) => {
    if (controller.signal.aborted) {
      host.exit(128 + NUMBERS[name]);
      return;
    }
    onStop?.(name);
    controller.abort(new StopRequestedError(name));
  });
  try {
    return await work(controller.signal);
  } finally {
    remove();
  }
}
