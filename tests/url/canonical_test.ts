import assert from "node:assert/strict";
import fc from "fast-check";
import {
  canonicalUrl,
  canonicalUrlSlow,
  LinkCanonicalizer,
  MAX_BASE_CHARS,
  MAX_INPUT_CHARS,
} from "../../lib/url/canonical.ts";

function table(cases: readonly (readonly [string, string | undefined])[], base?: string): void {
  for (const [input, expected] of cases) {
    assert.equal(canonicalUrl(input, base), expected, JSON.stringify(input));
    assert.equal(canonicalUrlSlow(input, base), expected, "slow " + JSON.stringify(input));
  }
}

Deno.test("canonicalUrl() lower-cases scheme and host, drops default port, fragment and userinfo", () => {
  table([
    ["HTTP://Example.COM/Path", "http://example.com/Path"],
    ["http://example.com:80/", "http://example.com/"],
    ["https://example.com:443/", "https://example.com/"],
    ["https://example.com:80/", "https://example.com:80/"],
    ["http://example.com:/", "http://example.com/"],
    ["http://user:secret@example.com/", "http://example.com/"],
    ["http://example.com/a#b", "http://example.com/a"],
    ["http://example.com#b", "http://example.com/"],
    ["http://example.com", "http://example.com/"],
    ["http://example.com?a", "http://example.com/?a"],
    ["http://example.com/?", "http://example.com/"],
    ["http://example.com/?#", "http://example.com/"],
    ["  http://example.com/\n", "http://example.com/"],
    ["http://exam\tple.com/", "http://example.com/"],
    ["http:\\\\example.com\\a\\b", "http://example.com/a/b"],
    ["http:example.com", "http://example.com/"],
    ["http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"],
  ]);
});

Deno.test("canonicalUrl() drops the root dot of a host", () => {
  table([
    ["http://example.com./a", "http://example.com/a"],
    ["http://example.com.:8080/a?b", "http://example.com:8080/a?b"],
    ["http://example.com../a", "http://example.com/a"],
    ["http://0x7f.1../", "http://127.0.0.1/"],
    ["http://./", undefined],
    ["http://../", undefined],
  ]);
});

Deno.test("canonicalUrl() is undefined for what is not http(s) or cannot be parsed", () => {
  table([
    ["mailto:a@example.com", undefined],
    ["javascript:void(0)", undefined],
    ["ftp://example.com/", undefined],
    ["data:text/html,x", undefined],
    ["/relative", undefined],
    ["", undefined],
    ["http://", undefined],
    ["http://exa mple.com/", undefined],
    ["http://example.com:99999/", undefined],
    ["http://1.2.3.256/", undefined],
    ["http://xn--a/", undefined],
  ]);
});

Deno.test("canonicalUrl() resolves dot segments and odd spellings of addresses", () => {
  table([
    ["http://example.com/a/../b/./c", "http://example.com/b/c"],
    ["http://example.com/%2e%2E/x", "http://example.com/x"],
    ["http://example.com/a/%2e", "http://example.com/a/"],
    ["http://example.com/.well-known/x", "http://example.com/.well-known/x"],
    ["http://example.com//a//b", "http://example.com//a//b"],
    ["http://0x7f000001/", "http://127.0.0.1/"],
    ["http://2130706433/", "http://127.0.0.1/"],
    ["http://[::0:1]/", "http://[::1]/"],
  ]);
});

Deno.test("canonicalUrl() normalises percent-encoding", () => {
  table([
    ["http://example.com/%7euser/%41%5f%2d", "http://example.com/~user/A_-"],
    ["http://example.com/%c3%a9", "http://example.com/%C3%A9"],
    ["http://example.com/a%2fb%3f", "http://example.com/a%2Fb%3F"],
    ["http://example.com/?q=%61%26b%3dc%2b", "http://example.com/?q=a%26b%3Dc%2B"],
    ["http://example.com/a b", "http://example.com/a%20b"],
    ["http://example.com/a|b^c`d{e}", "http://example.com/a%7Cb%5Ec%60d%7Be%7D"],
    ["http://example.com/?a|b^c`d{e}\\", "http://example.com/?a%7Cb%5Ec%60d%7Be%7D%5C"],
    ["http://example.com/?a[]=1&b%5b%5d=2", "http://example.com/?a[]=1&b%5B%5D=2"],
    ["http://example.com/?it's", "http://example.com/?it%27s"],
    ["http://example.com/it's", "http://example.com/it's"],
    ["http://example.com/?é", "http://example.com/?%C3%A9"],
  ]);
});

Deno.test("canonicalUrl() leaves a lone percent sign and never makes a new escape from it", () => {
  table([
    ["http://example.com/100%", "http://example.com/100%"],
    ["http://example.com/%zz%4", "http://example.com/%zz%4"],
    ["http://example.com/%%41", "http://example.com/%%41"],
    ["http://example.com/%%32e", "http://example.com/%%32e"],
    ["http://example.com/%a%62", "http://example.com/%a%62"],
    ["http://example.com/%%7ea", "http://example.com/%~a"],
    ["http://example.com/%zz%41", "http://example.com/%zzA"],
  ]);
});

Deno.test("canonicalUrl() drops tracking parameters and keeps the others in their order", () => {
  table([
    ["http://example.com/?utm_source=a&z=1&utm_medium=b&a=2", "http://example.com/?z=1&a=2"],
    ["http://example.com/?UTM_Campaign=a&FbClid=b&GCLID=c&msclkid=d&_GA=e", "http://example.com/"],
    ["http://example.com/?fbclid", "http://example.com/"],
    ["http://example.com/?%75tm_x=1&b", "http://example.com/?b"],
    ["http://example.com/?b&%67clid=1", "http://example.com/?b"],
    ["http://example.com/?b&%5fga=1", "http://example.com/?b"],
    ["http://example.com/?ref=a&source=b&utm=c&gclids=d&_gat=e", undefined],
    ["http://example.com/?a=1&&b=&=&a=1", "http://example.com/?a=1&&b=&=&a=1"],
    ["http://example.com/?q=utm_source=1", "http://example.com/?q=utm_source=1"],
    ["http://example.com/utm_source=1?a;utm_source=1", undefined],
  ].map(([input, expected]) => [input!, expected ?? input]));
});

Deno.test("canonicalUrl() resolves against a base", () => {
  table([
    ["", "https://example.com/a/b?c=1"],
    ["#x", "https://example.com/a/b?c=1"],
    ["?d", "https://example.com/a/b?d"],
    ["?", "https://example.com/a/b"],
    ["e", "https://example.com/a/e"],
    ["e/f?g#h", "https://example.com/a/e/f?g"],
    ["../e", "https://example.com/e"],
    ["./", "https://example.com/a/"],
    ["/e%7e?utm_a=b", "https://example.com/e~"],
    ["//other.example/x", "https://other.example/x"],
    ["///other.example/x", "https://other.example/x"],
    ["/\\other.example/x", "https://other.example/x"],
    ["https:e", "https://example.com/a/e"],
    ["http:e", "http://e/"],
    ["a:b", undefined],
    ["x/a:b", "https://example.com/a/x/a:b"],
    ["http://third.example", "http://third.example/"],
  ], "https://example.com/a/b?utm_source=t&c=1#f");
});

Deno.test("LinkCanonicalizer resolves absolute links though its base is no http(s) URL", () => {
  for (const base of ["about:blank", "nonsense", "data:,x"]) {
    const links = new LinkCanonicalizer(base);
    assert.equal(links.base, undefined);
    assert.equal(links.resolve("http://example.com"), "http://example.com/");
    assert.equal(links.resolve("/x"), undefined);
    assert.equal(links.resolve("//example.com/"), undefined);
  }
});

Deno.test("canonicalUrl() looks at no more than its bounds", () => {
  const long = "http://example.com/" + "a".repeat(MAX_INPUT_CHARS);
  assert.equal(canonicalUrl(long), undefined);
  assert.equal(canonicalUrlSlow(long), undefined);
  assert.equal(canonicalUrl("x".repeat(MAX_INPUT_CHARS + 1), "http://example.com/"), undefined);
  const base = "http://example.com/" + "a".repeat(MAX_BASE_CHARS);
  assert.equal(canonicalUrl("b", base), undefined);
});

// Pieces that meet every branch: hosts, ports, dots, escapes, tracking names, odd characters.
const piece = fc.constantFrom(
  ..."/ // . .. ./ ../ ? # & = % %2 %2e %2E %41 %7e %75 %5F %c3 %zz a b A utm_ utm_x= UTM_ fbclid"
    .split(
      " ",
    ),
  ..."gclid= msclkid _ga f g m u _ - ~ | [ ] ' \" < > \\ ^ ` { } é ☃ \t \n @ : :80 :443 :8080"
    .split(
      / /,
    ),
  ..."com example xn-- xn--p1ai 0x7f 1 127.0.0.1 [::1] www. - -- ; , + ! * ( ) $ \ud800 http:"
    .split(" "),
  " ",
);
const tail = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
const prefix = fc.constantFrom(
  "",
  "http://",
  "https://",
  "http://example.com",
  "https://www.example.co.uk/",
  "http://example.com/a?",
  "HTTP://",
  "//",
  "/",
  "?",
  "#",
  "//example.com/",
);
const link = fc.tuple(prefix, tail).map(([a, b]) => a + b);

Deno.test("canonicalUrl() is idempotent", () => {
  fc.assert(
    fc.property(link, (input) => {
      const once = canonicalUrl(input, "https://example.com/a/b?c");
      if (once !== undefined) assert.equal(canonicalUrl(once), once);
    }),
    { numRuns: 20_000 },
  );
});

Deno.test("LinkCanonicalizer's short ways give what the full parser gives", () => {
  const bases = [
    "https://example.com/a/b?c=%41#d",
    "http://example.com",
    "http://example.com./x/%7e/y?utm_source=1&b",
    "http://u:p@Example.com:8080/a/%/b/",
    "http://127.0.0.1/?utm_source=1",
  ].map((base) => [base, new LinkCanonicalizer(base)] as const);
  fc.assert(
    fc.property(link, (input) => {
      assert.equal(canonicalUrl(input), canonicalUrlSlow(input));
      for (const [base, links] of bases) {
        assert.equal(links.resolve(input), canonicalUrlSlow(input, base), base);
      }
    }),
    { numRuns: 20_000 },
  );
});

Deno.test("canonicalUrl() gives a URL that the parser leaves as it is, save what it encodes less", () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (input) => {
      const canonical = canonicalUrl(input);
      assert.notEqual(canonical, undefined);
      assert.equal(new URL(canonical!).href, canonical);
    }),
    { numRuns: 2000 },
  );
});
