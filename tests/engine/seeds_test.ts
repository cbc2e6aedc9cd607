import assert from "node:assert/strict";
import { type BadSeed, parseSeed, readSeeds } from "../../lib/engine/seeds.ts";

async function read(text: string, chunk = 7): Promise<{ urls: string[]; bad: BadSeed[] }> {
  const bytes = new TextEncoder().encode(text);
  const bad: BadSeed[] = [];
  const urls: string[] = [];
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let i = 0; i < bytes.length; i += chunk) controller.enqueue(bytes.slice(i, i + chunk));
      controller.close();
    },
  });
  for await (const seed of readSeeds(source, (b) => bad.push(b))) {
    urls.push(`${seed.priority} ${seed.url}`);
  }
  return { urls, bad };
}

Deno.test("readSeeds() takes JSON lines and plain lines, with comments and blanks between", async () => {
  const { urls, bad } = await read(
    `# seeds\n\n{"host":"a.test","url":"https://a.test/","tier":2,"priority":31.5}\r\nhttp://B.test:80/x#f\n  example.com/path \nlocalhost:8080/y`,
  );
  assert.deepEqual(urls, [
    "31.5 https://a.test/",
    "1 http://b.test/x",
    "1 https://example.com/path",
    "1 https://localhost:8080/y",
  ]);
  assert.deepEqual(bad, []);
});

Deno.test("readSeeds() counts bad lines by number and goes on", async () => {
  const { urls, bad } = await read(
    `ftp://a.test/\n{"url":5}\n{"url":"https://a.test/","priority":null}\n{oops\nmailto:x@y\nhttps://ok.test/`,
  );
  assert.deepEqual(urls, ["1 https://ok.test/"]);
  assert.deepEqual(bad.map((b) => b.line), [1, 2, 3, 4, 5]);
});

Deno.test("readSeeds() holds no line longer than it allows", async () => {
  const { urls, bad } = await read("x".repeat(500_000) + "\nhttps://ok.test/\n", 4096);
  assert.deepEqual(urls, ["1 https://ok.test/"]);
  assert.equal(bad.length, 1);
  assert.match(bad[0]!.reason, /characters long/);
});

Deno.test("parseSeed() puts a priority of zero last instead of refusing it", () => {
  const seed = parseSeed(`{"url":"https://a.test/","priority":0}`);
  assert.ok(typeof seed === "object" && seed.priority > 0 && seed.priority < 1e-9);
});

Deno.test("readSeeds() ends lines at LF, CRLF and CR alike, wherever chunks are cut", async () => {
  const list = "a.test\r\nb.test\rc.test\n\r\nd.test\r\rftp://e.test\r\n";
  for (const size of [1, 2, 3, 7, 8, 9, 1000]) {
    const { urls, bad } = await read(list, size);
    assert.deepEqual(urls, ["a", "b", "c", "d"].map((name) => `1 https://${name}.test/`));
    assert.deepEqual(bad.map(({ line }) => line), [7], `in chunks of ${size}`);
  }
});

Deno.test("parseSeed() makes no URL of two columns", () => {
  assert.equal(parseSeed("https://a.test/\t0.9"), "a control character in it");
  assert.equal(parseSeed("https://a.test/\0x"), "a control character in it");
  assert.equal(typeof parseSeed("\thttps://a.test/\t"), "object");
});

Deno.test("readSeeds() says which lines are traps, and which are rows of another kind of list", async () => {
  const { urls, bad } = await read(
    [
      `https://a.test/${"x".repeat(4000)}`,
      "https://a.test/b/b/b/b",
      `{"url":"https://a.test/c/c/c/c","priority":2}`,
      "1,a.test",
      "a.test,1",
      `"https://a.test/"`,
      "a_b.test/",
      "https://[::1]:8080/",
      "bücher.test/",
    ].join("\n"),
    1000,
  );
  assert.deepEqual(urls, [
    "1 https://a_b.test/",
    "1 https://[::1]:8080/",
    "1 https://xn--bcher-kva.test/",
  ]);
  assert.deepEqual(bad.map(({ line, reason }) => `${line} ${reason}`), [
    "1 its URL is over 4000 characters long",
    "2 its path repeats a segment more than three times",
    "3 its path repeats a segment more than three times",
    "4 no host name in it",
    "5 no host name in it",
    "6 no host name in it",
  ]);
});
