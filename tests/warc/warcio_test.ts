import assert from "node:assert/strict";
import { parseHttp } from "../../lib/warc/http.ts";
import { readWarc } from "../../lib/warc/reader.ts";
import { WarcWriter } from "../../lib/warc/writer.ts";
import type { ArchivedExchange } from "../../lib/warc/types.ts";
import {
  collect,
  decode,
  digestOf,
  encode,
  exchange,
  members,
  noise,
  options,
  pieces,
} from "./_exchanges.ts";
import { at, MemFs } from "./_mem_fs.ts";

/** Exchanges of every kind that there is. */
function everyKind(): ArchivedExchange[] {
  const chunked = encode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n");
  const wire = (head: Uint8Array, rest: string) => encode(decode(head) + rest);
  const make = (...args: Parameters<typeof exchange>) => {
    const x = exchange(...args);
    return { wire: wire(x.head, decode(x.body)), ...x };
  };
  return [
    make("http://a.example/", "<p>hello"),
    make("http://a.example/chunked", "abc", {
      head: chunked,
      wire: wire(chunked, "3\r\nabc\r\n0\r\n\r\n"),
    }),
    make("http://a.example/wrong", "abc", {
      head: encode("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
    }),
    make("http://a.example/lf", "abc", { head: encode("HTTP/1.1 200 OK\nServer: x\n\n") }),
    make("http://a.example/none", "", {
      head: encode("HTTP/1.1 204 No Content\r\n\r\n"),
      status: 204,
    }),
    make("http://a.example/cut", "abc", { truncated: "disconnect" }),
    make("http://a.example/304", "", {
      head: encode("HTTP/1.1 304 Not Modified\r\n\r\n"),
      status: 304,
    }),
    make("http://a.example/again", "<p>hello"),
    make("http://[2001:db8::1]/%C3%BC?a=b", "v6", { ip: "2001:db8::1" }),
    { ...exchange("http://a.example/big", noise(1_500_000)), wire: noise(1_500_000) },
  ];
}

Deno.test("npm warcio reads every record that WarcWriter writes, clean and raw", async () => {
  const { WARCParser } = await import("warcio");
  for (const http of ["clean", "raw"] as const) {
    const fs = new MemFs();
    const writer = new WarcWriter(options({ fs, http, maxBytes: 100_000 }));
    for (const x of everyKind()) {
      writer.write(x);
      writer.sync();
    }
    writer.close();
    const names = fs.list("/w").filter((name) => name.endsWith(".warc.gz")).sort();
    assert.equal(names.length, 2);
    for (const name of names) {
      const bytes = fs.bytes(at(name)), found = members(bytes);
      const ours = await collect(readWarc(pieces(bytes)));
      assert.equal(ours.length, found.length);
      let i = 0;
      const parser = new WARCParser(pieces(bytes, 5000), { parseHttp: false });
      for await (const record of parser) {
        const own = ours[i]!, expected = found[i]!;
        assert.equal(record.warcType, expected.fields.get("WARC-Type"));
        assert.equal(record.warcTargetURI ?? "", own.url);
        assert.equal(
          record.warcPayloadDigest ?? null,
          expected.fields.get("WARC-Payload-Digest") ?? null,
        );
        const block = await record.readFully(false);
        assert.deepEqual(new Uint8Array(block), new Uint8Array(own.content));
        assert.deepEqual(new Uint8Array(block), expected.block);
        assert.equal(expected.fields.get("WARC-Block-Digest"), digestOf(expected.block));
        assert.deepEqual([parser.offset, own.offset], [expected.offset, expected.offset]);
        if (record.warcType === "response") {
          const { payload } = parseHttp(own.content);
          assert.equal(expected.fields.get("WARC-Payload-Digest"), digestOf(payload));
        }
        i++;
      }
      assert.equal(i, found.length);
    }
  }
});

Deno.test("npm warcio finds status, headers and payload in the clean form", async () => {
  const { WARCParser } = await import("warcio");
  const fs = new MemFs();
  const writer = new WarcWriter(options({ fs, dedup: false }));
  const exchanges = everyKind();
  for (const x of exchanges) writer.write(x);
  writer.close();
  let i = 0;
  for await (const record of new WARCParser(pieces(fs.bytes(at("ccrawl-crawl-00000.warc.gz"))))) {
    if (record.warcType !== "response" && record.warcType !== "revisit") continue;
    const x = exchanges[i++]!;
    assert.equal(record.httpHeaders?.statusCode, x.status);
    // It ends a head at CRLF CRLF only; one with LF line ends is stored as served.
    if (x.url.endsWith("/lf")) continue;
    assert.deepEqual(new Uint8Array(await record.readFully(true)), x.body);
  }
  assert.equal(i, exchanges.length);
});
