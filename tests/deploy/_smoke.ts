/** What an executable must be able to do: crawl, recrawl and check, with all its threads and processes. */

import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";

/** How a command ended, and what it said. */
export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<Output> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args: [...args], ...options })
    .output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** The records of a command. */
export const jsonl = <T>(text: string): T[] =>
  text.trim().split("\n").map((line) => JSON.parse(line));

type Row = Record<"url" | "status" | "extractor" | "markdown_length" | "language", string | number>;

/**
 * Crawls and recrawls a local web in `dir` with the executable, and has it check what came of it.
 *
 * @param ccrawl Runs the executable in `dir`.
 */
export async function smoke(
  ccrawl: (...args: string[]) => Promise<Output>,
  dir: string,
): Promise<void> {
  await using web = await startWeb({ hosts: 5, pages: 100, pageBytes: 2000, graph: "tree" });
  const expected = [...web.expectedUrls()].sort();
  const toward = [
    ..."--delay 1ms --allow-private --min-free 0 --output jsonl --progress none".split(" "),
    ...web.resolvers.flatMap((server) => ["--resolver", server]),
    ...["--ca-cert", web.caFile],
  ];

  await Deno.writeTextFile(`${dir}/seeds.txt`, web.seeds().join("\n"));
  const crawled = await ccrawl(
    ..."crawl run --seeds seeds.txt --state crawl.db --out warc --max-depth 50".split(" "),
    ...toward,
  );
  assert.equal(crawled.code, 0, crawled.stderr);
  assert.deepEqual(jsonl<{ url: string }>(crawled.stdout).map(({ url }) => url).sort(), expected);
  const verified = await ccrawl("verify", "warc", "--state", "crawl.db");
  assert.deepEqual([verified.code, verified.stdout], [0, ""], verified.stderr);

  await Deno.writeTextFile(`${dir}/list.txt`, expected.join("\n"));
  // The first renders in threads, the second in processes that are this executable again.
  for (const extractor of ["main", "readability"]) {
    const recrawled = await ccrawl(
      ..."recrawl run --from list.txt --format both --writers 2 --extractors 2".split(" "),
      ...["--out", extractor, "--state", `${extractor}.json`, "--extractor", extractor],
      ...toward,
    );
    assert.equal(recrawled.code, 0, recrawled.stderr);
    const rows = jsonl<Row>(recrawled.stdout);
    assert.deepEqual(rows.map(({ url }) => url).sort(), expected);
    for (const { url, status, extractor: name, markdown_length: length } of rows) {
      assert.equal(status, 200, `${url}`);
      assert.match(`${name}`, extractor === "main" ? /^main@/ : /^readability@/);
      assert.ok(Number(length) > 0, `nothing was rendered of ${url}`);
    }
    const clean = await ccrawl("verify", extractor, "--state", `${extractor}.json`);
    assert.deepEqual([clean.code, clean.stdout], [0, ""], clean.stderr);
  }
}
