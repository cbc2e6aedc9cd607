/**
 * Commanding a crawl from another process.
 *
 * @module
 */

import { FrontierError, FrontierStateError } from "./errors.ts";
import { checkCommand, spoolFolder } from "./_spool.ts";
import { openDatabase } from "./_store.ts";
import type { ControlCommand } from "./types.ts";

let sent = 0;

/**
 * Leaves a command for the crawl that runs on the state `path`. It takes effect within a quarter of a
 * second; when no crawl runs, at the next opening.
 *
 * @throws {FrontierStateError} when the file is no crawl state, damaged, or of a newer version.
 * @throws {FrontierError} when the command is malformed, there is no such state, or the folder beside
 * it cannot be written.
 */
export async function sendControl(path: string, command: ControlCommand): Promise<void> {
  const checked = checkCommand(command);
  const folder = spoolFolder(path);
  // The name orders by time, then by the sender's own count.
  const time = String(Date.now()).padStart(15, "0");
  const name = `${time}-${String(sent++).padStart(6, "0")}-${Deno.pid}`;
  try {
    await Deno.stat(path);
    openDatabase(path, true).close();
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/${name}.tmp`, JSON.stringify(checked));
    await Deno.rename(`${folder}/${name}.tmp`, `${folder}/${name}.json`);
  } catch (cause) {
    if (cause instanceof FrontierStateError) throw cause;
    const reason = cause instanceof Deno.errors.NotFound
      ? "there is no such state"
      : (cause as Error).message;
    throw new FrontierError(`Cannot command the crawl of "${path}": ${reason}.`, { cause });
  }
}
