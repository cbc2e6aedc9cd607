import assert from "node:assert/strict";
import { Deadline } from "../../lib/render/_deadline.ts";
import type { Element } from "../../lib/render/_element.ts";
import { parseTree, type TreeLimits } from "../../lib/render/tree.ts";

const tree = (html: string, limits?: TreeLimits) => parseTree(html, new Deadline(60_000), limits);

/** A tree as text: names and brackets. */
function show(element: Element): string {
  return element.children.map((child) =>
    typeof child === "string"
      ? child
      : child.children.length === 0
      ? `<${child.name}>`
      : `${child.name}(${show(child)})`
  ).join("");
}
const shape = (html: string, limits?: TreeLimits) => show(tree(html, limits).root);

Deno.test("parseTree() ends elements as the standard does when their end tags are left out", () => {
  assert.equal(shape("<p>a<p>b<div>c<p>d</div>e"), "p(a)p(b)div(cp(d))e");
  assert.equal(shape("<ul><li>a<ul><li>b</ul><li>c</ul>"), "ul(li(aul(li(b)))li(c))");
  assert.equal(shape("<dl><dt>a<dd>b<dt>c</dl>"), "dl(dt(a)dd(b)dt(c))");
  assert.equal(
    shape("<table><thead><tr><th>a<tbody><tr><td>b<td>c<tr><td>d</table>e"),
    "table(thead(tr(th(a)))tbody(tr(td(b)td(c))tr(td(d))))e",
  );
  assert.equal(shape("<a href=1>a<a href=2>b</a>"), "a(a)a(b)");
});

Deno.test("parseTree() confines end tags to their table cell and ignores those of nothing", () => {
  assert.equal(shape("<div><table><tr><td>a</div>b</table>c</div>d"), "div(table(tr(td(ab)))c)d");
  assert.equal(shape("a</b></p></div>b"), "ab");
  assert.equal(shape("<body>a</body>b</html>c"), "body(abc)");
});

Deno.test("parseTree() leaves out what is not read, and finds the page again when it is not closed", () => {
  assert.equal(
    shape(
      "a<script>x</script><style>x</style><svg><title>x</title><p>x</svg><select><option>x</select>b<textarea><p>x</textarea>",
    ),
    "ab",
  );
  assert.equal(shape("<div><button>x</div><p>b"), "<div>p(b)");
  assert.equal(shape("<svg/>a<noscript>x<noscript>y</noscript></noscript>b"), "ab");
});

Deno.test("parseTree() takes the first title, entities decoded and white space collapsed", () => {
  assert.equal(tree("<title>\n A &amp; <b>B</b>\n</title><title>C</title>").title, "A & <b>B</b>");
  assert.equal(tree("<svg><title>no</title></svg><title>yes</title>").title, "yes");
});

Deno.test("parseTree() keeps white space between words and within pre", () => {
  assert.equal(shape("<b>a</b> <i>b</i>"), "b(a) i(b)");
  assert.equal(shape("a<input> <b>c</b>"), "a b(c)");
  assert.equal(shape("<pre><b>a</b>\n\n<b>c</b></pre>"), "pre(b(a)\n\nb(c))");
});

Deno.test("parseTree() flattens what is too deep without losing text or the nesting around it", () => {
  const { root } = tree("<div>".repeat(5) + "a<p>b</p>c" + "</div>".repeat(5) + "<h1>d</h1>", {
    depth: 3,
  });
  assert.equal(show(root), "div(div(div(<br><br>a<br>bc)))h1(d)");
});

Deno.test("Element sums what it holds, and what is dropped is taken out again", () => {
  const { root } = tree(
    "<div><p>One sentence, with a comma, long enough.</p><a href=x>link</a><ul><li>i</ul><img src=a></div><h2>Head</h2>",
  );
  const [div] = root.children as Element[];
  const before = [
    root.text,
    root.commas,
    root.linkText,
    root.paragraphs,
    root.items,
    root.images,
    root.links,
    root.headingText,
  ];
  assert.deepEqual(before, [49, 2, 4, 1, 1, 1, 1, 4]);
  div!.drop();
  div!.drop();
  assert.deepEqual(
    [
      root.text,
      root.commas,
      root.linkText,
      root.paragraphs,
      root.items,
      root.images,
      root.links,
      root.headingText,
    ],
    [4, 0, 0, 0, 0, 0, 0, 4],
  );
  assert.equal(root.blocks, 1);
});

Deno.test("Deadline stays passed once it has passed", () => {
  let now = 0;
  const deadline = new Deadline(10, () => now);
  assert.equal(deadline.passed, false);
  now = 11;
  let asked = 0;
  while (!deadline.passed && asked < 10_000) asked++;
  assert.ok(asked < 1_000);
  now = 0;
  assert.equal(deadline.passed, true);
});
