import assert from "node:assert/strict";
import { decodeFrames, encodeFrame } from "../../lib/render/_frames.ts";
import { screen } from "../../lib/render/_screen.ts";
import { loadIsolatedRenderer, RenderError } from "../../lib/render/isolated.ts";

const prose =
  "This is a sentence of an article, which says something, and then says a little more of it. ";
const page = `<!doctype html><html><head><title> The  title</title><base href="/b/"></head><body>
  <nav><a href="/n">NAVIGATION</a></nav><div class="article"><h1>Head</h1>
  <p>${prose.repeat(6)}</p><p>${prose.repeat(6)}<a href="x">Link</a></p></div></body></html>`;

Deno.test("decodeFrames() puts messages together from any pieces", async () => {
  const bytes = [encodeFrame({ a: "é" }), encodeFrame([1]), encodeFrame("x".repeat(1000))];
  const joined = new Uint8Array(bytes.reduce((n, b) => n + b.length, 0));
  let at = 0;
  for (const b of bytes) {
    joined.set(b, at);
    at += b.length;
  }
  for (const size of [1, 3, 7, 5000]) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < joined.length; i += size) {
          controller.enqueue(joined.subarray(i, i + size));
        }
        controller.close();
      },
    });
    assert.deepEqual(await Array.fromAsync(decodeFrames(stream)), [
      { a: "é" },
      [1],
      "x".repeat(1000),
    ]);
  }
});

Deno.test("decodeFrames() refuses a length that no message has", async () => {
  const stream = ReadableStream.from([new Uint8Array([255, 255, 255, 255])]);
  await assert.rejects(Array.fromAsync(decodeFrames(stream)), RangeError);
});

Deno.test("screen() lets ordinary pages pass and refuses what libraries break on", () => {
  assert.equal(screen(page), undefined);
  assert.equal(screen("<ul>" + "<li>x".repeat(20_000)), undefined); // end tags may be left out
  assert.match(screen("<b>x".repeat(1000))!, /nest deeper than 256/);
  assert.match(screen("<br>".repeat(100_000))!, /60000 elements/);
  assert.match(screen("<p " + "a ".repeat(400_000) + ">")!, /300000 attributes/);
  assert.match(screen("x".repeat(5_000_001))!, /longer/);
});

Deno.test("loadIsolatedRenderer() renders the article with readability and the whole page with raw", async () => {
  const url = "https://a.example/p";
  await using readability = await loadIsolatedRenderer("readability");
  const article = await readability.render(page, { url });
  assert.equal(article.extractor, "readability@0.6.0");
  assert.equal(article.title, "The title");
  assert.ok(article.markdown.includes("[Link](https://a.example/b/x)"));
  assert.ok(
    !article.markdown.includes("NAVIGATION") && article.text.includes("which says something"),
  );
  assert.equal(article.language, "eng");
  assert.equal(article.links.links.length, 2);
  // A page may leave out its body tag.
  const bare = page.replace("<body>", "").replace("</body>", "");
  assert.equal((await readability.render(bare, { url })).markdown, article.markdown);
  await using raw = await loadIsolatedRenderer("raw");
  const whole = await raw.render(page, { url });
  assert.equal(whole.extractor, "raw@7.2.5");
  assert.ok(
    whole.markdown.includes("[NAVIGATION](https://a.example/n)") &&
      whole.markdown.includes("# Head"),
  );
  assert.equal((await raw.render("<title>t</title><p>only this", { url })).markdown, "only this");
  assert.equal((await raw.render("", { url })).markdown, "");
});

Deno.test("loadIsolatedRenderer() refuses, kills what takes too long, and goes on", async () => {
  const url = "https://a.example/p";
  await using raw = await loadIsolatedRenderer("raw", { deadlineMs: 3_000 });
  await assert.rejects(
    raw.render("<i>".repeat(5000), { url }),
    (error) =>
      error instanceof RenderError &&
      /Cannot render https:\/\/a\.example\/p with raw/.test(error.message),
  );
  assert.equal((await raw.render("<p>fine", { url })).markdown, "fine");
  await using hasty = await loadIsolatedRenderer("raw", { deadlineMs: 1 });
  await hasty.render("<p>the first one waits for the libraries", { url });
  const long = "<div><p>a <b>b</b> c".repeat(200) + "</p></div>".repeat(200);
  await assert.rejects(hasty.render(long.repeat(50), { url }), /took longer than 1 ms/);
  assert.equal((await hasty.render("<p>fine", { url })).markdown, "fine");
});
