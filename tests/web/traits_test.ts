import assert from "node:assert/strict";
import { PATHS } from "./_paths.ts";
import { pageLinks } from "./graph.ts";
import {
  DEFAULT_SCENARIO,
  graphUrls,
  hostIndex,
  hostName,
  pagesOf,
  type Scenario,
  seedUrls,
} from "./scenario.ts";
import { figure, TRAITS, traitsOf } from "./traits.ts";

Deno.test("traitsOf() reads every label that names a trait, with its figure", () => {
  const t = traitsOf("h1.robots-404.slow-500.test");
  assert.deepEqual([...t].sort(), [["robots", 404], ["slow", 500]]);
  assert.deepEqual([...traitsOf("x.crawl-delay-86400.test")], [["crawl-delay", 86400]]);
  assert.deepEqual([...traitsOf("x.robots-max-age.test")], [["robots-max-age", undefined]]);
  assert.deepEqual([...traitsOf("a.ip7.good.test")].sort(), [["good", undefined], ["ip", 7]]);
});

Deno.test("traitsOf() takes a label that names nothing for a name", () => {
  assert.equal(traitsOf("h0001.example.test").size, 0);
  assert.equal(traitsOf("slowly.test").size, 0);
  assert.equal(traitsOf("constructor.toString.test").size, 0);
});

Deno.test("traitsOf() leaves out the group that makes registered domains differ", () => {
  assert.deepEqual([...traitsOf("h1.good-g0012.test")], [["good", undefined]]);
  assert.deepEqual([...traitsOf("h1.slow-500-g3.test")], [["slow", 500]]);
});

Deno.test("figure() tells a trait that is off from one without a figure", () => {
  const t = traitsOf("a.slow.test");
  assert.equal(figure(t, "slow", 10_000), 10_000);
  assert.equal(figure(t, "drip", 1000), undefined);
});

Deno.test("TRAITS name no trait that a figure would turn into another", () => {
  for (const name of Object.keys(TRAITS)) assert.ok(traitsOf(`${name}.test`).has(name), name);
  for (const name of Object.keys(TRAITS)) assert.ok(traitsOf(`${name}-12.test`).has(name), name);
});

Deno.test("hostName() and hostIndex() are each other's inverse", () => {
  for (const domains of [1, 7]) {
    const s: Scenario = { ...DEFAULT_SCENARIO, hosts: 30, domains };
    for (let i = 0; i < 30; i++) assert.equal(hostIndex(s, hostName(s, i)), i);
    assert.equal(hostIndex(s, "h0030.good.test"), -1);
    assert.equal(hostIndex(s, "h1.good.test"), -1);
    assert.equal(hostIndex(s, "hello.good.test"), -1);
  }
});

Deno.test("a tree links every page but the seeds exactly once", () => {
  for (const graph of ["tree", "tree-across"] as const) {
    const s: Scenario = { ...DEFAULT_SCENARIO, hosts: 7, pages: 500, fanout: 3, graph };
    const linked = new Map<string, number>();
    for (let i = 0; i < s.hosts; i++) {
      const host = hostName(s, i);
      for (let page = 0; page < pagesOf(s, i); page++) {
        const g = { kind: graph, index: i, host, port: 81, pages: pagesOf(s, i), page };
        for (const l of pageLinks(s, g)) {
          const url = new URL(l, `http://${host}:81/p/${page}`).href;
          linked.set(url, (linked.get(url) ?? 0) + 1);
        }
      }
    }
    const seeds = new Set(seedUrls(s, 81));
    const all = [...graphUrls(s, 81)];
    assert.equal(all.length, 500);
    assert.equal(seeds.size, graph === "tree" ? 7 : 1);
    for (const url of all) assert.equal(linked.get(url) ?? 0, seeds.has(url) ? 0 : 1, url);
    assert.equal(linked.size, 500 - seeds.size);
  }
});

Deno.test("a mesh spells links in many ways, and none leads out of the graph", () => {
  const s: Scenario = { ...DEFAULT_SCENARIO, hosts: 3, pages: 90, graph: "mesh" };
  const all = new Set(graphUrls(s, 81));
  const spellings = new Set<string>();
  for (let i = 0; i < 3; i++) {
    for (let page = 0; page < 30; page++) {
      const host = hostName(s, i);
      for (const l of pageLinks(s, { kind: "mesh", index: i, host, port: 81, pages: 30, page })) {
        if (/^(mailto|javascript|tel):|^#$/.test(l)) continue;
        const u = new URL(l, `http://${host}:81/p/${page}`);
        spellings.add(l.replaceAll(/\d+/g, "N"));
        u.hash = u.search = "";
        const name = u.hostname.replace(/\.$/, "");
        assert.ok(all.has(`http://${name}:${u.port}${decodeURIComponent(u.pathname)}`), l);
      }
    }
  }
  assert.ok(spellings.size >= 10);
});

Deno.test("README.md has every trait and every path", async () => {
  const text = await Deno.readTextFile(new URL("./README.md", import.meta.url));
  for (const [name, [, does]] of Object.entries(TRAITS)) {
    assert.ok(text.includes(`| \`${name}\``) || text.includes(`| \`${name}-N\``), name);
    assert.ok(text.includes(does), name);
  }
  for (const path of PATHS) assert.match(text, new RegExp(`\`/${path}[\`/?]`), path);
});
