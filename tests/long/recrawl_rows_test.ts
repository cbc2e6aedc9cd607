import assert from "node:assert/strict";
import { startWeb } from "../web/mod.ts";
import { withFolder } from "../engine/_crawl.ts";
import { collect, readRows, verifyClean } from "../engine/_recrawl.ts";

const ROWS = 10_000, WORKERS = 128, TIMEOUT = 5000;
const TLS = ["expired", "not-yet", "wrong-name", "self-signed", "unknown-ca", "alert"];
const DEAD = ["nx", "servfail", "no-address", "nx", "nx"];
const SILENT = ["tarpit", "tls-hang", "tls-half"];

Deno.test("a list of 10 000 domains, dead, broken and silent as the published one: each row has its class", () =>
  withFolder(async (dir) => {
    await using web = await startWeb({ hosts: 1, pages: 1, pageBytes: 5000 });
    const wanted = new Map<string, string>();
    for (let i = 0; i < ROWS; i++) {
      // kinds lie mixed, as they do in a list by rank
      const kind = i * 37 % 100;
      if (kind < 33) wanted.set(`http://d${i}.${DEAD[i % DEAD.length]}-g${i}.test/`, "dns");
      else if (kind < 40) {
        wanted.set(web.url(`t${i}.tls-${TLS[i % TLS.length]}.a-g${i}.test`, "/", "https"), "tls");
      } else if (kind < 46) {
        const silent = SILENT[i % SILENT.length]!;
        const scheme = silent === "tarpit" ? "http" : "https";
        wanted.set(web.url(`s${i}.${silent}.a-g${i}.test`, "/", scheme), "timeout");
      } else wanted.set(web.url(`g${i}.good-g${i}.test`, "/p/0"), "");
    }
    const { run } = await collect(web, dir, {
      from: [...wanted.keys()],
      ...{ workers: WORKERS, timeoutMs: TIMEOUT, delayMs: 1000, extractor: "main" },
      state: `${dir}/state.json`,
      sealAfterMs: 5000,
    });
    const rows = await readRows(`${dir}/out`, ["url", "error", "status", "meta_json"]);
    assert.equal(rows.length, ROWS);
    const wrong = rows.filter(({ url, error }) => error !== wanted.get(url));
    assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} rows are of another class`);
    await verifyClean(`${dir}/out`, `${dir}/state.json`);
    const { elapsedMs, fetched, failures, dns } = run.figures;
    const silent = failures.timeout;
    // were every silent host to hold a worker, these alone would take as long
    const held = silent * TIMEOUT / WORKERS;
    console.log(
      `recrawl, a list of domains: ${ROWS} rows in ${(elapsedMs / 1000).toFixed(1)} s ` +
        `(${(ROWS / elapsedMs * 1000).toFixed(0)} rows a second), ${fetched} fetched, dns ` +
        `${failures.dns}, tls ${failures.tls}, ${silent} silent that would hold the pool for ` +
        `${(held / 1000).toFixed(1)} s, lookups ${dns.peak} of ${dns.bound} at the busiest`,
    );
  }));
