/**
 * Entry of the child process that renders. A file of its own, since in a bundle every module is the
 * main one.
 *
 * @module
 */

import { runRenderChild } from "./_child.ts";

await runRenderChild();
