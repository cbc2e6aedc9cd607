import assert from "node:assert/strict";
import fc from "fast-check";
import {
  hostOf,
  registeredDomain,
  SUFFIX_LIST_PACKAGE,
  suffixListHash,
} from "../../lib/url/host.ts";
import config from "../../deno.json" with { type: "json" };

Deno.test("hostOf() is the parser's host, in lower case, without port, userinfo and trailing dot", () => {
  const cases: [string, string][] = [
    ["https://example.com/a", "example.com"],
    ["http://example.com", "example.com"],
    ["http://Example.COM:8080/", "example.com"],
    ["http://user:pw@example.com/", "example.com"],
    ["http://example.com./", "example.com"],
    ["http://[2001:DB8::1]:80/", "[2001:db8::1]"],
    ["http://0x7f.1/", "127.0.0.1"],
    ["http://bücher.example/", "xn--bcher-kva.example"],
    ["HTTPS://example.com?x", "example.com"],
    ["http:\\\\example.com\\x", "example.com"],
    ["data:text/html,x", ""],
    ["http://", ""],
    ["nonsense", ""],
  ];
  for (const [url, host] of cases) assert.equal(hostOf(url), host, url);
});

Deno.test("hostOf() agrees with the parser on any host it takes the short way for", () => {
  const text = fc.stringMatching(/^[a-z.\-0-9@:\/?#\\x]{0,20}$/);
  fc.assert(
    fc.property(text, (tail) => {
      const url = "https://" + tail + "/";
      const expected = (URL.parse(url)?.hostname ?? "").replace(/\.+$/, "");
      assert.equal(hostOf(url), expected, url);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("registeredDomain() goes by both sections of the public suffix list", () => {
  const cases: [string, string][] = [
    ["a.b.example.co.uk", "example.co.uk"],
    ["www.example.com", "example.com"],
    ["me.github.io", "me.github.io"],
    ["a.me.github.io", "me.github.io"],
    ["a.b.kawasaki.jp", "a.b.kawasaki.jp"],
    ["x.city.kawasaki.jp", "city.kawasaki.jp"],
    ["host.unlisted-tld", "host.unlisted-tld"],
    ["a.host.unlisted", "host.unlisted"],
    ["foo_bar.example.com", "example.com"],
  ];
  for (const [host, domain] of cases) assert.equal(registeredDomain(host), domain, host);
});

Deno.test("registeredDomain() leaves addresses, bare suffixes and malformed hosts as they are", () => {
  for (
    const host of [
      "127.0.0.1",
      "[2001:db8::1]",
      "com",
      "co.uk",
      "github.io",
      "localhost",
      "a..example.com",
      "a b.example.com",
      ".example.com",
      "x".repeat(64) + ".example.com",
      ("abcdefghi.").repeat(30) + "com",
      "",
    ]
  ) {
    assert.equal(registeredDomain(host), host, host);
  }
});

Deno.test("suffixListHash() names the package version that deno.json pins", () => {
  assert.equal("npm:" + SUFFIX_LIST_PACKAGE, config.imports.tldts);
  assert.match(suffixListHash(), /^[0-9a-f]{64}$/);
  assert.equal(suffixListHash(), suffixListHash());
});
