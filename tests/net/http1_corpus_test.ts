import assert from "node:assert/strict";
import { FetchError } from "../../lib/net/errors.ts";
import { bytesOf, get, Loopback, loopbackClient, page } from "./_loopback.ts";

interface Sample {
  readonly name: string;
  /** Base64 of the server's bytes. */
  readonly answer: string;
  readonly expect: {
    readonly status?: number;
    readonly body?: string;
    readonly body64?: string;
    readonly header?: readonly [name: string, value: string];
    readonly truncated?: string;
    readonly reuse?: boolean;
    readonly error?: string;
  };
}

Deno.test("HttpClient reads every odd answer of the corpus as it should", async (t) => {
  const corpus = Deno.env.get("CCRAWL_CORPUS");
  if (corpus === undefined) {
    console.log("needs the corpus: set CCRAWL_CORPUS to its folder");
    return;
  }
  const samples: Sample[] = JSON.parse(await Deno.readTextFile(`${corpus}/http-answers.json`));
  assert.ok(samples.length > 30);
  for (const { name, answer, expect } of samples) {
    await t.step(name, async () => {
      const bytes = Uint8Array.from(atob(answer), (c) => c.charCodeAt(0));
      await using server = new Loopback(async (peer) => {
        if (peer.nth === 1) {
          await peer.request();
          await peer.send(bytes);
          // An answer that does not say where it ends, or falls short, ends with its connection.
          if (!delimited(bytes)) return;
        }
        while (await peer.request() !== undefined) await peer.send(page("next"));
      });
      await using client = loopbackClient();
      const url = `http://h.test:${server.port}/`;
      if (expect.error !== undefined) {
        await assert.rejects(
          get(client, url),
          (e) => e instanceof FetchError && e.kind === expect.error,
        );
      } else {
        const got = await get(client, url);
        const text = new TextDecoder().decode(got.body);
        assert.equal(got.status, expect.status);
        assert.equal(got.truncated, expect.truncated);
        if (expect.body !== undefined) assert.equal(text, expect.body);
        if (expect.body64 !== undefined) assert.deepEqual(got.body, fromBase64(expect.body64));
        if (expect.header !== undefined) {
          const [wanted, value] = expect.header;
          assert.equal(got.headers.find(([n]) => n === wanted)?.[1], value);
        }
        if (expect.reuse === false) assert.equal(got.kept, false);
      }
      const next = await get(client, url);
      assert.equal(new TextDecoder().decode(next.body), "next");
      assert.equal(next.status, 200);
    });
  }
});

function fromBase64(text: string): Uint8Array {
  return bytesOf(atob(text));
}

/** Whether an answer says itself where it ends, so that its connection may stay open. */
function delimited(answer: Uint8Array): boolean {
  const text = new TextDecoder("latin1").decode(answer);
  if (/\n0\r?\n.*\r?\n$/s.test(text)) return true;
  const length = /content-length: *(\d+)/i.exec(text)?.[1];
  if (length === undefined) return false;
  const body = text.split(/\r?\n\r?\n/).slice(1).join("\r\n\r\n");
  return body.length >= Number(length);
}
