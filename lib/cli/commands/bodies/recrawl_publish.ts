/**
 * The work of `recrawl publish`.
 *
 * @module
 */

import { publish, type PublishEvent } from "../../../publish/mod.ts";
import { publishKind } from "../../../report/mod.ts";
import type { CommandIo } from "../../command.ts";
import { ExitCode } from "../../errors.ts";
import type { RecrawlPublishOptions } from "../recrawl_publish.ts";
import { printable, tellWait } from "./_events.ts";
import { writeRecords } from "./_records.ts";

/** Publishes, a record a part. */
export async function run(options: RecrawlPublishOptions, io: CommandIo): Promise<number> {
  const { report, host } = io;
  const publishing = publish({
    dir: options.dir,
    state: options.state,
    kind: options.kind,
    repo: options.repo,
    server: options.server,
    ...(options.shard === undefined ? {} : { shard: options.shard }),
    ...(options.shards === undefined ? {} : { shards: options.shards }),
    commitEvery: options.commitEvery,
    watchMs: options.watch,
    keep: options.keep,
    private: options.private,
    push: options.push,
    limit: options.limit,
    hub: host.env("HF_ENDPOINT") ?? "",
    token: host.env("HF_TOKEN") ?? "",
    idle: options.timeout,
    signal: io.signal,
    onEvent: (event) => tell(event, io),
  });
  await report.start(
    {
      kind: options.kind,
      repo: options.repo,
      server: options.server,
      dir: options.dir,
      state: options.state,
      watch_ms: options.watch,
      keep: options.keep,
      push: options.push,
    },
    () => publishing.figures,
    publishKind,
  );
  await writeRecords(publishing, io, (outcome) => report.end(outcome));
  return ExitCode.done;
}

function tell(event: PublishEvent, io: CommandIo): void {
  const { report } = io;
  switch (event.type) {
    case "created":
      report.message(`made the repo ${event.repo}`);
      break;
    case "warning":
      report.warn(printable(event.text));
      break;
    case "waiting":
      tellWait(event.ms, event.reason, io);
      break;
    case "no-state":
      report.message(`waiting for ${event.state}: the run has sealed nothing yet`);
      break;
    case "committed":
      report.message(
        event.parts === 0
          ? `committed ${event.commit.slice(0, 12)}: the list has been worked off`
          : `committed ${event.commit.slice(0, 12)}, parts: ${event.parts}`,
      );
      break;
    case "preview":
      report.message(`the card and the ledger as they would be are in ${event.dir}/`);
      break;
  }
}
