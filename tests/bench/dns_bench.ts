/**
 * What a lookup costs, against a bare datagram's way there and back in the same run.
 *
 *     deno run -A tests/bench/dns_bench.ts [lookups]
 */
import { createSocket } from "node:dgram";
import process from "node:process";
import { decode } from "dns-packet";
import { Resolver } from "../../lib/net/dns.ts";
import { encodeName, parseResponse, TYPE_A } from "../../lib/net/_dns_wire.ts";

const LOOKUPS = Number(Deno.args[0] ?? 5000);
const OPEN = 64;

/** Answers every query with one address or none, or sends it back as it came, in a process of its own. */
const SERVER = `
  import { createSocket } from "node:dgram";
  const echo = Deno.args[0] === "echo";
  const s = createSocket("udp4");
  s.on("message", (q, from) => {
    if (echo) return s.send(q, from.port, from.address);
    const v4 = q[q.length - 3] === 1;
    const r = new Uint8Array(q.length + (v4 ? 16 : 0));
    r.set(q);
    r[2] = 0x81; r[3] = 0x80; r[7] = v4 ? 1 : 0;
    if (v4) r.set([0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 192, 0, 2, 1], q.length);
    s.send(r, from.port, from.address);
  });
  s.bind(0, "127.0.0.1", () => console.log(s.address().port));`;

async function serve(mode: string): Promise<{ port: number; stop: () => Promise<void> }> {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/server.ts`, SERVER);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `${dir}/server.ts`, mode],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const port = Number(new TextDecoder().decode((await reader.read()).value));
  return {
    port,
    stop: async () => {
      child.kill();
      await reader.cancel();
      await child.status;
      await Deno.remove(dir, { recursive: true });
    },
  };
}

async function measure(run: () => Promise<void>): Promise<{ ms: number; cpuUs: number }> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const ms = performance.now() - start;
  const used = process.cpuUsage(cpu);
  return { ms, cpuUs: used.user + used.system };
}

async function echo(): Promise<{ ms: number; cpuUs: number }> {
  const server = await serve("echo");
  const socket = createSocket("udp4");
  const packet = new Uint8Array(34);
  const result = await measure(() =>
    new Promise<void>((resolve) => {
      let sent = 0;
      let back = 0;
      const send = () => {
        sent++;
        socket.send(packet, server.port, "127.0.0.1");
      };
      socket.on("message", () => {
        if (++back === LOOKUPS) resolve();
        else if (sent < LOOKUPS) send();
      });
      while (sent < OPEN) send();
    })
  );
  socket.close();
  await server.stop();
  return result;
}

async function lookups(): Promise<{ ms: number; cpuUs: number }> {
  const server = await serve("dns");
  const resolver = new Resolver({
    servers: [`127.0.0.1:${server.port}`],
    hostsFile: "",
    maxInFlight: OPEN,
  });
  const result = await measure(async () => {
    let next = 0;
    await Promise.all(Array.from({ length: OPEN }, async () => {
      while (next < LOOKUPS) await resolver.resolve(`host${next++}.example.test`);
    }));
  });
  if (resolver.stats.unresolved > 0) throw new Error(`${resolver.stats.unresolved} lookups failed`);
  resolver.close();
  await server.stop();
  return result;
}

/** An answer as name servers write it: an alias and its address, names compressed. */
function compressedAnswer(): Uint8Array {
  const wire = encodeName("www.example.test")!;
  const cname = 12 + wire.length + 4;
  // deno-fmt-ignore
  return Uint8Array.from([
    0, 1, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0,
    ...new TextEncoder().encode(wire), 0, 1, 0, 1,
    0xc0, 12, 0, 5, 0, 1, 0, 0, 1, 44, 0, 6, 3, 0x63, 0x64, 0x6e, 0xc0, 16,
    0xc0, cname + 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 192, 0, 2, 1,
  ]);
}

function codec(): void {
  const packet = compressedAnswer();
  const wire = encodeName("www.example.test")!;
  const read = parseResponse(packet, wire, TYPE_A);
  if (read?.addresses[0] !== "192.0.2.1") throw new Error(`read ${JSON.stringify(read)}`);
  const time = (run: () => void) => {
    for (let i = 0; i < 20_000; i++) run();
    const start = performance.now();
    for (let i = 0; i < 50_000; i++) run();
    return (performance.now() - start) / 50;
  };
  let ours = Infinity;
  let theirs = Infinity;
  for (let round = 0; round < 5; round++) {
    ours = Math.min(ours, time(() => parseResponse(packet, wire, TYPE_A)));
    theirs = Math.min(theirs, time(() => decode(packet)));
  }
  console.log(
    `reading an answer (best of 5): ${ours.toFixed(2)} us, dns-packet ${theirs.toFixed(2)} us, ` +
      `ratio ${(ours / theirs).toFixed(2)}`,
  );
}

codec();
for (let round = 1; round <= 3; round++) {
  const bare = await echo();
  const full = await lookups();
  const per = (r: { ms: number; cpuUs: number }) =>
    `${Math.round(LOOKUPS / r.ms * 1000)}/s, ${(r.cpuUs / LOOKUPS).toFixed(1)} us CPU`;
  console.log(
    `round ${round}: datagram ${per(bare)}; lookup (two datagrams each way) ${per(full)}; ` +
      `CPU ratio ${(full.cpuUs / bare.cpuUs).toFixed(2)}`,
  );
}
