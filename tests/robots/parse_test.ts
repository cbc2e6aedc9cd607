import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { MAX_STEPS, stepsTaken } from "../../lib/robots/_rules.ts";
import {
  MAX_CRAWL_DELAY,
  PARSE_LIMIT,
  parseRobots,
  productToken,
  Robots,
  type RobotsVerdict,
} from "../../lib/robots/parse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const ORIGIN = "https://example.com";

/** Whether CCrawl may fetch a path, by both ways of parsing. */
function allowed(file: string | Uint8Array, path: string, agent = "CCrawl"): boolean {
  const body = typeof file === "string" ? bytes(file) : file;
  const whole = parseRobots(body).check(agent, ORIGIN + path);
  const narrow = parseRobots(body, { agent }).check(agent, ORIGIN + path);
  assert.deepEqual(whole, narrow, `${path} parsed whole and for ${agent} alone`);
  return whole.allowed;
}

function disallows(pattern: string, path: string): boolean {
  return !allowed(`User-agent: *\nDisallow: ${pattern}\n`, path);
}

// RFC 9309 section 5.1, to the letter.
const EXAMPLE = `            User-Agent: *
            Disallow: *.gif$
            Disallow: /example/
            Allow: /publications/

            User-Agent: foobot
            Disallow:/
            Allow:/example/page.html
            Allow:/example/allowed.gif

            User-Agent: barbot
            User-Agent: bazbot
            Disallow: /example/page.html

            User-Agent: quxbot

            EOF
`;

Deno.test("parseRobots() gives the verdicts of RFC 9309's simple example", () => {
  const paths = ["/example/page.html", "/example/allowed.gif", "/publications/", "/x.gif", "/"];
  const verdicts = (agent: string) => paths.map((path) => allowed(EXAMPLE, path, agent));
  assert.deepEqual(verdicts("foobot"), [true, true, false, false, false]);
  assert.deepEqual(verdicts("barbot"), [false, true, true, true, true]);
  assert.deepEqual(verdicts("bazbot"), [false, true, true, true, true]);
  // Its group is empty, and it counts: the rules for everybody are not for it.
  assert.deepEqual(verdicts("quxbot"), [true, true, true, true, true]);
  assert.deepEqual(verdicts("otherbot"), [false, false, true, false, true]);
});

Deno.test("parseRobots() lets the longest match win (RFC 9309 section 5.2)", () => {
  const file =
    "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
  assert.equal(allowed(file, "/example/page/disallowed.gif", "foobot"), false);
  assert.equal(allowed(file, "/example/page/", "foobot"), true);
});

Deno.test("Robots.check() matches by RFC 9309's table of encoded paths (section 2.2.2)", () => {
  const table: [rule: string, path: string][] = [
    ["/foo/bar?baz=quz", "/foo/bar?baz=quz"],
    ["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"],
    ["/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"],
    ["/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"],
    ["/foo/bar/ツ", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%e3%83%84", "/foo/bar/ツ"],
    ["/foo/bar/%62%61%7A", "/foo/bar/baz"],
    ["/foo/bar/baz", "/foo/bar/%62%61%7A"],
  ];
  for (const [rule, path] of table) assert.ok(disallows(rule, path), `${rule} ${path}`);
  assert.equal(disallows("/foo/bar/ツ", "/foo/bar/%E3%83%85"), false);
});

Deno.test("Robots.check() takes %2A and %24 for the characters themselves (section 2.2.3)", () => {
  assert.ok(disallows("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"));
  assert.ok(disallows("/path/file-with-a-%2a.html", "/path/file-with-a-%2A.html"));
  assert.equal(disallows("/path/file-with-a-%2A.html", "/path/file-with-a-x.html"), false);
  assert.ok(disallows("/path/foo-%24", "/path/foo-$"));
  assert.ok(disallows("/path/foo-%24", "/path/foo-$bar"));
  assert.equal(disallows("/path/foo-%24", "/path/foo-"), false);
  assert.ok(disallows("/a$b", "/a$bc"));
});

Deno.test("Robots.check() keeps an encoded slash apart from a slash in a path", () => {
  // The table of the 1996 draft, which crawlers have gone by since.
  const table: [rule: string, path: string, match: boolean][] = [
    ["/tmp", "/tmp", true],
    ["/tmp", "/tmp.html", true],
    ["/tmp", "/tmp/a.html", true],
    ["/tmp/", "/tmp", false],
    ["/tmp/", "/tmp/", true],
    ["/tmp/", "/tmp/a.html", true],
    ["/a%3cd.html", "/a%3cd.html", true],
    ["/a%3Cd.html", "/a%3cd.html", true],
    ["/a%3cd.html", "/a%3Cd.html", true],
    ["/a<d.html", "/a%3Cd.html", true],
    ["/a%2fb.html", "/a%2fb.html", true],
    ["/a%2fb.html", "/a/b.html", false],
    ["/a/b.html", "/a%2fb.html", false],
    ["/a/b.html", "/a/b.html", true],
    ["/%7ejoe/index.html", "/~joe/index.html", true],
    ["/~joe/index.html", "/%7Ejoe/index.html", true],
    ["/*q=a%2Fb", "/x?q=a%2Fb", true],
    ["/a%3Ab", "/a:b", true],
  ];
  for (const [rule, path, match] of table) {
    assert.equal(disallows(rule, path), match, `${rule} ${path}`);
  }
});

Deno.test("Robots.check() reads * and $", () => {
  const table: [rule: string, path: string, match: boolean][] = [
    ["*", "/", true],
    ["/*", "/anything?x", true],
    ["/fish*", "/fish", true],
    ["/fish*", "/fishheads/yummy.html?id=1", true],
    ["/fish*", "/Fish.asp", false],
    ["/*.php", "/folder/filename.php?parameters", true],
    ["/*.php", "/windows.PHP", false],
    ["/*.php$", "/filename.php", true],
    ["/*.php$", "/filename.php?parameters", false],
    ["/*.php$", "/filename.php/", false],
    ["/*.php$", "/x.php/a.php", true],
    ["/fish*.php", "/fishheads/catfish.php?parameters", true],
    ["/fish*.php", "/fish.asp.php", true],
    ["/$", "/", true],
    ["/$", "/a", false],
    ["/a*b*c$", "/axxbxxc", true],
    ["/a*b*c$", "/abcbcbc", true],
    ["/a*b*c$", "/acb", false],
    ["/ab*ab$", "/ab", false],
    ["/ab*ab$", "/abab", true],
    ["/**a***b", "/xaxb", true],
    ["/*$", "/anything", true],
    [
      "/*a*longer-than-eight-octets*z",
      "/1a2longer-than-eight-octet longer-than-eight-octets3z",
      true,
    ],
    ["/*a*longer-than-eight-octets*z", "/1a2longer-than-eight-octets", false],
    ["/*aaaaaaaaab", "/aaaaaaaaaaaaaaaaab", true],
    ["/*?sid=", "/x?a&sid=", false],
    ["/*sid=", "/x?a&sid=", true],
  ];
  for (const [rule, path, match] of table) {
    assert.equal(disallows(rule, path), match, `${rule} ${path}`);
  }
});

Deno.test("Robots.check() matches the query with the path, and never the fragment", () => {
  assert.ok(disallows("/a?b=c", "/a?b=cd"));
  assert.equal(disallows("/a?b=c", "/a"), false);
  assert.equal(disallows("/*b", "/a#b"), false);
});

Deno.test("Robots.check() lets allow win a tie, whatever the order", () => {
  for (const rules of ["Allow: /p\nDisallow: /p", "Disallow: /p\nAllow: /p"]) {
    assert.equal(allowed(`User-agent: *\n${rules}\n`, "/page"), true);
  }
  // A tie in octets of the one spelling, not of the file's.
  assert.equal(allowed("User-agent: *\nDisallow: /%70\nAllow: /p\n", "/page"), true);
});

Deno.test("Robots.check() counts * and $ among a pattern's octets", () => {
  const table: [rules: string, path: string, verdict: boolean][] = [
    ["allow: /p\ndisallow: /", "/page", true],
    ["allow: /folder\ndisallow: /folder", "/folder/page", true],
    ["allow: /page\ndisallow: /*.htm", "/page.htm", false],
    ["allow: /page\ndisallow: /*.ph", "/page.php5", true],
    ["allow: /$\ndisallow: /", "/", true],
    ["allow: /$\ndisallow: /", "/page.htm", false],
  ];
  for (const [rules, path, verdict] of table) {
    assert.equal(allowed(`User-agent: *\n${rules}\n`, path), verdict, rules + " " + path);
  }
});

Deno.test("Robots.check() always allows /robots.txt itself", () => {
  assert.equal(allowed("User-agent: *\nDisallow: /", "/robots.txt"), true);
  assert.equal(allowed("User-agent: *\nDisallow: /", "/robots.txt?x"), false);
});

Deno.test("Robots.check() tells the line, the rule and the delay", () => {
  const robots = parseRobots(bytes(
    "# one\r\nUser-agent: *\rDisallow: /a%2a*\u00e9%7e$\n\nAllow: /a%24\nCrawl-delay: 1.5\n",
  ));
  assert.deepEqual(robots.check("X", "/a*1é~"), {
    allowed: false,
    line: 3,
    rule: "Disallow: /a%2A*%C3%A9~$",
    crawlDelay: 1.5,
  });
  assert.deepEqual(robots.check("X", "/a$"), {
    allowed: true,
    line: 5,
    rule: "Allow: /a%24",
    crawlDelay: 1.5,
  });
  assert.deepEqual(robots.check("X", "/b"), { allowed: true, crawlDelay: 1.5 });
});

Deno.test("Robots.check() takes any form of URL", () => {
  const robots = parseRobots(bytes("User-agent: *\nDisallow: /a/b\nAllow: /$\nDisallow: /?q"));
  const verdicts: [string, boolean][] = [
    ["https://example.com/a/b", false],
    ["HTTPS://EXAMPLE.com:443/a/b", false],
    ["https://example.com/x/../a/b", false],
    ["https://example.com/x/%2e%2e/a/b", false],
    ["https://example.com\\a\\b", false],
    ["https://user:pw@example.com:8080/a/b", false],
    ["https://example.com", true],
    ["https://example.com?q", false],
    ["https://example.com#/a/b", true],
    ["/a/b", false],
    ["/./a/b", false],
    // What cannot be parsed cannot be asked for.
    ["https://exa mple.com/", false],
    ["not a url", false],
    ["", false],
  ];
  for (const [url, verdict] of verdicts) assert.equal(robots.check("X", url).allowed, verdict, url);
});

Deno.test("productToken() cuts a user agent at its first slash, space or parenthesis", () => {
  assert.equal(productToken("CCrawl/2.0 (+https://example.com/bot)"), "ccrawl");
  assert.equal(productToken("CCrawl"), "ccrawl");
  assert.equal(productToken("MJ12bot"), "mj12bot");
  assert.equal(productToken("foo bar"), "foo");
  assert.equal(productToken("*"), "*");
  assert.equal(productToken(" x"), "");
});

Deno.test("parseRobots() compares product tokens whole, in any case, and without a version", () => {
  const named = (agent: string) => !allowed(`User-agent: ${agent}\nDisallow: /`, "/");
  for (const agent of ["CCrawl", "ccrawl", "CCRAWL", "CCrawl/2.0", "CCrawl/1.0 (x)", "CCrawl\t"]) {
    assert.equal(named(agent), true, agent);
  }
  for (const agent of ["CCrawler", "CCraw", "CC", "ccrawl-image", "x CCrawl", ""]) {
    assert.equal(named(agent), false, agent);
  }
  assert.equal(allowed("User-agent: CCrawl\nDisallow: /", "/", "CCrawl/2.0 (+http://x/)"), false);
});

Deno.test("parseRobots() makes one group of all that name a crawler", () => {
  const file = `User-agent: CCrawl
Disallow: /a
User-agent: other
Disallow: /b
User-agent: x
User-agent: CCRAWL/2.0
Disallow: /c
User-agent: *
Disallow: /d
`;
  const verdicts = ["/a", "/b", "/c", "/d"].map((path) => allowed(file, path));
  assert.deepEqual(verdicts, [false, true, false, true]);
  // The groups of `*` are merged too.
  const everybody = "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: *\nDisallow: /b";
  assert.deepEqual(["/a", "/b"].map((path) => allowed(everybody, path)), [false, false]);
});

Deno.test("parseRobots() counts a group without rules as the crawler's group", () => {
  for (
    const end of ["", "\n", "\nDisallow:", "\nDisallow: # nothing", "\nUser-agent: x\nDisallow:"]
  ) {
    assert.equal(allowed("User-agent: *\nDisallow: /\n\nUser-agent: CCrawl" + end, "/"), true, end);
  }
});

Deno.test("parseRobots() does not end a group at Sitemap, blank or unknown lines", () => {
  const file = `User-agent: CCrawl
Sitemap: https://example.com/sitemap.xml

Noindex: /x
User-agent: other
# comment

Disallow: /a
Sitemap: https://example.com/more.xml
Clean-param: x
Disallow: /b
`;
  for (const agent of ["CCrawl", "other"]) {
    assert.deepEqual(["/a", "/b"].map((path) => allowed(file, path, agent)), [false, false], agent);
  }
  assert.deepEqual(parseRobots(bytes(file)).sitemaps, [
    "https://example.com/sitemap.xml",
    "https://example.com/more.xml",
  ]);
});

Deno.test("parseRobots() ignores rules before the first user agent", () => {
  assert.equal(allowed("Disallow: /\nUser-agent: *\nDisallow: /a", "/b"), true);
});

Deno.test("parseRobots() ignores a path that begins neither with a slash nor a star", () => {
  assert.equal(allowed("User-agent: *\nDisallow: private\nDisallow: $", "/private"), true);
  assert.equal(allowed("User-agent: *\nDisallow: *.gif", "/x.gif"), false);
});

Deno.test("parseRobots() keeps the first group after a BOM", () => {
  const file = bytes("User-agent: *\nDisallow: /a");
  assert.equal(allowed(Uint8Array.from([0xef, 0xbb, 0xbf, ...file]), "/a"), false);
});

Deno.test("parseRobots() ends lines at CR, LF and CRLF, and counts them alike", () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    const file = ["User-agent: *", "", "Disallow: /a", "Disallow: /b"].join(end);
    const verdict = parseRobots(bytes(file)).check("x", "/b");
    assert.deepEqual([verdict.allowed, verdict.line], [false, 4]);
  }
});

Deno.test("parseRobots() reads the misspellings that sites write", () => {
  const files = [
    "useragent: *\nDisallow: /a",
    "User agent: *\nDisallow: /a",
    "User-agent *\nDisallow /a",
    "user-agent : *\ndisallow : /a",
    "\tUSER-AGENT:*\n  DISALLOW:/a  ",
    "User-agent: * # all\nDisallow: /a # b",
    ...["dissallow", "dissalow", "disalow", "diasllow", "disallaw"].map((word) =>
      `User-agent: *\n${word}: /a`
    ),
  ];
  for (const file of files) assert.equal(allowed(file, "/a"), false, file);
  // Prose that happens to begin with such a word is no rule.
  assert.equal(allowed("User-agent: *\nDisallow all the robots", "/a"), true);
  assert.equal(allowed("User-agent: *\nDisallow\n", "/a"), true);
});

Deno.test("parseRobots() takes the HTML page that some sites answer with for no rules", () => {
  const page = "<!DOCTYPE html>\n<html><head><title>Disallow: /</title>\nDisallow: /\n</html>";
  assert.equal(allowed(page, "/"), true);
});

Deno.test("parseRobots() takes Latin-1 and NUL bytes in its stride", () => {
  const file = Uint8Array.from([...bytes("User-agent: *\nDisallow: /caf"), 0xe9, 0, 0x0a]);
  assert.equal(allowed(file, "/caf%E9%00x"), false);
  assert.equal(allowed(file, "/caf"), true);
});

Deno.test("Robots.crawlDelay() is the longest of the crawler's groups", () => {
  const delay = (file: string, agent = "CCrawl") => {
    const whole = parseRobots(bytes(file)).crawlDelay(agent);
    assert.equal(parseRobots(bytes(file), { agent }).crawlDelay(agent), whole);
    return whole;
  };
  assert.equal(delay("User-agent: *\nCrawl-delay: 10"), 10);
  assert.equal(delay("User-agent: *\nCrawl-delay: 0.5"), 0.5);
  assert.equal(delay("User-agent: *\nCrawl-delay: .5\ncrawldelay: 2."), 2);
  assert.equal(delay("User-agent: *\nDisallow: /"), undefined);
  assert.equal(
    delay(
      "User-agent: CCrawl\nCrawl-delay: 3\nUser-agent: *\nCrawl-delay: 9\nUser-agent: ccrawl\nCrawl-delay: 7",
    ),
    7,
  );
  // A delay belongs to the user agents above it alone.
  const two = "User-agent: bingbot\nCrawl-delay: 10\n\nUser-agent: *\nDisallow: /x";
  assert.equal(delay(two), undefined);
  assert.equal(delay(two, "bingbot"), 10);
  assert.equal(allowed(two, "/x", "bingbot"), true);
});

Deno.test("Robots.crawlDelay() ignores garbage and bounds the rest", () => {
  const delay = (value: string) =>
    parseRobots(bytes(`User-agent: *\nCrawl-delay: ${value}\n`)).crawlDelay("x");
  for (
    const value of ["", "-1", "ten", "1e9", "10s", "0x10", "NaN", "Infinity", "1,5", "1 2", "."]
  ) {
    assert.equal(delay(value), undefined, value);
  }
  assert.equal(delay("99999999999"), MAX_CRAWL_DELAY);
  assert.equal(delay("9".repeat(400)), undefined);
});

Deno.test("parseRobots() reads 500 KiB, and drops a rule cut by the end of them", () => {
  const head = "User-agent: *\nDisallow: /whole\n";
  const fill = "#".repeat(PARSE_LIMIT - head.length - 20) + "\n";
  const start = head + fill + "Disallow: /";
  const cut = start + "a".repeat(PARSE_LIMIT - start.length) + "bcd\nDisallow: /beyond\n";
  assert.equal(allowed(cut, "/whole"), false);
  assert.equal(allowed(cut, "/" + "a".repeat(PARSE_LIMIT - start.length + 3)), true);
  assert.equal(allowed(cut, "/beyond"), true);
  // A rule that ends with the last byte is whole.
  const exact = cut.slice(0, PARSE_LIMIT);
  assert.equal(allowed(exact, "/" + "a".repeat(100)), false);
  assert.equal(allowed(exact + "\nDisallow: /beyond", "/" + "a".repeat(100)), false);
  assert.equal(allowed(exact + "\r\nDisallow: /beyond", "/beyond"), true);
});

Deno.test("Robots parsed for one agent refuses to answer for another", () => {
  const robots = parseRobots(bytes("User-agent: *\nDisallow: /a\nSitemap: /s"), {
    agent: "CCrawl",
  });
  assert.throws(() => robots.check("other", "/a"), TypeError);
  assert.deepEqual(robots.sitemaps, []);
  assert.ok(robots.byteLength < 1000);
});

Deno.test("Robots.allowAll() and disallowAll() answer for anybody", () => {
  assert.deepEqual(Robots.allowAll().check("x", "/a"), { allowed: true });
  assert.deepEqual(Robots.disallowAll().check("y", "/a?b"), { allowed: false });
  assert.deepEqual(Robots.disallowAll().check("y", "/robots.txt"), { allowed: true });
});

Deno.test("Robots answers for several agents in turn", () => {
  const robots = parseRobots(bytes("User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b"));
  for (let i = 0; i < 2; i++) {
    assert.equal(robots.check("a", "/a").allowed, false);
    assert.equal(robots.check("b", "/a").allowed, true);
    assert.equal(robots.check("c", "/a").allowed, true);
  }
});

/** The rules of matching, said as slowly and plainly as they can be: for patterns of `a`, `b`, `*`, `$`. */
function plainMatch(pattern: string, path: string): boolean {
  if (pattern === "") return true;
  if (pattern === "$") return path === "";
  if (pattern[0] === "*") {
    for (let i = 0; i <= path.length; i++) {
      if (plainMatch(pattern.slice(1), path.slice(i))) return true;
    }
    return false;
  }
  return pattern[0] === path[0] && plainMatch(pattern.slice(1), path.slice(1));
}

Deno.test("Robots.check() agrees with the definition for any patterns", () => {
  const tail = fc.stringMatching(/^[ab*]{0,12}\$?$/);
  const path = fc.stringMatching(/^[ab]{0,12}$/);
  const rule = fc.tuple(fc.boolean(), tail);
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), path, (rules, target) => {
      const lines = rules.map(([allow, pattern]) => `${allow ? "Allow" : "Disallow"}: /${pattern}`);
      let best = -1;
      let expected = true;
      for (const [allow, pattern] of rules) {
        if (!plainMatch("/" + pattern, "/" + target)) continue;
        const size = pattern.replace(/\*+/g, "*").length;
        if (size > best) {
          best = size;
          expected = allow;
        } else if (size === best && allow) expected = true;
      }
      assert.equal(allowed("User-agent: *\n" + lines.join("\n"), "/" + target), expected);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("parseRobots() and check() never throw, whatever they are given", () => {
  const token = fc.constantFrom(
    ..."user-agent:|disallow:|allow:|crawl-delay:|sitemap:|*|$|/|%|%2|%2f|%2A|:|#|\n|\r|\r\n| |\t|ccrawl|a|é|?|\u0000|\ufeff"
      .split("|"),
  );
  const text = fc.array(token, { maxLength: 40 }).map((parts) => bytes(parts.join("")));
  const body = fc.oneof(text, fc.uint8Array({ maxLength: 200 }));
  const url = fc.oneof(fc.webUrl(), fc.string({ unit: "binary" }), fc.constant("/a?b/%2f%%"));
  fc.assert(
    fc.property(body, url, (file, target) => {
      const whole: RobotsVerdict = parseRobots(file).check("ccrawl", target);
      const narrow = parseRobots(file, { agent: "ccrawl" }).check("ccrawl", target);
      assert.deepEqual(whole, narrow);
    }),
    { numRuns: 3000 },
  );
});

function fileOf(line: (i: number) => string): string {
  let out = "User-agent: *\n";
  for (let i = 0; out.length < PARSE_LIMIT - 5000; i++) out += line(i) + "\n";
  return out;
}

Deno.test("Robots.check() stays within its steps on files written to be slow", () => {
  const long = "/" + "a".repeat(3999);
  const files: [name: string, file: string, verdict: boolean | undefined][] = [
    ["stars, one line", "User-agent: *\nDisallow: /" + "*a".repeat(250_000) + "b", true],
    ["stars that match", "User-agent: *\nDisallow: /" + "*a".repeat(1000), false],
    ["a needle that nearly matches", "User-agent: *\nDisallow: /*" + "a".repeat(3000) + "ba", true],
    [
      "such needles in series",
      "User-agent: *\nDisallow: /" + ("*" + "a".repeat(30) + "c").repeat(15_000),
      true,
    ],
    ["many lines of stars", fileOf((i) => `Disallow: /*a*a*a*a*a*a*a*a*a*b${i % 10}`), true],
    [
      "plain rules with one prefix",
      fileOf((i) => "Disallow: /" + "a".repeat(i % 3990) + "/"),
      true,
    ],
    ["fifty thousand rules", fileOf((i) => `Disallow:/${i}`), true],
    ["as many groups", fileOf((i) => `Disallow:\nUser-agent: a${i}\nDisallow: /`), true],
    ["one group of all agents", fileOf((i) => `User-agent: ${i % 2 ? "*" : "b" + i}`), true],
  ];
  for (const [name, file, verdict] of files) {
    const robots = parseRobots(bytes(file), { agent: "CCrawl" });
    const result = robots.check("CCrawl", long);
    assert.equal(result.allowed, verdict, name);
    assert.equal(result.undecided, undefined, name);
    assert.ok(stepsTaken() <= 1_500_000, `${name}: ${stepsTaken()} steps`);
  }
});

Deno.test("Robots.check() refuses a URL when a file is too costly to hold against it", () => {
  // All octets of the rules are in the URL, so none can be ruled out at a glance.
  const file = fileOf((i) =>
    `Disallow: /*b${i.toString(2).replaceAll("0", "a").replaceAll("1", "b")}ab`
  );
  const url = "/" + "ab".repeat(1000) + "a".repeat(2000);
  const verdict = parseRobots(bytes(file), { agent: "x" }).check("x", url);
  assert.equal(verdict.allowed, false);
  assert.ok(verdict.undecided === true || verdict.line !== undefined);
  assert.ok(stepsTaken() <= MAX_STEPS + 100_000);
  const costly = fileOf(() => "Disallow: /*abab*bb*");
  const undecided = parseRobots(bytes(costly), { agent: "x" }).check("x", url);
  assert.deepEqual(undecided, { allowed: false, undecided: true });
  assert.ok(stepsTaken() <= MAX_STEPS + 100_000);
});

Deno.test("Robots keeps hostile files in memory that grows with the file alone", () => {
  const file = fileOf((i) => `User-agent: CCrawl\nUser-agent: a${i}\nDisallow: /${i}`);
  const robots = parseRobots(bytes(file), { agent: "CCrawl" });
  assert.ok(robots.byteLength < 2 * PARSE_LIMIT);
});

Deno.test("parseRobots() reads a hundred real files", async () => {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  if (corpus === undefined) {
    console.log("CCRAWL_CORPUS is not set: the folder of real inputs is needed");
    return;
  }
  let files = 0;
  let ruled = 0;
  for (const name of await readdir(join(corpus, "robots"))) {
    if (name === "README.md") continue;
    const body = await readFile(join(corpus, "robots", name));
    const robots = parseRobots(body);
    const narrow = parseRobots(body, { agent: "CCrawl" });
    files++;
    for (
      const path of [
        "/",
        "/admin/",
        "/search?q=a",
        "/index.php?PHPSESSID=1",
        "/wp-admin/x",
        "/a/b.pdf",
      ]
    ) {
      const verdict = robots.check("CCrawl", `https://${name}${path}`);
      assert.deepEqual(narrow.check("CCrawl", `https://${name}${path}`), verdict, name);
      if (verdict.line === undefined) continue;
      ruled++;
      // The line named is the rule that decided.
      const line = body.toString("latin1").split(/\r\n|\r|\n/)[verdict.line - 1]!.toLowerCase();
      assert.match(line, verdict.allowed ? /^\s*allow/ : /^\s*dis/, name);
    }
  }
  assert.ok(files >= 100, `${files} files`);
  assert.ok(ruled >= 50, `${ruled} verdicts by rule`);
});
