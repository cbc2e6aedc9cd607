/**
 * A CPU profile and heap figures of a command's main thread, for `--profile-dir`.
 *
 * @module
 */

import { Session } from "node:inspector/promises";
import { join } from "node:path";

/** How often the heap is looked at, in ms. */
const HEAP_EVERY = 1000;

/**
 * Does `work` under the profiler. `<name>.cpuprofile` opens in the browser's and the editor's
 * profile viewers; `<name>.heap.jsonl` holds what the process had in memory each second.
 */
export async function profiled<T>(
  dir: string,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  Deno.mkdirSync(dir, { recursive: true });
  const heap = Deno.openSync(join(dir, `${name}.heap.jsonl`), {
    write: true,
    create: true,
    truncate: true,
  });
  const encoder = new TextEncoder();
  const start = performance.now();
  const look = () => {
    const seconds = Math.round(performance.now() - start) / 1000;
    heap.writeSync(encoder.encode(`${JSON.stringify({ seconds, ...Deno.memoryUsage() })}\n`));
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
    Deno.writeTextFileSync(join(dir, `${name}.cpuprofile`), JSON.stringify(profile));
  }
}
