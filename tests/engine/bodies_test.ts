import assert from "node:assert/strict";
import { collect, withFolder } from "./_crawl.ts";
import { answersOf, latin1, readFolder } from "./_warc.ts";
import { startWeb } from "../web/mod.ts";

const CAP = 100_000;
const START = "<p>only the start";

Deno.test("crawl() keeps what came of a body that was cut, and marks it", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
    // URL, how it was cut, and the body that is left (by its length, or whole).
    const cut: [url: string, how: string | undefined, body: number | string][] = [
      [web.url("b1.good.test", `/big/${CAP + 1}`), "length", CAP],
      [web.url("b2.good.test", `/big/${CAP}`), undefined, CAP],
      [web.url("b3.good.test", "/endless"), "length", CAP],
      [web.url("b4.good.test", "/endless-chunked"), "length", CAP],
      [web.url("b5.good.test", "/stall"), "time", START],
      [web.url("b6.good.test", "/cut"), "disconnect", START],
      [web.url("b7.good.test", "/cut-chunked"), "disconnect", START],
      [web.url("h.reset-500.test", "/p/0"), "disconnect", "x".repeat(500)],
      [web.url("b8.good.test", "/endless-trailers"), undefined, "hi"],
    ];
    const none: [url: string, error: string][] = [
      [web.url("b9.good.test", "/stall-head"), "timeout"],
      [web.url("b10.good.test", "/drip-head/400"), "timeout"],
      [web.url("b11.good.test", "/endless-head"), "other"],
      [web.url("b12.good.test", "/endless-continue"), "other"],
      [web.url("b13.good.test", "/big-head/300000"), "other"],
    ];
    const behind = cut.map(([url]) => new URL("/one", url).href).filter((u) =>
      !u.includes("reset")
    );
    const dripping = web.url("b14.good.test", "/drip/100");
    const { records } = await collect(web, {
      seeds: [...cut.map(([url]) => url), ...none.map(([url]) => url), ...behind, dripping],
      warc: { dir, dedup: false },
      bodyCap: CAP,
      timeoutMs: 2000,
      retries: 0,
      robots: false,
    });
    const byUrl = new Map(records.map((r) => [r.url, r]));
    const stored = await answersOf(dir);
    for (const [url, how, body] of cut) {
      const record = byUrl.get(url)!;
      assert.deepEqual([record.status, record.error], [200, ""], url);
      const archived = stored.get(url)!;
      assert.equal(archived.headers.get("WARC-Truncated"), how, url);
      const { payload } = archived.http;
      assert.equal(payload.length, record.body_size, url);
      if (typeof body === "number") assert.equal(payload.length, body, url);
      else assert.equal(latin1(payload), body, url);
      const length = archived.http.get("content-length");
      if (length !== undefined) assert.equal(Number(length), payload.length, url);
    }
    const big = stored.get(cut[0]![0])!.http;
    assert.equal(big.get("x-crawler-content-length"), String(CAP + 1), "what the server announced");
    const drip = stored.get(dripping)!;
    assert.equal(drip.headers.get("WARC-Truncated"), "time");
    assert.ok("<p>drop by drop by drop</p>".repeat(100).startsWith(latin1(drip.http.payload)));
    assert.ok(drip.http.payload.length > 0);
    for (const [url, error] of none) {
      const record = byUrl.get(url)!;
      assert.deepEqual([record.status, record.error], [0, error], `${url}: ${record.error_detail}`);
      assert.equal(record.warc_file, "");
      assert.equal(stored.has(url), false);
    }
    for (const url of behind) {
      assert.equal(latin1(stored.get(url)!.http.payload).slice(0, 7), "<title>", url);
    }
  }));

for (const writers of [1, 3]) {
  Deno.test(`crawl() stores a payload once, and refers to it from ${writers} file(s)`, () =>
    withFolder(async (dir) => {
      await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 3000 });
      const seeds = [1, 2, 3, 4].flatMap((i) =>
        Array.from({ length: 8 }, (_, p) => web.url(`h${i}.same.shared.pages-8.test`, `/p/${p}`))
      );
      const empty = [1, 2, 3, 4].map((i) => web.url("e.good.test", `/empty?${i}`));
      const cut = [1, 2, 3].map((i) => web.url("c.good.test", `/cut?${i}`));
      const { records } = await collect(web, {
        seeds: [...seeds, ...empty, ...cut],
        delayMs: 150,
        warc: { dir, writers },
      });
      assert.equal(records.filter((r) => r.status === 200).length, 32 + 4 + 3);
      const all = await readFolder(dir);
      const byId = new Map(all.map((record) => [record.id, record]));
      const revisits = all.filter((r) => r.type === "revisit");
      assert.ok(revisits.length >= 16, `${revisits.length}`);
      for (const revisit of revisits) {
        const { url, headers, http } = revisit;
        assert.match(url, /same/, "neither an empty payload nor a cut one");
        assert.match(headers.get("WARC-Profile")!, /identical-payload-digest$/);
        const target = byId.get(headers.get("WARC-Refers-To")!.slice(1, -1))!;
        assert.equal(target.type, "response");
        assert.equal(headers.get("WARC-Refers-To-Target-URI"), target.url);
        assert.equal(headers.get("WARC-Refers-To-Date"), target.date);
        assert.equal(
          headers.get("WARC-Payload-Digest"),
          target.headers.get("WARC-Payload-Digest"),
        );
        assert.equal(http.payload.length, 0);
        assert.equal(http.status, 200, "its own head is there");
        if (target.file === revisit.file) assert.ok(target.offset < revisit.offset);
      }
      const digests = new Set(records.filter((r) => r.url.includes("same")).map((r) => r.digest));
      assert.equal(digests.size, 1, "a revisit's record has its digest too");
      for (const r of records) {
        const at = all.find((x) => x.file === r.warc_file && x.offset === r.warc_offset)!;
        assert.equal(at.url, r.url);
      }
    }));
}

Deno.test("crawl() stores every payload where it is told to, and a 304 as one", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 3000 });
    const notModified = web.url("n.good.test", "/status/304");
    const { records } = await collect(web, {
      seeds: [
        ...Array.from({ length: 8 }, (_, p) => web.url("h1.same.pages-8.test", `/p/${p}`)),
        notModified,
      ],
      delayMs: 120,
      warc: { dir, dedup: false },
    });
    assert.equal(records.length, 9);
    const revisits = (await readFolder(dir)).filter((r) => r.type === "revisit");
    assert.deepEqual(revisits.map((r) => r.url), [notModified]);
    assert.match(revisits[0]!.headers.get("WARC-Profile")!, /server-not-modified$/);
    assert.equal(revisits[0]!.http.status, 304);
    const record = records.find((r) => r.url === notModified)!;
    assert.deepEqual([record.status, record.body_size, record.error], [304, 0, ""]);
  }));
