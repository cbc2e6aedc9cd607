import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expandPatterns, readPatternFile, Scope, ScopePatternError } from "../../lib/url/scope.ts";
import { shardOf } from "../../lib/url/shard.ts";

function takes(include: string[], yes: string[], no: string[]): void {
  const scope = new Scope({ include });
  const not = new Scope({ exclude: include });
  for (const url of yes) {
    assert.equal(scope.inScope(url), true, `${include} ${url}`);
    assert.equal(not.inScope(url), false, `excluded ${include} ${url}`);
  }
  for (const url of no) {
    assert.equal(scope.inScope(url), false, `${include} ${url}`);
    assert.equal(not.inScope(url), true, `excluded ${include} ${url}`);
  }
}

Deno.test("Scope takes everything when nothing is asked", () => {
  assert.equal(new Scope().inScope("http://example.com/", 1000), true);
});

Deno.test("Scope bounds the depth, and 0 is no bound", () => {
  const scope = new Scope({ maxDepth: 2 });
  assert.equal(scope.inScope("http://example.com/", 2), true);
  assert.equal(scope.inScope("http://example.com/", 3), false);
  assert.equal(new Scope({ maxDepth: 0 }).inScope("http://example.com/", 3), true);
});

Deno.test("Scope reads a SURT prefix of a host as the host and those under it", () => {
  for (const pattern of ["com,example", "com,example,", "(com,example", "COM,Example,"]) {
    takes(
      [pattern],
      ["http://example.com/", "https://a.b.example.com:8080/x?y", "http://www.example.com/"],
      ["http://example.org/", "http://examples.com/", "http://com.example/", "http://com/"],
    );
  }
});

Deno.test("Scope reads a closed SURT prefix as one host, its port and the beginning of its paths", () => {
  takes(["com,example)"], ["http://example.com/a"], [
    "http://a.example.com/",
    "http://example.com:8080/",
  ]);
  takes(["com,example)/docs/"], ["https://example.com/docs/", "http://example.com/docs/a?b"], [
    "http://example.com/docs",
    "http://example.com/a/docs/",
    "http://www.example.com/docs/",
  ]);
  takes(["com,example:8080)/a"], ["http://example.com:8080/ab"], ["http://example.com/ab"]);
  takes(["com,example:8080"], ["http://a.example.com:8080/ab"], ["http://example.com/ab"]);
  takes(["http://(com,example,)/"], ["http://example.com/"], ["https://example.com/"]);
  takes(["https://(com,example,"], ["https://a.example.com/"], ["http://a.example.com/"]);
  takes(["(com,"], ["https://example.com/"], ["https://example.org/"]);
  takes(["http://(localhost"], ["http://localhost/a"], ["http://local/"]);
  takes(["localhost)/a"], ["http://localhost/a"], ["http://localhost/b"]);
});

Deno.test("Scope keeps many path prefixes of one host apart", () => {
  const include = [
    "com,a)/x/",
    "com,a)/b",
    "com,a)/b/c",
    "com,a)/y?q=1",
    "com,a)/b/",
    "com,a)/x/y",
  ];
  takes(include, [
    "http://a.com/x/",
    "http://a.com/x/y/z",
    "http://a.com/b",
    "http://a.com/bb",
    "http://a.com/b/c/d",
    "http://a.com/y?q=12",
  ], ["http://a.com/", "http://a.com/x", "http://a.com/a", "http://a.com/y?q=2", "http://a.com/z"]);
});

Deno.test("Scope reads anything else as a regular expression, found anywhere", () => {
  takes(["\\.pdf$"], ["http://example.com/a.pdf"], ["http://example.com/a.pdf?x"]);
  takes(["^https://[^/]*\\.example\\.com/"], ["https://a.example.com/"], ["http://a.example.com/"]);
  takes(["example"], ["http://example.com/"], ["http://other.com/"]);
  takes(["(foo)"], ["http://a.foo.com/"], ["http://baz.com/"]);
  takes(["com"], ["http://a.com/"], ["http://a.org/"]);
  takes(["(foo|bar)"], ["http://foo.com/"], ["http://baz.com/"]);
  takes(["a{2,3}"], ["http://x.com/aa"], ["http://x.com/a"]);
});

Deno.test("Scope lets exclude win over include", () => {
  const scope = new Scope({ include: ["com,example"], exclude: ["/private/", "com,example,bad"] });
  assert.equal(scope.inScope("http://example.com/a"), true);
  assert.equal(scope.inScope("http://example.com/private/a"), false);
  assert.equal(scope.inScope("http://x.bad.example.com/"), false);
});

Deno.test("Scope takes its shard alone", () => {
  const scopes = [0, 1, 2].map((shard) => new Scope({ shard, shards: 3 }));
  for (const host of ["example.com", "ycombinator.com", "a.commoncrawl.org", "example.com"]) {
    const url = `https://${host}/`;
    const owners = scopes.map((scope) => scope.inScope(url));
    assert.deepEqual(owners, [0, 1, 2].map((shard) => shardOf(url, 3) === shard));
  }
});

Deno.test("Scope refuses a shard beyond its shards", () => {
  assert.throws(() => new Scope({ shard: 3, shards: 3 }), RangeError);
  assert.throws(() => new Scope({ shard: -1, shards: 3 }), RangeError);
  assert.throws(() => new Scope({ shards: 0 }), RangeError);
});

Deno.test("Scope names a pattern that is neither", () => {
  assert.throws(() => new Scope({ exclude: ["ok", "a(b"] }), (error) => {
    assert.ok(error instanceof ScopePatternError);
    assert.equal(error.name, "ScopePatternError");
    assert.equal(error.pattern, "a(b");
    assert.match(error.message, /^Cannot use the pattern "a\(b": /);
    return true;
  });
});

Deno.test("readPatternFile() takes one pattern a line, and expandPatterns() the files that @ names", async () => {
  const folder = await mkdtemp(join(tmpdir(), "scope-"));
  try {
    const path = join(folder, "patterns.txt");
    await writeFile(path, "\ufeff# hosts\r\ncom,example\r\n\n  \\.pdf$ \n#end");
    assert.deepEqual(await readPatternFile(path), ["com,example", "\\.pdf$"]);
    assert.deepEqual(await expandPatterns(["a", "@" + path, "b"]), [
      "a",
      "com,example",
      "\\.pdf$",
      "b",
    ]);
    await assert.rejects(
      readPatternFile(join(folder, "none")),
      /^Error: Cannot read the pattern file .*none: /,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
