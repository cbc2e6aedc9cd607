/**
 * Names looked up against name servers that lose questions: none may come out dead that is not, and none
 * alive that is. 10 000 names, or as many as `CCRAWL_DNS_NAMES` says.
 */

import assert from "node:assert/strict";
import { Resolver } from "../../lib/net/dns.ts";
import { FetchError } from "../../lib/net/errors.ts";
import { startWeb } from "../web/mod.ts";

const NAMES = Number(Deno.env.get("CCRAWL_DNS_NAMES") ?? 10_000);
const BOUND = 32;

Deno.test(`${NAMES} names at a bound of ${BOUND}, 2 % of the questions lost: each comes out as what it is`, async () => {
  await using web = await startWeb({ hosts: 1, pages: 1 });
  const resolver = new Resolver({ servers: web.resolvers, hostsFile: "", maxInFlight: BOUND });
  const wrong: string[] = [];
  let next = 0;
  const start = performance.now();
  // Four times as many as may be out, so that there always are some that wait.
  await Promise.all(Array.from({ length: 4 * BOUND }, async () => {
    while (next < NAMES) {
      const i = next++;
      const dead = i % 3 === 0;
      const name = dead ? `n${i}.nx.dns-loss-2.test` : `n${i}.dns-loss-2.test`;
      try {
        const [address] = await resolver.resolve(name);
        if (dead || !address!.startsWith("127.")) wrong.push(`${name} has ${address}`);
      } catch (error) {
        if (!(error instanceof FetchError)) throw error;
        if (!dead || error.reason !== "nxdomain") wrong.push(`${name}: ${error.message}`);
      }
    }
  }));
  const seconds = (performance.now() - start) / 1000;
  const { lookedUp, cached, unresolved, nonexistent, peakOpen } = resolver.stats;
  resolver.close();
  const deads = Math.ceil(NAMES / 3);
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    { lookedUp, cached, unresolved, nonexistent, peakOpen },
    { lookedUp: NAMES, cached: 0, unresolved: deads, nonexistent: deads, peakOpen: BOUND },
  );
  const queries = (await web.stats()).dnsQueries;
  console.log(
    `${NAMES} names in ${seconds.toFixed(1)} s, ${(NAMES / seconds).toFixed(0)} a second, ` +
      `${(queries / NAMES).toFixed(2)} questions a name`,
  );
});
