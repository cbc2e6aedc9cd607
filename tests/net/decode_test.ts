import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import zlib from "node:zlib";
import fc from "fast-check";
import { decodeBody } from "../../lib/net/decode.ts";

const MAX = 10 << 20;
const encode: Record<string, (b: Uint8Array) => Uint8Array> = {
  gzip: (b) => zlib.gzipSync(b),
  "x-gzip": (b) => zlib.gzipSync(b),
  deflate: (b) => zlib.deflateSync(b),
  br: (b) => zlib.brotliCompressSync(b, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (b) => zlib.zstdCompressSync(b),
};
const codings = Object.keys(encode);
const page = new TextEncoder().encode("<html><p>Grüße</p>" + "lorem ipsum dolor ".repeat(2000));
/** Incompressible, so that a cut falls amid data. */
const noise = new Uint8Array(400_000);
for (let i = 0, x = 1; i < noise.length; i++) {
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  noise[i] = x >>> 8;
}

function equal(actual: Uint8Array, expected: Uint8Array, what?: string): void {
  assert(
    Buffer.compare(actual, expected) === 0,
    what ?? `${actual.length} bytes, not ${expected.length}`,
  );
}

Deno.test("decodeBody() gives a body without coding as it is", () => {
  for (const value of ["", "identity", "Identity, ", "none", "utf-8"]) {
    const r = decodeBody(page, value, MAX);
    assert.equal(r.bytes, page);
    assert.deepEqual({ ...r, bytes: 0 }, { bytes: 0, decoded: true, truncated: false });
  }
});

Deno.test("decodeBody() undoes chains of codings over any bytes", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 2000 }),
      fc.array(fc.constantFrom(...codings), { minLength: 1, maxLength: 4 }),
      (bytes, chain) => {
        let body: Uint8Array = bytes;
        for (const c of chain) body = encode[c]!(body);
        const r = decodeBody(body, chain.join(" , ").toUpperCase(), MAX);
        equal(r.bytes, bytes, chain.join());
        assert(r.decoded && !r.truncated && r.error === undefined, chain.join());
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("decodeBody() undoes bodies that end at the edges of its buffer", () => {
  for (const size of [0, 1, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 512 << 10]) {
    const bytes = new Uint8Array(size).fill(7);
    for (const c of codings) {
      for (const max of [size, size + 1, MAX]) {
        const r = decodeBody(encode[c]!(bytes), c, max);
        equal(r.bytes, bytes, `${c} ${size} ${max}`);
        assert(r.decoded && !r.truncated, `${c} ${size} ${max} ${r.error}`);
      }
    }
  }
});

Deno.test("decodeBody() stops at its bound, whatever a bomb promises", () => {
  const bomb = new Uint8Array(20 << 20);
  for (const c of codings) {
    const body = encode[c]!(bomb);
    assert(body.length < 30_000);
    for (const max of [0, 1, 1000, 300_000]) {
      const r = decodeBody(body, c, max);
      assert.equal(r.bytes.length, max, c);
      assert(!r.decoded && r.truncated && /more than/.test(r.error!), c);
    }
    // One coding upon another: the bound holds for what is between as well.
    const nested = decodeBody(encode.gzip!(body), `${c}, gzip`, 5000);
    assert(nested.bytes.length <= 5000 && !nested.decoded);
  }
});

Deno.test("decodeBody() keeps what a stream that was cut still gives", () => {
  for (const c of codings) {
    const body = encode[c]!(noise);
    for (const length of [body.length - 1, body.length - 5, body.length >> 1]) {
      const r = decodeBody(body.subarray(0, length), c, MAX);
      equal(r.bytes, noise.subarray(0, r.bytes.length), c);
      assert(r.bytes.length > length - 140_000 && r.bytes.length > 0, `${c} ${r.bytes.length}`);
      assert(!r.decoded && !r.truncated, `${c} cut at ${length} of ${body.length}`);
      assert.match(r.error!, /cut short/, c);
    }
  }
});

Deno.test("decodeBody() never calls a cut stream whole", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("gzip", "deflate", "br", "zstd"),
      fc.uint8Array({ minLength: 1, maxLength: 500 }),
      fc.nat(),
      (c, bytes, at) => {
        const body = encode[c]!(bytes);
        const cut = body.subarray(0, 1 + at % (body.length - 1));
        const r = decodeBody(cut, c, MAX);
        assert(!r.decoded, `${c} ${cut.length} of ${body.length}`);
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("decodeBody() leaves out what follows a gzip, zlib or zstd stream", () => {
  // Servers append line ends, padding, and the output of a second handler.
  for (const c of ["gzip", "deflate", "zstd"]) {
    for (
      const tail of [
        "\r\n",
        "\0\0\0\0\0\0",
        "<!-- cached -->",
        "garbage that is long enough to see",
      ]
    ) {
      const r = decodeBody(Buffer.concat([encode[c]!(page), Buffer.from(tail)]), c, MAX);
      equal(r.bytes, page, c + tail);
      assert(r.decoded, `${c} ${JSON.stringify(tail)} ${r.error}`);
    }
  }
});

Deno.test("decodeBody() keeps what comes before bytes that follow a brotli stream, unsure of them", () => {
  const r = decodeBody(
    Buffer.concat([encode.br!(page), Buffer.from("<!-- cached -->")]),
    "br",
    MAX,
  );
  equal(r.bytes, page);
  assert(!r.decoded);
});

Deno.test("decodeBody() joins the members of a gzip and the frames of a zstd stream", () => {
  for (const c of ["gzip", "zstd"]) {
    const r = decodeBody(Buffer.concat([page, noise, page].map((b) => encode[c]!(b))), c, MAX);
    equal(r.bytes, Buffer.concat([page, noise, page]));
    assert(r.decoded, c);
  }
});

Deno.test("decodeBody() takes deflate without the zlib wrapper", () => {
  const r = decodeBody(zlib.deflateRawSync(page), "deflate", MAX);
  equal(r.bytes, page);
  assert(r.decoded);
  const cut = decodeBody(zlib.deflateRawSync(noise).subarray(0, 30_000), "deflate", MAX);
  equal(cut.bytes, noise.subarray(0, cut.bytes.length));
  assert(cut.bytes.length > 0 && !cut.decoded);
});

Deno.test("decodeBody() gives a body as it came that is not in the coding it claims", () => {
  const texts = [
    "<html>hello</html>",
    "{}",
    "\n<!DOCTYPE html>" + "x".repeat(5000),
    "hello",
    "G",
    '{"a":1}'.repeat(99),
  ];
  for (const c of codings) {
    for (const text of texts) {
      const plain = new TextEncoder().encode(text);
      const r = decodeBody(plain, c, MAX);
      equal(r.bytes, plain, `${c} ${text.slice(0, 20)}`);
      assert(!r.decoded && r.error !== undefined, c);
    }
  }
});

Deno.test("decodeBody() knows a coding named twice and applied once", () => {
  const r = decodeBody(encode.gzip!(page), "gzip, gzip", MAX);
  equal(r.bytes, page);
  assert(!r.decoded);
});

Deno.test("decodeBody() gives bodies of unknown or too many codings as they came", () => {
  for (
    const value of ["compress", "gzip, aws-chunked", "gzip;q=1", "gzip,".repeat(6), "x".repeat(1e6)]
  ) {
    const body = encode.gzip!(page);
    const r = decodeBody(body, value, MAX);
    equal(r.bytes, body, value.slice(0, 20));
    assert(!r.decoded);
    assert(r.error!.length < 100);
  }
});

Deno.test("decodeBody() takes an empty body for whole whatever coding is named", () => {
  for (const c of codings) {
    assert.deepEqual(decodeBody(new Uint8Array(0), c, MAX), {
      bytes: new Uint8Array(0),
      decoded: true,
      truncated: false,
    });
  }
});

Deno.test("decodeBody() keeps the beginning of a damaged stream", () => {
  for (const c of ["gzip", "deflate"]) {
    const body = encode[c]!(noise).slice();
    body[body.length - 3]! ^= 1; // the checksum
    const r = decodeBody(body, c, MAX);
    equal(r.bytes, noise);
    assert(!r.decoded && /damaged/.test(r.error!), c);
  }
});

Deno.test("decodeBody() refuses a zstd window over 8 MB", () => {
  const { ZSTD_c_windowLog, ZSTD_c_compressionLevel } = zlib.constants;
  const body = zlib.zstdCompressSync(new Uint8Array(32 << 20), {
    params: { [ZSTD_c_windowLog]: 25, [ZSTD_c_compressionLevel]: 1 },
  });
  const r = decodeBody(body, "zstd", 1000);
  assert(!r.decoded);
});

Deno.test("decodeBody() neither throws nor passes its bound on arbitrary bytes", () => {
  const magic = fc.constantFrom(
    [0x1f, 0x8b, 8, 0],
    [0x78, 0x9c],
    [0x28, 0xb5, 0x2f, 0xfd],
    [0x1b],
    [],
  );
  fc.assert(
    fc.property(
      magic,
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(...codings),
      (m, tail, c) => {
        const body = Uint8Array.from([...m, ...tail]);
        const r = decodeBody(body, c, 500);
        assert(r.bytes.length <= 500);
        assert.equal(r.decoded, r.error === undefined);
      },
    ),
    { numRuns: 2000 },
  );
});
