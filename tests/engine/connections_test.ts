import assert from "node:assert/strict";
import { crawl } from "../../lib/engine/crawl.ts";
import { collect, withFolder } from "./_crawl.ts";
import { assertPolite, shortestGap } from "./_politeness.ts";
import { answersOf, latin1 } from "./_warc.ts";
import { startWeb } from "../web/mod.ts";

Deno.test("crawl() keeps its distance however connections end", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 2000 });
  const delayMs = 30;
  // Some close at the very moment at which the next request is due.
  const kinds = ["stale-30", "stale-29", "stale-31", "stale-1", "drop-2", "keep-2", "close"];
  const hosts = kinds.flatMap((kind) => [1, 2, 3].map((i) => `h${i}.${kind}.pages-25.test`));
  const { records, run } = await collect(web, {
    seeds: hosts.map((host) => web.url(host, "/p/0")),
    maxDepth: 100,
    delayMs,
    retries: 0,
  });
  const failed = records.filter((r) => r.status !== 200);
  assert.deepEqual(failed.map((r) => [r.url, r.error_detail]), []);
  assert.equal(records.length, hosts.length * 25);
  assert.equal(run.figures.fetched, records.length);
  await assertPolite(web, delayMs);
  assert.ok(shortestGap(records) >= delayMs - 1, `${shortestGap(records)} ms`);
});

Deno.test("crawl() takes no answer that nobody asked for", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 2000 });
    const urls: string[] = [];
    // Late, but before anybody asks again: what comes after that nobody could tell from the answer.
    for (const late of [0, 1, 5, 20]) {
      for (let i = 0; i < 3; i++) {
        const host = `late${late}.good.test`;
        urls.push(web.url(host, `/smuggle-late/${late}?${i}`), web.url(host, `/one?${i}`));
      }
    }
    for (let i = 0; i < 3; i++) {
      urls.push(web.url("a.good.test", `/smuggle?${i}`), web.url("a.good.test", `/one?${i}`));
    }
    const { records } = await collect(web, {
      seeds: urls,
      warc: { dir, dedup: false },
      delayMs: 500,
    });
    assert.deepEqual(records.filter((r) => r.status !== 200), []);
    const stored = await answersOf(dir);
    for (const url of urls) {
      const { http } = stored.get(url)!;
      assert.equal(http.get("x-smuggled"), undefined, url);
      const body = latin1(http.payload);
      if (url.includes("/one")) assert.match(body, /^<title>One/, url);
      else assert.equal(body, "hi", url);
    }
  }));

/** A server that answers the first request of a connection, and hangs up on every later one. */
function hangsUp(): { port: number; arrivals: number[]; close(): void } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const arrivals: number[] = [];
  const serve = async (conn: Deno.Conn) => {
    const buffer = new Uint8Array(4096);
    for (let answered = false;; answered = true) {
      if (await conn.read(buffer) === null) break;
      arrivals.push(performance.now());
      if (answered) break;
      await conn.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"));
    }
    conn.close();
  };
  (async () => {
    for await (const conn of listener) serve(conn).catch(() => {}); // the client may have gone
  })();
  const { port } = listener.addr as Deno.NetAddr;
  return { port, arrivals, close: () => listener.close() };
}

Deno.test("crawl() keeps its distance from a request that a kept connection ended under", async () => {
  const server = hangsUp();
  try {
    const delayMs = 400;
    const urls = [1, 2, 3].map((n) => `http://127.0.0.1:${server.port}/${n}`);
    const options = { seeds: urls, delayMs, retries: 0, robots: false };
    const run = crawl({ ...options, allowPrivate: true, timeoutMs: 300, minFree: 0 });
    const statuses: number[] = [];
    for await (const { status } of run) statuses.push(status);
    // The wait is not on the page's own time, which is shorter.
    assert.deepEqual(statuses, [200, 200, 200]);
    const { arrivals } = server;
    assert.equal(arrivals.length, 5, "the second and the third were asked for twice");
    const gaps = arrivals.slice(1).map((at, i) => at - arrivals[i]!);
    // Arrivals are seen as late as this process is busy; a request that is sent again at once is far off.
    assert.ok(gaps.every((gap) => gap >= delayMs / 2), gaps.join(" "));
  } finally {
    server.close();
  }
});
