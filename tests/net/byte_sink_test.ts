import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteSink } from "../../lib/net/_byte_sink.ts";

Deno.test("ByteSink gives back what it took in, in a buffer of just that size, again and again", () => {
  const piece = fc.uint8Array({ maxLength: 40_000 });
  const round = fc.record({ pieces: fc.array(piece, { maxLength: 6 }), expect: fc.nat(200_000) });
  fc.assert(fc.property(fc.array(round, { maxLength: 4 }), (rounds) => {
    const sink = new ByteSink(), other = new ByteSink();
    for (const { pieces, expect } of rounds) {
      if (expect % 2 === 0) sink.expect(expect);
      const whole: number[] = [];
      for (const bytes of pieces) {
        sink.append(bytes, 0, bytes.length);
        sink.push(whole.length & 255);
        for (const byte of bytes) whole.push(byte);
        whole.push((whole.length - bytes.length) & 255);
        assert.equal(sink.length, whole.length);
      }
      const taken = sink.take();
      assert.deepEqual(taken, Uint8Array.from(whole));
      assert.equal(taken.buffer.byteLength, whole.length);
      assert.equal(sink.length, 0);
      // Empty ones share what they hold; one that grows may not take it from the others.
      other.push(1);
      assert.deepEqual(other.take(), Uint8Array.of(1));
    }
  }));
});

Deno.test("ByteSink leaves no buffer behind that it has outgrown", () => {
  const made: ArrayBuffer[] = [];
  const sink = new ByteSink();
  const real = globalThis.Uint8Array;
  globalThis.Uint8Array = new Proxy(real, {
    construct(target, args, newTarget) {
      const array = Reflect.construct(target, args, newTarget) as Uint8Array<ArrayBuffer>;
      if (array.length > 0) made.push(array.buffer);
      return array;
    },
  });
  try {
    const chunk = new real(10_000).fill(7);
    for (let i = 0; i < 50; i++) sink.append(chunk, 0, chunk.length);
    const taken = sink.take();
    assert.equal(taken.length, 500_000);
  } finally {
    globalThis.Uint8Array = real;
  }
  assert.ok(made.length > 3, `${made.length} buffers`);
  assert.deepEqual(made.map(({ detached }) => detached), made.map((_, at) => at < made.length - 1));
});
