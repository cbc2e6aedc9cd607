import assert from "node:assert/strict";
import fc from "fast-check";
import { Heap } from "../../lib/engine/_heap.ts";

Deno.test("Heap gives its items in order, whatever is taken out in between", () => {
  fc.assert(fc.property(fc.array(fc.integer()), fc.integer(), (items, odd) => {
    const heap = new Heap<number>((a, b) => a < b);
    for (const item of items) heap.push(item);
    const left = [...items];
    const taken = heap.take((item) => item === odd || item % 7 === 0);
    if (taken !== undefined) left.splice(left.indexOf(taken), 1);
    assert.equal(heap.size, left.length);
    const out = [];
    while (heap.size > 0) out.push(heap.pop()!);
    assert.deepEqual(out, left.sort((a, b) => a - b));
  }));
});

Deno.test("Heap.count() counts what comes out before a bound, up to as many as asked for", () => {
  fc.assert(fc.property(fc.array(fc.nat(100)), fc.nat(100), fc.nat(20), (items, bound, most) => {
    const heap = new Heap<number>((a, b) => a < b);
    for (const item of items) heap.push(item);
    const count = items.filter((item) => item <= bound).length;
    assert.equal(heap.count((item) => item <= bound, most), Math.min(count, most));
  }));
});
