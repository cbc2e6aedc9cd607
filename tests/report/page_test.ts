import assert from "node:assert/strict";
import { ASSETS, embedPage } from "../../deploy/embed_page.ts";
import { RecentHistory, WholeHistory } from "../../lib/report/history.ts";
import { serveMetrics } from "../../lib/report/metrics.ts";
import { PageSource } from "../../lib/report/page_figures.ts";
import type { RecrawlFigures } from "../../lib/report/types.ts";
import { recrawlFigures } from "./_figures.ts";

Deno.test("the module that serves the page holds the page's files as they are", () => {
  assert.equal(
    Deno.readTextFileSync(ASSETS),
    embedPage(),
    "lib/report/page has changed: run deno task page",
  );
});

Deno.test("the page asks for nothing outside, and says where its figures come from", async () => {
  const server = serveMetrics({ host: "127.0.0.1", port: 0 }, {
    metrics: () => [],
    figures: () => ({ command: "</script><script>alert(1)</script>" }),
  });
  try {
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return { response, body: await response.text() };
    };
    for (
      const [path, type] of [
        ["/", /^text\/html/],
        ["/page.css", /^text\/css/],
        ["/page.js", /^text\/javascript/],
        ["/figures", /^application\/json/],
        ["/metrics", /^text\/plain/],
      ] as const
    ) {
      const { response, body } = await get(path);
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type")!, type);
      assert.match(
        response.headers.get("content-security-policy")!,
        /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:/,
      );
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      // The one address in them is a name, of SVG.
      const addresses = body.replaceAll("http://www.w3.org/2000/svg", "");
      assert(path === "/figures" || !/https?:\/\/|@import|url\(/.test(addresses), path);
    }
    assert.doesNotMatch((await get("/")).body, /<script(?! src="page\.js")|\son\w+=|style=/);
    assert.equal((await get("/page.html")).response.status, 404);
    assert.equal((await get("/../deno.json")).response.status, 404);
  } finally {
    await server.close();
  }
});

/** The status line of a request whose Host is `name`. */
async function asked(port: number, name: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const text = `GET /figures HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(text));
  return (await new Response(connection.readable).text()).split("\r\n")[0]!;
}

Deno.test("on loopback only requests that name it are answered", async () => {
  const source = { metrics: () => [], figures: () => ({}) };
  const server = serveMetrics({ host: "127.0.0.1", port: 0 }, source);
  try {
    for (const name of ["127.0.0.1", "localhost", `localhost:${server.port}`, "[::1]:80"]) {
      assert.match(await asked(server.port, name), / 200 /, name);
    }
    for (const name of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example"]) {
      assert.match(await asked(server.port, name), / 403 /, name);
    }
    // Not by an exception, of which the runtime would write the stack into the log of the run.
    for (const name of ["a b<>", "[::1", "localhost:99999999"]) {
      assert.match(await asked(server.port, name), / 400 /, name);
    }
  } finally {
    await server.close();
  }
  // Who listens elsewhere on purpose is asked by a name that only they know.
  const open = serveMetrics({ host: "0.0.0.0", port: 0 }, source);
  try {
    assert.match(await asked(open.port, "server2.example:9090"), / 200 /);
  } finally {
    await open.close();
  }
});

Deno.test("RecentHistory keeps the last points", () => {
  const history = new RecentHistory(3);
  for (let t = 0; t < 10; t++) history.add([t]);
  assert.deepEqual(history.points, [[7], [8], [9]]);
});

Deno.test("WholeHistory reaches from the beginning to now, evenly, in bounded memory", () => {
  const history = new WholeHistory(100);
  for (let t = 0; t < 1_000_000; t++) {
    history.add([t]);
    assert(history.points.length < 100);
  }
  const times = history.points.map(([t]) => t!);
  assert(times.length >= 50);
  assert.equal(times[0], 0);
  const every = times[1]!;
  assert(times.every((t, i) => t === i * every), "they are evenly spaced");
  assert(times.at(-1)! >= 1_000_000 - every);
});

Deno.test("the page's rate is of late, its worker time of the last minute", () => {
  let f: RecrawlFigures = recrawlFigures({ elapsedMs: 0, fetched: 0 });
  const times = { robots: 0, hostClock: 0, fetching: 0, queueing: 0 };
  f = { ...f, workerTimes: times, writerBusyMs: 0, extract: { ...f.extract!, renderingMs: 0 } };
  const source = new PageSource("recrawl run", { from: "x" }, () => f, () => 5e8);
  const move = (pages: number, fetching: number) => {
    f = {
      ...f,
      elapsedMs: f.elapsedMs + 2000,
      fetched: f.fetched + pages,
      workerTimes: { ...f.workerTimes, fetching: f.workerTimes.fetching + fetching },
      writerBusyMs: f.writerBusyMs + 500,
    };
    source.look();
  };
  for (let i = 0; i < 5; i++) move(20, 1000);
  const early = source.figures(1000);
  assert.equal(early.rate, 10);
  assert.equal(early.minute.ms, 10_000);
  assert.equal(early.minute.workerTimes.fetching, 5000);
  for (let i = 0; i < 100; i++) move(0, 1000);
  for (let i = 0; i < 10; i++) move(8, 4000);
  const late = source.figures(2000);
  assert.equal(late.rate, 4);
  assert.equal(late.minute.ms, 60_000);
  assert.equal(late.minute.workerTimes.fetching, 20 * 1000 + 10 * 4000);
  assert.equal(late.minute.writerBusyMs, 15_000);
  assert.equal(late.memory, 5e8);
  assert.equal(late.now, 2000);
  assert.deepEqual(late.recent.at(-1), [230_000, 180, 8746, 5e8]);
  // Far beyond what is kept.
  for (let i = 0; i < 5000; i++) move(1, 0);
  const last = source.figures(3000);
  assert(last.recent.length <= 451 && last.whole.length <= 600);
  assert.equal(last.whole[0]![0], 2000);
  assert(JSON.stringify(last).length < 64 * 1024, "an answer stays small");
});
