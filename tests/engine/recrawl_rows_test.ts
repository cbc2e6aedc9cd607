import assert from "node:assert/strict";
import { bodyDigest } from "../../lib/capture/digest.ts";
import type { CaptureRow } from "../../lib/capture/schema.ts";
import { recrawl } from "../../lib/engine/recrawl.ts";
import { CODED_TEXT, CODINGS, startWeb } from "../web/mod.ts";
import { withFolder } from "./_crawl.ts";
import { assertPolite } from "./_politeness.ts";
import { collect, metaOf, readRows, rowsOfRun, toward } from "./_recrawl.ts";

const web = await startWeb({ hosts: 20, pages: 400, pageBytes: 2000 });
globalThis.addEventListener("unload", () => web[Symbol.asyncDispose]());

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const digestOf = (body: string) => bodyDigest(new TextEncoder().encode(body));
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);

Deno.test("a list of which a third is dead, 7 % have broken TLS and 6 % are silent: each row has its class", () =>
  withFolder(async (dir) => {
    const TLS = [
      "expired",
      "not-yet",
      "wrong-name",
      "self-signed",
      "unknown-ca",
      "alert",
      "alert-80",
    ];
    const DEAD = ["nx", "servfail", "no-address", "dns-refused", "cname-loop"];
    const kinds: Record<string, string[]> = {
      "": numbers(54).map((i) => web.url(`g${i}.good-g${i}.test`, "/p/0")),
      dns: numbers(33).map((i) => `http://d${i}.${DEAD[i % DEAD.length]}-g${i}.test/`),
      tls: numbers(7).map((i) => web.url(`t${i}.tls-${TLS[i]}.test`, "/", "https")),
      timeout: [
        ...numbers(3).map((i) => web.url(`s${i}.tarpit-g${i}.test`)),
        web.url("s3.tls-hang.test", "/", "https"),
        web.url("s4.tls-half.test", "/", "https"),
        web.url("s5.good.test", "/stall-head"),
      ],
      refused: [web.closedUrl("r0.good.test"), web.url("r1.reset.test", "/p/0")],
      other: [
        web.url("o0.tls-plain.test", "/", "https"),
        web.url("o1.accept-close.test", "/p/0"),
        web.url("o2.good.test", "/endless-head"),
      ],
      skip: ["http://h1.good.test:22/", "ftp://h1.good.test/", "http://[nonsense/"],
    };
    const order = Object.values(kinds).flat();
    // kinds lie mixed
    const from = numbers(order.length).map((i) => order[i * 37 % order.length]!);
    const { run } = await collect(web, dir, {
      from,
      workers: 16,
      timeoutMs: 1500,
      delayMs: 0,
      state: `${dir}/state.json`,
    });
    const rows = await rowsOfRun(web, dir, { from, state: `${dir}/state.json` });
    assert.equal(rows.size, order.length);
    for (const [kind, urls] of Object.entries(kinds)) {
      for (const url of urls) {
        const row = rows.get(url)!;
        const detail = `${url}: ${row.error} ${row.meta_json}`;
        assert.deepEqual([row.error, row.status], [kind, kind === "" ? 200 : 0], detail);
        if (kind === "") continue;
        assert.ok((metaOf(row).error_detail as string).length > 5, detail);
        assert.deepEqual([row.body_length, row.digest, row.unchanged], [0, "", false]);
      }
    }
    assert.equal(metaOf(rows.get("ftp://h1.good.test/")!).reason, "bad-url");
    const { fetched, failures, disallowed, rowsDone } = run.figures;
    const { "": good, ...failed } = kinds;
    assert.equal(fetched, good!.length);
    for (const [kind, urls] of Object.entries(failed)) {
      assert.equal(failures[kind as keyof typeof failures], urls.length, kind);
    }
    assert.deepEqual([disallowed, rowsDone], [0, order.length]);
    assert.equal(run.figures.unclassified?.total, kinds.other!.length);
  }));

Deno.test("one straggler at the end stalls no seal", () =>
  withFolder(async (dir) => {
    const good = numbers(40).map((i) => web.url(`g${i}.good.test`, "/p/0"));
    const sealed: number[] = [];
    const inFlight: number[] = [];
    const run = recrawl(toward(web, dir, {
      from: [web.url("late.slow-3000.test", "/p/0"), ...good],
      workers: 4,
      sealAfterMs: 500,
      delayMs: 0,
      onEvent: (event) => {
        if (event.type !== "sealed") return;
        sealed.push(event.records);
        inFlight.push(run.figures.inFlight);
      },
    }));
    const records = await Array.fromAsync(run);
    assert.equal(records.length, 41);
    const before = sealed.filter((_, i) => inFlight[i]! > 0).reduce((a, b) => a + b, 0);
    assert.equal(before, 40, `sealed ${sealed}, in flight then ${inFlight}`);
    assert.equal(run.figures.parquetFiles, sealed.length);
  }));

Deno.test("redirects are followed in place, at the target's clock, and each row tells them", () =>
  withFolder(async (dir) => {
    await web.reset();
    const host = (i: number) => `from${i}.good.test`;
    const busy = web.url("busy.good.test", "/one");
    const cross = web.url(host(0), "/redirect-cross/3");
    const chain = web.url(host(1), "/redirect/5?status=307");
    const tooLong = web.url(host(2), "/redirect/6");
    const loop = web.url(host(3), "/redirect-loop/0");
    const to = (i: number, url: string) =>
      web.url(host(i), `/redirect-to?url=${encodeURIComponent(url)}`);
    const badPort = to(4, "http://a.good.test:22/");
    const noScheme = to(5, "mailto:someone@good.test");
    const dead = to(6, "http://a.nx.test/");
    const many = numbers(8).map((i) => to(10 + i, busy));
    const rows = await rowsOfRun(web, dir, {
      from: [cross, chain, tooLong, loop, badPort, noScheme, dead, ...many],
      workers: 16,
      delayMs: 100,
    });
    const hops = (url: string) =>
      (metaOf(rows.get(url)!).redirects ?? []) as { url: string; status: number }[];
    assert.equal(rows.get(cross)!.status, 200);
    assert.equal(rows.get(cross)!.final_url, web.url("hop0.good.test", "/redirect-cross/0"));
    assert.deepEqual(hops(cross).map(({ url }) => new URL(url).hostname), [
      "hop2.good.test",
      "hop1.good.test",
      "hop0.good.test",
    ]);
    assert.deepEqual([rows.get(chain)!.status, hops(chain).length], [200, 5]);
    assert.deepEqual(hops(chain).map(({ status }) => status), [307, 302, 302, 302, 302]);
    // at most five: the sixth is the result
    assert.deepEqual([rows.get(tooLong)!.status, hops(tooLong).length], [302, 5]);
    assert.deepEqual([rows.get(loop)!.status, hops(loop).length], [302, 5]);
    assert.deepEqual([rows.get(badPort)!.status, rows.get(badPort)!.error], [0, "skip"]);
    assert.equal(hops(badPort).length, 1);
    assert.deepEqual([rows.get(noScheme)!.status, rows.get(noScheme)!.final_url], [302, ""]);
    assert.deepEqual([rows.get(dead)!.status, rows.get(dead)!.error], [0, "dns"]);
    for (const url of many) {
      assert.deepEqual([rows.get(url)!.status, rows.get(url)!.final_url], [200, busy]);
    }
    await assertPolite(web, 100);
  }));

Deno.test("a hop that could not start before the deadline is not taken: the 3xx is the row", () =>
  withFolder(async (dir) => {
    const busy = web.url("blocked.status-503.retry-after-30.test", "/p/0");
    const first = web.url("one.good.test", `/redirect-to?url=${encodeURIComponent(busy)}`);
    const second = web.url("two.good.test", `/redirect-to?url=${encodeURIComponent(busy)}`);
    const rows = await rowsOfRun(web, dir, {
      from: [first, second],
      workers: 1,
      timeoutMs: 5000,
      delayMs: 0,
    });
    assert.equal(rows.get(first)!.status, 503);
    assert.deepEqual([rows.get(second)!.status, rows.get(second)!.error], [302, ""]);
  }));

for (const robots of [false, true]) {
  Deno.test(`no row reaches a private address ${robots ? "with" : "without"} robots.txt, and says why`, () =>
    withFolder(async (dir) => {
      await web.reset();
      const from = [
        ...[
          "private",
          "link-local",
          "zero",
          "cgnat",
          "mapped",
          "nat64",
          "six-to-four",
          "ula",
          "good",
        ]
          .map((kind) => `http://h1.${kind}.test/`),
        ...["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "2130706433"].map((ip) =>
          `http://${ip}/`
        ),
        "http://h2.good.test:22/",
      ];
      const { run } = await collect(web, dir, { from, allowPrivate: false, robots });
      for (const row of await readRows(`${dir}/out`)) {
        assert.deepEqual([row.status, row.error], [0, "skip"], row.url);
        const reason = row.url.endsWith(":22/") ? "bad-port" : "private-address";
        assert.equal(metaOf(row).reason, reason, row.url);
      }
      assert.deepEqual([run.figures.failures.skip, run.figures.disallowed], [from.length, 0]);
      assert.equal((await web.summary()).requests, 0);
    }));
}

Deno.test("bodies cut at the cap, by time and by the peer are rows with their status, and marked", () =>
  withFolder(async (dir) => {
    const CAP = 100_000, START = "<p>only the start";
    const cases: [url: string, how: string | undefined, body: number | string][] = [
      [web.url("b1.good.test", `/big/${CAP + 1}`), "length", CAP],
      [web.url("b2.good.test", `/big/${CAP}`), undefined, CAP],
      [web.url("b3.good.test", "/endless"), "length", CAP],
      [web.url("b4.good.test", "/endless-chunked"), "length", CAP],
      [web.url("b5.good.test", "/stall"), "time", START],
      [web.url("b6.good.test", "/cut"), "disconnect", START],
      [web.url("b7.good.test", "/cut-chunked"), "disconnect", START],
      [web.url("h.reset-500.test", "/p/0"), "disconnect", "x".repeat(500)],
      [web.url("b8.good.test", "/http09"), undefined, "<html><body>as in 1991</body></html>"],
      [web.url("b9.good.test", "/empty"), undefined, ""],
    ];
    const rows = await rowsOfRun(web, dir, {
      from: cases.map(([url]) => url),
      bodyCap: CAP,
      timeoutMs: 2000,
      extractor: "main",
    });
    for (const [url, how, body] of cases) {
      const row = rows.get(url)!;
      assert.deepEqual([row.status, row.error, metaOf(row).truncated], [200, "", how], url);
      if (typeof body === "number") assert.equal(row.body_length, body, url);
      else assert.equal(text(row.body), body, url);
      assert.equal(row.digest, bodyDigest(row.body), url);
      assert.ok(url.includes("/empty") || row.extractor.startsWith("main@"), url);
    }
  }));

for (const storeBody of ["served", "decoded", "none"] as const) {
  Deno.test(`every content coding, right or wrong, with --store-body ${storeBody}`, () =>
    withFolder(async (dir) => {
      const url = (name: string) => web.url("codings.good.test", `/coding/${name}`);
      const rows = await rowsOfRun(web, dir, {
        from: CODINGS.map(({ name }) => url(name)),
        delayMs: 0,
        storeBody,
        extractor: "main",
      });
      const identity = rows.get(url("identity"))!;
      for (const { name, header, outcome } of CODINGS) {
        const row = rows.get(url(name))!;
        const meta = metaOf(row);
        assert.deepEqual([row.status, row.error, row.body_length], [200, "", row.body.length]);
        assert.equal(meta.content_encoding ?? "", header, name);
        if (outcome === "whole") {
          assert.equal(row.digest, digestOf(CODED_TEXT), name);
          assert.equal(row.markdown, identity.markdown, name);
          assert.equal(meta.reason, undefined, name);
          if (header !== "") assert.equal(meta.decoded_length, CODED_TEXT.length, name);
        } else {
          assert.match(meta.reason as string, /stream|coding|body is not/, name);
        }
        if (storeBody === "none") {
          assert.equal(row.body_length, 0, name);
        } else if (storeBody === "decoded" && outcome === "whole") {
          assert.equal(text(row.body), CODED_TEXT, name);
        } else {
          assert.ok(row.body_length > 0, name);
          if (outcome !== "whole") assert.equal(row.digest, bodyDigest(row.body), name);
        }
      }
      assert.equal(identity.title, "Coded");
    }));
}

Deno.test("what comes out of a bomb is bounded, and its row says so", () =>
  withFolder(async (dir) => {
    const bombs = ["gzip", "br", "zstd"].map((coding) =>
      web.url("b.good.test", `/bomb/${coding}/200`)
    );
    const rows = await rowsOfRun(web, dir, { from: bombs, storeBody: "decoded", delayMs: 0 });
    for (const url of bombs) {
      const row: CaptureRow = rows.get(url)!;
      const { truncated, decoded_length, reason } = metaOf(row);
      assert.deepEqual([row.status, truncated, decoded_length], [200, "length", 64 << 20], url);
      assert.match(reason as string, /decodes to more than/);
      assert.ok(row.body_length < 1 << 20, "as it came");
    }
  }));
