/** The page about a run, in a real browser. */

import assert from "node:assert/strict";
import { serveMetrics } from "../../lib/report/metrics.ts";
import { PageSource } from "../../lib/report/page_figures.ts";
import type { AnyFigures } from "../../lib/report/types.ts";
import { figures, recrawlFigures } from "../report/_figures.ts";
import { openBrowser } from "./_browser.ts";

const HOSTILE =
  `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

/** A run of ten minutes, as far as its figures tell. */
function served(at: (elapsedMs: number) => AnyFigures, details: Record<string, string | number>) {
  let elapsed = 0;
  const source = new PageSource("recrawl run", details, () => at(elapsed), () => 4e8 + elapsed);
  for (; elapsed < 600_000; elapsed += 2000) source.look();
  let now = Date.now();
  const server = serveMetrics({ host: "127.0.0.1", port: 0 }, {
    metrics: () => [],
    figures: () => source.figures(now),
  });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    close: () => server.close(),
    move(ms: number) {
      elapsed += ms;
      now += ms;
      source.look();
    },
  };
}

const pass = (elapsedMs: number): AnyFigures =>
  recrawlFigures({
    elapsedMs,
    fetched: elapsedMs / 50,
    workers: 100,
    workerTimes: { robots: 0, hostClock: elapsedMs * 25, fetching: elapsedMs * 50, queueing: 0 },
    unclassified: { top: [{ shape: HOSTILE, count: 5 }], total: 9 },
    checkpoint: { ageMs: 90_000, rowsAhead: 1234, partsWaiting: 7 },
  });

Deno.test("the page shows a run's figures, from nowhere but its own server", async () => {
  const run = served(pass, { from: HOSTILE, out: "out/", shard: 1, shards: 3 });
  try {
    await using browser = await openBrowser();
    await browser.send("Page.navigate", { url: run.url });
    await browser.until(`document.body?.className === "live"`);
    const text = (id: string) =>
      browser.evaluate<string>(`document.getElementById("${id}").innerText`);
    assert.equal(await text("command"), "recrawl run");
    assert.equal(await text("rate"), "20.0");
    assert.equal(await text("fetched"), "12,000");
    assert.match(
      await text("time-table"),
      /fetching\s+50 %\s+50 %[^]*clock\s+25 %\s+25 %[^]*idle\s+25 %/,
    );
    assert.match(await text("fail-bars"), /dns\s+5,483\s+26 %/);
    assert.match(await text("queue-bars"), /extract\s+6\.7 MB of 67\.1 MB\s+most so far 12\.4 MB/);
    assert.match(await text("memory-note"), /now 401 MB, at most 850 MB/);
    assert.match(
      await text("durable-list"),
      /last checkpoint\s+1 min 30 s\s+rows not in a sealed file\s+1,234\s+parts waiting to be published\s+7/,
    );
    assert.match(await text("run-list"), /shard\s+1 of 3/);
    // What came off the wire is text, and nothing more.
    assert.equal(await text("about"), `${HOSTILE}, into out/`);
    assert.match(await text("shapes"), /<img src=x onerror=/);
    assert.equal(await browser.evaluate("document.querySelectorAll('img').length"), 0);
    assert.equal(await browser.evaluate("document.querySelectorAll('script').length"), 1);
    assert.match(await browser.evaluate("document.title"), /^20\.0\/s, recrawl run$/);
    // Lines over ten minutes, none of them outside its chart.
    const path = "document.querySelector('#rate-chart .mark')";
    assert((await browser.evaluate<number>(`${path}.getAttribute("d").length`)) > 1000);
    assert.deepEqual(
      await browser.evaluate(
        `[...document.querySelectorAll(".chart svg > *")].filter((e) => {
          const a = e.getBoundingClientRect(), b = e.ownerSVGElement.getBoundingClientRect();
          return e.getAttribute("visibility") !== "hidden" &&
            (a.left < b.left - 2 || a.right > b.right + 2 || a.top < b.top - 2 || a.bottom > b.bottom + 2);
        }).map((e) => e.outerHTML.slice(0, 200))`,
      ),
      [],
    );
    await browser.evaluate("document.querySelector('[data-span=whole]').click()");
    assert.equal(
      await browser.evaluate("document.querySelector('[data-span=whole]').ariaPressed"),
      "true",
    );
    await browser.evaluate(
      `document.querySelector("#rate-chart").scrollIntoView({ block: "center" })`,
    );
    // What is pointed at is told, and stays so when new figures come.
    const at = await browser.evaluate<{ x: number; y: number }>(
      `(({ left, top, width, height }) => ({ x: left + width / 2, y: top + height / 2 }))(
        document.querySelector("#rate-chart").getBoundingClientRect())`,
    );
    await browser.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
    const tip = `document.querySelector("#rate-chart .tip:not([hidden])")?.innerText ?? ""`;
    await browser.until(`/fetched 20\\.0\\s+failed 0/.test(${tip})`);
    run.move(15_000);
    await browser.until(`document.getElementById("fetched").innerText === "12,300"`);
    assert.match(await browser.evaluate<string>(tip), /fetched 20\.0/);
    for (const url of browser.requests) {
      assert(url.startsWith(run.url) || url.startsWith("data:") || url === "about:blank", url);
    }
    assert.deepEqual(browser.complaints, []);
  } finally {
    await run.close();
  }
});

Deno.test("the page fits a phone and the dark, and says when nobody answers", async () => {
  const run = served((elapsedMs) => figures({ elapsedMs }), {
    seeds: "seeds.txt",
    state: "crawl.db",
  });
  let closed = false;
  try {
    await using browser = await openBrowser();
    for (const scheme of ["light", "dark"]) {
      for (const width of [320, 390, 800, 1400]) {
        await browser.send("Emulation.setDeviceMetricsOverride", {
          width,
          height: 844,
          deviceScaleFactor: 1,
          mobile: width < 500,
        });
        await browser.send("Emulation.setEmulatedMedia", {
          features: [{ name: "prefers-color-scheme", value: scheme }],
        });
        await browser.send("Page.navigate", { url: run.url });
        await browser.until(`document.body?.className === "live"`);
        assert.equal(
          await browser.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth",
          ),
          0,
          `nothing reaches beyond ${width}`,
        );
        // WCAG's contrast of text, 4.5 to 1.
        const low = await browser.evaluate<string[]>(`(() => {
          const light = (c) => {
            const [r, g, b] = c.match(/[\\d.]+/g).map((v) => v / 255)
              .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const behind = (e) => {
            for (; e; e = e.parentElement) {
              const c = getComputedStyle(e).backgroundColor;
              if (c !== "rgba(0, 0, 0, 0)") return c;
            }
          };
          return [...document.querySelectorAll("h1, h2, p, td, th, dt, dd, small, button, a, .part")]
            .filter((e) => e.offsetParent !== null && e.innerText.trim() !== "").filter((e) => {
              const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
              return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
            }).map((e) => e.outerHTML);
        })()`);
        assert.deepEqual(low, [], scheme);
      }
    }
    assert.equal(await browser.evaluate("document.getElementById('durable').hidden"), true);
    assert.deepEqual(browser.complaints, []);
    await run.close();
    closed = true;
    await browser.until(`document.body?.className === "lost"`);
    assert.match(
      await browser.evaluate("document.getElementById('state-text').innerText"),
      /^no answer since [\d:]+: ended, or out of reach$/,
    );
  } finally {
    if (!closed) await run.close();
  }
});
