import assert from "node:assert/strict";
import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";
import { dechunk, field, get, readAll, readBytes, readOne, send } from "./_testing.ts";
import {
  CHARSET_WAYS,
  CHARSETS,
  CODED_TEXT,
  CODINGS,
  type LocalWeb,
  ODD_ANSWERS,
  PRIVATE_TARGETS,
  startWeb,
} from "./mod.ts";

const utf8 = new TextDecoder();

async function connect(web: LocalWeb): Promise<Deno.TcpConn> {
  return await Deno.connect({ hostname: "127.0.0.1", port: web.ready.http });
}

Deno.test("pages have the length asked for, differ, and link as the graph says", async () => {
  await using web = await startWeb({ hosts: 3, pages: 60, pageBytes: 5000 });
  const bodies = new Set<string>();
  for (const host of [web.hostName(0), web.hostName(1), "x.robots-404.test"]) {
    for (const page of [0, 1, 19]) {
      const a = await get(web, host, `/p/${page}`);
      assert.equal(a.status, 200);
      assert.equal(a.body.length, 5000);
      const text = utf8.decode(a.body);
      bodies.add(text);
      assert.ok(text.endsWith("</html>\n"));
      assert.equal(text.split("<").length, text.split(">").length);
      const links = [...text.matchAll(/href="([^"]*)"/g)].map((m) => m[1]);
      assert.deepEqual(
        links,
        page === 0
          ? Array.from({ length: 10 }, (_, i) => `/p/${i + 1}`)
          : page === 1
          ? Array.from({ length: 9 }, (_, i) => `/p/${i + 11}`)
          : [],
      );
    }
  }
  assert.equal(bodies.size, 9);
  assert.equal((await get(web, web.hostName(0), "/p/20")).status, 404);
  assert.equal((await get(web, web.hostName(0), "/p/07")).status, 200);
  assert.equal((await get(web, "a.size-100.test", "/p/0")).body.length, 100);
  assert.equal((await get(web, "a.size-300000.test", "/p/0")).body.length, 300_000);
});

Deno.test("equivalent spellings of a page are the same page", async () => {
  await using web = await startWeb({ graph: "mesh" });
  const host = web.hostName(1);
  const page = utf8.decode((await get(web, host, "/p/7")).body);
  for (const path of ["/%70/7", "/p/7?utm_source=x", "/p/./7", "/p/x/../7", "/p/%37"]) {
    assert.equal(utf8.decode((await get(web, host, path)).body), page, path);
  }
  assert.equal(utf8.decode((await get(web, `${host.toUpperCase()}.:80`, "/p/7")).body), page);
});

Deno.test("pages carry validators, answer 304 to them, and change when told to", async () => {
  await using web = await startWeb();
  const host = web.hostName(2);
  const first = await get(web, host, "/p/3");
  const tag = field(first, "etag")!;
  const modified = field(first, "last-modified")!;
  for (const f of [`If-None-Match: ${tag}`, `If-Modified-Since: ${modified}`]) {
    const again = await get(web, host, "/p/3", [f]);
    assert.deepEqual([again.status, again.body.length], [304, 0]);
  }
  await web.set(host, "good.changed");
  const changed = await get(web, host, "/p/3", [`If-None-Match: ${tag}`]);
  assert.equal(changed.status, 200);
  assert.notEqual(field(changed, "etag"), tag);
  assert.notDeepEqual(changed.body, first.body);
  await web.set(host, null);
  assert.equal((await get(web, host, "/p/3", [`If-None-Match: ${tag}`])).status, 304);
  assert.equal((await get(web, host, "/etag/9", ['If-None-Match: "tag-9"'])).status, 304);
  assert.equal((await get(web, host, "/weak-etag/9", ['If-None-Match: W/"tag-9"'])).status, 304);
});

Deno.test("robots.txt comes in every kind", async () => {
  await using web = await startWeb();
  const robots = async (host: string) => await get(web, host, "/robots.txt");
  const text = async (host: string) => utf8.decode((await robots(host)).body);
  assert.equal(await text("h0001.good.test"), "User-agent: *\nAllow: /\n");
  for (const s of [403, 404, 429, 500, 503]) {
    assert.equal((await robots(`a.robots-${s}.test`)).status, s);
  }
  assert.match(await text("a.robots-private.test"), /Disallow: \/private\/\n/);
  assert.match(await text("a.robots-all.test"), /Disallow: \/\n/);
  assert.match(await text("a.robots-named.test"), /User-agent: ccrawl\nDisallow: \/\n/);
  assert.match(await text("a.crawl-delay-86400.test"), /Crawl-delay: 86400\n/);
  assert.match(await text("a.robots-private.crawl-delay.test"), /\/private\/\nCrawl-delay: 1\n/);
  assert.equal(await text("a.robots-empty.test"), "");
  assert.equal(
    utf8.decode(gunzipSync((await robots("a.robots-gzip.test")).body)),
    "User-agent: *\nDisallow: /private/\n",
  );
  assert.deepEqual([...(await robots("a.robots-bom.test")).body.subarray(0, 3)], [
    0xef,
    0xbb,
    0xbf,
  ]);
  const big = await text("a.robots-big.test");
  assert.ok(big.length > 1_000_000);
  assert.ok(big.indexOf("/private/") < 100 && big.indexOf("/late/") > 500 * 1024);
  assert.equal(field(await robots("a.robots-no-store.test"), "cache-control"), "no-store");
  assert.equal(field(await robots("a.robots-max-age-90.test"), "cache-control"), "max-age=90");
  assert.equal(field(await robots("a.robots-loop.test"), "location"), "/robots.txt");
  assert.match(
    field(await robots("a.robots-cross.test"), "location")!,
    /^http:\/\/rules\.robots-private\.test:\d+\/robots\.txt$/,
  );
  assert.match(field(await robots("a.robots-inside.test"), "location")!, /^http:\/\/127\.0\.0\.1:/);
  assert.equal(field(await robots("a.robots-429.retry-after-7.test"), "retry-after"), "7");
  assert.equal((await robots("a.robots-close.test")).all, "");

  let path = "/robots.txt";
  for (let hop = 0; hop < 3; hop++) {
    path = field(await get(web, "a.robots-chain-3.test", path), "location")!;
  }
  assert.match(utf8.decode((await get(web, "a.robots-chain-3.test", path)).body), /private/);
});

Deno.test("a robots outage ends after its number of fetches, or when it is told to", async () => {
  await using web = await startWeb();
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    statuses.push((await get(web, "a.robots-outage-2.test", "/robots.txt")).status);
  }
  assert.deepEqual(statuses, [503, 503, 200]);
  assert.equal((await get(web, "b.robots-503.test", "/robots.txt")).status, 503);
  await web.set("b.robots-503.test", "good");
  assert.equal((await get(web, "b.robots-503.test", "/robots.txt")).status, 200);
  await web.reset();
  assert.equal((await get(web, "b.robots-503.test", "/robots.txt")).status, 503);
});

Deno.test("redirects stay, cross, loop, and point where nobody should go", async () => {
  await using web = await startWeb();
  const where = async (host: string, path: string) => field(await get(web, host, path), "location");
  assert.equal(await where("h0001.good.test", "/redirect/3"), "/redirect/2");
  assert.equal((await get(web, "h0001.good.test", "/redirect/2?status=308")).status, 308);
  assert.equal((await get(web, "h0001.good.test", "/redirect/0")).status, 200);
  assert.equal(
    await where("h0001.good.test", "/redirect-cross/2"),
    `${web.url("hop1.good.test")}redirect-cross/1`,
  );
  assert.equal(await where("h0001.good.test", "/redirect-loop/0"), "/redirect-loop/1");
  assert.equal(await where("h0001.good.test", "/redirect-loop/1"), "/redirect-loop/0");
  assert.equal(await where("h0001.good.test", "/many/4999"), "/one");
  assert.equal(
    await where("h0001.good.test", "/redirect-to?url=http://x.test/y"),
    "http://x.test/y",
  );
  for (const [i, target] of PRIVATE_TARGETS.entries()) {
    assert.equal(await where("h0001.good.test", `/redirect-private/${i}`), target);
    assert.equal(await where("a.moved-private.pages-99.test", `/p/${i}`), target);
  }
  assert.equal(await where("a.moved.test", "/p/4?x"), `${web.url("h0000.good.test")}p/4?x`);
  assert.equal(await where("a.moved-loop.test", "/p/4"), "/p/4");
  const index = utf8.decode((await get(web, "h0001.good.test", "/many-index/5000")).body);
  assert.equal(index.split("href=").length - 1, 5000);
});

Deno.test("statuses come with and without Retry-After, and end after their number of times", async () => {
  await using web = await startWeb();
  const plain = await get(web, "a.status-503.test", "/p/0");
  assert.deepEqual([plain.status, field(plain, "retry-after")], [503, undefined]);
  const after = await get(web, "a.status-429.retry-after-9.test", "/p/0");
  assert.deepEqual([after.status, field(after, "retry-after")], [429, "9"]);
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    statuses.push((await get(web, "a.status-503.times-2.test", "/p/0")).status);
  }
  assert.deepEqual(statuses, [503, 503, 200]);
  assert.equal((await get(web, "a.status-503.test", "/robots.txt")).status, 200);
  assert.equal(
    field(await get(web, "h0001.good.test", "/status/503?retry-after=60"), "retry-after"),
    "60",
  );
});

Deno.test("content codings are whole, cut or wrong as they are said to be", async () => {
  await using web = await startWeb();
  const decoders: Record<string, (b: Uint8Array) => Uint8Array> = {
    "": (b) => b,
    "identity": (b) => b,
    "gzip": gunzipSync,
    "x-gzip": gunzipSync,
    "br": brotliDecompressSync,
    "zstd": zstdDecompressSync,
    "deflate": inflateSync,
    "gzip, br": (b) => gunzipSync(brotliDecompressSync(b)),
  };
  for (const c of CODINGS) {
    const a = await get(web, "h0001.good.test", `/coding/${c.name}`);
    assert.equal(field(a, "content-encoding") ?? "", c.header, c.name);
    const body = c.name.endsWith("-chunked") ? dechunk(a.body) : a.body;
    let text: string | undefined;
    try {
      const decode = c.name === "raw-deflate" ? inflateRawSync : decoders[c.header.toLowerCase()];
      if (decode !== undefined) text = utf8.decode(decode(body));
    } catch (error) {
      // Right for all but the whole ones, and for what strict readers refuse behind a member.
      assert.ok(error instanceof Error);
    }
    if (c.name === "gzip-trailing") continue;
    if (c.outcome === "whole") assert.equal(text, CODED_TEXT, c.name);
    else assert.notEqual(text, CODED_TEXT, c.name);
  }
});

Deno.test("hosts code their pages", async () => {
  await using web = await startWeb();
  const plain = await get(web, "a.shared.test", "/p/1");
  for (
    const [trait, decode] of [
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
      ["zstd", zstdDecompressSync],
      ["deflate", inflateSync],
    ] as const
  ) {
    const a = await get(web, `a.shared.${trait}.test`, "/p/1");
    assert.equal(field(a, "content-encoding"), trait);
    assert.deepEqual(new Uint8Array(decode(a.body)), plain.body, trait);
  }
  const same = await Promise.all([1, 2].map((p) => get(web, "a.same.test", `/p/${p}`)));
  assert.deepEqual(same[0]!.body, same[1]!.body);
});

Deno.test("bombs are small on the wire and large inside", async () => {
  await using web = await startWeb();
  for (
    const [coding, decode] of [
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
      ["zstd", zstdDecompressSync],
    ] as const
  ) {
    const a = await get(web, `a.bomb-${coding}-20.test`, "/p/0");
    assert.ok(a.body.length < 100_000, coding);
    assert.equal(decode(a.body).length, 20 << 20, coding);
    assert.deepEqual((await get(web, "h0001.good.test", `/bomb/${coding}/20`)).body, a.body);
  }
});

Deno.test("charsets are declared in every way", async () => {
  await using web = await startWeb();
  for (const { label, text } of CHARSETS) {
    for (const way of CHARSET_WAYS) {
      const a = await get(web, "h0001.good.test", `/charset/${label}/${way}`);
      if (way === "bom" && !label.startsWith("utf")) {
        assert.equal(a.status, 404, `${label} ${way}`);
        continue;
      }
      assert.equal(a.status, 200, `${label} ${way}`);
      const decoded = new TextDecoder(label, { fatal: true }).decode(a.body);
      assert.ok(decoded.includes(`<title>${text}</title>`), `${label} ${way}`);
    }
  }
  assert.equal(
    field(await get(web, "a.good.test", "/charset/koi8-r/header"), "content-type"),
    "text/html; charset=koi8-r",
  );
  assert.equal(
    field(await get(web, "a.good.test", "/charset/koi8-r/meta"), "content-type"),
    "text/html",
  );
});

Deno.test("odd answers go out byte for byte", async () => {
  await using web = await startWeb();
  assert.ok(ODD_ANSWERS.length >= 25);
  for (const [i, odd] of ODD_ANSWERS.entries()) {
    const conn = await connect(web);
    await send(conn, "h0001.good.test", `/odd/own/${i}`);
    assert.equal(await readBytes(conn, odd.answer.length), odd.answer, odd.name);
    if (odd.closes) assert.equal(await readBytes(conn, 1), "", odd.name);
    else {
      await send(conn, "h0001.good.test", "/one");
      assert.equal((await readOne(conn)).status, 200, odd.name);
    }
    conn.close();
  }
});

Deno.test("the corpus of odd answers goes out byte for byte", async () => {
  const folder = Deno.env.get("CCRAWL_CORPUS");
  if (folder === undefined || folder === "") {
    console.log("needs CCRAWL_CORPUS, the folder with http-answers.json");
    return;
  }
  await using web = await startWeb();
  const list = JSON.parse(await Deno.readTextFile(`${folder}/http-answers.json`)) as {
    answer: string;
  }[];
  for (const [i, { answer }] of list.entries()) {
    const bytes = atob(answer);
    const conn = await connect(web);
    await send(conn, "h0001.good.test", `/odd/corpus/${i}`);
    assert.equal(await readBytes(conn, bytes.length + 1), bytes);
    conn.close();
  }
});

Deno.test("bodies are chunked, old, cut and smuggled", async () => {
  await using web = await startWeb();
  const host = "h0001.good.test";
  const chunked = await get(web, "a.chunked.test", "/p/1");
  assert.equal(dechunk(chunked.body).length, 20_000);
  const old = await get(web, "a.http10.test", "/p/1");
  assert.match(old.head, /^HTTP\/1\.0 200 OK/);
  assert.equal(old.body.length, 20_000);
  assert.equal((await get(web, host, "/http09")).all, "<html><body>as in 1991</body></html>");
  assert.ok((await get(web, host, "/cut")).body.length < 1000);
  assert.match((await get(web, host, "/cut-chunked")).all, /\r\n400\r\n<p>only the start$/);
  assert.equal((await get(web, host, "/smuggle")).all.split("HTTP/1.1 200 OK").length, 3);

  const conn = await connect(web);
  await send(conn, host, "/smuggle-late/5");
  assert.equal(utf8.decode((await readOne(conn)).body), "hi");
  assert.equal(utf8.decode((await readOne(conn)).body), "smuggled");
  conn.close();
});

Deno.test("connections close, with a word and without", async () => {
  await using web = await startWeb();
  const ask = async (conn: Deno.Conn, host: string) => {
    await send(conn, host, "/one");
    return field(await readOne(conn), "connection");
  };
  const told = await connect(web);
  assert.equal(await ask(told, "a.close.test"), "close");
  assert.equal(await readBytes(told, 1), "");
  told.close();
  const third = await connect(web);
  assert.deepEqual([await ask(third, "a.keep-2.test"), await ask(third, "a.keep-2.test")], [
    undefined,
    "close",
  ]);
  assert.equal(await readBytes(third, 1), "");
  third.close();
  const dropped = await connect(web);
  assert.deepEqual([await ask(dropped, "a.drop-2.test"), await ask(dropped, "a.drop-2.test")], [
    undefined,
    undefined,
  ]);
  assert.equal(await readBytes(dropped, 1), "");
  dropped.close();
  const stale = await connect(web);
  assert.equal(await ask(stale, "a.stale-10.test"), undefined);
  assert.equal(await readBytes(stale, 1), "");
  stale.close();
  assert.equal((await get(web, "a.accept-close.test", "/one")).all, "");
});

Deno.test("the reset port resets, before an answer and within its body", async () => {
  await using web = await startWeb();
  await assert.rejects(get(web, "a.reset.test", "/"), Deno.errors.ConnectionReset);
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: web.ready.reset });
  await send(conn, "a.reset-300.test", "/");
  const head = await readBytes(conn, 40);
  assert.match(head, /^HTTP\/1\.1 200 OK/);
  await assert.rejects(readAll(conn), Deno.errors.ConnectionReset);
  conn.close();
  assert.equal(new URL(web.url("a.reset-300.test")).port, String(web.ready.reset));
  await assert.rejects(
    Deno.connect({ hostname: "127.0.0.1", port: web.ready.closed }),
    Deno.errors.ConnectionRefused,
  );
});

Deno.test("tarpits, stalls and silent robots hold the connection until the client leaves", async () => {
  await using web = await startWeb();
  for (
    const [host, path, sent] of [
      ["a.tarpit.test", "/p/0", 0],
      ["a.robots-silent.test", "/robots.txt", 0],
      ["h0001.good.test", "/stall", 50],
      ["h0001.good.test", "/stall-head", 30],
    ] as const
  ) {
    const conn = await connect(web);
    await send(conn, host, path);
    if (sent > 0) assert.equal((await readBytes(conn, sent)).length, sent);
    let entries = await web.requests({ host, path });
    while (entries.length === 0) entries = await web.requests({ host, path });
    assert.equal(entries[0]!.end, -1, host);
    conn.close();
    while (entries[0]!.end < 0) entries = await web.requests({ host, path });
    assert.ok(entries[0]!.end > entries[0]!.t);
  }
});

Deno.test("drips and endless answers go on until the client leaves", async () => {
  await using web = await startWeb();
  for (
    const [host, path] of [
      ["a.drip-1.test", "/p/0"],
      ["a.robots-drip-1.test", "/robots.txt"],
      ["h0001.good.test", "/drip-head/1"],
    ] as const
  ) {
    const conn = await connect(web);
    await send(conn, host, path);
    assert.equal((await readBytes(conn, 30)).length, 30);
    conn.close();
  }
  for (
    const [host, path] of [
      ["a.endless.test", "/p/0"],
      ["a.endless-chunked.test", "/p/0"],
      ["a.endless-head.test", "/p/0"],
      ["h0001.good.test", "/endless-continue"],
      ["h0001.good.test", "/endless-trailers"],
    ] as const
  ) {
    const conn = await connect(web);
    await send(conn, host, path);
    assert.equal((await readBytes(conn, 3 << 20)).length, 3 << 20, host + path);
    conn.close();
  }
  while ((await web.stats()).open > 0);
});

Deno.test("pages say noindex and its kin in metas and in header fields", async () => {
  await using web = await startWeb();
  const body = async (host: string, path = "/p/0") =>
    utf8.decode((await get(web, host, path)).body);
  assert.match(await body("a.noindex.test"), /<meta name="robots" content="noindex">/);
  assert.match(await body("a.noindex.noarchive.test"), /content="noindex, noarchive"/);
  assert.match(await body("h0001.good.test", "/meta/nofollow"), /content="nofollow"/);
  assert.equal(
    field(await get(web, "a.x-robots.test", "/p/0"), "x-robots-tag"),
    "noindex, nofollow",
  );
  assert.equal(
    field(await get(web, "h0001.good.test", "/x-robots/noarchive"), "x-robots-tag"),
    "noarchive",
  );
});

Deno.test("traps go on for ever", async () => {
  await using web = await startWeb();
  const host = "h0001.good.test";
  const links = async (path: string) => {
    const text = utf8.decode((await get(web, host, path)).body);
    return [...text.matchAll(/href="([^"]*)"/g)].map((m) => m[1]!.replaceAll("&amp;", "&"));
  };
  assert.ok((await links("/trap/")).length >= 8);
  for (const kind of ["calendar", "deeper", "session", "repeat", "longer", "facets"]) {
    const seen = new Set<string>();
    let url = new URL(`${web.url(host)}trap/${kind}/`);
    for (let i = 0; i < 8; i++) {
      seen.add(url.href);
      const [next] = await links(url.pathname + url.search);
      url = new URL(next!, url);
    }
    assert.equal(seen.size, 8, kind);
  }
  assert.equal((await links("/trap/wide/")).length, 10_000);
  const [a, b] = await links("/trap/hosts/");
  assert.notEqual(new URL(a!).hostname, new URL(b!).hostname);
});
