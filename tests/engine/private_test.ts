import assert from "node:assert/strict";
import { HostClocks } from "../../lib/engine/clocks.ts";
import { Fetcher } from "../../lib/engine/fetcher.ts";
import { robotsFetcher } from "../../lib/engine/robots_fetch.ts";
import { HttpClient } from "../../lib/net/client.ts";
import { Resolver } from "../../lib/net/dns.ts";
import type { Exchange, ExchangeRequest } from "../../lib/net/types.ts";
import { collect, withFolder } from "./_crawl.ts";
import { PRIVATE_TARGETS, startWeb } from "../web/mod.ts";

/** Listens where a crawl that went wrong would arrive, and counts who does. */
class Trap implements Disposable {
  visits = 0;
  readonly port: number;
  readonly #listeners: Deno.TcpListener[] = [];

  constructor() {
    const four = Deno.listen({ hostname: "0.0.0.0", port: 0 });
    this.port = (four.addr as Deno.NetAddr).port;
    this.#listeners.push(four, Deno.listen({ hostname: "::1", port: this.port }));
    for (const listener of this.#listeners) this.#accept(listener);
  }

  async #accept(listener: Deno.TcpListener): Promise<void> {
    for await (const conn of listener) {
      this.visits++;
      conn.close();
    }
  }

  [Symbol.dispose](): void {
    for (const listener of this.#listeners) listener.close();
  }
}

/** Every spelling of an address that leads to this machine or to a network of its own. */
const ADDRESSES = [
  "127.0.0.1",
  "127.1.2.3",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "0.0.0.0",
  "0",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
  "[fc00::1]",
  "[fd12:3456::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[100::1]",
  "10.0.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "localhost",
  "sub.localhost",
  "127。0。0。1",
  "①②⑦.0.0.1",
];

/** Names whose addresses are none to connect to. */
const NAMES = [
  "h1.private.test",
  "h1.link-local.test",
  "h1.zero.test",
  "h1.cgnat.test",
  "h1.mapped.test",
  "h1.nat64.test",
  "h1.six-to-four.test",
  "h1.ula.test",
  "h1.v6.test",
  "h1.dual.test",
  "h1.good.test",
  "h1.many.test",
];

for (const robots of [true, false]) {
  Deno.test(`crawl() reaches nothing private ${robots ? "with" : "without"} robots.txt`, async () => {
    using trap = new Trap();
    await using web = await startWeb({ hosts: 1, pages: 1 });
    const seeds = [...ADDRESSES, ...NAMES].flatMap((host) => [
      `http://${host}:${trap.port}/a`,
      `https://${host}:${trap.port}/b`,
    ]);
    const { records, run } = await collect(web, { seeds, allowPrivate: false, robots });
    // Several spellings are one address, and one URL.
    assert.ok(records.length >= 2 * (NAMES.length + 30), `${records.length}`);
    for (const r of records) {
      assert.deepEqual([r.status, r.error], [0, "skip"], `${r.url}: ${r.error_detail}`);
      assert.match(r.error_detail, /not a public address/, r.url);
    }
    assert.equal(run.figures.failures.skip, records.length);
    assert.equal(trap.visits, 0);
    assert.equal((await web.stats()).connections, 0);
  });
}

Deno.test("crawl() tries a name's public address, never its private one", async () => {
  using trap = new Trap();
  await using web = await startWeb({ hosts: 1, pages: 1 });
  // 93.184.215.14 and 127.0.0.1.
  const { records } = await collect(web, {
    seeds: [`http://h1.mixed.test:${trap.port}/`],
    allowPrivate: false,
    robots: false,
    retries: 0,
    timeoutMs: 500,
  });
  assert.equal(records.length, 1);
  assert.ok(["timeout", "refused"].includes(records[0]!.error), records[0]!.error_detail);
  assert.equal(trap.visits, 0);
});

Deno.test("Fetcher.fetch() follows no redirect to a private address", async () => {
  using trap = new Trap();
  const resolver = new Resolver({ servers: ["127.0.0.1:1"] });
  await using client = new HttpClient({ resolve: (host) => resolver.resolve(host) });
  const asked: string[] = [];
  // Only the public host that points inside is made up; all else is the client's own business.
  const publicHost = {
    exchange: (request: ExchangeRequest): Promise<Exchange> => {
      const { url } = request;
      if (url.hostname !== "public.example") return client.exchange(request);
      asked.push(url.href);
      return Promise.resolve(redirect(url, url.searchParams.get("to")!));
    },
  } as HttpClient;
  const fetcher = new Fetcher({
    client: publicHost,
    clocks: new HostClocks(),
    headers: [],
    userAgent: "CCrawl/2.0",
    delayMs: 0,
    maxCrawlDelayMs: 0,
    timeoutMs: 5000,
    retries: 2,
    bodyCap: 1000,
    keepWire: false,
  });
  const literal = ADDRESSES.filter((host) => !host.includes("localhost"));
  const targets = [
    ...ADDRESSES.map((host) => `http://${host}:${trap.port}/`),
    ...PRIVATE_TARGETS.filter((target) => !target.includes("private.test")),
    `https://${literal[0]}:${trap.port}/`,
    `//${literal[0]}:${trap.port}/`,
  ];
  for (const to of targets) {
    const url = `https://public.example/?to=${encodeURIComponent(to)}`;
    const { hops, error } = await fetcher.fetch(url);
    assert.deepEqual([error?.kind, error?.reason], ["skip", "private-address"], to);
    assert.equal(hops.length, 1, "the redirect is kept");
  }
  resolver.close();
  assert.equal(asked.length, targets.length);
  assert.equal(trap.visits, 0);
});

/** A redirect as a public server answers it. */
function redirect(url: URL, location: string): Exchange {
  const now = performance.now();
  return {
    url,
    status: 302,
    version: "HTTP/1.1",
    head: new Uint8Array(0),
    headers: [["Location", location]],
    body: new Uint8Array(0),
    request: new Uint8Array(0),
    ip: "192.0.2.1",
    port: 443,
    reused: false,
    kept: false,
    date: Date.now(),
    sentAt: now,
    firstByteAt: now,
    endedAt: now,
  };
}

Deno.test("crawl() judges a redirect's target like any other URL", async () => {
  using trap = new Trap();
  await using web = await startWeb({ hosts: 1, pages: 1 });
  for (const to of [`http://127.0.0.1:${trap.port}/`, `http://h1.zero.test:${trap.port}/`]) {
    await withFolder(async (dir) => {
      const options = {
        seeds: [web.url("h1.good.test", `/redirect-to?url=${encodeURIComponent(to)}`)],
        state: `${dir}/crawl.db`,
      };
      // The redirect is fetched while that is allowed, its target is not.
      const first = await collect(web, { ...options, maxPages: 1 });
      assert.deepEqual(first.records.map((r) => [r.status, r.redirect_to]), [[302, to]]);
      const second = await collect(web, { ...options, allowPrivate: false });
      assert.deepEqual(second.records.map((r) => [r.url, r.error]), [[to, "skip"]]);
    });
  }
  assert.equal(trap.visits, 0);
});

Deno.test("robotsFetcher() follows no redirect to a private address, and takes none for the host's own word", async () => {
  using trap = new Trap();
  await using client = new HttpClient({ resolve: () => Promise.reject(new Error("not asked")) });
  const fetchRobots = robotsFetcher({
    client: {
      exchange: (request: ExchangeRequest): Promise<Exchange> =>
        request.url.hostname === "public.example"
          ? Promise.resolve(redirect(request.url, `http://127.0.0.1:${trap.port}/robots.txt`))
          : client.exchange(request),
    } as HttpClient,
    clocks: new HostClocks(),
    headers: [],
    budgetMs: 5000,
  });
  const inside = await fetchRobots(new URL("https://public.example/robots.txt"));
  assert.deepEqual([inside.status, inside.failure], [0, "other"]);
  assert.match(inside.detail!, /127\.0\.0\.1 is not a public address/);
  const own = await fetchRobots(new URL(`http://127.0.0.1:${trap.port}/robots.txt`));
  assert.deepEqual([own.status, own.failure], [0, "skip"]);
  assert.equal(trap.visits, 0);
});

Deno.test("crawl() connects to no port that is not for the web, even on private networks", () =>
  withFolder(async () => {
    await using web = await startWeb({ hosts: 1, pages: 1 });
    const { records } = await collect(web, {
      seeds: [22, 25, 6667, 10080, 110].map((port) => `http://h1.good.test:${port}/`),
      robots: false,
    });
    assert.equal(records.length, 5);
    for (const r of records) {
      assert.equal(r.error, "skip");
      assert.match(r.error_detail, /not for the web/);
    }
  }));
