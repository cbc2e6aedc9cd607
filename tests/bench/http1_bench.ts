/**
 * What the fetch client costs in CPU a page, against a bare read loop on the same sockets in the same run.
 * Run with `deno run -A tests/bench/http1_bench.ts [pages]`.
 */
import process from "node:process";
import { HttpClient } from "../../lib/net/client.ts";

const BODY = 20 * 1024;
const HEAD = "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Tue, 01 Jan 2030 00:00:00 GMT\r\n" +
  "Content-Type: text/html; charset=utf-8\r\nVary: Accept-Encoding\r\nCache-Control: max-age=60\r\n" +
  `Content-Length: ${BODY}\r\n\r\n`;
const HEADERS = [
  ["User-Agent", "CCrawl/2.0 (+https://example.com/bot)"],
  ["Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
  ["Accept-Encoding", "gzip, br, zstd, deflate"],
] as const;

/** The server: in a process of its own, so that its CPU is not counted. */
async function serve(): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  console.log(listener.addr.port);
  const head = new TextEncoder().encode(HEAD);
  const answer = new Uint8Array(head.length + BODY).fill(97);
  answer.set(head);
  for await (const connection of listener) {
    (async () => {
      const into = new Uint8Array(4096);
      try {
        connection.setNoDelay(true);
        while (await connection.read(into) !== null) {
          for (let at = 0; at < answer.length;) at += await connection.write(answer.subarray(at));
        }
      } finally {
        connection.close();
      }
    })().catch(() => {});
  }
}

const request = new TextEncoder().encode(
  `GET / HTTP/1.1\r\nHost: bench.test\r\n${
    HEADERS.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  }\r\n`,
);
const length = HEAD.length + BODY;

/** Reads a page in the barest way there is; the body is copied out, as it must be to be kept. */
async function rawPage(connection: Deno.TcpConn, into: Uint8Array): Promise<Uint8Array> {
  await connection.write(request);
  for (let got = 0; got < length;) {
    const n = await connection.read(into);
    if (n === null) throw new Error("the server hung up");
    got += n;
  }
  return into.slice(0, BODY);
}

/** CPU microseconds a call of `page`, by `workers` at a time. */
async function cost(
  pages: number,
  workers: number,
  page: (worker: number) => Promise<void>,
): Promise<number> {
  for (let i = 0; i < workers * 20; i++) await page(i % workers);
  const before = process.cpuUsage();
  let left = pages;
  await Promise.all(Array.from({ length: workers }, async (_, worker) => {
    while (left-- > 0) await page(worker);
  }));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / pages;
}

async function main(pages: number): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL(import.meta.url).pathname, "--serve"],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const port = Number(new TextDecoder().decode((await reader.read()).value));
  const workers = 16;
  const client = new HttpClient({
    resolve: () => Promise.resolve(["127.0.0.1"]),
    allowPrivate: true,
    perIp: workers,
  });
  const fresh = new HttpClient({
    resolve: () => Promise.resolve(["127.0.0.1"]),
    allowPrivate: true,
    perIp: workers,
    maxIdle: 0,
  });
  const urls = Array.from({ length: workers }, (_, i) => new URL(`http://h${i}.test:${port}/`));
  const buffers = Array.from({ length: workers }, () => new Uint8Array(32 * 1024));
  const connections = await Promise.all(
    buffers.map(() => Deno.connect({ hostname: "127.0.0.1", port })),
  );
  const ours = (by: HttpClient) => async (worker: number): Promise<void> => {
    const got = await by.exchange({ url: urls[worker]!, headers: HEADERS, timeoutMs: 10_000 });
    if (got.body.length !== BODY) throw new Error(`a page of ${got.body.length} bytes`);
  };
  const rawKept = await cost(
    pages,
    workers,
    async (w) => void await rawPage(connections[w]!, buffers[w]!),
  );
  const kept = await cost(pages, workers, ours(client));
  const rawFresh = await cost(pages, workers, async (w) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await rawPage(connection, buffers[w]!);
    connection.close();
  });
  const opened = await cost(pages, workers, ours(fresh));
  const row = (what: string, a: number, b: number) =>
    console.log(
      `${what}: ${b.toFixed(1)} µs a page, bare loop ${a.toFixed(1)}, ratio ${(b / a).toFixed(2)}`,
    );
  row("keep-alive", rawKept, kept);
  row("fresh", rawFresh, opened);
  client.close();
  fresh.close();
  for (const connection of connections) connection.close();
  await reader.cancel();
  child.kill();
  await child.status;
}

if (Deno.args[0] === "--serve") await serve();
else await main(Number(Deno.args[0] ?? 10_000));
