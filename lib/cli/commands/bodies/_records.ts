/**
 * A run's records on stdout, and its last word.
 *
 * @module
 */

import type { CommandIo } from "../../command.ts";
import { outcomeOf } from "./_events.ts";

/**
 * Writes records until there are no more, the run is stopped, or stdout takes none. `end` is told how it
 * ended, whatever happens.
 *
 * @throws What the records, or stdout, threw.
 */
export async function writeRecords(
  records: AsyncIterable<object>,
  io: CommandIo,
  end: (outcome: string) => void | Promise<void>,
): Promise<void> {
  let outcome = "finished";
  try {
    for await (const record of records) {
      const taken = io.output.write({ ...record });
      if (!(taken === true || await taken)) break;
    }
    if (io.signal.aborted) outcome = outcomeOf(io.signal);
  } catch (error) {
    outcome = (error as Error).message;
    throw error;
  } finally {
    try {
      await io.output.flush();
    } finally {
      await end(outcome); // a stdout that takes no more is no reason to keep quiet
    }
  }
}
