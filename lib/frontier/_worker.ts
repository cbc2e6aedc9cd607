/**
 * The thread in which the engine runs: carries out verbs, commits what they change in groups, does
 * the background work in between, looks for commands.
 *
 * @module
 */

import type { Answer, Reply, Request } from "./_messages.ts";
import { readSpool, type SpooledCommand } from "./_spool.ts";
import { packLeases, unpackCompletions, unpackReleases } from "./_wire.ts";
import { FrontierEngine } from "./engine.ts";
import { FrontierError, packError } from "./errors.ts";

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Request[]>) => void) | null;
  postMessage(message: Reply[], transfer: Transferable[]): void;
  close(): void;
};

/** A commit waits for company this long, more when commits are slow; and how often the spool is read. */
const MIN_WAIT = 20, MAX_WAIT = 200, SPOOL_MS = 100;
/** Milliseconds of background work between commits. */
const WORK_MS = 25;

let engine: FrontierEngine | undefined;
let path: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let spoolTimer: ReturnType<typeof setInterval> | undefined;
let commitMs = 0;
/** Answers that wait for the next commit. */
let durable: { id: number; value: Answer }[] = [];
/** Commands carried out that wait for it. */
let commands: SpooledCommand[] = [];
/** Files of commands that were carried out and are still there. */
const taken = new Set<string>();
/** What was said to be wrong with commands, so many at the most. */
const told = new Set<string>(), MAX_TOLD = 100;

scope.onmessage = ({ data }) => {
  const replies: Reply[] = [];
  for (const request of data) {
    try {
      handle(request, replies);
    } catch (error) {
      if ("id" in request) replies.push({ id: request.id, error: packError(error) });
      else replies.push({ warning: (error as Error).message });
    }
    // A commit stays short however much one message brings.
    if (engine?.full) commit();
  }
  if (engine?.hungry) more = true;
  arm();
  send(replies);
};

function handle(request: Request, replies: Reply[]): void {
  if (request.verb === "open") {
    path = request.options.path;
    engine = new FrontierEngine(request.options);
    spoolTimer = setInterval(look, SPOOL_MS);
    look();
    replies.push({ id: request.id, value: undefined });
    return;
  }
  if (engine === undefined) throw new FrontierError("Cannot use the frontier: it is not open.");
  switch (request.verb) {
    case "put": {
      const { urls, priorities, depths, seed } = request.batch;
      durable.push({ id: request.id, value: engine.putBytes(urls, priorities, depths, seed) });
      return;
    }
    case "claim": {
      const leases = packLeases(engine.claim(request.hosts, request.perHost, request.horizonMs));
      replies.push({ id: request.id, value: leases });
      return;
    }
    case "complete":
      engine.complete(unpackCompletions(request.batch));
      durable.push({ id: request.id, value: undefined });
      return;
    case "release":
      return engine.releaseHosts(unpackReleases(request.batch));
    case "block":
      engine.blockHost(request.host, request.until);
      durable.push({ id: request.id, value: undefined });
      return;
    case "delay":
      engine.setDelay(request.host, request.delayMs);
      durable.push({ id: request.id, value: undefined });
      return;
    case "priority":
      engine.setPriority(request.host, request.priority);
      durable.push({ id: request.id, value: undefined });
      return;
    case "paces":
      engine.setPaces(request.paces);
      durable.push({ id: request.id, value: undefined });
      return;
    case "putCached":
      return engine.putCached(request.key, request.value, request.expires);
    case "getCached":
      replies.push({ id: request.id, value: engine.getCached(request.key) });
      return;
    case "stats":
      replies.push({ id: request.id, value: engine.stats() });
      return;
    case "now":
      replies.push({ id: request.id, value: engine.now() });
      return;
    case "close":
      clearInterval(spoolTimer);
      commit();
      engine.close();
      engine = undefined;
      clearTimeout(timer);
      timer = undefined;
      replies.push({ id: request.id, value: undefined });
  }
}

/** Commits, then answers what waited for it. */
function commit(): void {
  const answers = durable, done = commands;
  durable = [];
  commands = [];
  if (engine === undefined) return;
  const start = performance.now();
  const replies: Reply[] = [];
  try {
    engine.commit();
    commitMs = performance.now() - start;
    replies.push(...answers);
    for (const { file, command } of done) {
      forget(file);
      replies.push({ control: command });
    }
  } catch (error) {
    const wire = packError(error);
    for (const { id } of answers) replies.push({ id, error: wire });
    replies.push({ warning: wire.message });
    rest();
  }
  send(replies);
}

function tick(): void {
  timer = undefined;
  commit();
  tidy(WORK_MS);
  arm();
}

let more = false;
let resting = false;

function tidy(budgetMs: number): void {
  try {
    more = engine!.work(budgetMs);
  } catch (error) {
    send([{ warning: (error as Error).message }]);
    rest();
  }
}

/** After an error inside the engine there is nothing more to do of itself: the verbs tell the caller. */
function rest(): void {
  resting = true;
  more = false;
  clearInterval(spoolTimer);
}

function arm(): void {
  if (timer !== undefined || engine === undefined || resting) return;
  if (more) timer = setTimeout(tick, 0);
  else if (durable.length > 0 || engine.pending) {
    timer = setTimeout(tick, Math.min(MAX_WAIT, Math.max(MIN_WAIT, commitMs * 10)));
  }
}

function look(): void {
  if (engine === undefined || resting) return;
  if (path !== undefined) takeCommands(path, engine);
  // Staged URLs grow old without a verb.
  if (!more) tidy(5);
  arm();
}

/** A folder that cannot be read is looked at ten times a second: what is wrong is told once. */
function warn(warning: string): void {
  if (told.has(warning)) return;
  if (told.size >= MAX_TOLD) told.clear();
  told.add(warning);
  send([{ warning }]);
}

function takeCommands(path: string, engine: FrontierEngine): void {
  try {
    for (const spooled of readSpool(path, warn)) {
      if (taken.has(spooled.file)) continue;
      taken.add(spooled.file);
      engine.control(spooled.command);
      commands.push(spooled);
    }
    // `stop` changes nothing in the state, so that no commit would come of itself.
    if (commands.length > 0) commit();
  } catch (error) {
    warn(`Cannot take commands of "crawl control": ${(error as Error).message}`);
  }
}

/** Forgets a command that has taken effect; one whose file cannot be removed is not taken again. */
function forget(file: string): void {
  try {
    Deno.removeSync(file);
    taken.delete(file);
  } catch (error) {
    send([{ warning: `Cannot remove the command "${file}": ${(error as Error).message}` }]);
  }
}

function send(replies: Reply[]): void {
  if (replies.length === 0) return;
  const transfer: Transferable[] = [];
  for (const reply of replies) {
    if ("value" in reply && reply.value instanceof Uint8Array) transfer.push(reply.value.buffer);
  }
  scope.postMessage(replies, transfer);
}
