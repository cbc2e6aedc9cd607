import assert from "node:assert/strict";
import { extractLinks } from "../../lib/render/links.ts";
import { extractMain } from "../../lib/render/render.ts";

const M = 1_000_000;
/** Pages made to break a renderer. Each must end, within its bounds, with what can be read of it. */
const PAGES: Record<string, () => string> = {
  "a hundred thousand nested tags": () =>
    "<div>".repeat(100_000) + "needle" + "</div>".repeat(100_000),
  "twenty thousand unclosed b": () => "<b>x ".repeat(20_000) + "needle",
  "nested spans with text between": () => "<span>a ".repeat(50_000) + "needle",
  "tables in tables": () => "<table><tr><td>".repeat(20_000) + "needle",
  "tables in cells in tables, closed": () =>
    "<table><tr><td>x".repeat(5_000) + "needle" + "</table>".repeat(5_000),
  "a million attributes": () => "<p " + "a=b ".repeat(M) + ">needle",
  "a million attributes that are kept": () => "<p " + "class=b id=c ".repeat(M / 2) + ">needle",
  "thirteen million <": () => "needle" + "<".repeat(13 * M),
  "thirteen million &": () => "needle" + "&".repeat(13 * M),
  "a million entities": () => "needle" + "&amp;".repeat(M),
  "numeric entities in an attribute": () => `<a href="${"&#x41;".repeat(M)}">needle</a>`,
  "nested lists": () => "<ul><li>x".repeat(20_000) + "needle",
  "nested quotes around long code": () =>
    "<blockquote>".repeat(500) + "<pre>" + "\n".repeat(2 * M) + "needle</pre>",
  "a wide table": () => "<table>" + ("<tr>" + "<td>x".repeat(1000)).repeat(150) + "</table>needle",
  "spans of a thousand columns": () =>
    "<table>" + "<tr><td colspan=1000>x<td>y".repeat(20_000) + "</table>needle",
  "unclosed anchors": () => "<a href=/x>y ".repeat(100_000) + "needle",
  "stray end tags under a deep tree": () => "<i>".repeat(150) + "</b>".repeat(250_000) + "needle",
  "end tags of a cell": () => "<table><tr><td>".repeat(150) + "</div>".repeat(250_000) + "needle",
  "line breaks": () => "needle<div>" + "<br>".repeat(250_000),
  "one endless word": () => "<p>needle " + "x".repeat(4 * M),
  "white space": () => "<p>needle" + " ".repeat(4 * M) + "</p>",
  "comments that never end": () => "needle" + "<!--".repeat(M),
  "end tags of scripts": () => "needle<script>" + "</scrip".repeat(M),
  "class names made for a regular expression": () =>
    `<div class="${"a-".repeat(100)}">needle</div>`.repeat(5_000),
  "many articles": () =>
    "<article><p>needle one, two, three, four and five words</p></article>".repeat(20_000),
  "markup characters": () => "<p>needle " + "*_`[]<!&\\".repeat(100_000),
  "code blocks of lines": () => "needle<pre>" + "<div>x</div>".repeat(100_000),
  "links within one paragraph": () => "<p>needle" + "!<a href=/x>y</a>".repeat(60_000),
  "CJK without a space": () => "<p>needle" + "漢字".repeat(M),
  "lone surrogates and NUL": () => "<p>needle \ud800\udc00\ud800 \0 \udfff</p>".repeat(1000),
  "text in pieces": () => "<p>" + "x<input> <input>".repeat(200_000) + "needle",
  "buttons that are never closed": () => "<div><button>x</div>".repeat(50_000) + "needle",
};

for (const [name, make] of Object.entries(PAGES)) {
  Deno.test(`extractMain() and extractLinks() get through ${name}`, () => {
    const html = make();
    const limits = { deadlineMs: 60_000, maxLength: M, depth: 200 };
    const { markdown, text, truncated } = extractMain(
      html,
      "https://a.example/",
      undefined,
      limits,
    );
    assert.ok(markdown.length <= M && text.length <= M);
    assert.ok(truncated || text.includes("needle"), text.slice(0, 200));
    assert.ok(extractLinks(html).links.length <= 10_000);
  });
}

Deno.test("extractMain() reads what stands behind megabytes that nobody reads", () => {
  const unread = [
    `<style>${"a{b:c}".repeat(1_600_000)}</style>`,
    `<script>${"var a='<p>';".repeat(800_000)}</script>`,
    `<!--${"comment <p> ".repeat(800_000)}-->`,
    `<svg>${"<path d='M0 1 2 3'/>".repeat(480_000)}</svg>`,
    `<div data-state="${"x".repeat(9_600_000)}"></div>`,
  ];
  for (const html of unread) {
    const page = `<title>T</title>${html}<main><p>What the page is about.</p></main>`;
    const { text, truncated } = extractMain(page, "https://a.example/", undefined);
    assert.deepEqual([text, truncated], ["What the page is about.", false], html.slice(0, 20));
  }
});

Deno.test("extractMain() stops at its deadline with what it has", () => {
  const { truncated } = extractMain(
    "<p>word, another word</p>".repeat(150_000),
    "https://a.example/",
    undefined,
    {
      deadlineMs: -1,
    },
  );
  assert.equal(truncated, true);
});

Deno.test("extractMain() stops at its limits of characters and nodes, and says so", () => {
  const html = `<p>${"word ".repeat(100)}</p>`.repeat(100);
  for (const limits of [{ characters: 1000 }, { nodes: 20 }]) {
    const cut = extractMain(html, "https://a.example/", undefined, limits);
    assert.ok(cut.truncated && cut.text.startsWith("word") && cut.text.length < html.length / 2);
  }
  assert.equal(extractMain(html, "https://a.example/", undefined).truncated, false);
});
