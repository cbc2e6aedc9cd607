import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { encodeBase32 } from "../../lib/engine/base32.ts";
import { verifyPaths } from "../../lib/engine/verify.ts";
import { readRecordAt } from "../../lib/warc/reader.ts";
import { collect, withFolder } from "./_crawl.ts";
import { answersOf, readFolder } from "./_warc.ts";
import { startWeb } from "../web/mod.ts";

Deno.test("crawl() gives records whose every field is true", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 4000 });
    const page = web.url("a.gzip.pages-11.test", "/p/0");
    const moved = web.url("b.good.test", "/redirect/1?status=308");
    const dead = web.closedUrl("c.good.test", "/p/0");
    const before = Date.now();
    const { records } = await collect(web, {
      seeds: [page, moved, dead, web.url("d.robots-all.test", "/p/0")],
      robots: true,
      warc: dir,
      maxDepth: 1,
      robotsRetryMs: 1,
      limit: 11 + 2 + 1,
    });
    const after = Date.now();
    const stored = await answersOf(dir);
    const record = records.find((r) => r.url === page)!;
    const { payload } = stored.get(page)!.http;
    const body = await new Response(
      new Blob([payload.slice()]).stream().pipeThrough(new DecompressionStream("gzip")),
    ).arrayBuffer();
    const { fetched_at, duration_ms, warc_file, warc_offset, ...fixed } = record;
    assert.deepEqual(fixed, {
      url: page,
      final_url: page,
      status: 200,
      content_type: "text/html; charset=utf-8",
      digest: encodeBase32(createHash("sha1").update(new Uint8Array(body)).digest()),
      body_size: payload.length,
      link_count: 10,
      depth: 0,
      redirect_to: "",
      error: "",
      error_detail: "",
    });
    assert.equal(body.byteLength, 4000);
    assert.match(fetched_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Date.parse(fetched_at) >= before && Date.parse(fetched_at) <= after, fetched_at);
    assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0 && duration_ms <= after - before);
    const there = await readRecordAt(`${dir}/${warc_file}`, warc_offset);
    assert.deepEqual([there.type, there.url], ["response", page]);
    assert.equal(there.date, `${fetched_at.slice(0, 19)}Z`);

    const redirect = records.find((r) => r.url === moved)!;
    assert.deepEqual(
      [redirect.status, redirect.redirect_to, redirect.final_url, redirect.depth],
      [308, web.url("b.good.test", "/redirect/0"), moved, 0],
    );
    const child = records.find((r) => r.url.endsWith("/p/10"))!;
    assert.deepEqual([child.depth, child.link_count], [1, 0]);
    const refused = records.find((r) => r.error === "skip")!;
    assert.deepEqual(
      { ...refused, fetched_at: "", duration_ms: 0 },
      {
        url: web.url("d.robots-all.test", "/p/0"),
        final_url: web.url("d.robots-all.test", "/p/0"),
        status: 0,
        content_type: "",
        digest: "",
        body_size: 0,
        link_count: 0,
        depth: 0,
        redirect_to: "",
        fetched_at: "",
        duration_ms: 0,
        warc_file: "",
        warc_offset: 0,
        error: "skip",
        error_detail: "robots.txt line 2",
      },
    );
    // robots.txt is archived like a page, and no record of its own.
    for (const host of ["a.gzip.pages-11.test", "b.good.test", "d.robots-all.test"]) {
      assert.ok(stored.has(web.url(host, "/robots.txt")), host);
    }
    assert.ok(records.every((r) => !r.url.endsWith("/robots.txt")));
  }));

/** What a host of a kind ends as: its class, or the status it answers. */
const ENDS: readonly (readonly [kind: string, scheme: "http" | "https", end: string | number])[] = [
  ["good", "https", 200],
  ["tls-cut", "https", 200],
  ["tls-slow-300", "https", 200],
  ["tls-expired", "https", "tls"],
  ["tls-not-yet", "https", "tls"],
  ["tls-wrong-name", "https", "tls"],
  ["tls-self-signed", "https", "tls"],
  ["tls-unknown-ca", "https", "tls"],
  ["tls-alert-40", "https", "tls"],
  ["tls-alert-112", "https", "tls"],
  ["tls-close", "https", "tls"],
  ["tls-plain", "https", "other"],
  ["tls-garbage", "https", "other"], // what opens no TLS record might be plain text as well
  ["tls-hang", "https", "timeout"],
  ["tls-half", "https", "timeout"],
  ["nx", "http", "dns"],
  ["servfail", "http", "dns"],
  ["dns-refused", "http", "dns"],
  ["dns-garbage", "http", "dns"],
  ["dns-silent", "http", "dns"],
  ["dns-wrong-id", "http", "dns"],
  ["dns-wrong-name", "http", "dns"],
  ["dns-pointer-loop", "http", "dns"],
  ["no-address", "http", "dns"],
  ["cname-loop", "http", "dns"],
  ["tc-silent", "http", "dns"],
  ["cname-4", "http", 200],
  ["cname-bare", "http", 200],
  ["tc", "http", 200],
  ["many", "http", 200],
  ["dns-flaky", "http", 200],
  ["nx-1", "http", 200],
  ["servfail-1", "http", 200],
  ["dns-spoof", "http", 200],
  ["dead-first", "http", 200],
  ["tarpit", "http", "timeout"],
  ["slow-60000", "http", "timeout"],
  ["endless-head", "http", "other"],
  ["accept-close", "http", "other"],
  ["reset", "http", "refused"],
  ["private", "http", "refused"],
];

for (const robots of [false, true]) {
  Deno.test(`crawl() tells failures apart, ${robots ? "met at robots.txt" : "without robots.txt"}`, async () => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
    // With robots.txt a host that gives no answer is put off, not failed: only the certain ones.
    const certain = new Set<string | number>(["tls", "dns", 200]);
    const ends = ENDS.filter(([kind, , end]) =>
      kind !== "private" && (!robots || certain.has(end))
    );
    const { records, run } = await collect(web, {
      seeds: [
        ...ends.map(([kind, scheme]) => web.url(`h.${kind}.test`, "/p/0", scheme)),
        ...robots ? [] : [web.closedUrl("dead.good.test", "/p/0")],
      ],
      robots,
      timeoutMs: 2500,
      retries: 0,
    });
    const seen = new Map(records.map((r) => [new URL(r.url).hostname, r]));
    const wrong: string[] = [];
    for (const [kind, , end] of ends) {
      const record = seen.get(`h.${kind}.test`);
      const ended = record === undefined ? "nothing" : record.error || record.status;
      if (ended !== end) wrong.push(`${kind}: ${ended}, not ${end}: ${record?.error_detail}`);
      if (record?.error) assert.match(record.error_detail, /^Cannot /, kind);
    }
    assert.deepEqual(wrong, []);
    const { failures } = run.figures;
    for (const kind of ["tls", "dns", "timeout", "other"] as const) {
      assert.equal(failures[kind], ends.filter(([, , end]) => end === kind).length, kind);
    }
    if (robots) return;
    assert.equal(failures.refused, 2);
    const closed = records.find((r) => r.url === web.closedUrl("dead.good.test", "/p/0"))!;
    assert.equal(closed.error, "refused");
  });
}

Deno.test("crawl() tries again after a transport failure, never after a status", async () => {
  await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
  const { records, run } = await collect(web, {
    seeds: [
      web.url("a.accept-close.test", "/p/0"),
      web.url("b.status-500.test", "/p/0"),
      web.url("c.status-404.test", "/p/0"),
      web.url("d.tls-expired.test", "/p/0", "https"),
      web.url("e.nx.test", "/p/0"),
    ],
    robots: false,
    retries: 2,
    delayMs: 50,
  });
  assert.equal(records.length, 5);
  const of = async (host: string) => (await web.requests({ host })).length;
  assert.deepEqual(
    [
      await of("a.accept-close.test"),
      await of("b.status-500.test"),
      await of("c.status-404.test"),
    ],
    [3, 1, 1],
  );
  const [host] = (await web.summary()).hosts.filter((h) => h.host.startsWith("a."));
  assert.ok(host!.minStartGap >= 50 - 2 - (await web.stats()).maxLagMs, "at the host's pace");
  assert.equal(run.figures.failures.other, 1);
});

Deno.test("crawl() acts on robots directives where it is told to", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 1000 });
    const pages: [path: string, archived: boolean, followed: boolean][] = [
      ["/meta/index", true, true],
      ["/meta/noindex", true, true],
      ["/meta/noarchive", false, true],
      ["/meta/NOFOLLOW", true, false],
      ["/meta/none", false, false],
      ["/meta/noarchive,%20nofollow", false, false],
      ["/x-robots/noarchive", false, true],
      ["/x-robots/nofollow", true, false],
      ["/x-robots/otherbot:%20none", true, true],
      ["/x-robots/ccrawl:%20none", false, false],
      ["/x-robots/unavailable_after:%202020-01-01,%20nofollow", true, false],
    ];
    for (const obeyRobotsMeta of [false, true]) {
      await web.reset();
      const folder = `${dir}/${obeyRobotsMeta}`;
      const state = `${folder}.db`;
      const { records } = await collect(web, {
        seeds: pages.map(([path], i) => web.url(`h${i}.pages-1.test`, path)),
        maxDepth: 1,
        warc: { dir: folder, dedup: false },
        state,
        obeyRobotsMeta,
      });
      const stored = await answersOf(folder);
      for (const [i, [path, archived, followed]] of pages.entries()) {
        const url = web.url(`h${i}.pages-1.test`, path);
        const record = records.find((r) => r.url === url);
        assert.ok(record !== undefined, path);
        assert.deepEqual([record.status, record.link_count], [200, 1], path);
        const kept = archived || !obeyRobotsMeta;
        assert.equal(stored.has(url), kept, path);
        assert.equal(record.warc_file !== "", kept, path);
        const there = records.some((r) => r.url === web.url(`h${i}.pages-1.test`, "/p/0"));
        assert.equal(there, followed || !obeyRobotsMeta, path);
      }
      const faults = [];
      for await (const fault of verifyPaths([folder], { state })) faults.push(fault);
      assert.deepEqual(faults, []);
    }
    assert.ok((await readFolder(`${dir}/true`)).length > 0);
  }));
