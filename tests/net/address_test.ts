import assert from "node:assert/strict";
import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { formatAddress, isBadPort, isGlobalAddress, parseAddress } from "../../lib/net/address.ts";

Deno.test("parseAddress() agrees with node:net on every text but zones", () => {
  const pieces = fc.constantFrom(
    ..."0 1 9 a f g : :: . 255 256 127 ffff 01 00 2001 db8 % eth0 [ ] / 1.2.3.4 ".split(" "),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
      const text = parts.join("");
      if (text.includes("%")) return parseAddress(text) === null;
      assert.equal(
        parseAddress(text)?.length ?? 0,
        [0, 4, 16][[0, 4, 6].indexOf(isIP(text))],
        text,
      );
    }),
    { numRuns: 5000 },
  );
});

Deno.test("parseAddress() reads back what formatAddress() wrote", () => {
  const bytes = (n: number) => fc.uint8Array({ minLength: n, maxLength: n });
  const sparse = fc.array(fc.constantFrom(0, 0, 0, 1, 0x20, 255), { minLength: 16, maxLength: 16 })
    .map((a) => Uint8Array.from(a));
  fc.assert(fc.property(fc.oneof(bytes(4), bytes(16), sparse), (b) => {
    const text = formatAddress(b);
    assert.deepEqual(parseAddress(text), b);
    // The URL standard's serialiser is an independent writer of the same form.
    const host = b.length === 4 ? text : `[${text}]`;
    assert.equal(new URL(`http://${host}/`).hostname, host);
  }));
});

Deno.test("parseAddress() refuses what only lenient parsers read", () => {
  for (
    const text of [
      "",
      "1.2.3",
      "1.2.3.4.5",
      "01.2.3.4",
      "0x7f.0.0.1",
      "2130706433",
      "1.2.3.256",
      " 1.2.3.4",
      "1.2.3.4 ",
      "fe80::1%eth0",
      "[::1]",
      ":::",
      "1::2::3",
      "1:2:3:4:5:6:7:8:9",
      "1:2:3:4:5:6:7",
      "::12345",
      "1:",
      ":1",
      "::1.2.3",
      "1.2.3.4::",
      "::1.2.3.4:5",
      "1:2:3:4:5:6:7:1.2.3.4",
      "1".repeat(100_000),
    ]
  ) assert.equal(parseAddress(text), null, text.slice(0, 40));
});

Deno.test("isGlobalAddress() refuses every special IPv4 block and nothing beside it", () => {
  const blocks: [first: string, last: string, before?: string | undefined, after?: string][] = [
    ["0.0.0.0", "0.255.255.255", undefined, "1.0.0.0"],
    ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
    ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
    ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
    ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
    ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
    ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
    ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
    ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
    ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
    ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
    ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
    ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
    ["224.0.0.0", "255.255.255.255", "223.255.255.255"],
  ];
  for (const [first, last, before, after] of blocks) {
    assert.equal(isGlobalAddress(first), false, first);
    assert.equal(isGlobalAddress(last), false, last);
    if (before) assert.equal(isGlobalAddress(before), true, before);
    if (after) assert.equal(isGlobalAddress(after), true, after);
  }
  for (const ip of ["8.8.8.8", "1.1.1.1", "93.184.216.34", "151.101.1.69"]) {
    assert.equal(isGlobalAddress(ip), true, ip);
  }
});

Deno.test("isGlobalAddress() refuses special IPv6 and all forms that carry an IPv4 address", () => {
  for (
    const ip of [
      "::",
      "::1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::ffff:8.8.8.8",
      "::127.0.0.1",
      "::8.8.8.8",
      "::ffff:0:10.0.0.1",
      "64:ff9b::10.0.0.1",
      "64:ff9b::8.8.8.8",
      "64:ff9b:1::1",
      "100::1",
      "2001::1",
      "2001:0:53aa:64c:0:fbff:fef5:b0d0",
      "2001:2::1",
      "2001:10::1",
      "2001:20::1",
      "2001:1ff:ffff::1",
      "2001:db8::1",
      "2002:7f00:1::",
      "2002:808:808::1",
      "3fff::1",
      "3fff:fff::1",
      "5f00::1",
      "fc00::1",
      "fdff::1",
      "fe80::1",
      "febf::1",
      "fec0::1",
      "ff02::1",
      "1fff::1",
      "4000::1",
      "fe80::1%eth0",
      "[2606:2800:220:1::1]",
      "not an address",
    ]
  ) assert.equal(isGlobalAddress(ip), false, ip);
  for (
    const ip of [
      "2606:2800:220:1:248:1893:25c8:1946",
      "2001:200::1",
      "2001:4860:4860::8888",
      "2a00:1450:4001:80b::200e",
      "2003::1",
      "3fff:1000::1",
      "3ffe::1",
    ]
  ) assert.equal(isGlobalAddress(ip), true, ip);
});

Deno.test("isGlobalAddress() agrees with node's BlockList over random IPv4 addresses", () => {
  const list = new BlockList();
  for (
    const net
      of ("0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 " +
        "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3")
        .split(" ")
  ) {
    const [base, bits] = net.split("/") as [string, string];
    list.addSubnet(base, Number(bits));
  }
  const octet = fc.nat(255);
  const first = fc.constantFrom(0, 9, 10, 100, 127, 169, 172, 192, 198, 203, 223, 224, 255);
  fc.assert(
    fc.property(fc.oneof(first, octet), octet, octet, octet, (a, b, c, d) => {
      const ip = `${a}.${b}.${c}.${d}`;
      return isGlobalAddress(ip) === !list.check(ip);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("isBadPort() refuses what fetch refuses and opens the rest", () => {
  for (const port of [0, 1, 22, 25, 53, 110, 143, 587, 993, 2049, 6000, 6667, 6679, 6697, 10080]) {
    assert.equal(isBadPort(port), true, String(port));
  }
  for (const port of [80, 443, 8080, 8443, 3000, 5000, 8000, 9000, 65535]) {
    assert.equal(isBadPort(port), false, String(port));
  }
});
