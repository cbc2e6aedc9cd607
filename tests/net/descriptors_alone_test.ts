import assert from "node:assert/strict";
import { FetchError } from "../../lib/net/errors.ts";
import { get, loopbackClient, until } from "./_loopback.ts";

function failure(kind: string): (e: unknown) => boolean {
  return (e) => e instanceof FetchError && e.kind === kind;
}

/** Descriptors of this process, the client's and the test servers' alike. */
function descriptors(): number {
  let count = 0;
  for (const _ of Deno.readDirSync("/proc/self/fd")) count++;
  return count;
}

/** A port of a process that accepts connections and answers `opening` at most. */
async function tarpit(opening: string): Promise<{ port: number } & AsyncDisposable> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", "--no-check", import.meta.dirname! + "/_tarpit.ts", opening],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    port: Number(new TextDecoder().decode(value)),
    async [Symbol.asyncDispose]() {
      child.kill();
      await reader.cancel();
      await child.status;
    },
  };
}

Deno.test({
  name: "HttpClient holds a bounded number of descriptors however many handshakes never end",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const maxStuck = 10;
    for (const opening of ["silent", "hello"]) {
      await using pit = await tarpit(opening);
      await using client = loopbackClient({ maxStuck, perIp: 1000 });
      const before = descriptors();
      for (let round = 0; round < 3; round++) {
        await Promise.all(Array.from({ length: 100 }, (_, i) =>
          assert.rejects(
            get(client, `https://h${i}.test:${pit.port}/`, { timeoutMs: 250 }),
            failure("timeout"),
          )));
        assert.equal(client.stats.stuck, maxStuck);
        assert.equal(client.stats.open, 0);
        await until(() => descriptors() <= before + maxStuck + 8);
      }
    }
  },
});

Deno.test({
  name: "HttpClient holds no descriptor of servers that accept and never answer",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using pit = await tarpit("silent");
    await using client = loopbackClient({ perIp: 1000 });
    const before = descriptors();
    await Promise.all(Array.from({ length: 200 }, (_, i) =>
      assert.rejects(
        get(client, `http://h${i}.test:${pit.port}/`, { timeoutMs: 150 }),
        failure("timeout"),
      )));
    await until(() => descriptors() <= before + 8);
    assert.equal(client.stats.open, 0);
  },
});
