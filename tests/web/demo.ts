/**
 * `deno task demo`: starts the local web, crawls it with the command line, and shows what came out.
 *
 * @module
 */

import { startWeb } from "./mod.ts";

const cli = new URL("../../cli.ts", import.meta.url).pathname;
const dir = await Deno.makeTempDir({ prefix: "ccrawl-demo-" });

/** Prints a command as a person would type it, runs it, and shows the first lines of its records. */
async function show(what: string, args: string[], lines = Infinity): Promise<void> {
  console.log(`\n# ${what}\n$ ccrawl ${args.join(" ")}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", cli, ...args],
    cwd: dir,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const records = (await new Response(child.stdout).text()).split("\n").slice(0, -1);
  for (const line of records.slice(0, lines)) console.log(line);
  if (records.length > lines) console.log(`… ${records.length - lines} more lines`);
  const { code } = await child.status;
  if (code !== 0) throw new Error(`ccrawl ended with code ${code}`);
}

try {
  await using web = await startWeb({ hosts: 20, pages: 1000, graph: "tree" });
  const odd = [
    web.url("docs.robots-private.test", "/private/report"),
    web.url("gone.nx.test"),
    web.url("old.moved.test", "/p/1"),
    web.url("packed.gzip.test", "/p/3"),
    web.url("secret.tls-expired.test", "/", "https"),
  ];
  await Deno.writeTextFile(`${dir}/seeds.txt`, [...web.seeds(), ...odd].join("\n") + "\n");
  console.log(
    `A web of 20 hosts and 1000 pages is being served on this machine, with a name server of its own.
The crawl meets it as it would the open web, but for --resolver and --allow-private.`,
  );
  const crawl = [
    ..."crawl run --seeds seeds.txt --out warc/ --state crawl.db --max-depth 9 --delay 20ms".split(
      " ",
    ),
    ...web.resolvers.flatMap((address) => ["--resolver", address]),
    ..."--allow-private --min-free 0 -o tsv --fields status,url,link_count,error".split(" "),
  ];
  await show(
    "crawl it, links and all, and stop after 300 records",
    [...crawl, "-n", "300", "-q"],
    8,
  );
  await show("where it stands", ["crawl", "status", "--state", "crawl.db", "-o", "table"]);
  await show("the same command carries on", crawl, 8);
  await show("check the archive: every digest, every link, every page that the state calls done", [
    ..."verify warc/ --state crawl.db".split(" "),
  ]);
  console.log("\n# what is in warc/");
  for (
    const { name } of [...Deno.readDirSync(`${dir}/warc`)].sort((a, b) => a.name < b.name ? -1 : 1)
  ) {
    console.log(`${String(Deno.statSync(`${dir}/warc/${name}`).size).padStart(10)}  warc/${name}`);
  }
  const [index] = [...Deno.readDirSync(`${dir}/warc`)].filter(({ name }) => name.endsWith(".cdxj"));
  const [line] = Deno.readTextFileSync(`${dir}/warc/${index!.name}`).split("\n");
  console.log(`\n# a line of the index\n${line}`);
} finally {
  await Deno.remove(dir, { recursive: true });
}
