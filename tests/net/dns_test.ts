import assert from "node:assert/strict";
import { Resolver, type ResolverOptions } from "../../lib/net/dns.ts";
import { FetchError } from "../../lib/net/errors.ts";
import {
  a,
  aaaa,
  answer,
  type Asked,
  cname,
  type Handler,
  NameServerForTests,
  nxdomain,
  plain,
  servfail,
  silent,
} from "./_name_server.ts";

/** Runs name servers and a resolver that knows nothing but them. */
async function withServers(
  handlers: Handler[],
  run: (resolver: Resolver, servers: NameServerForTests[]) => Promise<void>,
  options: ResolverOptions & { tcp?: boolean; host?: string } = {},
): Promise<void> {
  const { tcp, host, ...rest } = options;
  const start = { ...(tcp === undefined ? {} : { tcp }), ...(host === undefined ? {} : { host }) };
  const servers = await Promise.all(handlers.map((h) => NameServerForTests.start(h, start)));
  const resolver = new Resolver({
    servers: servers.map((s) => s.address),
    hostsFile: "",
    ...rest,
  });
  try {
    await run(resolver, servers);
  } finally {
    resolver.close();
    for (const s of servers) s.close();
  }
}

const fails = (reason: string) => (e: unknown) => {
  assert(e instanceof FetchError);
  assert.equal(e.kind, "dns");
  assert.equal(e.reason, reason, e.message);
  return true;
};

Deno.test("Resolver gives IPv4 before IPv6", async () => {
  const both: Handler = (q) => [
    answer(q, {
      answers: q.type === "A" ? [a(q.name, "192.0.2.1")] : [aaaa(q.name, "2001:db8::1")],
    }),
  ];
  await withServers([both], async (r) => {
    assert.deepEqual(await r.resolve("both.test"), ["192.0.2.1", "2001:db8::1"]);
  });
});

Deno.test("Resolver does not wait for an IPv6 answer that never comes", async () => {
  const v4Only: Handler = (q) => q.type === "A" ? plain("192.0.2.1")(q, undefined!) : [];
  await withServers([v4Only], async (r) => {
    assert.deepEqual(await r.resolve("v4.test"), ["192.0.2.1"]);
  }, { timeoutMs: 60_000 });
});

Deno.test("Resolver finds a name that has IPv6 addresses only", async () => {
  const v6Only: Handler = (q) => [
    answer(q, { answers: q.type === "AAAA" ? [aaaa(q.name, "2001:db8:0:0:1::1")] : [] }),
  ];
  await withServers([v6Only, v6Only], async (r) => {
    assert.deepEqual(await r.resolve("v6.test"), ["2001:db8::1:0:0:1"]);
  });
});

Deno.test("Resolver finds it though a server denies every IPv6 name", async () => {
  // RFC 4074 section 4.2: load balancers that answer AAAA with "no such name".
  const denies: Handler = (q, s) => {
    if (q.type === "AAAA") return [answer(q, { rcode: 3 })];
    return q.nth === 1 ? [] : plain("192.0.2.1")(q, s);
  };
  await withServers([denies], async (r) => {
    assert.deepEqual(await r.resolve("lb.test"), ["192.0.2.1"]);
  }, { timeoutMs: 1000 });
});

Deno.test("Resolver asks nobody about literal addresses and localhost", async () => {
  await withServers([silent], async (r, [server]) => {
    assert.deepEqual(await r.resolve("192.0.2.7"), ["192.0.2.7"]);
    assert.deepEqual(await r.resolve("[2001:DB8:0::1]"), ["2001:db8::1"]);
    assert.deepEqual(await r.resolve("2001:db8::1"), ["2001:db8::1"]);
    assert.deepEqual(await r.resolve("LOCALHOST."), ["127.0.0.1", "::1"]);
    assert.deepEqual(await r.resolve("a.localhost"), ["127.0.0.1", "::1"]);
    assert.equal(server!.asked.length, 0);
    assert.equal(r.stats.lookedUp, 0);
  });
});

Deno.test("Resolver looks at the hosts file before it asks", async () => {
  const hostsFile = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(hostsFile, "192.0.2.9 Mine.test other.test # note\n::1 mine.test\n");
    await withServers([plain("192.0.2.1")], async (r, [server]) => {
      assert.deepEqual(await r.resolve("mine.TEST"), ["192.0.2.9", "::1"]);
      assert.deepEqual(r.peek("other.test"), ["192.0.2.9"]);
      assert.equal(server!.asked.length, 0);
      assert.deepEqual(await r.resolve("theirs.test"), ["192.0.2.1"]);
    }, { hostsFile });
  } finally {
    await Deno.remove(hostsFile);
  }
});

Deno.test("Resolver races the servers of resolv.conf against the public ones", async () => {
  const resolvConf = await Deno.makeTempFile();
  const winner = await NameServerForTests.start(plain("192.0.2.1"));
  try {
    await Deno.writeTextFile(resolvConf, "search test\nnameserver 127.255.255.254\n");
    using r = new Resolver({ resolvConf, hostsFile: "", publicServers: [winner.address] });
    assert.deepEqual(r.servers[0], { address: "127.255.255.254", port: 53 });
    assert.equal(r.servers.length, 2);
    assert.deepEqual(await r.resolve("example.test"), ["192.0.2.1"]);
  } finally {
    winner.close();
    await Deno.remove(resolvConf);
  }
});

for (
  const [what, handler] of [
    ["keeps silent", silent],
    ["fails", servfail],
    ["says there is no such name", nxdomain],
    ["says the name has no address", (q) => [answer(q)]],
    ["refuses", (q) => [answer(q, { rcode: 5 })]],
    [
      "sends rubbish",
      (q) => [new Uint8Array([q.id >> 8, q.id & 255, 0x81, 0x80, 255, 255, 255, 255])],
    ],
    ["lies about its counts", (q) => {
      const packet = answer(q);
      packet.set([255, 255], 6);
      return [packet];
    }],
  ] as [string, Handler][]
) {
  Deno.test(`Resolver takes the second server's answer when the first ${what}`, async () => {
    await withServers([handler, plain("192.0.2.1")], async (r) => {
      assert.deepEqual(await r.resolve("example.test"), ["192.0.2.1"]);
      assert.equal(r.stats.unresolved, 0);
    }, { timeoutMs: 60_000 });
  });
}

Deno.test("Resolver remembers that a name does not exist when every server said so", async () => {
  let now = 0;
  const soa = {
    type: "SOA",
    name: "test",
    ttl: 900,
    data: {
      mname: "a.test",
      rname: "b.test",
      serial: 1,
      refresh: 1,
      retry: 1,
      expire: 1,
      minimum: 120,
    },
  };
  const gone: Handler = (q) => [answer(q, { rcode: 3, authorities: [soa] })];
  await withServers([gone, gone, gone], async (r, servers) => {
    await assert.rejects(r.resolve("gone.test"), fails("nxdomain"));
    const asked = servers.map((s) => s.asked.length);
    assert(asked.every((n) => n >= 1));
    now = 119_000;
    await assert.rejects(r.resolve("gone.test"), fails("nxdomain"));
    assert.deepEqual(servers.map((s) => s.asked.length), asked);
    assert.equal(r.peek("gone.test"), undefined);
    now = 121_000; // past the SOA's minimum
    await assert.rejects(r.resolve("gone.test"), fails("nxdomain"));
    assert(servers[0]!.asked.length + servers[1]!.asked.length > asked[0]! + asked[1]!);
    assert.equal(r.stats.nonexistent, 2);
    assert.equal(r.stats.unresolved, 2);
  }, { now: () => now });
});

for (const [what, other] of [["failed", servfail], ["kept silent", silent]] as const) {
  Deno.test(`Resolver does not write a name off when one server ${what}`, async () => {
    await withServers([nxdomain, other], async (r, servers) => {
      await assert.rejects(r.resolve("maybe.test"), fails("resolver"));
      const asked = servers[0]!.asked.length;
      await assert.rejects(r.resolve("maybe.test"), fails("resolver"));
      assert(servers[0]!.asked.length > asked);
      assert.equal(r.stats.nonexistent, 0);
      assert.equal(r.stats.unresolved, 2);
      assert.equal(r.stats.cached, 0);
    }, { timeoutMs: 150 });
  });
}

Deno.test("Resolver tells a name without address from one that does not exist", async () => {
  await withServers([nxdomain, (q) => [answer(q)]], async (r) => {
    await assert.rejects(r.resolve("mail-only.test"), fails("no-address"));
  });
});

Deno.test("Resolver counts a resolver that never answers as a dns failure", async () => {
  await withServers([silent], async (r) => {
    await assert.rejects(r.resolve("example.test"), fails("resolver"));
  }, { timeoutMs: 60 });
});

Deno.test("Resolver survives the loss of three datagrams in a row", async () => {
  const lossy: Handler = (q, s) => q.nth <= 3 ? [] : plain("192.0.2.1")(q, s);
  await withServers([lossy], async (r, [server]) => {
    assert.deepEqual(await r.resolve("example.test"), ["192.0.2.1"]);
    const ids = new Set(server!.asked.filter((q) => q.type === "A").map((q) => q.id));
    assert.equal(ids.size, 1);
  }, { timeoutMs: 800 });
});

Deno.test("Resolver gives no dead verdict on a line that loses every fiftieth datagram", async () => {
  let n = 0;
  const lossy: Handler = (q, s) => ++n % 50 === 0 ? [] : plain("192.0.2.1")(q, s);
  await withServers([lossy], async (r) => {
    const names = Array.from({ length: 300 }, (_, i) => `host${i}.test`);
    const all = await Promise.all(names.map((name) => r.resolve(name)));
    assert(all.every((addresses) => addresses[0] === "192.0.2.1"));
    assert.equal(r.stats.unresolved, 0);
    assert.equal(r.stats.lookedUp, 300);
  }, { timeoutMs: 2000, maxInFlight: 64 });
});

Deno.test("Resolver takes no answer with another id, question, class or source", async () => {
  const forger = await NameServerForTests.start(silent);
  const forged = (q: Asked, id = q.id, question = { name: q.name, type: q.type as string }) =>
    answer(q, { id, question, answers: [a(question.name, "198.51.100.66")] });
  const handler: Handler = (q, server) => {
    if (q.type === "AAAA") return [answer(q)];
    forger.reply(forged(q), q.from!);
    const chaos = forged(q);
    chaos[12 + q.name.length + 2 + 3] = 3; // the question's class
    const query = forged(q);
    query[2]! &= 0x7f;
    return [
      forged(q, q.id ^ 1),
      forged(q, q.id, { name: "evil.test", type: "A" }),
      forged(q, q.id, { name: q.name, type: "TXT" }),
      chaos,
      query,
      new Uint8Array(3),
      ...plain("192.0.2.1")(q, server),
    ];
  };
  try {
    await withServers([handler], async (r) => {
      assert.deepEqual(await r.resolve("example.test"), ["192.0.2.1"]);
    });
  } finally {
    forger.close();
  }
});

Deno.test("Resolver takes no addresses of names that were not asked for", async () => {
  const poison: Handler = (q) => [
    answer(q, {
      answers: q.type === "A" ? [a("bank.test", "198.51.100.66"), a(q.name, "192.0.2.1")] : [],
    }),
  ];
  await withServers([poison], async (r) => {
    assert.deepEqual(await r.resolve("example.test"), ["192.0.2.1"]);
    assert.equal(r.peek("bank.test"), undefined);
  });
});

Deno.test("Resolver uses query ids and source ports that vary", async () => {
  await withServers([plain("192.0.2.1")], async (r, [server]) => {
    for (let i = 0; i < 40; i++) await r.resolve(`host${i}.test`);
    assert(new Set(server!.asked.map((q) => q.id)).size > 60);
    assert(new Set(server!.asked.map((q) => q.from!.port)).size > 1);
  });
});

Deno.test("Resolver fetches a truncated answer over TCP", async () => {
  const addresses = Array.from({ length: 40 }, (_, i) => `192.0.2.${i + 1}`);
  const big: Handler = (q) => {
    if (q.type === "AAAA") return [answer(q)];
    if (!q.tcp) return [answer(q, { flags: 0x200 })];
    return [answer(q, { answers: addresses.map((ip) => a(q.name, ip)) })];
  };
  await withServers([big], async (r) => {
    assert.deepEqual(await r.resolve("big.test"), addresses.slice(0, 16));
  }, { tcp: true });
});

Deno.test("Resolver makes do with what fitted when the server has no TCP", async () => {
  const cut: Handler = (q) => [
    answer(q, q.type === "A" ? { flags: 0x200, answers: [a(q.name, "192.0.2.1")] } : {}),
  ];
  await withServers([cut], async (r) => {
    assert.deepEqual(await r.resolve("cut.test"), ["192.0.2.1"]);
  });
});

Deno.test("Resolver fails when nothing fitted and TCP is cut too", async () => {
  const cut: Handler = (q) => q.tcp ? [] : [answer(q, { flags: 0x200 })];
  await withServers([cut], async (r) => {
    await assert.rejects(r.resolve("cut.test"), fails("resolver"));
  }, { tcp: true });
});

Deno.test("Resolver follows aliases inside an answer, in whatever order they stand", async () => {
  const handler: Handler = (q) => [
    answer(q, {
      answers: q.type === "A"
        ? [
          a("c.test", "192.0.2.1", 4000),
          cname("b.test", "c.test"),
          cname("WWW.test", "B.test", 90),
        ]
        : [],
    }),
  ];
  let now = 0;
  await withServers([handler], async (r) => {
    assert.deepEqual(await r.resolve("www.test"), ["192.0.2.1"]);
    now = 89_000;
    assert.deepEqual(r.peek("www.test"), ["192.0.2.1"]);
    now = 91_000; // the least TTL of the chain has passed
    assert.equal(r.peek("www.test"), undefined);
  }, { now: () => now });
});

Deno.test("Resolver asks on where a server gives the alias alone", async () => {
  const handler: Handler = (q) => [
    answer(q, {
      answers: q.name === "www.test"
        ? [cname("www.test", "cdn.test")]
        : q.type === "A"
        ? [a("cdn.test", "192.0.2.5")]
        : [],
    }),
  ];
  await withServers([handler], async (r) => {
    assert.deepEqual(await r.resolve("www.test"), ["192.0.2.5"]);
  });
});

Deno.test("Resolver ends chains of aliases that go round or never end", async () => {
  let n = 0;
  const loop: Handler = (q) => [
    answer(q, { answers: [cname("a.test", "b.test"), cname("b.test", "a.test")] }),
  ];
  const endless: Handler = (q) => [answer(q, { answers: [cname(q.name, `n${n++}.test`)] })];
  for (const handler of [loop, endless]) {
    await withServers([handler], async (r, [server]) => {
      await assert.rejects(r.resolve("a.test"), fails("resolver"));
      assert(server!.asked.length < 30);
    });
  }
});

Deno.test("Resolver holds answers between a minute and an hour", async () => {
  let now = 0;
  const handler: Handler = (q) => [
    answer(q, {
      answers: q.type === "A"
        ? [a(q.name, "192.0.2.1", q.name === "short.test" ? 0 : 0xffffffff >>> 1)]
        : [],
    }),
  ];
  await withServers([handler], async (r) => {
    await r.resolve("short.test");
    await r.resolve("long.test");
    now = 59_000;
    assert(r.peek("short.test"));
    now = 61_000;
    assert.equal(r.peek("short.test"), undefined);
    now = 3599_000;
    assert(r.peek("long.test"));
    now = 3601_000;
    assert.equal(r.peek("long.test"), undefined);
  }, { now: () => now });
});

Deno.test("Resolver keeps the names used last within its bound", async () => {
  await withServers([plain("192.0.2.1")], async (r) => {
    for (const name of ["a.test", "b.test", "c.test"]) await r.resolve(name);
    assert(r.peek("a.test"));
    await r.resolve("d.test");
    assert(r.peek("a.test"));
    assert.equal(r.peek("b.test"), undefined);
    r.forget("A.test");
    assert.equal(r.peek("a.test"), undefined);
  }, { cacheEntries: 3 });
});

Deno.test("Resolver bounds what is open, asks once for many who want the same, and counts", async () => {
  await withServers([plain("192.0.2.1")], async (r, [server]) => {
    const wants: Promise<readonly string[]>[] = [];
    for (let i = 0; i < 60; i++) wants.push(r.resolve(`host${i % 20}.test`));
    await Promise.all(wants);
    assert.equal(server!.asked.filter((q) => q.type === "A" && q.nth === 1).length, 20);
    assert.equal(server!.asked.filter((q) => q.type === "A").length, 20);
    await r.resolve("host0.test");
    assert.deepEqual(r.stats, {
      lookedUp: 20,
      cached: 41,
      unresolved: 0,
      nonexistent: 0,
      peakOpen: 4,
      bound: 4,
    });
  }, { maxInFlight: 4, timeoutMs: 60_000 });
});

Deno.test("Resolver takes waiting lookups in the order they came, and not without bound", async () => {
  const order: string[] = [];
  await withServers([plain("192.0.2.1")], async (r) => {
    const wants = Array.from({ length: 6 }, (_, i) =>
      r.resolve(`host${i}.test`).then(() => {
        order.push(`host${i}`);
      }));
    await assert.rejects(r.resolve("toomuch.test"), fails("resolver"));
    await Promise.all(wants);
    assert.deepEqual(order, ["host0", "host1", "host2", "host3", "host4", "host5"]);
  }, { maxInFlight: 1, maxWaiting: 5 });
});

Deno.test("Resolver lets go of one who stops waiting, and not of the others", async () => {
  const gate = Promise.withResolvers<void>();
  const held: Handler = (q, s) => {
    if (q.type === "A") {
      gate.promise.then(() => s.reply(plain("192.0.2.1")(q, s)[0]!, q.from!));
      return [];
    }
    return [answer(q)];
  };
  await withServers([held], async (r, [server]) => {
    const stop = new AbortController();
    const patient = r.resolve("slow.test");
    const hasty = r.resolve("slow.test", { signal: stop.signal });
    const queued = r.resolve("queued.test", { signal: stop.signal });
    stop.abort(new Error("enough"));
    await assert.rejects(hasty, /enough/);
    await assert.rejects(queued, /enough/);
    await assert.rejects(r.resolve("slow.test", { signal: stop.signal }), /enough/);
    gate.resolve();
    assert.deepEqual(await patient, ["192.0.2.1"]);
    await r.resolve("next.test");
    assert(!server!.asked.some((q) => q.name === "queued.test"));
  }, { maxInFlight: 1, timeoutMs: 60_000 });
});

Deno.test("Resolver fails what is out when it is closed", async () => {
  await withServers([silent], async (r) => {
    const out = r.resolve("example.test");
    const waiting = r.resolve("other.test");
    r.close();
    await assert.rejects(out, fails("resolver"));
    await assert.rejects(waiting, fails("resolver"));
    await assert.rejects(r.resolve("third.test"), fails("resolver"));
  }, { maxInFlight: 1 });
});

Deno.test("Resolver asks nobody about what cannot be a name", async () => {
  await withServers([plain("192.0.2.1")], async (r, [server]) => {
    const long = `${"a".repeat(63)}.`.repeat(4);
    for (
      const name of ["", ".", "a..b", ".a", "a b.test", "é.test", "a".repeat(64) + ".test", long]
    ) {
      await assert.rejects(r.resolve(name), fails("nxdomain"), name);
    }
    assert.equal(server!.asked.length, 0);
    await r.resolve(long.slice(0, -3)); // 253 characters
    await r.resolve("_under-score.test");
  });
});

Deno.test("Resolver asks servers over IPv6", async () => {
  await withServers([plain("192.0.2.1")], async (r) => {
    assert.deepEqual(await r.resolve("example.test"), ["192.0.2.1"]);
  }, { host: "::1", tcp: false });
});

Deno.test("Resolver stops waiting for a server that has been silent for long", async () => {
  await withServers([silent, nxdomain], async (r, [dead]) => {
    const names = Array.from({ length: 16 }, (_, i) => `host${i}.test`);
    await Promise.all(names.map((name) => assert.rejects(r.resolve(name), fails("resolver"))));
    // Now the other's word is enough for a verdict, though not for one that is remembered.
    for (let i = 0; i < 2; i++) {
      await assert.rejects(r.resolve("gone.test"), fails("nxdomain"));
    }
    assert.equal(r.stats.nonexistent, 2);
    assert.equal(r.stats.cached, 0);
    const probes = dead!.asked.filter((q) => q.name === "gone.test");
    assert(probes.length <= 1, "asked along once, to see if it is back");
  }, { timeoutMs: 400 });
});

Deno.test("Resolver refuses server texts and numbers that make no sense", () => {
  assert.throws(() => new Resolver({ servers: ["dns.example"] }), RangeError);
  assert.throws(() => new Resolver({ servers: ["1.2.3.4"], maxInFlight: 0 }), RangeError);
  assert.throws(() => new Resolver({ servers: ["1.2.3.4"], timeoutMs: NaN }), RangeError);
});

Deno.test("Resolver says so when there is no server to ask", async () => {
  using r = new Resolver({ hostsFile: "", resolvConf: "", publicServers: [] });
  await assert.rejects(r.resolve("example.test"), /no name server/);
});

Deno.test("Resolver that is idle does not keep the process", async () => {
  const server = await NameServerForTests.start(plain("192.0.2.1"));
  try {
    const script = `
      import { Resolver } from ${JSON.stringify(new URL("../../lib/net/dns.ts", import.meta.url))};
      console.log(await new Resolver({ servers: ["${server.address}"] }).resolve("example.test"));`;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", script],
      signal: AbortSignal.timeout(30_000),
    });
    const { success, stdout, stderr } = await child.output();
    assert.match(
      new TextDecoder().decode(stdout),
      /192\.0\.2\.1/,
      new TextDecoder().decode(stderr),
    );
    assert(success, "it had to be killed");
  } finally {
    server.close();
  }
});

Deno.test("resolve() ahead of the call that needs it makes one lookup of the two, and no answer from the cache", async () => {
  const server = await NameServerForTests.start((q) =>
    q.name === "gone.test" ? nxdomain(q, server) : plain("192.0.2.1")(q, server)
  );
  const r = new Resolver({ servers: [server.address], hostsFile: "" });
  try {
    const look = async (name: string) => {
      await r.resolve(name, { ahead: true });
      await r.resolve(name);
    };
    await look("a.test");
    assert.deepEqual([r.stats.lookedUp, r.stats.cached], [1, 0]);
    await look("a.test");
    assert.deepEqual([r.stats.lookedUp, r.stats.cached], [1, 1]);
    await Promise.all([look("b.test"), look("b.test")]);
    assert.deepEqual([r.stats.lookedUp, r.stats.cached], [2, 2]);
    await assert.rejects(r.resolve("gone.test", { ahead: true }), /no such name/);
    await assert.rejects(r.resolve("gone.test", { ahead: true }), /no such name/);
    assert.deepEqual([r.stats.lookedUp, r.stats.cached], [3, 3]);
  } finally {
    r.close();
    server.close();
  }
});

Deno.test("waiting says how many lookups wait for their turn", async () => {
  const server = await NameServerForTests.start(silent);
  const r = new Resolver({ servers: [server.address], hostsFile: "", maxInFlight: 2 });
  try {
    const ends = ["a.test", "b.test", "c.test"].map((name) => assert.rejects(r.resolve(name)));
    assert.equal(r.waiting, 1);
    r.close();
    await Promise.all(ends);
    assert.equal(r.waiting, 0);
  } finally {
    server.close();
  }
});
