/**
 * The state's clock: milliseconds that only go forward and never count more than has passed, so that
 * a wall clock that jumps, within a run or between two, never shortens a wait.
 *
 * Within an opening it follows the monotonic clock. Between two openings it goes by the machine's
 * uptime when both ran in one boot, else by the wall clock when that went forward, else not at all.
 * Callers see Unix ms: the state's clock plus an offset that is fixed at each opening.
 *
 * @module
 */

/** Where the frontier takes time from. */
export interface ClockSource {
  /** Unix ms. */
  wall(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number;
  /** Which boot of the machine this is and its uptime in seconds; undefined when unknown. */
  boot(): { id: string; uptime: number } | undefined;
}

/** The machine's own clocks. */
export const systemClock: ClockSource = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  boot: () => {
    try {
      return {
        id: Deno.readTextFileSync("/proc/sys/kernel/random/boot_id").trim(),
        uptime: Number(Deno.readTextFileSync("/proc/uptime").split(" ")[0]),
      };
    } catch {
      // No such file on this system, or no permission to read it: the wall clock has to do.
      return undefined;
    }
  },
};

/** A reading of the clocks, as the state keeps it. */
export interface ClockMark {
  readonly at: number;
  readonly wall: number;
  readonly boot?: { id: string; uptime: number };
}

/** The running clock of one opening. */
export class StateClock {
  /** What turns a moment of the state into Unix ms. */
  readonly offset: number;
  readonly #source: ClockSource;
  readonly #start: number;
  readonly #monotonicStart: number;
  readonly #boot: { id: string; uptime: number } | undefined;

  constructor(source: ClockSource, last: ClockMark | undefined) {
    this.#source = source;
    this.#monotonicStart = source.monotonic();
    this.#boot = source.boot();
    const wall = Math.floor(source.wall());
    this.#start = last === undefined ? wall : last.at + elapsed(last, wall, this.#boot);
    this.offset = wall - this.#start;
  }

  /** Milliseconds of the state, whole. */
  now(): number {
    return this.#start + Math.floor(this.#source.monotonic() - this.#monotonicStart);
  }

  toWall(at: number): number {
    return at + this.offset;
  }

  /** The state's moment for Unix ms, rounded up and never negative. */
  fromWall(wall: number): number {
    return Math.max(0, Math.ceil(wall - this.offset));
  }

  mark(): ClockMark {
    const passed = this.#source.monotonic() - this.#monotonicStart;
    return {
      at: this.now(),
      wall: Math.floor(this.#source.wall()),
      ...(this.#boot === undefined
        ? {}
        : { boot: { id: this.#boot.id, uptime: this.#boot.uptime + passed / 1000 } }),
    };
  }
}

function elapsed(
  last: ClockMark,
  wall: number,
  boot: { id: string; uptime: number } | undefined,
): number {
  const byWall = Math.max(0, wall - last.wall);
  if (boot === undefined || last.boot === undefined || boot.id !== last.boot.id) return byWall;
  // One boot: the uptime knows what passed, to a few hundredths of a second.
  const byUptime = Math.max(0, Math.floor((boot.uptime - last.boot.uptime) * 1000));
  return Math.abs(byWall - byUptime) <= 100 ? byWall : Math.max(0, byUptime - 100);
}
