import assert from "node:assert/strict";
import { askUdp, get, readBytes, readOne, send } from "./_testing.ts";
import { type LocalWeb, startWeb } from "./mod.ts";

const MAIN = new URL("./main.ts", import.meta.url).href;

/** Fetches the graph from its seeds, one request at a time, by the names' own addresses. */
async function crawl(web: LocalWeb, lose?: string): Promise<void> {
  const queue = web.seeds();
  const seen = new Set(queue);
  const addresses = new Map<string, string>();
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    const u = new URL(url);
    let address = addresses.get(u.hostname);
    if (address === undefined) {
      const [a] = await askUdp(web.resolver, u.hostname);
      assert.ok(typeof a === "object");
      address = a.answers[0]!.slice(2);
      addresses.set(u.hostname, address);
    }
    const conn = await Deno.connect({ hostname: address, port: Number(u.port) });
    await send(conn, u.host, u.pathname);
    const { body } = await readOne(conn);
    conn.close();
    for (const [, href] of new TextDecoder().decode(body).matchAll(/href="([^"]*)"/g)) {
      const link = new URL(href!, u).href;
      if (seen.has(link) || link === lose) continue;
      seen.add(link);
      queue.push(link);
    }
  }
}

Deno.test("LocalWeb.coverage() is whole after a crawl of either tree, and misses what a lost link led to", async () => {
  for (const graph of ["tree", "tree-across"] as const) {
    await using web = await startWeb({
      hosts: 4,
      pages: 60,
      fanout: 3,
      pageBytes: 2000,
      graph,
      domains: 2,
    });
    await crawl(web);
    const whole = await web.coverage();
    assert.deepEqual([whole.expected, whole.fetched, whole.repeated, whole.strangers], [
      60,
      60,
      0,
      0,
    ]);
    assert.deepEqual(
      (await web.requests()).map((e) => `http://${e.host}:${e.port}${e.path}`).sort(),
      [
        ...web.expectedUrls(),
      ].sort(),
    );
    if (graph === "tree") {
      const s = await web.summary();
      assert.equal(s.requests, 60);
      assert.equal(s.hosts.length, 4);
      assert.equal(s.worstHostConcurrent, 1);
      assert.ok(s.minEndGap >= 0 && s.minStartGap >= s.minEndGap);
      if (web.ready.manyAddresses) {
        assert.equal(s.addresses.filter((a) => a.requests > 0).length, 4);
      }
    }
    await web.reset();
    await crawl(web, [...web.expectedUrls()][1]!);
    const cut = await web.coverage();
    assert.ok(cut.fetched < 60 && cut.missingSample.length > 0);
    const h = web.hostName(0);
    for (const path of ["/p/0", "/one"]) await get(web, h, path);
    const more = await web.coverage();
    assert.deepEqual([more.repeated, more.strangers], [1, 1]);
  }
});

Deno.test("LocalWeb.requests() gives the log by host, path and time", async () => {
  await using web = await startWeb();
  const [a, b] = [web.hostName(0), web.hostName(1)];
  for (const path of ["/p/0", "/p/1?x=y", "/p/0"]) await get(web, a, path, ["User-Agent: me"]);
  await get(web, b, "/robots.txt");
  const all = await web.requests();
  assert.deepEqual(all.map((e) => [e.host, e.path, e.status]), [
    [a, "/p/0", 200],
    [a, "/p/1?x=y", 200],
    [a, "/p/0", 200],
    [b, "/robots.txt", 200],
  ]);
  assert.deepEqual([all[0]!.userAgent, all[0]!.scheme, all[0]!.port], [
    "me",
    "http",
    web.ready.http,
  ]);
  assert.equal(new Set(all.map((e) => e.conn)).size, 4);
  for (const e of all) assert.ok(e.end >= e.t);
  assert.equal((await web.requests({ host: b })).length, 1);
  assert.equal((await web.requests({ path: "/p/0" })).length, 2);
  assert.equal((await web.requests({ since: all[1]!.t })).length, 2);
  assert.equal((await web.requests({ limit: 1 })).length, 1);
  const s = await web.summary();
  assert.deepEqual([s.requests, s.robots], [4, 1]);
});

Deno.test("the log shows two requests at one host as overlapping, and on one connection as not", async () => {
  await using web = await startWeb();
  const first = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.http });
  await send(first, "a.slow-60000.test", "/p/0");
  while ((await web.requests()).length === 0);
  await get(web, "a.slow-60000.test", "/robots.txt");
  first.close();
  const [, second] = await web.requests();
  assert.equal(second!.concurrent, 2);

  const kept = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.http });
  // Both at once, as a client that pipelines would.
  await send(kept, "b.good.test", "/p/0");
  await send(kept, "b.good.test", "/p/1");
  for (let i = 0; i < 2; i++) assert.equal((await readOne(kept)).status, 200);
  kept.close();
  const b = (await web.summary()).hosts.find((h) => h.host === "b.good.test");
  assert.deepEqual([b!.requests, b!.maxConcurrent, b!.connections], [2, 1, 1]);
});

Deno.test("a request head may come byte by byte and may be long", async () => {
  await using web = await startWeb();
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.http });
  for (const c of "GET /one HTTP/1.1\r\nhOsT: a.good.test\r\n\r\n") {
    await conn.write(new TextEncoder().encode(c));
  }
  assert.equal((await readOne(conn)).status, 200);
  await send(conn, "a.good.test", "/one", [`X-Long: ${"x".repeat(30_000)}`]);
  assert.equal((await readOne(conn)).status, 200);
  conn.close();
  assert.deepEqual((await web.requests()).map((e) => e.host), ["a.good.test", "a.good.test"]);
});

Deno.test("the web turns connections away beyond its bound", async () => {
  await using web = await startWeb({ maxConnections: 2 });
  const open = [];
  for (let i = 0; i < 2; i++) {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.http });
    await send(conn, "a.good.test", "/one");
    assert.equal((await readOne(conn)).status, 200);
    open.push(conn);
  }
  const third = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.http });
  assert.equal(await readBytes(third, 1), "");
  third.close();
  assert.equal((await web.stats()).turnedAway, 1);
  for (const c of open) c.close();
});

Deno.test("nobody but this machine is answered", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const port = Number(new URL(web.url("www.h0.test", "/")).port);
  const others = Deno.networkInterfaces()
    .filter(({ family, address }) => family === "IPv4" && !address.startsWith("127."));
  for (const { address } of [{ address: "127.0.0.1" }, ...others]) {
    const conn = await Deno.connect({ hostname: address, port });
    let bytes: number | null;
    try {
      await conn.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: www.h0.test\r\n\r\n"));
      bytes = await conn.read(new Uint8Array(100));
    } catch (error) {
      if (
        !(error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe)
      ) {
        throw error;
      }
      bytes = null;
    }
    conn.close();
    assert.equal(bytes !== null, address === "127.0.0.1", address);
  }
});

Deno.test("the process ends with its parent's pipe and leaves nothing behind", async () => {
  const web = await startWeb();
  const { pid } = web.ready;
  assert.ok((await Deno.stat(web.caFile)).isFile);
  await web[Symbol.asyncDispose]();
  assert.throws(() => Deno.kill(pid, "SIGTERM"), Deno.errors.NotFound);
  await assert.rejects(Deno.stat(web.caFile), Deno.errors.NotFound);
});

Deno.test("the process ends on SIGTERM with code 0", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", MAIN, "--hosts", "2"],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const ready = JSON.parse(new TextDecoder().decode((await reader.read()).value));
  assert.deepEqual(ready.hosts, ["h0000.good.test", "h0001.good.test"]);
  child.kill("SIGTERM");
  assert.equal((await child.status).code, 0);
  await reader.cancel();
});

Deno.test("the process refuses arguments that it does not know", async () => {
  for (
    const args of [["--hots", "2"], ["--hosts", "two"], ["--graph", "star"], ["--scheme", "ftp"]]
  ) {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", MAIN, ...args],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    assert.notEqual(code, 0, args.join(" "));
  }
});

Deno.test("the process says which ports to change when one is taken", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  for (const option of ["--http-port", "--dns-port"]) {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", MAIN, option, String(taken.addr.port)],
      stdin: "null",
      stdout: "null",
    }).output();
    const told = new TextDecoder().decode(stderr);
    assert.equal(code, 1, told);
    assert.match(told, /taken by another process.*--http-port.*--dns-port/);
    assert.doesNotMatch(told, /^ {4}at /m);
  }
});
