/**
 * The folder `<state>.control/`, through which one process commands the crawl of another: a file a
 * command, put there whole by a rename, taken in the order of its name.
 *
 * @module
 */

import { follow } from "../files/mod.ts";
import { FrontierError } from "./errors.ts";
import type { ControlCommand } from "./types.ts";

/** Most bytes of a command, and most commands taken in one look. */
const MAX_BYTES = 4096, MAX_FILES = 256;
const VERBS: readonly string[] = [
  "pause",
  "resume",
  "stop",
  "block",
  "unblock",
  "delay",
  "priority",
];

/** Where the commands of a state wait. */
export function spoolFolder(path: string): string {
  return `${follow(path)}.control`;
}

/** Checks a command from outside. @throws {FrontierError} saying what is wrong with it. */
export function checkCommand(value: unknown): ControlCommand {
  const fail = (reason: string): never => {
    throw new FrontierError(`Cannot carry out the command: ${reason}.`);
  };
  if (typeof value !== "object" || value === null) return fail("it is no object");
  const { verb, host, delayMs, priority } = value as Record<string, unknown>;
  if (typeof verb !== "string" || !VERBS.includes(verb)) {
    return fail(`its verb must be one of ${VERBS.join(", ")}`);
  }
  const needsHost = verb === "block" || verb === "unblock" || verb === "delay" ||
    verb === "priority";
  if (needsHost && (typeof host !== "string" || host === "" || host.length > 300)) {
    return fail(`"${verb}" needs a host`);
  }
  if (
    delayMs !== undefined && !(typeof delayMs === "number" && delayMs >= 0 && delayMs < Infinity)
  ) {
    return fail("the delay must be milliseconds from 0 up");
  }
  if (
    verb === "priority" && !(typeof priority === "number" && priority > 0 && priority < Infinity)
  ) {
    return fail(`"priority" needs a positive number`);
  }
  return {
    verb: verb as ControlCommand["verb"],
    ...(needsHost ? { host: (host as string).toLowerCase() } : {}),
    ...(verb === "delay" && delayMs !== undefined ? { delayMs: delayMs as number } : {}),
    ...(verb === "priority" ? { priority: priority as number } : {}),
  };
}

/** A command that waits, and the file that holds it. */
export interface SpooledCommand {
  readonly file: string;
  readonly command: ControlCommand;
}

/**
 * The commands that wait, oldest first, at most 256. A file that holds none is set aside under
 * `<name>.bad` and told to `warn`.
 */
export function readSpool(path: string, warn: (message: string) => void): SpooledCommand[] {
  const folder = spoolFolder(path);
  const names: string[] = [];
  try {
    for (const { name, isFile } of Deno.readDirSync(folder)) {
      if (isFile && name.endsWith(".json")) names.push(name);
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  const commands: SpooledCommand[] = [];
  for (const name of names.sort().slice(0, MAX_FILES)) {
    const file = `${folder}/${name}`;
    try {
      if (Deno.statSync(file).size > MAX_BYTES) throw new FrontierError("it is too long");
      commands.push({ file, command: checkCommand(JSON.parse(Deno.readTextFileSync(file))) });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) continue;
      // What the parser quotes may be any bytes.
      const reason = error instanceof SyntaxError ? "it is not JSON" : (error as Error).message;
      warn(`Cannot read the command "${file}" (${setAside(file)}): ${reason}`);
    }
  }
  return commands;
}

/** Puts a file out of the way, so that it is not looked at again; what became of it, in words. */
function setAside(file: string): string {
  try {
    Deno.renameSync(file, `${file}.bad`);
    return "set aside as .bad";
  } catch (error) {
    // What comes after it is to be taken all the same.
    return `it stays, as it cannot be renamed: ${(error as Error).message}`;
  }
}
