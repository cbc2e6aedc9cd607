import assert from "node:assert/strict";
import { Joined } from "../../lib/render/_joined.ts";

Deno.test("Joined joins as an array does, however many pieces there are", () => {
  for (const count of [1, 2, 4095, 4096, 4097, 8192, 8193, 20_000]) {
    const pieces = Array.from({ length: count }, (_, i) => i % 7 === 0 ? "" : `${i}`);
    for (const by of ["", "\\", " "]) {
      const joined = new Joined(by);
      for (const piece of pieces.slice(0, -1)) joined.add(piece);
      assert.equal(joined.end(pieces.at(-1)!), pieces.join(by));
    }
  }
});
