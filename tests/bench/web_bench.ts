/**
 * How fast the local web answers, so that it can be known not to be what a benchmark of the crawler measures:
 * 20 KB pages over kept-alive connections, CPU a page, against a bare server that writes one constant buffer.
 *
 *     deno run -A tests/bench/web_bench.ts [pages] [connections]
 *
 * @module
 */

import { startWeb } from "../web/mod.ts";

const SIZE = 20_000;

if (Deno.args[0] === "--bare") await bare();
else await compare(Number(Deno.args[0] ?? 40_000), Number(Deno.args[1] ?? 32));

/** The least that a server can do. */
async function bare(): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  console.log(listener.addr.port);
  const answer = new Uint8Array(SIZE + 60).fill(97);
  answer.set(
    new TextEncoder().encode(`HTTP/1.1 200 OK\r\nX-Pad: ppp\r\nContent-Length: ${SIZE}\r\n\r\n`),
  );
  for await (const c of listener) serve(c, answer);
}

async function serve(c: Deno.TcpConn, answer: Uint8Array): Promise<void> {
  c.setNoDelay(true);
  const buffer = new Uint8Array(2048);
  while (await c.read(buffer) !== null) {
    for (let i = 0; i < answer.length;) i += await c.write(answer.subarray(i));
  }
  c.close();
}

async function compare(pages: number, connections: number): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.url, "--bare"],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const barePort = Number(new TextDecoder().decode((await reader.read()).value));
  await using web = await startWeb({ hosts: 50, pages: 100_000, pageBytes: SIZE });

  const rounds: [bare: number, web: number][] = [];
  for (let i = 0; i < 4; i++) {
    const b = await load(barePort, child.pid, pages, connections, () => "/");
    const w = await load(
      web.ready.http,
      web.ready.pid,
      pages,
      connections,
      (k) => `/p/${k % 2000}`,
    );
    // The first round warms both up.
    if (i > 0) rounds.push([b.cpu, w.cpu]);
    console.log(
      `bare ${b.rate} pages/s, ${b.cpu.toFixed(1)} µs CPU a page; web ${w.rate} pages/s, ${
        w.cpu.toFixed(1)
      } µs`,
    );
  }
  const ratio = Math.min(...rounds.map(([b, w]) => w / b));
  console.log(
    `web / bare, CPU a page: ${ratio.toFixed(2)} (one core: ${
      Math.round(1e6 / rounds[0]![1])
    } pages/s)`,
  );
  child.kill("SIGTERM");
  await child.status;
  await reader.cancel();
}

async function load(
  port: number,
  pid: number,
  pages: number,
  connections: number,
  path: (k: number) => string,
): Promise<{ rate: number; cpu: number }> {
  const encoder = new TextEncoder();
  const cpu = cpuMicros(pid);
  const start = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: connections }, async (_, c) => {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port });
    conn.setNoDelay(true);
    const host = `h${String(c % 50).padStart(4, "0")}.good.test`;
    const buffer = new Uint8Array(64 * 1024);
    while (next < pages) {
      const k = next++;
      await conn.write(encoder.encode(
        `GET ${
          path(k)
        } HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench\r\nAccept: text/html\r\nAccept-Encoding: gzip, br\r\n\r\n`,
      ));
      for (let want = -1, have = 0; want < 0 || have < want;) {
        const n = await conn.read(buffer.subarray(have));
        if (n === null) throw new Error("the server left");
        have += n;
        if (want < 0) {
          const end = endOfHead(buffer, have);
          if (end >= 0) want = end + SIZE;
        }
      }
    }
    conn.close();
  }));
  const seconds = (performance.now() - start) / 1000;
  return { rate: Math.round(pages / seconds), cpu: (cpuMicros(pid) - cpu) / pages };
}

function endOfHead(b: Uint8Array, have: number): number {
  for (let i = 3; i < have; i++) {
    if (b[i] === 10 && b[i - 2] === 10 && b[i - 1] === 13) return i + 1;
  }
  return -1;
}

/** CPU that a process has used; 0 where /proc does not tell. */
function cpuMicros(pid: number): number {
  try {
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
