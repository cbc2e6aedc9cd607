import assert from "node:assert/strict";
import { didYouMean, editDistance, suggest } from "../../lib/cli/suggest.ts";

Deno.test("editDistance() counts edits, a swap of neighbours as one", () => {
  assert.equal(editDistance("", "abc"), 3);
  assert.equal(editDistance("kitten", "sitting"), 3);
  assert.equal(editDistance("stauts", "status"), 1);
  assert.equal(editDistance("same", "same"), 0);
});

Deno.test("suggest() gives what is near, nearest first, and nothing that is not", () => {
  const known = ["fetch", "run", "status", "control"];
  assert.deepEqual(suggest("fecth", known), ["fetch"]);
  assert.deepEqual(suggest("stat", known), ["status"]);
  assert.deepEqual(suggest("publish", known), []);
  assert.deepEqual(suggest("x".repeat(100_000), known), []);
});

Deno.test("didYouMean() words it", () => {
  assert.equal(didYouMean("rnu", ["run", "status"]), "did you mean run?");
  assert.equal(didYouMean("tst", ["test", "tast"]), "did you mean tast or test?");
  assert.equal(didYouMean("zzzz", ["run"]), undefined);
});
