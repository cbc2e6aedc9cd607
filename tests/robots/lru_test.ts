import assert from "node:assert/strict";
import fc from "fast-check";
import { LruMap } from "../../lib/robots/_lru.ts";

Deno.test("LruMap is a map that forgets the least recently used, by entries and by bytes", () => {
  const command = fc.tuple(
    fc.constantFrom("get", "set", "delete"),
    fc.constantFrom(..."abcdefgh"),
    fc.integer({ min: 1, max: 40 }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 100 }), (commands) => {
      const lru = new LruMap<number>(4, 100);
      // The same, as an array in the order of use.
      let model: { key: string; value: number; bytes: number }[] = [];
      for (const [i, [verb, key, bytes]] of commands.entries()) {
        const found = model.find((entry) => entry.key === key);
        model = model.filter((entry) => entry.key !== key);
        if (verb === "get") {
          assert.equal(lru.get(key), found?.value);
          if (found !== undefined) model.push(found);
        } else if (verb === "set") {
          lru.set(key, i, bytes);
          model.push({ key, value: i, bytes });
          const held = () => model.reduce((sum, entry) => sum + entry.bytes, 0);
          while (model.length > 4 || held() > 100) model.shift();
        } else lru.delete(key);
        assert.equal(lru.size, model.length);
        assert.equal(lru.bytes, model.reduce((sum, entry) => sum + entry.bytes, 0));
      }
      for (const entry of model) assert.equal(lru.get(entry.key), entry.value);
    }),
    { numRuns: 500 },
  );
});

Deno.test("LruMap does not keep what is larger than its bound", () => {
  const lru = new LruMap<number>(4, 100);
  lru.set("a", 1, 50);
  lru.set("b", 2, 101);
  assert.deepEqual([lru.size, lru.bytes], [0, 0]);
});
