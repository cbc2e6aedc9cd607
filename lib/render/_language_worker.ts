/** The language thread: it holds the tables once for all threads that render. */

import process from "node:process";
import { LanguageCells } from "./_language_cells.ts";
import { loadSampleDetector } from "./_language.ts";
import type { LanguageTerm } from "./_language_thread.ts";

const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
const { cells, term } = workerData as LanguageTerm;
const detect = await loadSampleDetector();
parentPort!.postMessage("ready");
// From here on it hears no messages.
new LanguageCells(cells).serve(detect, term);
// It ends here. An exit of its own beside terminate() leaves a thread that runs for ever (Deno 2.9).
