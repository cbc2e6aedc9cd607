/**
 * The work of `completions`.
 *
 * @module
 */

import type { CommandIo } from "../../command.ts";
import { bashCompletions } from "../../completions/bash.ts";
import { describeTree } from "../../completions/describe.ts";
import { fishCompletions } from "../../completions/fish.ts";
import { zshCompletions } from "../../completions/zsh.ts";
import { ExitCode } from "../../errors.ts";
import { groups } from "../registry.ts";
import type { CompletionsArguments } from "../completions.ts";

const SCRIPTS = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions } as const;

/** Writes the script; it is no record, and no format applies to it. */
export async function run({ shell }: CompletionsArguments, io: CommandIo): Promise<number> {
  const script = SCRIPTS[shell](describeTree(io.commands, groups));
  await io.output.raw(new TextEncoder().encode(script));
  return ExitCode.done;
}
