/**
 * Runs benchmarks: `deno task bench` lists them, `deno task bench crawl http1` runs two,
 * `deno task bench all` every one. What follows `--` goes to the benchmark.
 *
 * @module
 */

const here = new URL(".", import.meta.url);
const names: string[] = [];
for await (const { name } of Deno.readDir(here)) {
  if (name.endsWith("_bench.ts")) names.push(name.slice(0, -"_bench.ts".length));
}
names.sort();

const dashes = Deno.args.indexOf("--");
const wanted = dashes < 0 ? Deno.args : Deno.args.slice(0, dashes);
const rest = dashes < 0 ? [] : Deno.args.slice(dashes + 1);
const unknown = wanted.filter((name) => name !== "all" && !names.includes(name));
if (wanted.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no benchmark called ${unknown.join(", ")}.`);
  console.error(`deno task bench NAME… [-- ARGUMENTS], or all. Benchmarks: ${names.join(", ")}`);
  Deno.exit(unknown.length > 0 ? 2 : 0);
}
for (const name of wanted.includes("all") ? names : wanted) {
  console.log(`\n## ${name}`);
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", new URL(`${name}_bench.ts`, here).href, ...rest],
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  if (code !== 0) Deno.exit(code);
}
