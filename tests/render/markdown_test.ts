import assert from "node:assert/strict";
import fc from "fast-check";
import { Deadline } from "../../lib/render/_deadline.ts";
import { writeMarkdown } from "../../lib/render/markdown.ts";
import { resolver } from "../../lib/render/render.ts";
import { parseTree } from "../../lib/render/tree.ts";

function write(html: string, options: { base?: string; maxLength?: number } = {}) {
  const deadline = new Deadline(60_000);
  return writeMarkdown([parseTree(html, deadline).root], {
    resolve: resolver("https://a.example/d/p", options.base),
    deadline,
    ...(options.maxLength !== undefined && { maxLength: options.maxLength }),
  });
}
const md = (html: string) => write(html).markdown;
const text = (html: string) => write(html).text;

Deno.test("writeMarkdown() writes headings, paragraphs, rules and line breaks", () => {
  assert.equal(
    md("<h1>A <em>b</em></h1><p>One\n two<br>three</p><hr><h3>C<br>d</h3>Loose text<p>end"),
    "# A *b*\n\nOne two  \nthree\n\n---\n\n### C d\n\nLoose text\n\nend",
  );
});

Deno.test("writeMarkdown() takes two line breaks for a paragraph, as old pages do", () => {
  assert.equal(md("<font>one<br><br>two<br> <br>three</font>"), "one\n\ntwo\n\nthree");
});

Deno.test("writeMarkdown() puts white space outside of emphasis and drops what is empty", () => {
  assert.equal(md("<p>a<b> b </b>c <i></i><b> </b>d</p>"), "a **b** c d");
  assert.equal(md("<b><b>x</b></b><strong><em>y</em></strong>"), "**x*****y***");
  assert.equal(md("<p>in<i>side</i>word <del>old</del></p>"), "in*side*word ~~old~~");
});

Deno.test("writeMarkdown() makes links and images absolute against the base", () => {
  assert.equal(
    md(
      '<a href="x?a=1&amp;b=2">t</a> <a href="/w/A_(b)">p</a> <a href="/w)">q</a> <a href="javascript:x">j</a> <a href="">n</a>',
    ),
    "[t](https://a.example/d/x?a=1&b=2) [p](https://a.example/w/A_(b)) [q](<https://a.example/w)>) j [n](https://a.example/d/p)",
  );
  assert.equal(write("<a href=x>t</a>", { base: "/b/" }).markdown, "[t](https://a.example/b/x)");
  assert.equal(
    md(
      '<img src="i.png" alt="An [i]"><img src="data:x" data-src=/lazy.png><img srcset="/s.png 2x, /t.png"><img src=/p width=1>',
    ),
    "![An \\[i\\]](https://a.example/d/i.png)![](https://a.example/lazy.png)![](https://a.example/s.png)",
  );
  assert.equal(
    md("<a href=/x><img src=/i alt=a></a>"),
    "[![a](https://a.example/i)](https://a.example/x)",
  );
  assert.equal(md("Wow!<a href=/x>y</a>"), "Wow\\![y](https://a.example/x)");
});

Deno.test("writeMarkdown() gives the link around blocks to their first line", () => {
  assert.equal(
    md("<a href=/x><div> <h2><b>Head</b></h2><p>Body</p></div></a>"),
    "## [**Head**](https://a.example/x)\n\nBody",
  );
});

Deno.test("writeMarkdown() nests lists, numbers from start, and keeps paragraphs of an item apart", () => {
  assert.equal(
    md("<ul><li>a<ul><li>b<li>c<ol start=9><li>d</li><li>e</ol></ul><li>f</ul>"),
    "- a\n  - b\n  - c\n    9. d\n    10. e\n- f",
  );
  assert.equal(md("<ul><li><p>a</p><p>b</p></li><li>c</ul>"), "- a\n\n  b\n\n- c");
  assert.equal(md("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>"), "- a\n  - b\n- c");
  assert.equal(md("<ul><li></li><li> </li></ul>x"), "x");
});

Deno.test("writeMarkdown() quotes, with everything in the quote", () => {
  assert.equal(
    md("<blockquote><p>a<br>b</p><ul><li>c</ul><blockquote>d</blockquote></blockquote>"),
    "> a  \n> b\n>\n> - c\n>\n> > d",
  );
});

Deno.test("writeMarkdown() fences code with its language, and without line numbers", () => {
  assert.equal(md("<pre>\n\n  a &lt; b\n   c  \n\n</pre>"), "```\n  a < b\n   c\n```");
  assert.equal(md('<div class="highlight-source-js"><pre>x</pre></div>'), "```js\nx\n```");
  assert.equal(md('<pre class="brush: php; x">x</pre>'), "```php\nx\n```");
  assert.equal(md("<pre>```\nx\n```</pre>"), "````\n```\nx\n```\n````");
  assert.equal(
    md('<pre><span class="lineno">1\n2</span><code><div>a</div><div>b</div></code></pre>'),
    "```\na\nb\n```",
  );
  assert.equal(md("<p><code>a`b</code> <code> x  y </code><code></code>"), "``a`b`` `x y`");
});

Deno.test("writeMarkdown() writes data tables as tables and layout tables as what they hold", () => {
  assert.equal(
    md(
      "<table><caption>Cap<tr><th>A<th>B<tr><td colspan=2>x|y<tr><td><p>1</p><p>2</p><td><b>z</b></table>",
    ),
    "Cap\n\n| A | B |\n| --- | --- |\n| x\\|y |  |\n| 1 2 | **z** |",
  );
  assert.equal(text("<table><tr><td>a<td>b<tr><td>c<td>d</table>"), "a\tb\nc\td");
  assert.equal(md("<table><tr><td><table><tr><td>x</table><td>y</table>"), "x\n\ny");
  assert.equal(
    md("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>"),
    "a\n\nb\n\nc\n\nd",
  );
});

Deno.test("writeMarkdown() escapes text that would be markup, and only that", () => {
  assert.equal(
    md("<p>*a* _b_ `c` [d] \\ &lt;e> &amp;amp; ~~f~~"),
    "\\*a\\* \\_b\\_ \\`c\\` \\[d\\] \\\\ \\<e> \\&amp; \\~\\~f\\~\\~",
  );
  assert.equal(
    md("<p>snake_case 2 * 3 a &lt; b AT&amp;T x~y !"),
    "snake_case 2 * 3 a < b AT&T x~y !",
  );
  for (
    const [html, line] of [
      ["# a", "\\# a"],
      ["#a", "#a"],
      ["- a", "\\- a"],
      ["-5", "-5"],
      ["+ a", "\\+ a"],
      ["---", "\\---"],
      ["> a", "\\> a"],
      ["1. a", "1\\. a"],
      ["1) a", "1\\) a"],
      ["1.5 a", "1.5 a"],
      ["a<br># b", "a  \n\\# b"],
      ["a<br>===", "a  \n\\==="],
    ] as const
  ) assert.equal(md(`<p>${html.replace("> a", "&gt; a")}`), line);
});

Deno.test("writeMarkdown() gives the same content as plain text", () => {
  assert.equal(
    text(
      "<h1>A</h1><p>b <b>c</b> <a href=/x>d</a><img src=i alt=no> e<br>f</p><ul><li>g<li>h</ul><pre>i\n j</pre>",
    ),
    "A\n\nb c d e\nf\n\ng\nh\n\ni\n j",
  );
});

Deno.test("writeMarkdown() stops at its length and says so", () => {
  const { markdown, truncated } = write("<p>word</p>".repeat(1000), { maxLength: 500 });
  assert.ok(truncated && markdown.length === 500);
  const deep = write("<ul><li>".repeat(300) + "<pre>" + "\n".repeat(100_000) + "x", {
    maxLength: 50_000,
  });
  assert.ok(deep.markdown.length <= 50_000);
});

Deno.test("writeMarkdown() never leaves a mark open, whatever the nesting", () => {
  const bits = fc.constantFrom(
    ..."ab *_[]!<&#\n".split(""),
    ...[
      "<b>",
      "</b>",
      "<i>",
      "</i>",
      "<a href=/x>",
      "</a>",
      "<p>",
      "</p>",
      "<br>",
      "<li>",
      "<ul>",
      "</ul>",
      "<h2>",
    ],
    ...[
      "</h2>",
      "<div>",
      "</div>",
      "<td>",
      "<tr>",
      "<table>",
      "</table>",
      "<pre>",
      "</pre>",
      "<code>",
      "</code>",
    ],
    ...["<blockquote>", "</blockquote>", "<del>", "<img src=i>", "<ol>", "<span>", "</span>"],
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 40 }), (parts) => {
      const written = write(parts.join(""));
      // Outside of code, strikes and links come in pairs.
      if (parts.some((part) => /code|pre/.test(part))) return;
      const plain = written.markdown.replace(/\\./g, "");
      assert.equal((plain.match(/~~/g) ?? []).length % 2, 0, written.markdown);
      assert.equal(
        (plain.match(/\[/g) ?? []).length,
        (plain.match(/\]\(/g) ?? []).length,
        written.markdown,
      );
      assert.ok(!/^\s|\s$/.test(written.text));
    }),
    { numRuns: 1500 },
  );
});
