import assert from "node:assert/strict";
import { UsageError } from "../../lib/cli/errors.ts";
import {
  commandLineSource,
  environmentSource,
  type OptionSource,
  resolveOptions,
} from "../../lib/cli/options/resolve.ts";
import {
  computed,
  flag,
  list,
  type OptionTable,
  required,
  value,
} from "../../lib/cli/options/spec.ts";
import { choice, count, text } from "../../lib/cli/options/types.ts";

interface Options {
  workers: number;
  lookups: number;
  state: string | undefined;
  robots: boolean;
  insecure: boolean;
  include: readonly string[];
  fields: readonly string[];
  mode: "a" | "b";
}

const table: OptionTable<Options> = {
  workers: value(count({ min: 1 }), 64, ""),
  lookups: computed(count(), "workers/8", (v) => (v.workers as number) / 8, ""),
  state: value(text(), undefined, ""),
  robots: flag(true, ""),
  insecure: flag(false, ""),
  include: list(text(), ""),
  fields: list(text(), "", { commas: true }),
  mode: value(choice(["a", "b"]), "a", ""),
};

function resolve(given: Record<string, string[]>, env: Record<string, string> = {}) {
  return resolveOptions(table, [
    commandLineSource(new Map(Object.entries(given))),
    environmentSource((name) => env[name]),
  ]);
}

Deno.test("resolveOptions() falls back to built-in values and says so", () => {
  const { values, sources } = resolve({});
  assert.deepEqual(values, {
    workers: 64,
    lookups: 8,
    state: undefined,
    robots: true,
    insecure: false,
    include: [],
    fields: [],
    mode: "a",
  });
  assert.deepEqual(sources.workers, { source: "default", text: "64", where: "" });
  assert.deepEqual(sources.lookups, { source: "default", text: "8", where: "" });
});

Deno.test("resolveOptions() puts an option before the environment, and that before the default", () => {
  const both = resolve({ workers: ["8"] }, { CCRAWL_WORKERS: "16" });
  assert.equal(both.values.workers, 8);
  assert.deepEqual(both.sources.workers, { source: "option", text: "8", where: "--workers" });
  const env = resolve({}, { CCRAWL_WORKERS: "16" });
  assert.equal(env.values.workers, 16);
  assert.equal(env.values.lookups, 2);
  assert.deepEqual(env.sources.workers, {
    source: "environment",
    text: "16",
    where: "CCRAWL_WORKERS",
  });
});

Deno.test("resolveOptions() takes further sources between the environment and the default", () => {
  const profile: OptionSource = {
    name: "profile",
    lookup: (key) =>
      key === "workers"
        ? { texts: ["0"], label: (t) => `fast: workers = ${t}`, where: "fast" }
        : undefined,
  };
  assert.throws(
    () => resolveOptions(table, [environmentSource(() => undefined), profile]),
    (e: Error) => e.message === "fast: workers = 0: must be 1 or more",
  );
});

Deno.test("resolveOptions() takes the last of an option given twice", () => {
  assert.equal(resolve({ workers: ["8", "9"] }).values.workers, 9);
});

Deno.test("resolveOptions() treats an empty variable as one that is not set", () => {
  const { values } = resolve({}, { CCRAWL_WORKERS: "", CCRAWL_NO_ROBOTS: "", CCRAWL_STATE: "" });
  assert.equal(values.workers, 64);
  assert.equal(values.robots, true);
  assert.equal(values.state, undefined);
});

Deno.test("resolveOptions() reads CCRAWL_NO_ROBOTS and CCRAWL_ROBOTS as opposites", () => {
  assert.equal(resolve({}, { CCRAWL_NO_ROBOTS: "1" }).values.robots, false);
  assert.equal(resolve({}, { CCRAWL_NO_ROBOTS: "no" }).values.robots, true);
  assert.equal(resolve({}, { CCRAWL_ROBOTS: "off" }).values.robots, false);
  assert.equal(resolve({}, { CCRAWL_INSECURE: "yes" }).values.insecure, true);
  assert.throws(
    () => resolve({}, { CCRAWL_ROBOTS: "1", CCRAWL_NO_ROBOTS: "1" }),
    /CCRAWL_ROBOTS and CCRAWL_NO_ROBOTS are both set/,
  );
});

Deno.test("resolveOptions() names the source of a bad value", () => {
  const message = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      assert(error instanceof UsageError);
      assert.equal(error.exitCode, 2);
      return error.message;
    }
    throw new Error("nothing was thrown");
  };
  assert.equal(
    message(() => resolve({}, { CCRAWL_WORKERS: "abc" })),
    "CCRAWL_WORKERS=abc: not a whole number",
  );
  assert.equal(message(() => resolve({ workers: ["abc"] })), "--workers=abc: not a whole number");
  assert.match(
    message(() => resolve({}, { CCRAWL_NO_ROBOTS: "maybe" })),
    /^CCRAWL_NO_ROBOTS=maybe: not a yes or no/,
  );
});

Deno.test("resolveOptions() splits comma lists everywhere, other lists at line ends", () => {
  assert.deepEqual(resolve({ fields: ["a,b", " c "] }).values.fields, ["a", "b", "c"]);
  assert.deepEqual(resolve({ include: ["a{1,2}", "b"] }).values.include, ["a{1,2}", "b"]);
  assert.deepEqual(resolve({}, { CCRAWL_INCLUDE: "a{1,2}\nb\n" }).values.include, ["a{1,2}", "b"]);
});

Deno.test("resolveOptions() asks for a required option by name and variable", () => {
  const needs: OptionTable<{ seeds: string }> = { seeds: required(text("FILE"), "") };
  assert.throws(
    () => resolveOptions(needs, [environmentSource(() => undefined)]),
    (e: UsageError) =>
      e.message === "--seeds is needed" && e.hint === "give --seeds FILE, or set CCRAWL_SEEDS",
  );
  assert.equal(resolveOptions(needs, [environmentSource(() => "x")]).values.seeds, "x");
});
