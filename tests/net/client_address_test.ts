import assert from "node:assert/strict";
import { AddressLimit } from "../../lib/net/address_limit.ts";
import { FetchError } from "../../lib/net/errors.ts";
import { get, Loopback, loopbackClient, page, textOf, until } from "./_loopback.ts";

function failure(kind: string, reason?: string): (e: unknown) => boolean {
  return (e) =>
    e instanceof FetchError && e.kind === kind && (reason === undefined || e.reason === reason);
}

function never(): Promise<readonly string[]> {
  return Promise.reject(new Error("a literal address asks nobody"));
}

/** A port of loopback on which nobody listens. */
function deadPort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

Deno.test("HttpClient refuses private addresses before it connects, names and literals", async () => {
  await using server = new Loopback((peer) => peer.gone());
  for (
    const [url, addresses] of [
      ["http://h.test", ["127.0.0.1"]],
      ["http://h.test", ["10.0.0.1", "::1", "fd00::1"]],
      ["http://h.test", ["::ffff:127.0.0.1"]],
      ["http://127.0.0.1", undefined],
      ["http://2130706433", undefined],
      ["http://0x7f.1", undefined],
      ["http://0177.0.0.1", undefined],
      ["http://[::1]", undefined],
      ["http://[::ffff:7f00:1]", undefined],
      ["http://[64:ff9b::7f00:1]", undefined],
      ["http://0.0.0.0", undefined],
    ] as const
  ) {
    await using client = loopbackClient({
      allowPrivate: false,
      resolve: addresses === undefined ? never : () => Promise.resolve(addresses),
    });
    await assert.rejects(
      get(client, `${url}:${server.port}/`),
      failure("skip", "private-address"),
      url,
    );
    assert.equal(client.stats.opened, 0);
  }
  assert.equal(server.accepted, 0);
});

Deno.test("HttpClient connects to the public one of a name's addresses only", async () => {
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send(page("hi"));
  });
  const dialed: string[] = [];
  await using client = loopbackClient({
    allowPrivate: false,
    resolve: () => Promise.resolve(["127.0.0.1", "2606:4700:4700::1111", "1.1.1.1"]),
    dial: ({ ip, port }) => {
      dialed.push(ip);
      if (ip === "1.1.1.1") return Promise.reject(new Deno.errors.ConnectionRefused("refused"));
      return Deno.connect({ hostname: "127.0.0.1", port });
    },
  });
  const got = await get(client, `http://h.test:${server.port}/`);
  assert.equal(got.ip, "2606:4700:4700::1111");
  assert.deepEqual(dialed, ["1.1.1.1", "2606:4700:4700::1111"]);
});

Deno.test("HttpClient gives each address a share of the time, so that a silent one does not use it up", async () => {
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send(page("hi"));
  });
  const forgotten: string[] = [];
  await using client = loopbackClient({
    resolve: () => Promise.resolve(["192.0.2.1", "192.0.2.2", "127.0.0.1"]),
    forget: (host) => forgotten.push(host),
    dial: ({ ip, port, signal }) =>
      ip === "127.0.0.1"
        ? Deno.connect({ hostname: ip, port })
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const got = await get(client, `http://h.test:${server.port}/`, { timeoutMs: 900 });
  assert.equal(got.ip, "127.0.0.1");
  assert.deepEqual(forgotten, []);
  assert.equal(client.limit.addresses, 0);
});

Deno.test("HttpClient closes a connection that comes when its exchange is over", async () => {
  const late = Promise.withResolvers<Deno.TcpConn>();
  await using server = new Loopback((peer) => peer.gone());
  const forgotten: string[] = [];
  await using client = loopbackClient({
    dial: () => late.promise,
    forget: (h) => forgotten.push(h),
  });
  await assert.rejects(
    get(client, `http://h.test:${server.port}/`, { timeoutMs: 60 }),
    failure("timeout"),
  );
  assert.deepEqual(forgotten, ["h.test"]);
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  late.resolve(conn);
  await late.promise;
  await assert.rejects(conn.read(new Uint8Array(1)), Deno.errors.BadResource);
  assert.equal(client.stats.open, 0);
});

Deno.test("HttpClient connects to literal addresses without asking", async () => {
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send(page("hi"));
  });
  await using client = loopbackClient({ resolve: never });
  for (const host of ["127.0.0.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]"]) {
    const got = await get(client, `http://${host}:${server.port}/`);
    assert.equal(textOf(got.body), "hi", host);
  }
});

Deno.test("HttpClient refuses ports that are not for the web, private or not", async () => {
  await using client = loopbackClient({ resolve: never });
  for (const port of [22, 25, 6000]) {
    await assert.rejects(get(client, `http://h.test:${port}/`), failure("skip", "bad-port"));
  }
  await assert.rejects(get(client, "ftp://h.test/"), failure("skip", "scheme"));
});

Deno.test("HttpClient tries IPv4 first, and the next address when one does not connect", async () => {
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send(page("hi"));
  }, { hostname: "127.0.0.3" });
  const forgotten: string[] = [];
  await using client = loopbackClient({
    resolve: () => Promise.resolve(["::1", "127.0.0.2", "127.0.0.3"]),
    forget: (host) => forgotten.push(host),
  });
  const got = await get(client, `http://h.test:${server.port}/`);
  assert.equal(got.ip, "127.0.0.3");
  assert.deepEqual(forgotten, []);
});

Deno.test("HttpClient forgets a name none of whose addresses connect, and says what the first met", async () => {
  const forgotten: string[] = [];
  await using client = loopbackClient({
    resolve: () => Promise.resolve(["::1", "127.0.0.1"]),
    forget: (host) => forgotten.push(host),
  });
  await assert.rejects(
    get(client, `http://h.test:${deadPort()}/`),
    (e) => failure("refused")(e) && (e as Error).message.includes("127.0.0.1"),
  );
  assert.deepEqual(forgotten, ["h.test"]);
});

Deno.test("HttpClient says dns where a name has no address or the resolver fails", async () => {
  await using nothing = loopbackClient({ resolve: () => Promise.resolve([]) });
  await assert.rejects(get(nothing, "http://h.test/"), failure("dns", "no-address"));
  const error = new FetchError("dns", "Cannot resolve h.test: no such name", {
    reason: "nxdomain",
  });
  await using failing = loopbackClient({ resolve: () => Promise.reject(error) });
  await assert.rejects(get(failing, "http://h.test/"), (e) => e === error);
});

Deno.test("HttpClient bounds what is in flight at one address, and waits without using up time", async () => {
  let inFlight = 0;
  let most = 0;
  const go = Promise.withResolvers<void>();
  await using server = new Loopback(async (peer) => {
    await peer.request();
    most = Math.max(most, ++inFlight);
    await go.promise;
    inFlight--;
    await peer.send(page("hi"));
    await peer.gone();
  });
  await using client = loopbackClient({ perIp: 2 });
  const gets = Array.from(
    { length: 6 },
    (_, i) => get(client, `http://h${i}.test:${server.port}/`, { timeoutMs: 1_000 }),
  );
  await until(() => inFlight === 2);
  assert.equal(client.stats.waiting, 4);
  assert.equal(client.busyAt("127.0.0.1"), true);
  assert.equal(client.busyAt("127.0.0.2"), false);
  go.resolve();
  for (const got of await Promise.all(gets)) assert.equal(got.status, 200);
  assert.equal(most, 2);
  assert.equal(client.busyAt("127.0.0.1"), false);
  assert.equal(client.limit.addresses, 0);
});

Deno.test("HttpClient waits longer for a place than its timeout, and not longer than perIpWaitMs", async () => {
  const go = Promise.withResolvers<void>();
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await go.promise;
    await peer.send(page("hi"));
  });
  await using client = loopbackClient({ perIp: 1, perIpWaitMs: 300 });
  const url = (host: string) => `http://${host}.test:${server.port}/`;
  const first = get(client, url("a"));
  await until(() => client.busyAt("127.0.0.1"));
  await assert.rejects(get(client, url("b"), { timeoutMs: 50 }), failure("timeout", "per-ip"));
  const aborted = new AbortController();
  const third = get(client, url("c"), { signal: aborted.signal });
  const fourth = get(client, url("d"));
  await until(() => client.stats.waiting === 2);
  aborted.abort(new Error("enough"));
  await assert.rejects(third, /enough/);
  go.resolve();
  assert.equal((await first).status, 200);
  assert.equal((await fourth).status, 200);
  assert.equal(client.limit.addresses, 0);
});

Deno.test("AddressLimit admits in the order of arrival and remembers no address for nothing", async () => {
  const limit = new AddressLimit(1);
  assert.equal(limit.tryAcquire("a"), true);
  assert.equal(limit.tryAcquire("a"), false);
  const order: number[] = [];
  const gone = new AbortController();
  const second = limit.acquire("a").then(() => order.push(2));
  const third = limit.acquire("a", gone.signal).then(() => order.push(3), () => order.push(-3));
  const fourth = limit.acquire("a").then(() => order.push(4));
  gone.abort();
  await third;
  assert.equal(limit.waiting, 2);
  limit.release("a");
  await second;
  limit.release("a");
  await fourth;
  assert.deepEqual(order, [-3, 2, 4]);
  limit.release("a");
  assert.equal(limit.addresses, 0);
  assert.throws(() => limit.release("a"), TypeError);
  assert.throws(() => new AddressLimit(0), RangeError);
});
