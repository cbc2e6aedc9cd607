/**
 * A CPU profile and heap figures of a command's main thread, for `--profile-dir`.
 *
 * @module
 */

import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { CommandError, ExitCode } from "../../errors.ts";

/** How often the heap is looked at, in ms. */
const HEAP_EVERY = 1000;

/**
 * Does `work` under the profiler. `<name>.cpuprofile` opens in the browser's and the editor's
 * profile viewers; `<name>.heap.jsonl` holds what the process had in memory each second. Where they
 * cannot be written any more `warn` is told once, and the work goes on.
 *
 * @throws {CommandError} If they cannot be begun in `dir`; nothing has been done then.
 */
export async function profiled<T>(
  dir: string,
  name: string,
  work: () => Promise<T>,
  warn: (text: string) => void,
): Promise<T> {
  const heap = openHeap(dir, name);
  const encoder = new TextEncoder();
  const start = performance.now();
  let broken = false;
  const attempt = (write: () => void) => {
    if (broken) return;
    try {
      write();
    } catch (cause) {
      broken = true;
      warn(cannotWrite(dir, cause));
    }
  };
  const look = () => {
    const seconds = Math.round(performance.now() - start) / 1000;
    const line = JSON.stringify({ seconds, ...Deno.memoryUsage() });
    attempt(() => heap.writeSync(encoder.encode(`${line}\n`)));
  };
  look();
  const timer = setInterval(look, HEAP_EVERY);
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  try {
    return await work();
  } finally {
    clearInterval(timer);
    look();
    heap.close();
    const { profile } = await session.post("Profiler.stop") as { profile: unknown };
    session.disconnect();
    const text = JSON.stringify(profile);
    attempt(() => Deno.writeTextFileSync(join(dir, `${name}.cpuprofile`), text));
  }
}

function openHeap(dir: string, name: string): Deno.FsFile {
  try {
    Deno.mkdirSync(dir, { recursive: true });
    const path = join(dir, `${name}.heap.jsonl`);
    return Deno.openSync(path, { write: true, create: true, truncate: true });
  } catch (cause) {
    throw new CommandError(cannotWrite(dir, cause), ExitCode.error, "give another --profile-dir", {
      cause,
    });
  }
}

function cannotWrite(dir: string, cause: unknown): string {
  return `Cannot write profiles into ${dir}: ${cause instanceof Error ? cause.message : cause}`;
}
