import assert from "node:assert/strict";
import { fetchPage } from "../../lib/engine/fetch_page.ts";
import { collect, withFolder } from "./_crawl.ts";
import { answersOf, latin1, type Stored } from "./_warc.ts";
import { type LocalWeb, ODD_ANSWERS, type OddExpectation, startWeb } from "../web/mod.ts";

/** An answer, what it should come to, and where the web gives it. */
interface Case {
  readonly name: string;
  readonly answer: string;
  readonly path: string;
  readonly expect: OddExpectation & { readonly body64?: string };
}

const OWN: readonly Case[] = ODD_ANSWERS.map(({ name, answer, expect }, i) => ({
  name,
  answer,
  path: `/odd/own/${i}`,
  expect,
}));

/** The answers of the corpus, each closed behind and each with the connection left open. */
function corpus(): Case[] | undefined {
  const folder = Deno.env.get("CCRAWL_CORPUS");
  if (folder === undefined || folder === "") {
    console.log("the answers of the corpus are left out: CCRAWL_CORPUS names no folder");
    return undefined;
  }
  const list = JSON.parse(Deno.readTextFileSync(`${folder}/http-answers.json`)) as {
    name: string;
    answer: string;
    expect: Omit<Case["expect"], "error"> & { error?: string };
  }[];
  return list.flatMap(({ name, answer, expect }, i) => {
    const { error, ...rest } = expect;
    const one: Case = {
      name,
      answer: atob(answer),
      path: `/odd/corpus/${i}`,
      expect: { ...rest, ...(error === undefined ? {} : { error: true }) },
    };
    // One whose end only the connection's end shows would wait for the deadline.
    const { body, body64, truncated } = expect;
    const delimited = /content-length|chunked/i.test(one.answer) && truncated === undefined &&
      (body !== undefined || body64 !== undefined) && !/is not$/.test(name);
    return delimited ? [one, { ...one, path: `${one.path}?keep` }] : [one];
  });
}

/** The final answer: what stands behind the interim ones. */
function withoutInterim(answer: string): string {
  let rest = answer;
  while (/^HTTP\/1\.1 (100|102|103) /.test(rest)) {
    rest = rest.slice(rest.indexOf("\r\n\r\n") + 4);
  }
  return rest.replace(/^(\r\n)+/, "");
}

/** Status line and fields through the blank line, by the first blank line there is. */
function headOf(answer: string): string {
  if (!/^(\r\n)*(HTTP|ICY)/i.test(answer)) return "";
  return /^[\s\S]*?[^\n]\r?\n\r?\n/.exec(answer)?.[0] ?? answer;
}

/** Header lines are those served, save renamed ones and the one true length added. */
function assertHead(stored: string, served: string, name: string): void {
  const lines = stored.split("\n").map((line) => line.replace(/^X-Crawler-/, ""));
  const renamed = /^X-Crawler-/m.test(stored);
  if (renamed && !/^HTTP\/\S+ 304/.test(stored)) {
    const added = lines.splice(-3, 1)[0]!;
    assert.match(added, /^Content-Length: \d+\r$/, name);
  }
  assert.equal(lines.join("\n"), served, name);
}

function assertStored(one: Case, stored: Stored, mode: "clean" | "raw"): void {
  const { name, expect } = one;
  const served = withoutInterim(one.answer);
  const block = latin1(stored.content);
  const whole = expect.body !== undefined && expect.reuse === true;
  if (whole || expect.truncated !== undefined) {
    assert.equal(stored.headers.get("WARC-Truncated"), expect.truncated, name);
  }
  if (mode === "raw") {
    if (whole) assert.equal(block, served, name);
    assert.ok(
      served.startsWith(block),
      `${name}: ${JSON.stringify(block)} stored, ${JSON.stringify(served)} served`,
    );
    return;
  }
  const head = headOf(served);
  const storedHead = latin1(stored.http.head);
  assertHead(storedHead, head, name);
  const body = block.slice(storedHead.length);
  if (expect.body !== undefined) assert.equal(body, expect.body, name);
  if (expect.body64 !== undefined) assert.equal(body, atob(expect.body64), name);
  const length = stored.http.get("content-length");
  if (head !== "" && length !== undefined && expect.status !== 304) {
    const lengths = [...storedHead.matchAll(/^content-length: *(.*)\r$/gim)].map((m) => m[1]);
    for (const one of lengths.flatMap((l) => l!.split(","))) {
      assert.equal(Number(one), body.length, `${name}: a length that is not the body's`);
    }
  }
  if (expect.header !== undefined) {
    assert.ok(
      stored.http.headers.some(([n, v]) => n === expect.header![0] && v === expect.header![1]),
      `${name}: ${JSON.stringify(stored.http.headers)}`,
    );
  }
}

async function judge(
  web: LocalWeb,
  dir: string,
  cases: readonly Case[],
  hostOf: (i: number) => string,
  mode: "clean" | "raw",
): Promise<void> {
  const urls = cases.map((one, i) => web.url(hostOf(i), one.path));
  const { records } = await collect(web, {
    seeds: urls,
    warc: { dir, http: mode, dedup: false },
    delayMs: 0,
    retries: 0,
    timeoutMs: 3000,
  });
  const byUrl = new Map(records.map((r) => [r.url, r]));
  const answers = await answersOf(dir);
  const faults: string[] = [];
  for (const [i, one] of cases.entries()) {
    try {
      check(one, urls[i]!);
    } catch (e) {
      faults.push(`${one.name}: ${(e as Error).message}`);
    }
  }
  assert.equal(faults.join("\n\n"), "");

  function check(one: Case, url: string): void {
    const { name, expect } = one;
    const record = byUrl.get(url);
    assert.ok(record !== undefined, `${name} has no record`);
    const stored = answers.get(url);
    if (expect.survive !== undefined) return;
    if (expect.error !== undefined) {
      assert.deepEqual([record.status, record.error], [0, "other"], name);
      assert.equal(stored, undefined, name);
      return;
    }
    assert.equal(record.error, "", `${name}: ${record.error_detail}`);
    if (expect.status !== undefined) assert.equal(record.status, expect.status, name);
    if (expect.body !== undefined) assert.equal(record.body_size, expect.body.length, name);
    if (expect.location !== undefined) {
      assert.equal(new URL(record.redirect_to).pathname, expect.location, name);
    }
    assert.ok(stored !== undefined, `${name} is not in the archive`);
    assertStored(one, stored, mode);
  }
}

for (const mode of ["clean", "raw"] as const) {
  Deno.test(`crawl() stores odd answers as served, each on a connection of its own (${mode})`, () =>
    withFolder(async (dir) => {
      await using web = await startWeb({ hosts: 1, pages: 1 });
      const cases = [...OWN, ...corpus() ?? []];
      await judge(web, dir, cases, (i) => `o${i}.good.test`, mode);
    }));

  Deno.test(`crawl() lets no odd answer leak into the next of its host (${mode})`, () =>
    withFolder(async (dir) => {
      await using web = await startWeb({ hosts: 1, pages: 1 });
      const cases = [...OWN, ...corpus() ?? []];
      // Plain answers in between: what leaks would show in them.
      const plain: Case = {
        name: "plain",
        answer: "HTTP/1.1 200 OK\r\nServer: local-web\r\n" +
          "Content-Type: text/html; charset=utf-8\r\nContent-Length: 51\r\n\r\n" +
          "<title>One</title><p>where many redirects point</p>",
        path: "",
        expect: {
          status: 200,
          body: "<title>One</title><p>where many redirects point</p>",
          reuse: true,
        },
      };
      const mixed = cases.flatMap((
        one,
        i,
      ) => [one, { ...plain, name: `behind ${one.name}`, path: `/one?${i}` }]);
      await judge(web, dir, mixed.filter((one) => one.path !== ""), (_) => "all.good.test", mode);
    }));
}

Deno.test("fetchPage() makes of odd answers what they say, and decodes what can be decoded", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const cases = [...OWN, ...corpus() ?? []].filter(({ expect }) => expect.survive === undefined);
  const faults: string[] = [];
  await Promise.all(cases.map(async (one, i) => {
    const { name, expect } = one;
    const page = await fetchPage(web.url(`o${i}.good.test`, one.path), {
      resolvers: web.resolvers,
      allowPrivate: true,
      delayMs: 0,
      retries: 0,
      timeoutMs: 5000,
      maxRedirects: 0,
    });
    const found: Record<string, unknown> = {
      status: page.status,
      body: latin1(page.body),
      body64: btoa(latin1(page.body)),
      decoded: new TextDecoder().decode(page.decoded()),
      truncated: page.hops.at(-1)?.truncated,
      location: page.redirectTo === "" ? "" : new URL(page.redirectTo).pathname,
      error: page.error !== undefined || undefined,
    };
    for (const [key, value] of Object.entries(expect)) {
      if (!(key in found) || found[key] === value) continue;
      faults.push(`${name}: ${key} is ${JSON.stringify(found[key])}, not ${JSON.stringify(value)}`);
    }
  }));
  assert.deepEqual(faults, []);
});
