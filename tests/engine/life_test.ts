import assert from "node:assert/strict";
import { RunError } from "../../lib/engine/errors.ts";
import { RunLife, type RunLoop, type Undo } from "../../lib/engine/_life.ts";

/** A run over the numbers to `count` that fails with `error`, if given, when it ends. */
class Numbers implements RunLoop<number> {
  over = false;
  failed = false;
  #error: Error | undefined;

  constructor(readonly count: number, error?: Error) {
    this.#error = error;
  }

  async *records() {
    for (let i = 0; i < this.count; i++) yield await Promise.resolve(i);
    await this.end();
  }

  end(): Promise<void> {
    this.over = true;
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) return Promise.resolve();
    this.failed = true;
    return Promise.reject(error);
  }
}

interface Told {
  readonly life: RunLife<number, { loop?: RunLoop<number> }>;
  readonly log: string[];
}

function lifeOf(
  open: (stop: AbortSignal, undo: Undo[]) => Promise<{ loop?: RunLoop<number> }>,
  signal?: AbortSignal,
): Told {
  const log: string[] = [];
  const life = new RunLife<number, { loop?: RunLoop<number> }>({
    signal,
    onStopping: (reason) => log.push(reason),
    open,
    onEnd: () => log.push("end"),
  });
  return { life, log };
}

const full = () =>
  new Error("Cannot x", { cause: Object.assign(new Error("y"), { code: "ENOSPC" }) });

async function read({ life }: Told, most = Infinity): Promise<number[]> {
  const out: number[] = [];
  for await (const n of life.records()) if (out.push(n) >= most) break;
  return out;
}

Deno.test("RunLife does not say that a run is stopped which has ended by itself", async () => {
  const whole = lifeOf(() => Promise.resolve({ loop: new Numbers(3) }));
  assert.deepEqual(await read(whole), [0, 1, 2]);
  await whole.life.dispose();
  whole.life.stop("too late");
  assert.deepEqual(whole.log, ["end"]);
  const left = lifeOf(() => Promise.resolve({ loop: new Numbers(3) }));
  assert.deepEqual(await read(left, 2), [0, 1]);
  assert.deepEqual(left.log, ["left by its reader", "end"]);
  const idle = lifeOf(() => Promise.resolve({}));
  assert.deepEqual(await read(idle), []);
  assert.deepEqual(idle.log, ["end"]);
});

Deno.test("RunLife tells once what went wrong, also when the records were left before", async () => {
  const told = lifeOf(() => Promise.resolve({ loop: new Numbers(3, full()) }));
  await assert.rejects(read(told), /Cannot x/);
  await told.life.dispose();
  const left = lifeOf(() => Promise.resolve({ loop: new Numbers(3, full()) }));
  await assert.rejects(read(left, 1), /Cannot x/);
  await left.life.dispose();
});

Deno.test("RunLife takes back every step of its opening, the last first, whatever happens to one", async () => {
  for (const how of ["ended", "failed", "unopened"] as const) {
    const taken: number[] = [];
    const told = lifeOf((_, undo) => {
      for (const n of [1, 2, 3]) {
        undo.push(() => {
          taken.push(n);
          return n === 2 ? Promise.reject(new Error("closing")) : undefined;
        });
      }
      if (how === "unopened") return Promise.reject(full());
      return Promise.resolve({ loop: new Numbers(1, how === "failed" ? full() : undefined) });
    });
    await assert.rejects(read(told), (error: Error) => {
      if (how !== "unopened") return error.message === (how === "ended" ? "closing" : "Cannot x");
      assert.ok(error instanceof RunError && error.exitCode === 75);
      assert.equal(error.message, "Cannot x; free some space and run again");
      return true;
    });
    assert.deepEqual(taken, [3, 2, 1], how);
  }
});

Deno.test("RunLife that is left while it opens is told to stop", async () => {
  const told = lifeOf((stop) =>
    new Promise((_, reject) => stop.addEventListener("abort", () => reject(stop.reason)))
  );
  const reading = read(told);
  await told.life.dispose();
  assert.deepEqual(await reading, []);
  assert.deepEqual(told.log, ["left by its reader", "end"]);
});

Deno.test("RunLife opens nothing once it was disposed of", async () => {
  const told = lifeOf(() => Promise.resolve({ loop: new Numbers(3) }));
  await told.life.dispose();
  assert.deepEqual(await read(told), []);
  assert.deepEqual(told.log, []);
});

Deno.test("RunLife listens to its signal until it has ended", async () => {
  const aborted = lifeOf(() => Promise.resolve({}), AbortSignal.abort());
  assert.deepEqual(aborted.log, ["told to stop"]);
  const controller = new AbortController();
  const told = lifeOf(() => Promise.resolve({ loop: new Numbers(1) }), controller.signal);
  await read(told);
  controller.abort();
  assert.deepEqual(told.log, ["end"]);
});
