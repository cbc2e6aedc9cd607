import assert from "node:assert/strict";
import { acceptedLinks, acceptsRedirect } from "../../lib/engine/_accept.ts";
import { crawl } from "../../lib/engine/crawl.ts";
import type { CrawlLink } from "../../lib/engine/crawl_options.ts";
import { readDone, readStats } from "../../lib/frontier/read.ts";
import { startWeb } from "../web/mod.ts";
import { collect, toward, withFolder } from "./_crawl.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const PAGE = { url: "https://a.test/", depth: 2 };

Deno.test("acceptedLinks() asks about each link once, with its host and depth", () => {
  const asked: CrawlLink[] = [];
  const kept = acceptedLinks(encode("https://a.test/x\nhttp://b.test:8080/y"), PAGE, (link) => {
    asked.push(link);
    return link.host === "b.test";
  });
  assert.equal(new TextDecoder().decode(kept), "http://b.test:8080/y");
  assert.deepEqual(asked, [
    { url: "https://a.test/x", host: "a.test", depth: 3, from: PAGE.url },
    { url: "http://b.test:8080/y", host: "b.test", depth: 3, from: PAGE.url },
  ]);
});

Deno.test("acceptedLinks() does not take a promise for a yes", () => {
  const accept = (() => Promise.resolve(false)) as unknown as () => boolean;
  assert.throws(() => acceptedLinks(encode("https://a.test/x"), PAGE, accept), TypeError);
});

Deno.test("acceptsRedirect() lets a seed's redirect go where it leads", () => {
  const never = () => false;
  assert.equal(acceptsRedirect("https://b.test/", { url: PAGE.url, depth: 0 }, never), true);
  assert.equal(acceptsRedirect("https://b.test/", PAGE, never), false);
});

Deno.test("crawl() fetches no link that accept does not take", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 4, pages: 80, pageBytes: 1000, graph: "tree" });
    const seeds = web.seeds();
    const { records } = await collect(web, {
      seeds,
      maxDepth: 100,
      state: `${dir}/crawl.db`,
      accept: ({ depth }) => depth < 2,
    });
    assert.equal(Math.max(...records.map((r) => r.depth ?? 0)), 1);
    assert.ok(records.length > seeds.length, "links are followed");
    assert.equal((await readStats(`${dir}/crawl.db`)).queued, 0, "none is queued for later");
  }));

Deno.test("crawl() ends with what accept throws, and the page is fetched again", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 20, pageBytes: 1000, graph: "tree" });
    const state = `${dir}/crawl.db`;
    const options = { seeds: web.seeds(), maxDepth: 100, state };
    const refuse = () => {
      throw new Error("no such thing");
    };
    await assert.rejects(collect(web, { ...options, accept: refuse }), /no such thing/);
    const { records } = await collect(web, options);
    assert.deepEqual(records.map((r) => r.url).sort(), [...web.expectedUrls()].sort());
  }));

Deno.test("crawl() leaves whole files and a state to go on with when its loop is left", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 8, pages: 160, pageBytes: 1000, graph: "tree" });
    const options = {
      seeds: web.seeds(),
      maxDepth: 100,
      state: `${dir}/crawl.db`,
      warc: `${dir}/warc`,
    };
    const stopping: string[] = [];
    {
      await using run = crawl(toward(web, {
        ...options,
        onEvent: (event) => event.type === "stopping" && stopping.push(event.reason),
      }));
      let count = 0;
      for await (const _ of run) if (++count === 20) break;
    }
    assert.deepEqual(stopping, ["left by its reader"]);
    const open = [...Deno.readDirSync(`${dir}/warc`)].filter(({ name }) => name.endsWith(".open"));
    assert.deepEqual(open, [], "files are sealed");
    await collect(web, options);
    const urls: string[] = [];
    for await (const { url } of readDone(options.state)) urls.push(url);
    assert.deepEqual(urls.sort(), [...web.expectedUrls()].sort());
    const { requests, robots } = await web.summary();
    assert.equal(requests - robots, urls.length, "no page twice");
  }));

Deno.test("crawl() tells once why it could not be opened", () =>
  withFolder(async (dir) => {
    const state = `${dir}/crawl.db`;
    await Deno.writeTextFile(state, "no database ".repeat(500));
    const run = crawl({ seeds: ["https://a.test/"], state, minFree: 0 });
    await assert.rejects(
      async () => {
        await using _run = run;
        for await (const _ of run);
      },
      { name: "FrontierStateError" },
    );
  }));

Deno.test("crawl() lets go of its signal when it is over", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: unknown, options?: unknown) => {
    listeners++;
    const { signal: until } = options as { signal: AbortSignal };
    until.addEventListener("abort", () => listeners--);
    add(type as "abort", listener as () => void, options as AddEventListenerOptions);
  };
  for await (const _ of crawl({ seeds: [], minFree: 0, signal }));
  assert.equal(listeners, 0);
});
