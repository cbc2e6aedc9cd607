/** A language thread that dies of some questions, and hangs at others. */

import process from "node:process";
import { LanguageCells } from "../../lib/render/_language_cells.ts";
import type { LanguageTerm } from "../../lib/render/_language_thread.ts";

const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
const { cells, term } = workerData as LanguageTerm;
parentPort!.postMessage("ready");
new LanguageCells(cells).serve((sample) => {
  if (sample.startsWith("deadly")) process.exit(3);
  if (sample.startsWith("endless")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (sample === "term") return { language: String(term).padStart(3, "0"), confidence: 0.125 };
  return { language: sample.slice(0, 3), confidence: 0.125 };
}, term);
