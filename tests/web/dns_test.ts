import assert from "node:assert/strict";
import { askTcp, askUdp, type DnsAnswer } from "./_testing.ts";
import { type LocalWeb, startWeb } from "./mod.ts";

async function one(
  web: LocalWeb,
  name: string,
  type: "A" | "AAAA" = "A",
  server = 0,
): Promise<DnsAnswer> {
  const [a] = await askUdp(web.resolvers[server]!, name, type);
  assert.ok(a !== undefined && a !== "no message");
  return a;
}

Deno.test("the name server gives every host an address of its own", async () => {
  await using web = await startWeb({ hosts: 300, hostsPerIp: 1 });
  const seen = new Set<string>();
  for (const i of [0, 1, 2, 254, 255, 256, 299]) {
    const a = await one(web, web.hostName(i));
    assert.equal(a.id, 77);
    assert.equal(a.rcode, "NOERROR");
    assert.equal(a.answers.length, 1);
    assert.match(a.answers[0]!, /^A 127\./);
    assert.equal(a.ttl, 300);
    seen.add(a.answers[0]!);
  }
  if (web.ready.manyAddresses) assert.equal(seen.size, 7);
  assert.deepEqual(
    (await one(web, "h9.ip7.good.test")).answers,
    (await one(web, "h8.ip7.good.test")).answers,
  );
  assert.equal((await one(web, "H0001.Good.TEST")).question, "H0001.Good.TEST");
});

Deno.test("the name server shares addresses between hosts when told to", async () => {
  await using web = await startWeb({ hosts: 20, hostsPerIp: 10 });
  const of = async (i: number) => (await one(web, web.hostName(i))).answers[0];
  assert.equal(await of(0), await of(9));
  if (web.ready.manyAddresses) assert.notEqual(await of(9), await of(10));
});

Deno.test("the name server answers with every code it has traits for", async () => {
  await using web = await startWeb();
  assert.equal((await one(web, "a.nx.test")).rcode, "NXDOMAIN");
  assert.equal((await one(web, "example.com")).rcode, "NXDOMAIN");
  assert.equal((await one(web, "a.servfail.test")).rcode, "SERVFAIL");
  assert.equal((await one(web, "a.dns-refused.test")).rcode, "REFUSED");
  const none = await one(web, "a.no-address.test");
  assert.deepEqual([none.rcode, none.answers.length], ["NOERROR", 0]);
});

Deno.test("the name servers disagree where a name says so", async () => {
  await using web = await startWeb();
  assert.equal((await one(web, "a.nx-1.test", "A", 0)).rcode, "NXDOMAIN");
  assert.equal((await one(web, "a.nx-1.test", "A", 1)).answers.length, 1);
  assert.equal((await one(web, "a.servfail-2.test", "A", 0)).answers.length, 1);
  assert.equal((await one(web, "a.servfail-2.test", "A", 1)).rcode, "SERVFAIL");
  const counts = await web.dnsQueries(1);
  assert.equal(counts.get("a.nx-1.test"), 1);
  assert.equal((await web.dnsQueries()).get("a.nx-1.test"), 2);
});

Deno.test("the name server has the addresses that must not be connected to", async () => {
  await using web = await startWeb();
  const four = async (n: string) => (await one(web, `a.${n}.test`)).answers;
  const six = async (n: string) => (await one(web, `a.${n}.test`, "AAAA")).answers;
  assert.deepEqual(await four("private"), ["A 10.1.2.3"]);
  assert.deepEqual(await four("link-local"), ["A 169.254.169.254"]);
  assert.deepEqual(await four("zero"), ["A 0.0.0.0"]);
  assert.deepEqual(await four("cgnat"), ["A 100.64.0.1"]);
  assert.deepEqual(await four("mixed"), ["A 93.184.215.14", "A 127.0.0.1"]);
  assert.deepEqual((await four("dead-first"))[0], "A 224.0.0.251");
  assert.deepEqual(await six("v6"), ["AAAA ::1"]);
  assert.deepEqual(await four("v6"), []);
  assert.deepEqual(await six("mapped"), ["AAAA ::ffff:7f00:1"]);
  assert.deepEqual(await six("nat64"), ["AAAA 64:ff9b::7f00:1"]);
  assert.deepEqual(await six("six-to-four"), ["AAAA 2002:7f00:1::"]);
  assert.deepEqual(await six("ula"), ["AAAA fd00::1"]);
  assert.deepEqual(await six("good"), []);
  assert.equal((await four("dual")).length + (await six("dual")).length, 2);
});

Deno.test("the name server makes chains and loops of aliases", async () => {
  await using web = await startWeb();
  const chain = (await one(web, "a.cname-3.test")).answers;
  assert.deepEqual(chain.slice(0, 3), [
    "CNAME c1.a.cname-3.test",
    "CNAME c2.a.cname-3.test",
    "CNAME c3.a.cname-3.test",
  ]);
  assert.match(chain[3]!, /^A 127\./);
  assert.match((await one(web, "c3.a.cname-3.test")).answers[0]!, /^A 127\./);
  assert.deepEqual((await one(web, "a.cname-bare.test")).answers, ["CNAME a.good.test"]);
  assert.deepEqual((await one(web, "a.cname-loop.test")).answers, [
    "CNAME loop.a.cname-loop.test",
    "CNAME a.cname-loop.test",
  ]);
});

Deno.test("the name server truncates over UDP and is whole over TCP", async () => {
  await using web = await startWeb();
  for (const [name, count] of [["a.tc.test", 1], ["a.many.test", 60]] as const) {
    const udp = await one(web, name);
    assert.deepEqual([udp.truncated, udp.answers.length], [true, 0]);
    const tcp = await askTcp(web.resolver, name);
    assert.deepEqual([tcp.truncated, tcp.answers.length], [false, count]);
  }
  assert.equal((await one(web, "a.ttl-7.test")).ttl, 7);
  assert.equal((await one(web, "a.ttl.test")).ttl, 0);
});

Deno.test("the name server is silent, late and lossy where a name says so", async () => {
  await using web = await startWeb();
  assert.deepEqual(await askUdp(web.resolver, "a.dns-silent.test", "A", { silence: 50 }), []);
  assert.equal((await one(web, "a.dns-silent-2.test")).answers.length, 1);
  assert.equal((await one(web, "a.dns-late-20.test")).answers.length, 1);
  assert.deepEqual(await askUdp(web.resolver, "a.dns-flaky-1.test", "A", { silence: 50 }), []);
  assert.equal((await one(web, "a.dns-flaky-1.test")).answers.length, 1);
  assert.deepEqual(await askUdp(web.resolver, "a.dns-loss-100.test", "A", { silence: 50 }), []);
  assert.equal((await web.dnsQueries()).get("a.dns-flaky-1.test"), 2);
});

Deno.test("the name server lies where a name says so", async () => {
  await using web = await startWeb();
  assert.notEqual((await one(web, "a.dns-wrong-id.test")).id, 77);
  assert.equal((await one(web, "a.dns-wrong-name.test")).question, "other.test");
  const [false1, true2] = await askUdp(web.resolver, "a.dns-spoof.test", "A", {
    count: 2,
  }) as DnsAnswer[];
  assert.deepEqual([false1!.answers[0], true2!.id], ["A 203.0.113.66", 77]);
  assert.notEqual(false1!.id, 77);
  assert.deepEqual(await askUdp(web.resolver, "a.dns-garbage.test"), ["no message"]);
  assert.deepEqual(await askUdp(web.resolver, "a.dns-pointer-loop.test"), ["no message"]);
});
