import assert from "node:assert/strict";
import { extractMain } from "../../lib/render/render.ts";

const page = (html: string) => extractMain(html, "https://site.example/dir/page", undefined);
const prose = (topic: string, sentences = 4) =>
  Array.from(
    { length: sentences },
    (_, i) =>
      `This is sentence ${i} about ${topic}, which says something, and then says a little more of it.`,
  ).join(" ");

/** What a site puts around every page. */
const around = (content: string) =>
  `<!doctype html><html><head><title>Page</title><style>.x{}</style></head><body>
  <header class="site-header"><a href="/">Logo</a><nav><ul>${
    ["Home", "News", "Shop", "About"].map((w) => `<li><a href="/${w}">NAV${w}</a></li>`).join("")
  }</ul></nav></header>
  <div id="cookie-consent">COOKIENOTICE We use cookies to improve this site and for advertising.</div>
  ${content}
  <aside class="sidebar"><h3>SIDEBAR</h3><ul><li><a href="/1">Most read one</a></li><li><a href="/2">Most read two</a></li></ul></aside>
  <footer><p>FOOTERTEXT Copyright, imprint, all rights reserved.</p></footer></body></html>`;

function holds(text: string, wanted: readonly string[], unwanted: readonly string[]): void {
  for (const word of wanted) {
    assert.ok(text.includes(word), `lacks ${word}:\n${text.slice(0, 3000)}`);
  }
  for (const word of unwanted) {
    assert.ok(!text.includes(word), `has ${word}:\n${text.slice(0, 3000)}`);
  }
}
const BOILERPLATE = ["NAVHome", "COOKIENOTICE", "SIDEBAR", "FOOTERTEXT"];

Deno.test("extractMain() keeps an article and leaves out what is around it", () => {
  const { text, title } = page(around(
    `<div class="content"><article><h1>Headline</h1><p>${prose("alpha")}</p><p>${prose("beta")}</p>
     <div class="share-buttons"><a href=x>SHAREME</a> <a href=y>Tweet</a></div>
     <h2>Part</h2><p>${prose("gamma")}</p></article>
     <div class="related-posts"><h3>RELATED</h3><a href=/a>Other story about something else entirely</a></div>
     <div id="comments"><p>COMMENT ${prose("trolls", 2)}</p></div></div>`,
  ));
  assert.equal(title, "Page");
  holds(text, ["Headline", "alpha", "beta", "Part", "gamma"], [
    ...BOILERPLATE,
    "SHAREME",
    "RELATED",
    "COMMENT",
  ]);
});

Deno.test("extractMain() keeps a product with its price, specification and reviews", () => {
  const { text, markdown } = page(around(
    `<div class="product"><h1>Super Drill 3000</h1><span class="price">PRICE 129.00</span>
     <div class="product-description"><p>${prose("the drill", 3)}</p></div>
     <table class="specs"><tr><th>Weight</th><td>1.2 kg</td></tr><tr><th>Power</th><td>800 W</td></tr></table>
     <div class="reviews"><div class="review"><b>Ann</b><p>REVIEWA ${prose("battery", 1)}</p></div>
     <div class="review"><b>Bob</b><p>REVIEWB ${prose("handle", 1)}</p></div></div></div>`,
  ));
  holds(
    text,
    ["Super Drill", "PRICE", "the drill", "1.2 kg", "800 W", "REVIEWA", "REVIEWB"],
    BOILERPLATE,
  );
  assert.match(markdown, /\| Weight \| 1\.2 kg \|\n\| --- \| --- \|\n\| Power \| 800 W \|/);
});

Deno.test("extractMain() keeps every post of a forum thread", () => {
  const posts = Array.from(
    { length: 8 },
    (_, i) =>
      `<div class="post" id="p${i}"><div class="author">User${i}</div><div class="message"><p>POST${i} ${
        prose("topic " + i, 1 + i % 3)
      }</p></div></div>`,
  );
  const { text } = page(around(`<div id="thread"><h1>How do I?</h1>${posts.join("")}</div>`));
  holds(text, ["How do I?", ...posts.map((_, i) => `POST${i}`)], BOILERPLATE);
});

Deno.test("extractMain() keeps the entries of a listing, with their links", () => {
  const cards = Array.from(
    { length: 12 },
    (_, i) =>
      `<div class="card"><a href="/item/${i}"><h3>ITEM${i} of the list</h3></a><p>Short summary number ${i} of the thing.</p></div>`,
  );
  const { text, markdown } = page(around(`<main><h1>All items</h1>${cards.join("")}</main>`));
  holds(text, ["All items", ...cards.map((_, i) => `ITEM${i}`), "summary number 11"], BOILERPLATE);
  assert.match(markdown, /### \[ITEM3 of the list\]\(https:\/\/site\.example\/item\/3\)/);
});

Deno.test("extractMain() keeps a bare list of links when the page is one", () => {
  const rows = Array.from(
    { length: 30 },
    (_, i) =>
      `<tr><td>${i}.</td><td><a href="/l/${i}">LINK${i} a title of some length</a> (host${i}.example)</td></tr>`,
  );
  const { text } = page(around(`<table class="itemlist">${rows.join("")}</table>`));
  holds(text, ["LINK0", "LINK15", "LINK29"], []);
});

Deno.test("extractMain() keeps a recipe's ingredients and steps", () => {
  const { text, markdown } = page(around(
    `<article class="recipe"><h1>Pancakes</h1><p>${
      prose("pancakes", 2)
    }</p><div class="ingredients"><h2>Ingredients</h2><ul>
     <li>200 g flour</li><li>2 eggs</li><li>Milk</li></ul></div><div class="instructions"><h2>Method</h2><ol>
     <li>Mix it.</li><li>Wait.</li><li>Fry it.</li></ol></div></article>`,
  ));
  holds(text, ["200 g flour", "2 eggs", "Milk", "Mix it.", "Fry it."], BOILERPLATE);
  assert.match(markdown, /- 200 g flour\n- 2 eggs\n- Milk/);
  assert.match(markdown, /1\. Mix it\.\n2\. Wait\.\n3\. Fry it\./);
});

Deno.test("extractMain() keeps documentation: code, parameters, short sections", () => {
  const { text, markdown } = page(around(
    `<div class="layout"><nav class="toc"><ul>${
      Array.from({ length: 40 }, (_, i) => `<li><a href="#${i}">TOC${i}</a></li>`).join("")
    }</ul></nav><main><h1>open()</h1><p>Opens a file.</p>
     <pre><code class="language-ts">const f = await open("a");\nf.close();</code></pre>
     <h2>Parameters</h2><table><thead><tr><th>Name</th><th>Type</th></tr></thead><tbody><tr><td><code>path</code></td><td>string</td></tr>
     <tr><td><code>mode</code></td><td>a | b</td></tr></tbody></table>
     <h2>Errors</h2><dl><dt>NotFound</dt><dd>When it is not there.</dd></dl></main></div>`,
  ));
  holds(
    text,
    ["open()", "Opens a file.", "f.close()", "path", "NotFound", "When it is not there."],
    [
      ...BOILERPLATE,
      "TOC7",
    ],
  );
  assert.match(markdown, /```ts\nconst f = await open\("a"\);\nf\.close\(\);\n```/);
  assert.match(markdown, /\| `mode` \| a \\\| b \|/);
});

Deno.test("extractMain() takes the whole page when nothing in it reads like content", () => {
  assert.equal(page("<title>T</title><body><p>Hello</p><p>World</p>").text, "Hello\n\nWorld");
  assert.equal(page("just text").text, "just text");
  assert.deepEqual(page(""), { title: "", markdown: "", text: "", truncated: false });
});

Deno.test("extractMain() leaves out what is hidden", () => {
  const { text } = page(
    `<article><p>${
      prose("alpha")
    }</p><div style="display : none">HIDDENA</div><p hidden>HIDDENB</p>` +
      `<span aria-hidden=true>HIDDENC</span><p>${
        prose("beta")
      }</p><span class=sr-only>HIDDEND</span></article>`,
  );
  holds(text, ["alpha", "beta"], ["HIDDENA", "HIDDENB", "HIDDENC", "HIDDEND"]);
});
