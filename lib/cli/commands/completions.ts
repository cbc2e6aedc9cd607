/**
 * `completions`: a script that teaches a shell this command line.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { GlobalOptions } from "../options/global.ts";
import { didYouMean } from "../suggest.ts";

/** Shells that there are scripts for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** Its argument. */
export interface CompletionsArguments {
  readonly shell: typeof SHELLS[number];
}

/** The command. */
export const completions: CommandSpec<GlobalOptions, CompletionsArguments> = {
  brief: "Write a script that completes ccrawl's commands and options in a shell",
  description: [
    "The script is made from the same tables as --help, and runs nothing while you type. Write it " +
    "anew after an update.",
  ],
  args: {
    usage: "bash|zsh|fish",
    help: "the shell",
    min: 1,
    max: 1,
    complete: SHELLS,
    parse([word = ""]) {
      const shell = SHELLS.find((name) => name === word);
      if (shell !== undefined) return { shell };
      throw new UsageError(
        `there are no completions for ${JSON.stringify(word)}`,
        didYouMean(word, SHELLS) ?? `shells: ${SHELLS.join(", ")}`,
      );
    },
  },
  options: {},
  fields: [],
  raw: "always",
  examples: [
    ['eval "$(ccrawl completions bash)"', "in ~/.bashrc"],
    ['ccrawl completions zsh > "${fpath[1]}/_ccrawl"', "once, and after an update"],
    ["ccrawl completions fish > ~/.config/fish/completions/ccrawl.fish", "the same for fish"],
  ],
};
