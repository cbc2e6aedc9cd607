import assert from "node:assert/strict";
import { main } from "../../lib/cli/app.ts";
import { type CommandBody, register, type RegisteredCommand } from "../../lib/cli/command.ts";
import { completions } from "../../lib/cli/commands/completions.ts";
import { crawlControl } from "../../lib/cli/commands/crawl_control.ts";
import { crawlFetch } from "../../lib/cli/commands/crawl_fetch.ts";
import { crawlRun } from "../../lib/cli/commands/crawl_run.ts";
import { crawlStatus } from "../../lib/cli/commands/crawl_status.ts";
import { recrawlPublish } from "../../lib/cli/commands/recrawl_publish.ts";
import { recrawlRun } from "../../lib/cli/commands/recrawl_run.ts";
import { recrawlStatus } from "../../lib/cli/commands/recrawl_status.ts";
import { verify } from "../../lib/cli/commands/verify.ts";
import { version } from "../../lib/cli/commands/version.ts";
import type { GlobalOptions } from "../../lib/cli/options/global.ts";
import { testHost } from "./_host.ts";

/** The whole tree, with bodies that hand over what they were given. */
export function tree(
  body: CommandBody<GlobalOptions> = () => Promise.resolve(0),
): RegisteredCommand[] {
  const load = () => Promise.resolve({ run: body as CommandBody<unknown> });
  return [
    register("crawl fetch", crawlFetch, load),
    register("crawl run", crawlRun, load),
    register("crawl status", crawlStatus, load),
    register("crawl control", crawlControl, load),
    register("recrawl run", recrawlRun, load),
    register("recrawl publish", recrawlPublish, load),
    register("recrawl status", recrawlStatus, load),
    register("verify", verify, load),
    register("completions", completions, load),
    register("version", version, load),
  ];
}

/** Runs `args`, and gives the options that the body met. */
export async function options<O>(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<O & { commandLine: string }> {
  const host = testHost({ env });
  let met: unknown;
  const code = await main(
    args,
    host,
    tree((given, io) => {
      met = { ...given, commandLine: io.commandLine };
      return Promise.resolve(0);
    }),
  );
  assert.equal(code, 0, host.err());
  return met as O & { commandLine: string };
}

/** Runs `args`, which must be refused before the body is met, and gives what stderr says. */
export async function refused(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const host = testHost({ env });
  let ran = false;
  const code = await main(
    args,
    host,
    tree(() => {
      ran = true;
      return Promise.resolve(0);
    }),
  );
  assert.equal(code, 2);
  assert.equal(ran, false);
  assert.equal(host.out(), "");
  return host.err();
}
