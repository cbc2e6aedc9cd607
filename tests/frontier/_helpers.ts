import { type EngineOptions, FrontierEngine } from "../../lib/frontier/engine.ts";
import type { ClockSource } from "../../lib/frontier/_clock.ts";
import type { Completion, DiscoveredUrl } from "../../lib/frontier/types.ts";

/** A clock that a test moves. */
export class TestClock implements ClockSource {
  wallMs = 1_800_000_000_000;
  monotonicMs = 5000;
  bootId: string | undefined = "boot-a";
  uptime = 100;
  wall = () => this.wallMs;
  monotonic = () => this.monotonicMs;
  boot = () => this.bootId === undefined ? undefined : { id: this.bootId, uptime: this.uptime };
  /** Time passes, for all clocks alike. */
  pass(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
    this.uptime += ms / 1000;
  }
}

/** A folder that is gone when the test ends. */
export function tempFolder(): Disposable & { path: string } {
  const path = Deno.makeTempDirSync({ prefix: "frontier-" });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

/** What a kill leaves of a state: its file and its log, copied while the engine has them open. */
export function killCopy(from: string, to: string): void {
  for (const end of ["", "-wal"]) {
    try {
      Deno.copyFileSync(from + end, to + end);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

export function seed(url: string, priority = 1, depth = 0): DiscoveredUrl {
  return { url, priority, depth };
}

export function ended(id: number, more: Partial<Completion> = {}): Completion {
  return {
    id,
    outcome: "done",
    status: 200,
    error: "",
    reason: "",
    warcFile: "",
    warcOffset: 0,
    ...more,
  };
}

export function links(...urls: string[]): Uint8Array {
  return new TextEncoder().encode(urls.join("\n"));
}

/** Opens an engine, commits and closes it when the test ends. */
export function open(options: EngineOptions = {}): FrontierEngine & Disposable {
  const engine = new FrontierEngine(options);
  return Object.assign(engine, { [Symbol.dispose]: () => engine.close() });
}

/** Claims one host at a time and completes it until nothing is left; the URLs in their order. */
export function drain(engine: FrontierEngine, clock?: TestClock): string[] {
  const urls: string[] = [];
  for (let idle = 0;;) {
    engine.commit();
    while (engine.work(1000));
    const [host] = engine.claim(1, 8);
    if (host === undefined) {
      const { queued, staged, nextDue } = engine.stats();
      if (queued === 0 && staged === 0) return urls;
      if (idle++ > 1000) throw new Error(`${queued} queued and ${staged} staged never come out`);
      if (clock !== undefined && nextDue !== undefined) clock.pass(nextDue - engine.now());
      continue;
    }
    idle = 0;
    for (const { url } of host.urls) urls.push(url);
    engine.complete(host.urls.map(({ id }) => ended(id)));
    engine.releaseHosts([{ host: host.host, notBefore: 0, unused: [] }]);
  }
}
