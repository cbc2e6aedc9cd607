/**
 * The door to a frontier: starts the engine's Worker and speaks to it in batches.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { type FileLock, lockFile } from "../files/mod.ts";
import type { Answer, Reply, Request } from "./_messages.ts";
import { packCompletions, packPut, packReleases, unpackLeases } from "./_wire.ts";
import { FrontierError, unpackError } from "./errors.ts";
import type {
  Completion,
  ControlCommand,
  DiscoveredUrl,
  Frontier,
  FrontierOptions,
  FrontierStats,
  HostLease,
  HostPace,
  HostRelease,
  PutResult,
} from "./types.ts";
import { checkPriority } from "./_url.ts";

/** URLs in one request: a commit may come after each. */
const PUT_CHUNK = 2000;
/** Commands kept for a reader of `controls` that does not come. */
const MAX_CONTROLS = 1000;

/**
 * Opens the frontier of a state, made when there is none, and locks it until `close`. The engine runs
 * in a Worker of its own.
 *
 * @throws {StateLockedError} when another process (or another opening in this one) has it.
 * @throws {LockError} when the state's lock cannot be made, as in a folder that may not be written.
 * @throws {FrontierIdentityError} when a value of `identity` differs from the state's.
 * @throws {FrontierStateError} when the file is no crawl state, damaged, or of a newer version.
 */
export async function openFrontier(options: FrontierOptions = {}): Promise<Frontier> {
  const lock = options.path === undefined ? undefined : lockFile(options.path);
  const door = new Door(options, lock);
  try {
    await door.open(options);
    return door;
  } catch (error) {
    door.end();
    throw error;
  }
}

interface Waiting {
  resolve(value: Answer): void;
  reject(error: FrontierError): void;
}

class Door implements Frontier {
  readonly #name: string;
  readonly #lock: FileLock | undefined;
  readonly #worker: Worker;
  readonly #warn: (message: string) => void;
  readonly #waiting: Map<number, Waiting> = new Map();
  readonly #controls: ControlCommand[] = [];
  #nextId = 1;
  #outbox: Request[] = [];
  #transfer: Transferable[] = [];
  #wakeControls: (() => void) | undefined;
  #dead: FrontierError | undefined;
  #closing: Promise<void> | undefined;
  #clockBase = 0;

  constructor(options: FrontierOptions, lock: FileLock | undefined) {
    this.#name = options.path ?? ":memory:";
    this.#lock = lock;
    this.#warn = options.onWarning ?? ((message) => console.warn(message));
    this.#worker = new Worker(new URL("./_worker.ts", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply[]>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      const cause = event.error instanceof Error ? event.error : new Error(event.message);
      this.#die(
        new FrontierError(`Cannot use the frontier "${this.#name}": its thread died.`, { cause }),
      );
    };
  }

  async open({ onWarning: _, ...options }: FrontierOptions): Promise<void> {
    await this.#ask((id) => ({ verb: "open", id, options }));
    // Never behind the engine's clock: a moment the caller names must not come early there.
    const before = performance.now();
    this.#clockBase = await this.#ask((id) => ({ verb: "now", id })) as number - before;
  }

  now(): number {
    return Math.floor(this.#clockBase + performance.now());
  }

  async put(urls: readonly DiscoveredUrl[], options: { seed?: boolean } = {}): Promise<PutResult> {
    const sum = { added: 0, known: 0, refused: 0, staged: 0 };
    const batches = [];
    for (let from = 0; from < urls.length; from += PUT_CHUNK) {
      batches.push(packPut(urls.slice(from, from + PUT_CHUNK), options.seed ?? false));
    }
    const results = await Promise.all(
      batches.map((batch) =>
        this.#ask((id) => ({ verb: "put", id, batch }), [
          batch.urls.buffer,
          batch.priorities.buffer,
          batch.depths.buffer,
        ]) as Promise<PutResult>
      ),
    );
    for (const { added, known, refused, staged } of results) {
      sum.added += added;
      sum.known += known;
      sum.refused += refused;
      sum.staged += staged;
    }
    return sum;
  }

  async claim(hosts: number, perHost: number, horizonMs = 0): Promise<HostLease[]> {
    const bytes = await this.#ask((id) => ({ verb: "claim", id, hosts, perHost, horizonMs }));
    return unpackLeases(bytes as Uint8Array<ArrayBuffer>);
  }

  releaseHosts(releases: readonly HostRelease[]): void {
    const batch = packReleases(releases);
    this.#post({ verb: "release", batch }, [batch.buffer]);
  }

  async complete(batch: readonly Completion[]): Promise<void> {
    const bytes = packCompletions(batch);
    await this.#ask((id) => ({ verb: "complete", id, batch: bytes }), [bytes.buffer]);
  }

  async blockHost(host: string, until: number): Promise<void> {
    await this.#ask((id) => ({ verb: "block", id, host, until }));
  }

  async setDelay(host: string, delayMs: number | undefined): Promise<void> {
    await this.#ask((id) => ({ verb: "delay", id, host, delayMs }));
  }

  async setPriority(host: string, priority: number): Promise<void> {
    checkPriority(priority);
    await this.#ask((id) => ({ verb: "priority", id, host, priority }));
  }

  async setPaces(paces: readonly HostPace[]): Promise<void> {
    await this.#ask((id) => ({ verb: "paces", id, paces }));
  }

  async getCached(key: string): Promise<{ value: Uint8Array; expires: number } | undefined> {
    return await this.#ask((id) => ({ verb: "getCached", id, key })) as
      | { value: Uint8Array; expires: number }
      | undefined;
  }

  putCached(key: string, value: Uint8Array, expires: number): void {
    this.#post({ verb: "putCached", key, value, expires }, []);
  }

  async stats(): Promise<FrontierStats> {
    return await this.#ask((id) => ({ verb: "stats", id })) as FrontierStats;
  }

  async *controls(): AsyncGenerator<ControlCommand> {
    for (;;) {
      const command = this.#controls.shift();
      if (command !== undefined) yield command;
      else if (this.#dead !== undefined) return;
      else await new Promise<void>((resolve) => this.#wakeControls = resolve);
    }
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    try {
      if (this.#dead === undefined) await this.#ask((id) => ({ verb: "close", id }));
    } finally {
      this.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Ends the Worker and gives the lock back. */
  end(): void {
    this.#die(new FrontierError(`Cannot use the frontier "${this.#name}": it is closed.`));
    this.#worker.terminate();
    this.#lock?.release();
  }

  #die(error: FrontierError): void {
    this.#dead ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#dead);
    this.#waiting.clear();
    this.#wakeControls?.();
  }

  #ask(request: (id: number) => Request, transfer: Transferable[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      try {
        this.#post(request(id), transfer);
      } catch (error) {
        this.#waiting.delete(id);
        reject(error);
      }
    });
  }

  #post(request: Request, transfer: Transferable[]): void {
    if (this.#dead !== undefined) throw this.#dead;
    // One message for all that is said in one turn of the event loop.
    if (this.#outbox.length === 0) setImmediate(() => this.#flush());
    this.#outbox.push(request);
    this.#transfer.push(...transfer);
  }

  #flush(): void {
    const outbox = this.#outbox, transfer = this.#transfer;
    this.#outbox = [];
    this.#transfer = [];
    if (this.#dead === undefined) this.#worker.postMessage(outbox, transfer);
  }

  #receive(replies: readonly Reply[]): void {
    for (const reply of replies) {
      if ("control" in reply) {
        this.#controls.push(reply.control);
        if (this.#controls.length > MAX_CONTROLS) this.#controls.shift();
        this.#wakeControls?.();
      } else if ("warning" in reply) {
        this.#warn(reply.warning);
      } else {
        const waiting = this.#waiting.get(reply.id);
        this.#waiting.delete(reply.id);
        if ("error" in reply) waiting?.reject(unpackError(reply.error, this.#name));
        else waiting?.resolve(reply.value);
      }
    }
  }
}
