import assert from "node:assert/strict";
import zlib from "node:zlib";
import { Engine, reusing, ZSTD_END } from "../../lib/zlib/mod.ts";

const piece = (n: number, step = 3) => new Uint8Array(n).map((_, i) => (i * i * step) >> 5);
const compressPlain = (bytes: Uint8Array) => zlib.zstdCompressSync(bytes);
const decompressPlain = (bytes: Uint8Array) => zlib.zstdDecompressSync(bytes);
const never = (): Uint8Array => assert.fail("the plain way was taken");

Deno.test("one engine compresses piece after piece, and another gives them back", () => {
  const compress = reusing(zlib.createZstdCompress(), ZSTD_END, never, []);
  const decompress = reusing(zlib.createZstdDecompress(), 0, never, []);
  for (const n of [1, 20, 5000, 0, 300_000, 17, 100_000]) {
    const packed = compress(piece(n, n + 1)).slice();
    assert.deepEqual(new Uint8Array(decompressPlain(packed)), piece(n, n + 1));
    assert.deepEqual(decompress(packed).slice(), piece(n, n + 1));
  }
});

Deno.test("what is too large for the engine's room goes the plain way", () => {
  const compress = reusing(zlib.createZstdCompress(), ZSTD_END, compressPlain, [piece(300)]);
  const decompress = reusing(zlib.createZstdDecompress(), 0, decompressPlain, []);
  const random = crypto.getRandomValues(new Uint8Array(1 << 16));
  const large = new Uint8Array(1 << 20).map((_, i) => random[(i * 7 + (i >> 16)) & 0xffff]!);
  const packed = compress(large).slice();
  assert.deepEqual(new Uint8Array(decompress(packed)), large);
  // And the engine is as good as before.
  assert.deepEqual(decompress(compress(piece(500)).slice()).slice(), piece(500));
});

Deno.test("damaged bytes give the plain way's error, and the next piece is right", () => {
  const decompress = reusing(zlib.createZstdDecompress(), 0, decompressPlain, []);
  const packed = compressPlain(piece(5000));
  for (let round = 0; round < 3; round++) {
    assert.throws(() => decompress(new Uint8Array(50).fill(0xff)));
    assert.deepEqual(decompress(packed).slice(), piece(5000));
  }
});

Deno.test("an engine that does otherwise than the plain way is not used", () => {
  let calls = 0;
  const plain = (bytes: Uint8Array): Uint8Array => {
    calls++;
    return bytes;
  };
  const coder = reusing(zlib.createZstdCompress(), ZSTD_END, plain, [piece(400)]);
  assert.equal(coder, plain);
  assert.equal(calls, 1);
  assert.equal(reusing({}, 0, plain, []), plain);
  assert.equal(Engine.inside({ _handle: { reset() {} } }), undefined);
});
