// A crawl to be killed: runs on the state of its first argument until it is ended from outside. Of
// what it is sure of, after each verb, it tells on stdout: "offered URL", "ended URL".
import { openFrontier } from "../../lib/frontier/open.ts";
import { ended, links } from "./_helpers.ts";

const [path, round] = Deno.args as [string, string];
const frontier = await openFrontier({ path });
const say = (lines: string[]) => {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
};
const seeds = Array.from({ length: 200 }, (_, i) => `https://h${i % 23}.example/${round}-${i}`);
await frontier.put(seeds.map((url) => ({ url, priority: 1, depth: 0 })), { seed: true });
say(seeds.map((url) => `offered ${url}`));
for (let turn = 0;; turn++) {
  const leases = await frontier.claim(4, 2);
  const urls = leases.flatMap((host) => host.urls);
  say(urls.map(({ url }) => `claimed ${url}`));
  const found = urls.map(({ url }) => url.length < 60 ? `${url}/${turn}` : "");
  await frontier.complete(urls.map(({ id }, at) => ended(id, { outlinks: links(found[at]!) })));
  say([
    ...urls.map(({ url }) => `ended ${url}`),
    ...found.filter((url) => url !== "").map((url) => `offered ${url}`),
  ]);
  frontier.releaseHosts(leases.map(({ host }) => ({ host, notBefore: 0, unused: [] })));
}
