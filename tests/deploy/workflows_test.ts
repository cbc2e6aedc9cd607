/** What the workflows and tasks name is there. That they are workflows is GitHub's to say. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import config from "../../deno.json" with { type: "json" };

const ROOT = new URL("../..", import.meta.url).pathname;
const FOLDER = ".github/workflows";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Record<string, string>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix: { readonly include?: readonly { binary: string }[] } };
  readonly permissions?: Record<string, string>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

async function workflows(): Promise<Map<string, { workflow: Workflow; text: string }>> {
  const { parse } = await import("yaml");
  const found = new Map<string, { workflow: Workflow; text: string }>();
  for (const name of readdirSync(ROOT + FOLDER)) {
    const text = readFileSync(`${ROOT}${FOLDER}/${name}`, "utf8");
    found.set(name, { workflow: parse(text, { strict: true, uniqueKeys: true }), text });
  }
  return found;
}

const steps = (workflow: Workflow) => Object.values(workflow.jobs).flatMap(({ steps }) => steps);

Deno.test("workflows: every task that is run is a task", async () => {
  const run = new Set<string>();
  for (const { text } of (await workflows()).values()) {
    for (const [, task] of text.matchAll(/\bdeno task ([\w:]+)/g)) run.add(task!);
  }
  for (const task of ["ok", "test:library", "test:system", "compile", "smoke"]) {
    assert.ok(run.has(task));
  }
  assert.deepEqual([...run].filter((task) => !(task in config.tasks)), []);
});

Deno.test("workflows: every file and folder that a task or an image names is there", async () => {
  const named = new Set<string>();
  for (const { command } of Object.values(config.tasks)) {
    for (const [, path] of command.matchAll(/(?<![\w./-])((?:tests|deploy|lib|docs)\/[\w./]*)/g)) {
      named.add(path!);
    }
  }
  for (const { workflow } of (await workflows()).values()) {
    for (const { with: options } of steps(workflow)) {
      if (options?.file !== undefined) named.add(options.file);
    }
  }
  assert.ok(named.has("Containerfile") && named.has("deploy/compile.ts"));
  assert.deepEqual([...named].filter((path) => !existsSync(ROOT + path)), []);
});

Deno.test("tests that look at what a whole process holds run alone", () => {
  const whole =
    /\bDeno\.(?:memoryUsage|chdir|umask)\(|\bDeno\.env\.(?:set|delete)\(|\/proc\/self\/fd\b/;
  const looking = readdirSync(`${ROOT}tests`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("_test.ts") && !/^(?:long|system)\b/.test(path))
    .filter((path) => whole.test(readFileSync(`${ROOT}tests/${path}`, "utf8")));
  assert.ok(looking.length > 0);
  assert.deepEqual(looking.filter((path) => !path.endsWith("_alone_test.ts")), []);
});

Deno.test("workflows: they use one Deno, which is the one of the README", async () => {
  const versions = new Set<string>();
  for (const { workflow } of (await workflows()).values()) {
    for (const { uses, with: options } of steps(workflow)) {
      if (uses?.startsWith("denoland/setup-deno@")) {
        versions.add(options!["deno-version"]!.slice(1));
      }
      assert.ok(uses === undefined || /^[\w-]+\/[\w-]+@v\d+$/.test(uses), String(uses));
    }
  }
  for (const path of ["README.md", ".ci/run"]) {
    const text = readFileSync(ROOT + path, "utf8");
    for (const [, version] of text.matchAll(/\bdeno@(\d[\d.]*\d)/g)) versions.add(version!);
  }
  assert.equal(versions.size, 1, `${[...versions]}`);
});

Deno.test("workflows: jobs end, need jobs that are there, and may do no more than they must", async () => {
  for (const [name, { workflow }] of await workflows()) {
    assert.deepEqual(workflow.permissions, { contents: "read" }, name);
    for (const [id, job] of Object.entries(workflow.jobs)) {
      assert.ok((job["timeout-minutes"] ?? 0) > 0, `${name}: ${id} may hang for ever`);
      for (const need of [job.needs ?? []].flat()) assert.ok(need in workflow.jobs, need);
    }
  }
});

Deno.test("release.yml tries every executable that it builds before it gives one away", async () => {
  const { workflow, text } = (await workflows()).get("release.yml")!;
  const source = readFileSync(`${ROOT}deploy/compile.ts`, "utf8");
  const list = /const TARGETS = \[(.*?)\];/s.exec(source)![1]!;
  const targets = [...list.matchAll(/"([^"]+)"/g)].map(([, target]) => target!);
  assert.equal(targets.length, 5);
  const tried = workflow.jobs.smoke!.strategy!.matrix.include!.map(({ binary }) => binary);
  for (const target of targets) {
    const windows = target.includes("windows");
    const runs = windows
      ? text.includes(`ccrawl-${target}.exe version`)
      : tried.includes(`ccrawl-${target}`);
    assert.ok(runs, target);
  }
  for (const job of ["attach", "image", "jsr"]) {
    assert.deepEqual(workflow.jobs[job]!.needs, ["smoke", "smoke-windows"]);
  }
});

Deno.test("Containerfile takes the binaries from where release.yml puts them", () => {
  const from = /^COPY \S+ (\S+)\/\$\{TARGETARCH\}\/ccrawl /m.exec(
    readFileSync(`${ROOT}Containerfile`, "utf8"),
  )![1]!;
  const release = readFileSync(`${ROOT}${FOLDER}/release.yml`, "utf8");
  for (const architecture of ["amd64", "arm64"]) {
    assert.ok(release.includes(` ${from}/${architecture}/ccrawl\n`), architecture);
  }
});
