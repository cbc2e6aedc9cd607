import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { Authority, newKey, selfSigned } from "./_certs.ts";
import { readAll, send, split } from "./_testing.ts";
import { type LocalWeb, startWeb } from "./mod.ts";

async function open(web: LocalWeb, host: string): Promise<Deno.TlsConn> {
  const tcp = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.https });
  const tls = await Deno.startTls(tcp, {
    hostname: host,
    caCerts: [await Deno.readTextFile(web.caFile)],
  });
  try {
    await tls.handshake();
  } catch (error) {
    tls.close();
    throw error;
  }
  return tls;
}

Deno.test("https hosts have certificates of the web's authority", async () => {
  await using web = await startWeb();
  for (const host of ["h0001.good.test", "other.name.slow-5.test"]) {
    const tls = await open(web, host);
    await send(tls, host, "/p/0", ["Connection: close"]);
    const answer = split(await readAll(tls));
    tls.close();
    assert.equal(answer.status, 200);
    assert.equal(answer.body.length, 20_000);
  }
  const [entry] = await web.requests({ host: "h0001.good.test" });
  assert.deepEqual([entry!.scheme, entry!.port, entry!.ip], [
    "https",
    web.ready.https,
    "127.0.0.1",
  ]);
  assert.equal((await web.stats()).tlsHandshakes, 2);
});

const BAD: readonly [trait: string, error: RegExp][] = [
  ["tls-expired", /expired/],
  ["tls-not-yet", /not valid yet/],
  ["tls-wrong-name", /not valid for name/],
  ["tls-self-signed", /UnknownIssuer/],
  ["tls-unknown-ca", /UnknownIssuer/],
  ["tls-plain", /corrupt message/],
  ["tls-garbage", /corrupt message/],
  ["tls-alert", /fatal alert: HandshakeFailure/],
  ["tls-alert-70", /fatal alert: ProtocolVersion/],
  ["tls-alert-112", /fatal alert: UnrecognisedName/],
  ["tls-close", /end of file/],
];

Deno.test("https hosts fail in the way of their names", async () => {
  await using web = await startWeb();
  for (const [trait, error] of BAD) {
    await assert.rejects(open(web, `a.${trait}.test`), error, trait);
  }
  assert.equal((await web.stats()).tlsHandshakes, 0);
});

Deno.test("https hosts whose handshakes never end keep the connection until the client leaves", async () => {
  await using web = await startWeb();
  const hello = await clientHello("a.tls-half.test");
  for (const [trait, answer] of [["tls-half", 22], ["tls-hang", undefined]] as const) {
    const tcp = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.https });
    await tcp.write(trait === "tls-half" ? hello : await clientHello(`a.${trait}.test`));
    if (answer !== undefined) {
      const buffer = new Uint8Array(64);
      await tcp.read(buffer);
      assert.equal(buffer[0], answer);
    }
    while ((await web.stats()).open !== 1);
    tcp.close();
    while ((await web.stats()).open > 0);
  }
});

Deno.test("a tls-cut host ends without close_notify", async () => {
  await using web = await startWeb();
  const host = "a.http10.tls-cut.test";
  const tls = await open(web, host);
  await send(tls, host, "/p/0");
  let got = 0;
  await assert.rejects(async () => {
    const buffer = new Uint8Array(64 * 1024);
    for (let n: number | null; (n = await tls.read(buffer)) !== null;) got += n;
  }, Deno.errors.UnexpectedEof);
  assert.ok(got > 20_000);
  tls.close();
});

Deno.test("plain http on the TLS port is told so", async () => {
  await using web = await startWeb();
  const tcp = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.https });
  await send(tcp, "h0001.good.test", "/");
  assert.equal(split(await readAll(tcp)).status, 400);
  tcp.close();
});

Deno.test("Authority issues certificates that another reader of X.509 verifies", () => {
  const authority = new Authority("An authority");
  const key = newKey();
  const ca = new X509Certificate(authority.pem);
  const request = {
    name: "a.good.test",
    names: ["a.good.test", "127.0.0.1"],
    notBefore: new Date("2026-01-02T03:04:05Z"),
    notAfter: new Date("2046-01-02T03:04:05Z"),
  };
  const leaf = new X509Certificate(authority.issue(request, key));
  assert.ok(ca.ca);
  assert.ok(!leaf.ca);
  assert.ok(leaf.verify(ca.publicKey));
  assert.equal(leaf.checkHost("a.good.test"), "a.good.test");
  assert.equal(leaf.checkHost("b.good.test"), undefined);
  assert.equal(new Date(leaf.validFrom).getTime(), request.notBefore.getTime());
  assert.equal(new Date(leaf.validTo).getTime(), request.notAfter.getTime());
  const own = new X509Certificate(selfSigned(request, key));
  assert.ok(own.verify(own.publicKey));
  assert.ok(!own.verify(ca.publicKey));
});

/** The bytes a TLS client starts with, caught by a listener of our own. */
async function clientHello(name: string): Promise<Uint8Array> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const tcp = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  const accepted = await listener.accept();
  const tls = await Deno.startTls(tcp, { hostname: name });
  const shaken = tls.handshake().catch((error) => error);
  const buffer = new Uint8Array(16 * 1024);
  const n = await accepted.read(buffer);
  accepted.close();
  assert.ok(await shaken instanceof Error);
  tls.close();
  listener.close();
  return buffer.slice(0, n ?? 0);
}
