// A ccrawl with commands of the tests' own, run as a process of its own.
import { main } from "../../lib/cli/app.ts";
import { type CommandIo, type CommandSpec, register } from "../../lib/cli/command.ts";
import type { GlobalOptions } from "../../lib/cli/options/global.ts";

const spec: CommandSpec<GlobalOptions, object> = {
  brief: "Of the tests",
  options: {},
  fields: [{ name: "text", type: "string", help: "" }],
  examples: [],
};

/** Writes until it is stopped. */
async function endless(_options: GlobalOptions, io: CommandIo): Promise<number> {
  let n = 0;
  while (!io.signal.aborted) {
    await io.output.write({ text: `${n++} ${"x".repeat(1000)}` });
    // Everything else of the process gets its turn, as between a crawl's pages.
    if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return 0;
}

/** Writes one record, and ends when it is asked to. */
async function patient(_options: GlobalOptions, io: CommandIo): Promise<number> {
  await io.output.write({ text: "first" });
  const stopped = new Promise((resolve) => io.signal.addEventListener("abort", resolve));
  io.report.message("ready");
  const alive = setInterval(() => {}, 1000);
  await stopped;
  clearInterval(alive);
  await io.output.write({ text: "last" });
  return 0;
}

/** Does not end when it is asked to. */
async function stubborn(_options: GlobalOptions, io: CommandIo): Promise<number> {
  io.report.message("ready");
  setInterval(() => {}, 1000);
  await new Promise(() => {});
  return 0;
}

Deno.exit(
  await main(Deno.args, undefined, [
    register("endless", spec, () => Promise.resolve({ run: endless })),
    register("patient", spec, () => Promise.resolve({ run: patient })),
    register("stubborn", spec, () => Promise.resolve({ run: stubborn })),
  ]),
);
