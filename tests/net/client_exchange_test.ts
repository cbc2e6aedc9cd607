import assert from "node:assert/strict";
import net from "node:net";
import fc from "fast-check";
import { FetchError } from "../../lib/net/errors.ts";
import { bytesOf, get, Loopback, loopbackClient, page, textOf, until } from "./_loopback.ts";

function failure(kind: string, reason?: string): (e: unknown) => boolean {
  return (e) =>
    e instanceof FetchError && e.kind === kind && (reason === undefined || e.reason === reason);
}

/** Answers every request of every connection alike. */
function always(answer: string | Uint8Array): Loopback {
  return new Loopback(async (peer) => {
    while (await peer.request() !== undefined) await peer.send(answer);
  });
}

Deno.test("HttpClient.exchange() sends just the request it reports", async () => {
  const heads: string[] = [];
  await using server = new Loopback(async (peer) => {
    heads.push(await peer.request() ?? "");
    await peer.send(page("hi"));
  });
  await using client = loopbackClient();
  const sent: number[] = [], written: number[] = [];
  const got = await get(client, `http://user:pw@h.test:${server.port}/a%20b/?#frag`, {
    headers: [["User-Agent", "t/1"], ["X-Empty", ""], ["X-Latin", "caf\xe9"], ["X-Wide", "é"]],
    onSent: (at) => sent.push(at),
    onWritten: (at) => written.push(at),
  });
  assert.equal(
    heads[0],
    `GET /a%20b/? HTTP/1.1\r\nHost: h.test:${server.port}\r\nUser-Agent: t/1\r\nX-Empty: \r\n` +
      "X-Latin: caf\xe9\r\nX-Wide: \xe9\r\n\r\n",
  );
  assert.equal(textOf(got.request), heads[0]);
  assert.equal(got.ip, "127.0.0.1");
  assert.equal(got.port, server.port);
  assert.deepEqual(sent, [got.sentAt]);
  assert.equal(written.length, 1);
  assert.ok(written[0]! >= got.sentAt);
  assert.ok(got.sentAt <= got.firstByteAt && got.firstByteAt <= got.endedAt);
});

Deno.test("HttpClient.exchange() sends what is beyond Latin-1 as UTF-8", async () => {
  await using server = always(page("hi"));
  await using client = loopbackClient();
  const got = await get(client, `http://h.test:${server.port}/`, { headers: [["X", "ш"]] });
  assert.ok(textOf(got.request).includes("X: \xd1\x88\r\n"));
});

Deno.test("HttpClient.exchange() refuses headers that would be more than one", async () => {
  await using client = loopbackClient();
  for (
    const header of [["X", "a\r\nB: c"], ["X", "a\nb"], ["X", "a\0"], ["X Y", "a"], ["X:", "a"], [
      "",
      "a",
    ]] as const
  ) {
    await assert.rejects(get(client, "http://h.test/", { headers: [header] }), TypeError);
  }
  assert.equal(client.stats.opened, 0);
});

Deno.test("HttpClient keeps a connection for the next exchange with the host", async () => {
  await using server = always(page("hi"));
  await using client = loopbackClient();
  const url = `http://h.test:${server.port}/`;
  const first = await get(client, url);
  assert.deepEqual([first.reused, first.kept], [false, true]);
  assert.equal(client.stats.idle, 1);
  const second = await get(client, url);
  assert.deepEqual([second.reused, second.kept], [true, true]);
  const other = await get(client, `http://other.test:${server.port}/`);
  assert.equal(other.reused, false);
  assert.equal(server.accepted, 2);
  assert.deepEqual(
    [client.stats.open, client.stats.idle, client.stats.opened, client.stats.reused],
    [2, 2, 2, 1],
  );
});

Deno.test("HttpClient keeps one connection a host and maxIdle in all, the longest idle goes", async () => {
  await using server = always(page("hi"));
  await using client = loopbackClient({ maxIdle: 2 });
  const at = (host: string) => `http://${host}.test:${server.port}/`;
  await Promise.all([get(client, at("a")), get(client, at("a"))]);
  assert.equal(client.stats.idle, 1);
  await get(client, at("b"));
  await get(client, at("c"));
  assert.equal(client.stats.idle, 2);
  assert.equal(client.stats.open, 2);
  assert.equal((await get(client, at("b"))).reused, true);
  assert.equal((await get(client, at("a"))).reused, false);
});

Deno.test("HttpClient lets go of a connection that idled its time", async () => {
  await using server = always(page("hi"));
  await using client = loopbackClient({ idleMs: 1 });
  await get(client, `http://h.test:${server.port}/`);
  await until(() => client.stats.open === 0);
  assert.equal(client.stats.idle, 0);
});

Deno.test("HttpClient lets go of a kept connection when the server does", async () => {
  const closing = Promise.withResolvers<void>();
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send(page("hi"));
    await closing.promise;
  });
  await using client = loopbackClient();
  await get(client, `http://h.test:${server.port}/`);
  assert.equal(client.stats.idle, 1);
  closing.resolve();
  await until(() => client.stats.idle === 0);
  assert.equal(client.stats.open, 0);
});

Deno.test("HttpClient discards a kept connection on which bytes come that nobody asked for", async () => {
  const late = Promise.withResolvers<void>();
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send(page(peer.nth === 1 ? "hi" : "fresh"));
    await late.promise;
    if (peer.nth === 1) await peer.send(page("an answer to nothing"));
    await peer.gone();
  });
  await using client = loopbackClient();
  const url = `http://h.test:${server.port}/`;
  await get(client, url);
  assert.equal(client.stats.idle, 1);
  late.resolve();
  await until(() => client.stats.idle === 0);
  const next = await get(client, url);
  assert.equal(next.reused, false);
  assert.equal(textOf(next.body), "fresh");
});

Deno.test("HttpClient shows nothing of one answer's excess in the next, however fast it is asked", async () => {
  // Content-Length says 1, and the rest comes in a packet of its own, at once or a little later.
  for (const excess of ["i", "<p>more</p>", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"]) {
    await using server = new Loopback(async (peer) => {
      await peer.request();
      if (peer.nth > 1) await peer.send(page("good"));
      else {
        await peer.send(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nh${excess}`);
      }
      await peer.gone();
    });
    await using client = loopbackClient();
    const url = `http://h.test:${server.port}/`;
    const first = await get(client, url);
    assert.equal(textOf(first.body), "h");
    assert.equal(first.kept, false);
    assert.equal(textOf((await get(client, url)).body), "good");
  }
});

Deno.test("HttpClient asks on a fresh connection when a kept one brings bytes that open no answer", async () => {
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send(page(`page ${peer.nth}`));
    if (peer.nth > 1) return peer.gone();
    // Held back until the next request is on its way, so that no watch on the idle connection sees it.
    await peer.request();
    await peer.send("rest of the first page");
    await peer.gone();
  });
  await using client = loopbackClient();
  const url = `http://h.test:${server.port}/`;
  assert.equal(textOf((await get(client, url)).body), "page 1");
  const second = await get(client, url);
  assert.equal(textOf(second.body), "page 2");
  assert.deepEqual([second.reused, server.accepted], [false, 2]);
});

Deno.test("HttpClient asks again once when a kept connection ends before the answer", async () => {
  const requests: number[] = [];
  await using server = new Loopback(async (peer) => {
    for (let i = 0; await peer.request() !== undefined; i++) {
      requests.push(peer.nth);
      // The first connection ends at its second request, as a keep-alive timeout would.
      if (peer.nth === 1 && i === 1) return;
      await peer.send(page("hi"));
    }
  });
  await using client = loopbackClient();
  const url = `http://h.test:${server.port}/`;
  await get(client, url);
  let sent = 0;
  const second = await get(client, url, { onSent: () => sent++ });
  assert.equal(textOf(second.body), "hi");
  assert.deepEqual([second.reused, sent], [false, 2]);
  assert.deepEqual(requests, [1, 1, 2]);
});

Deno.test("HttpClient asks again once when a kept connection is reset, and no more than once", async () => {
  let connections = 0;
  const server = net.createServer((socket) => {
    const nth = ++connections;
    let requests = 0;
    socket.on("error", () => {});
    socket.on("data", () => {
      if (nth === 1 && ++requests === 1) {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
      } else socket.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await using client = loopbackClient();
    const url = `http://h.test:${(server.address() as net.AddressInfo).port}/`;
    await get(client, url);
    await assert.rejects(get(client, url), failure("refused"));
    assert.equal(connections, 2);
    assert.equal(client.stats.open, 0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

Deno.test("HttpClient marks a body that a reset cuts", async () => {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\nsome of it");
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await using client = loopbackClient();
    const got = await get(client, `http://h.test:${(server.address() as net.AddressInfo).port}/`);
    assert.equal(textOf(got.body), "some of it");
    assert.equal(got.truncated, "disconnect");
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

Deno.test("HttpClient fails where the server hangs up without a word", async () => {
  await using server = new Loopback(async (peer) => void await peer.request());
  await using client = loopbackClient();
  await assert.rejects(get(client, `http://h.test:${server.port}/`), failure("other", "eof"));
});

Deno.test("HttpClient fails where nobody listens", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  await using client = loopbackClient();
  await assert.rejects(get(client, `http://h.test:${port}/`), failure("refused"));
});

Deno.test("HttpClient ends an exchange at its deadline and frees the descriptor", async () => {
  await using server = new Loopback((peer) => peer.gone());
  await using client = loopbackClient();
  const gets = Array.from({ length: 10 }, (_, i) =>
    assert.rejects(
      get(client, `http://h${i}.test:${server.port}/`, { timeoutMs: 100 }),
      failure("timeout"),
    ));
  await Promise.all(gets);
  assert.equal(client.stats.open, 0);
  assert.equal(client.stats.active, 0);
});

Deno.test("HttpClient keeps what of a body came before the deadline", async () => {
  await using server = new Loopback(async (peer) => {
    const head = await peer.request();
    const length = head?.startsWith("GET /chunked")
      ? "Transfer-Encoding: chunked"
      : "Content-Length: 9";
    const open = head?.startsWith("GET /open");
    await peer.send(`HTTP/1.1 200 OK\r\n${open ? "" : `${length}\r\n`}\r\n`);
    await peer.send(head?.startsWith("GET /chunked") ? "9\r\nhi" : "hi");
    await peer.gone();
  });
  await using client = loopbackClient();
  for (const path of ["length", "chunked", "open"]) {
    const got = await get(client, `http://h.test:${server.port}/${path}`, { timeoutMs: 300 });
    assert.equal(textOf(got.body), "hi");
    assert.equal(got.truncated, "time");
    assert.equal(got.kept, false);
  }
  assert.equal(client.stats.open, 0);
});

Deno.test("HttpClient is not held past the deadline by a server that drips", async () => {
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send("HTTP/1.1 200 OK\r\nX: ");
    for (;;) {
      await peer.send("x");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  await using client = loopbackClient();
  const progress = { at: 0, bytes: 0 };
  await assert.rejects(
    get(client, `http://h.test:${server.port}/`, { timeoutMs: 200, progress }),
    failure("timeout"),
  );
  assert.ok(progress.at > 0);
  assert.ok(progress.bytes > 0);
});

Deno.test("HttpClient stops at the body's bound and closes", async () => {
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send("HTTP/1.1 200 OK\r\n\r\n");
    for (;;) await peer.send(new Uint8Array(64 * 1024));
  });
  await using client = loopbackClient();
  const got = await get(client, `http://h.test:${server.port}/`, { bodyCap: 100_000 });
  assert.equal(got.body.length, 100_000);
  assert.equal(got.truncated, "length");
  assert.equal(got.kept, false);
});

Deno.test("HttpClient gives the final answer's wire bytes when asked for", async () => {
  const wire =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nhi\r\n0\r\nT: 1\r\n\r\n";
  await using server = always(`HTTP/1.1 100 Continue\r\n\r\n${wire}`);
  await using client = loopbackClient();
  const url = `http://h.test:${server.port}/`;
  const got = await get(client, url, { keepWire: true });
  assert.equal(textOf(got.wire!), wire);
  assert.equal(textOf(got.body), "hi");
  assert.equal((await get(client, url)).wire, undefined);
});

Deno.test("HttpClient.exchange() ends at once when its signal aborts", async () => {
  const asked = Promise.withResolvers<void>();
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send("HTTP/1.1 200 OK\r\n\r\nsome");
    asked.resolve();
    await peer.gone();
  });
  await using client = loopbackClient();
  const controller = new AbortController();
  const reason = new Error("enough");
  const going = get(client, `http://h.test:${server.port}/`, { signal: controller.signal });
  await asked.promise;
  controller.abort(reason);
  await assert.rejects(going, (e) => e === reason);
  await assert.rejects(
    get(client, `http://h.test:${server.port}/`, { signal: controller.signal }),
    (e) => e === reason,
  );
  assert.equal(client.stats.open, 0);
});

Deno.test("HttpClient.exchange() ends a resolver that pays no heed at the deadline", async () => {
  await using client = loopbackClient({ resolve: () => new Promise(() => {}) });
  await assert.rejects(get(client, "http://h.test/", { timeoutMs: 60 }), failure("timeout"));
  const controller = new AbortController();
  const going = get(client, "http://h.test/", { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(going, /enough/);
});

Deno.test("HttpClient.close() rejects what is under way and what comes after", async () => {
  const asked = Promise.withResolvers<void>();
  await using server = new Loopback(async (peer) => {
    await peer.request();
    asked.resolve();
    await peer.gone();
  });
  const client = loopbackClient();
  const url = `http://h.test:${server.port}/`;
  const going = assert.rejects(get(client, url), failure("other"));
  await asked.promise;
  client.close();
  await going;
  await assert.rejects(get(client, url), failure("other"));
  assert.equal(client.stats.open, 0);
});

Deno.test("HttpClient survives any bytes in any packets, and the next exchange is clean", async () => {
  const opening = fc.constantFrom(
    "",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 204 No\r\n\r\n",
    "HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n",
  );
  let answer: Uint8Array[] = [];
  await using server = new Loopback(async (peer) => {
    const head = await peer.request();
    if (head === undefined) return;
    if (head.startsWith("GET /good")) return peer.send(page("good"));
    for (const bytes of answer) await peer.send(bytes);
    // Where the answer leaves the connection good, it serves on.
    peer.conn.closeWrite().catch(() => {});
    await peer.gone();
  });
  await using client = loopbackClient();
  await fc.assert(
    fc.asyncProperty(
      opening,
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 30 }), { maxLength: 5 }),
      async (head, pieces) => {
        answer = head === "" ? pieces : [bytesOf(head), ...pieces];
        try {
          const got = await get(client, `http://h.test:${server.port}/any`);
          assert.ok(got.status >= 100 && got.status <= 999);
        } catch (e) {
          assert.ok(e instanceof FetchError, String(e));
        }
        const next = await get(client, `http://h.test:${server.port}/good`);
        assert.equal(textOf(next.body), "good");
        assert.equal(next.status, 200);
      },
    ),
    { numRuns: 150 },
  );
});
