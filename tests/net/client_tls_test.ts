import assert from "node:assert/strict";
import { FetchError } from "../../lib/net/errors.ts";
import { Authority, keyPem, newKey, selfSigned } from "../web/_certs.ts";
import { get, Loopback, loopbackClient, page, Peer, textOf } from "./_loopback.ts";

const DAY = 86_400_000;
const authority = new Authority("Loopback tests");
const key = newKey();

function certificate(names: readonly string[], from = -1, to = 1): { cert: string; key: string } {
  const now = Date.now();
  const request = {
    name: names[0]!,
    names,
    notBefore: new Date(now + from * DAY),
    notAfter: new Date(now + to * DAY),
  };
  return { cert: authority.issue(request, key), key: keyPem(key) };
}

function failure(kind: string, reason?: string): (e: unknown) => boolean {
  return (e) =>
    e instanceof FetchError && e.kind === kind && (reason === undefined || e.reason === reason);
}

async function hello(peer: Peer): Promise<void> {
  while (await peer.request() !== undefined) await peer.send(page("hi"));
}

const GOOD = certificate(["h.test", "127.0.0.1"]);

/** Clients by both ways of TLS: the runtime's, and the one for when it holds too much. */
const WAYS = [["the runtime's TLS", 256], ["node:tls", 0]] as const;

for (const [way, maxStuck] of WAYS) {
  const trusting = () => loopbackClient({ caCerts: [authority.pem], maxStuck });

  Deno.test(`HttpClient speaks https by ${way}, and keeps the connection`, async () => {
    await using server = new Loopback(hello, { tls: GOOD });
    await using client = trusting();
    for (let i = 0; i < 3; i++) {
      const got = await get(client, `https://h.test:${server.port}/`);
      assert.equal(textOf(got.body), "hi");
      assert.deepEqual([got.reused, got.kept], [i > 0, true]);
    }
    assert.equal((await get(client, `https://127.0.0.1:${server.port}/`)).status, 200);
    assert.equal((await get(client, `https://h.test.:${server.port}/`)).status, 200);
    assert.equal(server.accepted, 3);
  });

  Deno.test(`HttpClient reads big bodies whole by ${way}`, async () => {
    const body = "0123456789".repeat(60_000);
    await using server = new Loopback(async (peer) => {
      while (await peer.request() !== undefined) await peer.send(page(body));
    }, { tls: GOOD });
    await using client = trusting();
    for (let i = 0; i < 2; i++) {
      const got = await get(client, `https://h.test:${server.port}/`);
      assert.equal(textOf(got.body) === body, true);
    }
  });

  Deno.test(`HttpClient takes the end of TCP for the end of an open body by ${way}`, async () => {
    // The server closes TCP without TLS's own goodbye, as many do.
    await using server = new Loopback(async (peer) => {
      await peer.request();
      await peer.send("HTTP/1.1 200 OK\r\n\r\nall of it");
    }, { tls: GOOD });
    await using client = trusting();
    const got = await get(client, `https://h.test:${server.port}/`);
    assert.equal(textOf(got.body), "all of it");
    assert.equal(got.truncated, undefined);
  });

  Deno.test(`HttpClient refuses certificates that are not good by ${way}`, async () => {
    const now = Date.now();
    const own = selfSigned({
      name: "h.test",
      names: ["h.test"],
      notBefore: new Date(now - DAY),
      notAfter: new Date(now + DAY),
    }, key);
    for (
      const [what, tls] of [
        ["expired", certificate(["h.test"], -3, -2)],
        ["not yet valid", certificate(["h.test"], 2, 3)],
        ["for another name", certificate(["other.test"])],
        ["its own issuer", { cert: own, key: keyPem(key) }],
      ] as const
    ) {
      await using server = new Loopback(hello, { tls });
      await using client = trusting();
      await assert.rejects(
        get(client, `https://h.test:${server.port}/`),
        failure("tls", "certificate"),
        what,
      );
      assert.equal(client.stats.open, 0);
    }
  });

  Deno.test(`HttpClient says other for a server that answers http to TLS, by ${way}`, async () => {
    await using server = new Loopback(async (peer) => {
      await peer.conn.read(new Uint8Array(1000));
      await peer.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nspeak http\r\n");
    });
    await using client = trusting();
    await assert.rejects(
      get(client, `https://h.test:${server.port}/`),
      failure("other", "plain-http"),
    );
  });

  Deno.test(`HttpClient says tls for a handshake refused or broken off, by ${way}`, async () => {
    for (const answer of [Uint8Array.of(0x15, 3, 1, 0, 2, 2, 40), new Uint8Array(0)]) {
      await using server = new Loopback(async (peer) => {
        await peer.conn.read(new Uint8Array(1000));
        await peer.send(answer);
      });
      await using client = trusting();
      await assert.rejects(
        get(client, `https://h.test:${server.port}/`),
        failure("tls", "handshake"),
      );
    }
  });

  Deno.test(`HttpClient says refused where nobody listens, by ${way}`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    listener.close();
    await using client = trusting();
    await assert.rejects(get(client, `https://h.test:${listener.addr.port}/`), failure("refused"));
  });
}

Deno.test("HttpClient says tls for a name that no certificate can be for", async () => {
  await using server = new Loopback(hello, { tls: GOOD });
  await using client = loopbackClient({ caCerts: [authority.pem] });
  await assert.rejects(get(client, `https://-h..test:${server.port}/`), failure("tls", "name"));
  assert.equal(client.stats.open, 0);
});

Deno.test("HttpClient with `insecure` takes any certificate", async () => {
  for (const tls of [certificate(["other.test"]), certificate(["h.test"], -3, -2)]) {
    await using server = new Loopback(hello, { tls });
    await using client = loopbackClient({ insecure: true });
    assert.equal(textOf((await get(client, `https://h.test:${server.port}/`)).body), "hi");
    assert.equal((await get(client, `https://127.0.0.1:${server.port}/`)).status, 200);
  }
});

Deno.test("HttpClient says other for a TLS server that is asked in plain http", async () => {
  await using server = new Loopback(async (peer) => {
    await peer.request();
    await peer.send(Uint8Array.of(0x15, 3, 1, 0, 2, 2, 70));
  });
  await using client = loopbackClient();
  await assert.rejects(get(client, `http://h.test:${server.port}/`), failure("other", "tls-port"));
});
