/**
 * `config show`: what the options come to, and where each comes from.
 *
 * @module
 */

import type { CommandSpec } from "../command.ts";
import type { GlobalOptions } from "../options/global.ts";

/** Its arguments. */
export interface ConfigShowArguments {
  /** Words of the command whose options are shown; empty for what all commands share. */
  readonly command: readonly string[];
}

/** The command. */
export const configShow: CommandSpec<GlobalOptions, ConfigShowArguments> = {
  brief: "Show each option's value, and where it comes from",
  description: [
    "An option counts before an environment variable, that before the profile (--profile), that " +
    "before [default] in the configuration, and that before the built-in value. The configuration is " +
    "config.toml in CCRAWL_CONFIG_DIR, XDG_CONFIG_HOME/ccrawl or ~/.config/ccrawl.",
    "Without a command: the global options, and whatever else is set. With one: all of its options. " +
    "Of a credential only whether it is set is shown.",
  ],
  args: {
    usage: "[COMMAND]",
    help: "a command, such as crawl run",
    min: 0,
    max: 3,
    parse: (command) => ({ command }),
  },
  options: {},
  fields: [
    { name: "key", type: "string", help: "name of the option, or of a variable" },
    { name: "value", type: "string", help: "its value; empty where it has none" },
    { name: "source", type: "string", help: "option, environment, profile, config or default" },
    { name: "where", type: "string", help: "the option, the variable, or the file and line" },
  ],
  examples: [
    ["ccrawl config show", "what is set, and the global options"],
    ["ccrawl config show crawl run", "every option of a command"],
    ["ccrawl --profile fast config show recrawl run -o json", "with a profile"],
  ],
};
