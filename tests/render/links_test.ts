import assert from "node:assert/strict";
import { Tokenizer } from "htmlparser2";
import { decodeHTMLAttribute } from "entities/decode";
import fc from "fast-check";
import { extractLinks } from "../../lib/render/links.ts";

const hrefs = (html: string, maxLinks?: number) =>
  extractLinks(html, maxLinks === undefined ? {} : { maxLinks }).links.map((link) => link.href);

Deno.test("extractLinks() follows anchors, areas and frames, once each, in the order of the page", () => {
  assert.deepEqual(
    hrefs(
      '<a href=/1>x</a><AREA HREF="/2"><iframe src=\'/3\'></iframe><frame src=/4><a href="/1">y</a>' +
        '<img src="/no.png"><script src="/no.js"></script><form action="/no"></form>',
    ),
    ["/1", "/2", "/3", "/4"],
  );
});

Deno.test("extractLinks() decodes references and strips a value as the URL standard does", () => {
  // Templates that break a long attribute over lines; CMS editors that leave spaces around a URL.
  assert.deepEqual(
    hrefs(
      '<a href=" /a?x=1&amp;y=2\n&#38;z=3 "></a><a href="\t/b\r\n/c "></a><a href=?a&copy=1></a>',
    ),
    ["/a?x=1&y=2&z=3", "/b/c", "?a&copy=1"],
  );
});

Deno.test("extractLinks() leaves out what leads to no page", () => {
  assert.deepEqual(
    hrefs(
      '<a href="">.</a><a href="#top">.</a><a href="javascript:void(0)">.</a><a href="mailto:a@b.c">.</a>' +
        '<a href="TEL:1">.</a><a name=x>.</a><a href=" # ">.</a><a href="HTTPS://a/">.</a>' +
        '<a href="path:with-colon">.</a><a href="./a:b">.</a><a href="//h/">.</a>',
    ),
    ["HTTPS://a/", "./a:b", "//h/"],
  );
});

Deno.test("extractLinks() takes rel=nofollow as a token, and one followed link of a value as enough", () => {
  const { links } = extractLinks(
    '<a href=/1 rel="ugc NoFollow">.</a><a href=/2 rel="nofollowed">.</a>' +
      "<a href=/3 rel=nofollow>.</a><a href=/3>.</a>",
  );
  assert.deepEqual(links, [
    { href: "/1", nofollow: true },
    { href: "/2", nofollow: false },
    { href: "/3", nofollow: false },
  ]);
});

Deno.test("extractLinks() follows link elements that lead to pages, not feeds or styles", () => {
  const page = extractLinks(
    '<link rel=next href=/n><link rel="prev" href=/p><link rel=alternate hreflang=de href=/de>' +
      '<link rel=alternate type="application/rss+xml" href=/rss><link rel=stylesheet href=/css>' +
      '<link rel="alternate stylesheet" href=/css2><link rel=canonical href=/c><link rel=canonical href=/c2>',
  );
  assert.deepEqual(page.links.map((link) => link.href), ["/n", "/p", "/de"]);
  assert.equal(page.canonical, "/c");
});

Deno.test("extractLinks() keeps the first base that has an href", () => {
  assert.equal(extractLinks("<base target=_top><base href=' /a/ '><base href=/b/>").base, "/a/");
  assert.equal(extractLinks("<p>").base, undefined);
});

Deno.test("extractLinks() collects the robots metas that concern the crawler", () => {
  const page = extractLinks(
    '<meta name="Robots" content="noindex, nofollow"><meta content=noarchive name=CCRAWL>' +
      "<meta name=googlebot content=noindex><meta name=robots><meta property=robots content=no>",
  );
  assert.deepEqual(page.robotsMeta, ["noindex, nofollow", "noarchive"]);
});

Deno.test("extractLinks() reads a refresh in the forms that pages use", () => {
  const refresh = (content: string) =>
    extractLinks(`<meta http-equiv="Refresh" content="${content}">`).refresh;
  assert.equal(refresh("0; url=/new"), "/new");
  assert.equal(refresh("5;URL='/new page'x"), "/new page");
  assert.equal(refresh("0.5, /new"), "/new");
  assert.equal(refresh(" 3 ; url = &quot;/q&quot; "), "/q");
  assert.equal(refresh("0;urlish"), "urlish");
  assert.equal(refresh("30"), undefined);
  assert.equal(refresh("url=/new"), undefined);
  assert.equal(refresh("0;url=javascript:x"), undefined);
});

Deno.test("extractLinks() is not fooled by markup inside scripts, comments, titles and attributes", () => {
  assert.deepEqual(
    hrefs(
      "<title><a href=/0></title><script>'<a href=/1>'</script ><style><a href=/2></style>" +
        "<!-- <a href=/3> --><!--><a href=/yes1><!-- a --!><a href=/yes2><!doctype <a href=/yes3>" +
        "<textarea><a href=/4></textarea><div title='<a href=/5>'></div><noscript><a href=/yes4></noscript>" +
        '<SCRIPT><a href=/6></scripty><a href=/7></Script><a href=/yes5 title="a > b">' +
        "<![CDATA[ <a href=/8> ]]></ bogus <a href=/9><a/href=/yes6/><a href = /yes7 =x>",
    ),
    ["/yes1", "/yes2", "/yes4", "/yes5", "/yes6/", "/yes7"],
  );
});

Deno.test("extractLinks() ignores a tag the input ends in and what a raw text element swallows", () => {
  assert.deepEqual(hrefs("<a href=/1><a href=/2"), ["/1"]);
  assert.deepEqual(hrefs('<a href=/1><a href="/2>'), ["/1"]);
  assert.deepEqual(hrefs("<a href=/1><script><a href=/2>"), ["/1"]);
  assert.deepEqual(hrefs("<a href=/1><!-- <a href=/2>"), ["/1"]);
  assert.deepEqual(hrefs("<a href=/1><plaintext><a href=/2></plaintext><a href=/3>"), ["/1"]);
});

Deno.test("extractLinks() skips templates, which hold placeholders, but not shadow roots", () => {
  assert.deepEqual(
    hrefs(
      "<template><template></template><a href=/{{id}}></a></template><a href=/1></a>" +
        "<template shadowrootmode=open><a href=/2></a><template><a href=/{{x}}></template></template><a href=/3>",
    ),
    ["/1", "/2", "/3"],
  );
});

Deno.test("extractLinks() stays within its bounds on hostile pages", () => {
  const many = Array.from({ length: 30_000 }, (_, i) => `<a href=/${i}>`).join("");
  assert.equal(hrefs(many).length, 10_000);
  assert.equal(hrefs(many, 7).length, 7);
  assert.deepEqual(hrefs(`<a href="/${"x".repeat(8_000)}"><a href=/ok>`), ["/ok"]);
  assert.equal(extractLinks("<meta name=robots content=a>".repeat(1000)).robotsMeta.length, 32);
  // Each of these ends: none is looked at twice.
  for (
    const bit of ["<", "<a ", "<!--", "</", "<script>", '<a href="', "&", "<!", "<template>", "--"]
  ) {
    assert.deepEqual(hrefs(bit.repeat(200_000)), []);
  }
});

/** The same question asked of htmlparser2, in the plainest way. */
function reference(html: string): string[] {
  const found = new Set<string>();
  let name = "", attribute = "", value = "", link: string | undefined;
  const end = () => {
    if (name === "a" && link) found.add(link);
  };
  const tokenizer = new Tokenizer({ decodeEntities: false }, {
    onopentagname(start, stop) {
      name = html.slice(start, stop).toLowerCase();
      link = undefined;
    },
    onattribname(start, stop) {
      attribute = html.slice(start, stop).toLowerCase();
      value = "";
    },
    onattribdata(start, stop) {
      value += html.slice(start, stop);
    },
    onattribentity() {},
    onattribend() {
      if (attribute === "href") link ??= value;
    },
    onopentagend: end,
    onselfclosingtag: end,
    onclosetag() {},
    ontext() {},
    ontextentity() {},
    oncomment() {},
    oncdata() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
  });
  tokenizer.write(html);
  tokenizer.end();
  return [...found].map(clean).filter((href) =>
    href !== "" && !href.startsWith("#") && !/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(href)
  );
}

const clean = (href: string) =>
  decodeHTMLAttribute(href).replace(/^[^!-\uffff]+|[^!-\uffff]+$/g, "").replace(/[\t\n\r]/g, "");

/** Frames, link elements and templates are the scanner's own; take them out of the comparison. */
const withoutOthers = (html: string) => html.replace(/<(\/?)(frame|link|template)/gi, "<$1x");
const anchors = (html: string) => hrefs(html.replace(/<iframe[^>]*>/gi, "<x>"), 1e9);

Deno.test("extractLinks() agrees with htmlparser2 on real pages", () => {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  if (corpus === undefined) return console.log("needs CCRAWL_CORPUS, the folder of real inputs");
  let links = 0;
  for (const entry of Deno.readDirSync(`${corpus}/pages`)) {
    if (!entry.isDirectory) continue;
    const html: string = withoutOthers(
      Deno.readTextFileSync(`${corpus}/pages/${entry.name}/source.html`),
    )
      .replace(/<iframe[^>]*>/gi, "<x>");
    const found = anchors(html);
    assert.deepEqual(found, [...new Set(reference(html))], entry.name);
    links += found.length;
  }
  assert.ok(links > 1000);
});

Deno.test("extractLinks() agrees with htmlparser2 on any soup of markup", () => {
  const bits = [
    ..."<>/=\"'!-& \nax#?",
    ...[
      "<a href=",
      "<a href='",
      '<a href="/',
      "<a ",
      "</a>",
      "<!--",
      "-->",
      "--!>",
      "<script>",
      "</script>",
    ],
    ...[
      "<title>",
      "</title ",
      "<style",
      "</style>",
      "<!doctype",
      "<?",
      "</ ",
      "&amp;",
      "&copy",
      "href",
      "HREF=/x",
    ],
    ...[
      "<textarea>",
      "</textarea>",
      "<xmp>",
      "</xmp>",
      "<plaintext>",
      "<p class='x'>",
      "<A\tHREF=1>",
      "<a/href=2/>",
    ],
  ];
  const soup = fc.array(fc.constantFrom(...bits), { maxLength: 60 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(soup, (html) => {
      // The library ends an end tag at the first ">"; the standard reads attributes there as well.
      fc.pre(!/<\/[a-z]+[^a-z>]/i.test(html));
      assert.deepEqual(hrefs(html), [...new Set(reference(html))]);
    }),
    { numRuns: 3000 },
  );
});
