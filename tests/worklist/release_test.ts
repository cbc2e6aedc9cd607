import assert from "node:assert/strict";
import { newestFirst, releaseMonth } from "../../lib/webgraph/release.ts";

Deno.test("newestFirst() orders releases by the date of their last month, across years and not by name", () => {
  const ids = [
    "cc-main-2024-may-jun-jul",
    "cc-main-2024-25-dec-jan-feb",
    "cc-main-2025-apr-may-jun",
    "cc-main-2024-aug-sep-oct",
    "cc-main-2023-24-sep-nov-feb",
    "cc-main-2017-may-jun-jul",
    "cc-main-2024-apr-may-jun",
    "cc-main-2024-feb-apr-may",
  ];
  assert.deepEqual(newestFirst(ids), [
    "cc-main-2025-apr-may-jun",
    "cc-main-2024-25-dec-jan-feb",
    "cc-main-2024-aug-sep-oct",
    "cc-main-2024-may-jun-jul",
    "cc-main-2024-apr-may-jun",
    "cc-main-2024-feb-apr-may",
    "cc-main-2023-24-sep-nov-feb",
    "cc-main-2017-may-jun-jul",
  ]);
  assert.deepEqual(newestFirst([...ids].reverse()), newestFirst(ids));
});

Deno.test("newestFirst() leaves out what is no release", () => {
  const others = [
    "",
    "data",
    "cc-main-2024",
    "cc-main-2024-mai-jun-jul",
    "cc-main-24-may-jun-jul",
    "cc-main-2024-25",
    "cc-main-2024-99-may",
    "CC-MAIN-2024-18",
    "cc-main-2024-may-jun-jul-domain",
    "cc-main-2024-may-jun-jul\n",
  ];
  assert.deepEqual(newestFirst([...others, "cc-main-2024-may-jun-jul"]), [
    "cc-main-2024-may-jun-jul",
  ]);
});

Deno.test("releaseMonth() counts a year's end in two digits over a century", () => {
  assert.equal(releaseMonth("cc-main-2099-00-dec-jan-feb"), 2100 * 12 + 1);
  assert.equal(releaseMonth("cc-main-2024-2025-dec-jan-feb"), 2025 * 12 + 1);
  assert.equal(releaseMonth("cc-main-2026-dec"), 2026 * 12 + 11);
});
