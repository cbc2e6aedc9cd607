import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { type Sitemap, type SitemapInput } from "../../lib/sitemap/read.ts";
import { MAX_SITEMAP_URLS, readSitemap } from "../../lib/sitemap/read.ts";

function read(body: string | Uint8Array, more: Partial<SitemapInput> = {}): Sitemap | undefined {
  return readSitemap({
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
    contentType: "application/xml",
    url: "https://example.com/sitemap.xml",
    ...more,
  });
}

function locs(sitemap: Sitemap | undefined): string[] | undefined {
  return sitemap?.entries.map(({ loc }) => loc);
}

const URLSET = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand > not a tag -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
  <url><loc>https://example.com/a?x=1&amp;y=2</loc><lastmod>2024-05-06</lastmod></url>
  <url>
    <loc> <![CDATA[https://example.com/b&c]]> </loc>
    <image:image><image:loc>https://example.com/picture.jpg</image:loc></image:image>
    <lastmod>2024-05-06T07:08:09+02:00</lastmod>
  </url>
  <url><loc>/&#x63;</loc><lastmod>yesterday</lastmod></url>
  <url><lastmod>2024-01-01</lastmod></url>
</urlset>`;

Deno.test("readSitemap() reads a sitemap: references, CDATA, dates; not the pictures", () => {
  const sitemap = read(URLSET)!;
  assert.equal(sitemap.kind, "urlset");
  assert.equal(sitemap.cut, false);
  assert.deepEqual(sitemap.entries, [
    { loc: "https://example.com/a?x=1&y=2", lastmod: Date.UTC(2024, 4, 6) },
    { loc: "https://example.com/b&c", lastmod: Date.UTC(2024, 4, 6, 5, 8, 9) },
    { loc: "/c" },
  ]);
});

Deno.test("readSitemap() gives the same however the bytes are packed or called", () => {
  const whole = locs(read(URLSET));
  const gz = gzipSync(URLSET);
  assert.deepEqual(locs(read(gz, { url: "https://example.com/sitemap.xml.gz" })), whole);
  assert.deepEqual(locs(read(gz, { contentType: "application/octet-stream" })), whole);
  assert.deepEqual(locs(read("\ufeff" + URLSET, { contentType: "text/html" })), whole);
  const wide = new Uint8Array(2 + 2 * URLSET.length);
  wide.set([0xff, 0xfe]);
  for (let i = 0; i < URLSET.length; i++) wide[2 + 2 * i] = URLSET.charCodeAt(i);
  assert.deepEqual(locs(read(wide)), whole);
});

Deno.test("readSitemap() reads indexes, RSS, RDF and Atom", () => {
  const index = read(
    `<sm:sitemapindex xmlns:sm="x"><sm:sitemap><sm:loc>https://example.com/1.xml</sm:loc>` +
      `<sm:lastmod>2024</sm:lastmod></sm:sitemap></sm:sitemapindex>`,
  )!;
  assert.equal(index.kind, "index");
  assert.deepEqual(index.entries, [
    { loc: "https://example.com/1.xml", lastmod: Date.UTC(2024, 0, 1) },
  ]);
  const rss = read(
    `<rss version="2.0" xmlns:atom="a"><channel><title>T</title><link>https://example.com/</link>
    <atom:link href="https://example.com/feed" rel="self"/>
    <item><title>One</title><link>https://example.com/1</link>
      <pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate></item>
    <item><guid>https://example.com/2</guid></item>
    <item><guid isPermaLink="false">https://example.com/not</guid></item></channel></rss>`,
  )!;
  assert.equal(rss.kind, "rss");
  assert.deepEqual(rss.entries, [
    { loc: "https://example.com/1", lastmod: Date.UTC(2024, 4, 6, 7, 8, 9) },
    { loc: "https://example.com/2" },
  ]);
  const rdf = read(
    `<rdf:RDF xmlns:rdf="r"><item rdf:about="x"><link>https://example.com/r</link>
    <dc:date>2024-05-06</dc:date></item></rdf:RDF>`,
  )!;
  assert.deepEqual(rdf.entries, [
    { loc: "https://example.com/r", lastmod: Date.UTC(2024, 4, 6) },
  ]);
  const atom = read(
    `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.com/"/>
    <entry><link rel="edit" href="/edit"/><link href='https://example.com/e?a=1&amp;b'/>
    <updated>2024-05-06T07:08:09Z</updated></entry></feed>`,
  )!;
  assert.equal(atom.kind, "atom");
  assert.deepEqual(atom.entries, [
    { loc: "https://example.com/e?a=1&b", lastmod: Date.UTC(2024, 4, 6, 7, 8, 9) },
  ]);
});

Deno.test("readSitemap() takes text for a sitemap where its path or a robots.txt says so", () => {
  const text = "https://example.com/a\r\n\n# no address\nhttps://example.com/b";
  const plain = { contentType: "text/plain; charset=utf-8" };
  assert.equal(read(text, { ...plain, url: "https://example.com/urls.txt" }), undefined);
  const expected = ["https://example.com/a", "https://example.com/b"];
  assert.deepEqual(
    locs(read(text, { ...plain, url: "https://example.com/Sitemap-1.txt" })),
    expected,
  );
  assert.deepEqual(
    locs(read(text, { ...plain, url: "https://example.com/urls.txt", expected: true })),
    expected,
  );
  assert.deepEqual(
    locs(read(gzipSync(text), { contentType: "", url: "https://example.com/sitemap.txt.gz" })),
    expected,
  );
  // Cut in its last line: half an address is none.
  assert.deepEqual(
    locs(
      read(text, { ...plain, url: "https://example.com/sitemap.txt", truncated: true }),
    ),
    expected.slice(0, 1),
  );
  assert.equal(read("hello\nhttps://example.com/", { ...plain, expected: true }), undefined);
  // Remarks before the first address, and the line ends of old machines.
  const url = "https://example.com/sitemap.txt";
  assert.deepEqual(locs(read(`# all pages\n\n${text}`, { ...plain, url })), expected);
  assert.deepEqual(
    locs(read("\ufeffhttps://example.com/a\rhttps://example.com/b\r", { ...plain, url })),
    expected,
  );
  assert.equal(read("# all pages\n", { ...plain, url }), undefined);
});

Deno.test("readSitemap() leaves everything else alone", () => {
  const others = [
    "<!DOCTYPE html><html><body><urlset><url><loc>https://e.com/</loc></url></urlset></body></html>",
    "<svg xmlns='s'><url><loc>https://e.com/</loc></url></svg>",
    "",
    "<",
    "<!DOCTYPE",
    "plain words",
    "{}",
  ];
  for (const other of others) assert.equal(read(other), undefined, other);
  assert.equal(read(gzipSync("a tar archive".repeat(1000))), undefined);
  assert.equal(
    read("<html>sitemap</html>", { contentType: "text/html", expected: true }),
    undefined,
  );
});

Deno.test("readSitemap() reads Latin-1, declared and not", () => {
  const bytes = (head: string) =>
    Uint8Array.from(
      `${head}<urlset><url><loc>https://e.com/caf\xe9</loc></url></urlset>`,
      (c) => c.charCodeAt(0),
    );
  const expected = ["https://e.com/café"];
  assert.deepEqual(locs(read(bytes('<?xml version="1.0" encoding="ISO-8859-1"?>'))), expected);
  assert.deepEqual(locs(read(bytes("<!--" + "x".repeat(10_000) + "-->"))), expected);
  assert.deepEqual(
    locs(read(bytes(""), { contentType: "text/xml; charset=iso-8859-1" })),
    expected,
  );
});

Deno.test("readSitemap() gives what a file holds that was cut, wherever that was", () => {
  const whole = locs(read(URLSET))!;
  const bytes = new TextEncoder().encode(URLSET);
  for (let length = 0; length < bytes.length; length++) {
    const found = locs(read(bytes.subarray(0, length))) ?? [];
    assert.deepEqual(found, whole.slice(0, found.length), `cut at ${length}`);
  }
  const gz = gzipSync(
    URLSET.replace("</urlset>", "<url><loc>https://e.com/</loc></url>".repeat(999)),
  );
  const cut = read(gz.subarray(0, gz.length - 20))!;
  assert.ok(cut.cut && cut.entries.length >= 3);
});

Deno.test("readSitemap() takes 50 000 URLs and says that there were more", () => {
  const url = (i: number) => `<url><loc>https://example.com/${i}</loc></url>`;
  const of = (n: number) =>
    `<urlset>${Array.from({ length: n }, (_, i) => url(i)).join("")}</urlset>`;
  const full = read(of(MAX_SITEMAP_URLS))!;
  assert.deepEqual([full.entries.length, full.cut], [MAX_SITEMAP_URLS, false]);
  const over = read(of(MAX_SITEMAP_URLS + 1))!;
  assert.deepEqual([over.entries.length, over.cut], [MAX_SITEMAP_URLS, true]);
  assert.equal(over.entries.at(-1)!.loc, "https://example.com/49999");
});

Deno.test("readSitemap() is bounded on hostile documents", () => {
  const url = "<url><loc>https://e.com/</loc></url>";
  const laughs = '<!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><urlset>' +
    "<url><loc>https://e.com/&b;</loc></url></urlset>";
  assert.deepEqual(locs(read(laughs)), ["https://e.com/&b;"]);
  const hostile = [
    "<urlset>" + "<a>".repeat(1_000_000) + url,
    "<urlset>" + "</a>".repeat(1_000_000) + url,
    "<urlset>" + "<url>".repeat(1_000_000) + "<loc>https://e.com/</loc></url>",
    `<urlset x="${"y".repeat(3_000_000)}">${url}`,
    `<urlset>${"<!-- ".repeat(600_000)}-->${url}`,
    `<urlset><a ${"b ".repeat(1_000_000)}>${url}`,
    `<urlset>${"&amp;".repeat(600_000)}${url}`,
    `<urlset><url><loc>https://e.com/${"x".repeat(3_000_000)}</loc></url>${url}`,
    `<urlset><url><loc>${"<![CDATA[".repeat(300_000)}]]></loc></url>${url}`,
    `<urlset>${"<![CDATA[]]>".repeat(300_000)}${url}`,
    `<urlset><?${"x".repeat(3_000_000)}?>${url}`,
    `<urlset><!x [${'"'.repeat(3_000_001)}]>${url}`,
  ];
  for (const document of hostile) {
    const found = read(document);
    if (found === undefined) continue; // its root itself was too long
    assert.ok(found.entries.length <= 1, document.slice(0, 40));
  }
  // Tags that say nothing, millions of them in a few KB: no document has so many.
  for (const tag of ["<", "<a", "<a/>", "<url/>"]) {
    const found = read("<urlset>" + url + tag.repeat(5_000_000) + ">" + url)!;
    assert.deepEqual([locs(found), found.cut], [["https://e.com/"], true], tag);
  }
  // Zeros for 200 MB in 200 KB: read as far as the bound, which holds no address.
  const start = gzipSync("<urlset>" + url);
  const bomb = gzipSync(Buffer.concat([Buffer.from("<urlset>" + url), Buffer.alloc(60 << 20)]));
  assert.ok(start.length < bomb.length);
  const found = read(bomb)!;
  assert.deepEqual([locs(found), found.cut], [["https://e.com/"], true]);
});

Deno.test("readSitemap() reads a document the same however its bytes fall into slices", () => {
  // Every token behind the root stands on the boundary once.
  const slice = 1 << 18;
  const at = URLSET.indexOf(">", URLSET.indexOf("<urlset")) + 1;
  const expected = locs(read(URLSET));
  for (let shift = 0; shift < URLSET.length - at; shift += 3) {
    const comment = "x".repeat(slice - at - shift - "<!---->".length);
    const document = URLSET.slice(0, at) + `<!--${comment}-->` + URLSET.slice(at);
    assert.deepEqual(locs(read(document)), expected, `at ${shift}`);
  }
});
