import assert from "node:assert/strict";
import { decode } from "dns-packet";
import fc from "fast-check";
import {
  buildQuery,
  encodeName,
  MALFORMED,
  parseResponse,
  TYPE_A,
  TYPE_AAAA,
} from "../../lib/net/_dns_wire.ts";
import { parseHosts } from "../../lib/net/hosts_file.ts";
import { parseNameServer, parseResolvConf } from "../../lib/net/resolv_conf.ts";
import { a, aaaa, answer, type Asked, cname } from "./_name_server.ts";

const wire = encodeName("www.example.test")!;
const asked: Asked = {
  id: 7,
  name: "www.example.test",
  type: "A",
  tcp: false,
  nth: 1,
  from: undefined,
};

Deno.test("buildQuery() writes what another codec reads", () => {
  const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/);
  fc.assert(
    fc.property(
      fc.array(label, { minLength: 1, maxLength: 6 }),
      fc.nat(65535),
      fc.constantFrom(TYPE_A, TYPE_AAAA),
      (labels, id, type) => {
        const name = labels.join(".");
        // deno-lint-ignore no-explicit-any
        const q = decode(buildQuery(id, encodeName(name)!, type)) as any;
        assert.equal(q.id, id);
        assert.equal(q.flag_rd, true);
        assert.deepEqual(q.questions, [{
          name,
          type: type === TYPE_A ? "A" : "AAAA",
          class: "IN",
        }]);
      },
    ),
  );
});

Deno.test("parseResponse() reads what another codec writes", () => {
  const address = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((p) =>
    p.join(".")
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(address, fc.nat(1e6)), { maxLength: 16 }), (records) => {
      const packet = answer(asked, { answers: records.map(([ip, ttl]) => a(asked.name, ip, ttl)) });
      const r = parseResponse(packet, wire, TYPE_A)!;
      assert.deepEqual(r.addresses, records.map(([ip]) => ip));
      if (records.length > 0) assert.equal(r.ttl, Math.min(...records.map(([, ttl]) => ttl)));
    }),
  );
});

Deno.test("parseResponse() follows pointers backwards only", () => {
  const packet = answer(asked, { answers: [a(asked.name, "192.0.2.1")] });
  const at = 12 + wire.length + 4; // the owner's name
  for (const target of [at, at + 2, 0x3fff, packet.length]) {
    const looped = new Uint8Array(packet.length - wire.length + 2);
    looped.set(packet.subarray(0, at));
    looped.set([0xc0 | target >> 8, target & 255], at);
    looped.set(packet.subarray(at + wire.length), at + 2);
    assert.equal(parseResponse(looped, wire, TYPE_A)!.rcode, MALFORMED);
  }
  const compressed = new Uint8Array(packet.length - wire.length + 2);
  compressed.set(packet.subarray(0, at));
  compressed.set([0xc0, 12], at);
  compressed.set(packet.subarray(at + wire.length), at + 2);
  assert.deepEqual(parseResponse(compressed, wire, TYPE_A)!.addresses, ["192.0.2.1"]);
});

Deno.test("parseResponse() neither throws nor invents on damaged messages", () => {
  const packet = answer(asked, {
    answers: [
      cname(asked.name, "a.example.test"),
      cname("a.example.test", "b.example.test"),
      a("b.example.test", "192.0.2.1"),
    ],
  });
  const damage = fc.array(fc.tuple(fc.nat(packet.length - 1), fc.nat(255)), { maxLength: 6 });
  fc.assert(
    fc.property(damage, fc.nat(packet.length), (changes, length) => {
      const bad = packet.slice();
      for (const [at, value] of changes) bad[at] = value;
      const r = parseResponse(bad.subarray(0, length), wire, TYPE_A);
      if (r === null) return;
      assert(r.addresses.length <= 1);
      assert(r.ttl >= 0 && r.ttl <= 0x7fffffff);
    }),
    { numRuns: 3000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (noise) => {
    const head = [0, 7, 0x81, 0x80, 0, 1, 255, 255, 255, 255, 255, 255];
    const question = packet.subarray(12, 12 + wire.length + 4);
    const r = parseResponse(Uint8Array.from([...head, ...question, ...noise]), wire, TYPE_A)!;
    assert.equal(r.rcode, MALFORMED);
  }));
});

Deno.test("parseResponse() takes no address of the wrong size, type or class", () => {
  const packet = answer(asked, {
    answers: [a(asked.name, "192.0.2.1"), aaaa(asked.name, "2001:db8::1")],
  });
  assert.deepEqual(parseResponse(packet, wire, TYPE_A)!.addresses, ["192.0.2.1"]);
  assert.equal(parseResponse(packet, wire, TYPE_AAAA), null);
  const chaos = packet.slice();
  chaos[12 + wire.length + 4 + wire.length + 3] = 3;
  assert.deepEqual(parseResponse(chaos, wire, TYPE_A)!.addresses, []);
});

Deno.test("parseResponse() keeps at most sixteen addresses", () => {
  const answers = Array.from({ length: 300 }, (_, i) => a(asked.name, `10.0.${i >> 8}.${i & 255}`));
  assert.equal(parseResponse(answer(asked, { answers }), wire, TYPE_A)!.addresses.length, 16);
});

Deno.test("encodeName() takes names up to 63 and 253 characters", () => {
  assert.equal(encodeName("a".repeat(63))!.length, 65);
  assert.equal(encodeName("a".repeat(64)), null);
  const long = `${"a".repeat(63)}.`.repeat(3) + "a".repeat(61);
  assert.equal(long.length, 253);
  assert.equal(encodeName(long)!.length, 255);
  assert.equal(encodeName(long + "a"), null);
});

Deno.test("parseNameServer() reads addresses with and without a port", () => {
  const good: [string, string, number][] = [
    ["9.9.9.9", "9.9.9.9", 53],
    ["127.0.0.1:5353", "127.0.0.1", 5353],
    ["2620:fe::FE", "2620:fe::fe", 53],
    ["[2620:fe::fe]", "2620:fe::fe", 53],
    ["[::1]:65535", "::1", 65535],
  ];
  for (const [text, address, port] of good) {
    assert.deepEqual(parseNameServer(text), { address, port }, text);
  }
  for (
    const text of [
      "",
      "dns.google",
      "1.2.3.4:",
      "1.2.3.4:0",
      "1.2.3.4:65536",
      "1.2.3.4:5a",
      "[::1",
      "[::1]5",
      "[1.2.3.4]",
      "::1]:53",
      "[::1]:",
      "1.2.3",
      "fe80::1%eth0",
      "1.2.3.4:53:53",
    ]
  ) assert.throws(() => parseNameServer(text), RangeError, text);
});

Deno.test("parseResolvConf() takes the servers and leaves the rest", () => {
  const text =
    "# made by hand\r\nsearch a.test\n nameserver\t192.0.2.1 \nnameserver fe80::1%eth0\n" +
    "nameserver 2001:db8::1\r\noptions ndots:5\nnameserver\n;nameserver 192.0.2.2\nnameservers 192.0.2.3\n";
  assert.deepEqual(parseResolvConf(text).map((s) => s.address), ["192.0.2.1", "2001:db8::1"]);
  assert.deepEqual(parseResolvConf("\n"), [{ address: "127.0.0.1", port: 53 }]);
  assert.equal(parseResolvConf("nameserver 192.0.2.1\n".repeat(100)).length, 8);
});

Deno.test("parseHosts() puts IPv4 first and reads several names a line", () => {
  const hosts = parseHosts(
    "::1 localhost ip6-localhost\n127.0.0.1\tLOCALHOST # home\n127.0.0.1 localhost\n192.0.2.1 localhost\n" +
      "#192.0.2.9 no.test\nfe80::1%lo0 no.test\nnonsense no.test\n192.0.2.2\n\n",
  );
  assert.deepEqual(hosts.get("localhost"), ["127.0.0.1", "192.0.2.1", "::1"]);
  assert.deepEqual(hosts.get("ip6-localhost"), ["::1"]);
  assert.equal(hosts.has("no.test"), false);
  assert.equal(hosts.size, 2);
});
