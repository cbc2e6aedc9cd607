/**
 * Standard input as commands read it.
 *
 * @module
 */

import type { CommandIo } from "../../command.ts";

/**
 * Standard input until it ends or the command is stopped: a writer that has nothing to say, such as a
 * terminal, must not keep a command that was told to end.
 */
export async function* stdinOf({ host, signal }: CommandIo): AsyncGenerator<Uint8Array> {
  if (signal.aborted) return;
  const reader = host.stdin().getReader();
  // Ends the read that waits.
  const stop = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let next; !(next = await reader.read()).done;) yield next.value;
  } finally {
    signal.removeEventListener("abort", stop);
    reader.releaseLock();
  }
}
