import assert from "node:assert/strict";
import { parseLastmod } from "../../lib/sitemap/lastmod.ts";

Deno.test("parseLastmod() reads W3C datetimes and the dates of feeds", () => {
  const at = Date.UTC(2024, 4, 6, 7, 8, 9);
  const cases: [string, number | undefined][] = [
    ["2024", Date.UTC(2024, 0, 1)],
    ["2024-05", Date.UTC(2024, 4, 1)],
    [" 2024-05-06 ", Date.UTC(2024, 4, 6)],
    ["2024-05-06T07:08Z", Date.UTC(2024, 4, 6, 7, 8)],
    ["2024-05-06T07:08:09Z", at],
    ["2024-05-06T07:08:09.123456Z", at],
    ["2024-05-06T07:08:09", at],
    ["2024-05-06 07:08:09", at],
    ["2024-05-06T09:08:09+02:00", at],
    ["2024-05-06T09:08:09+0200", at],
    ["2024-05-06T00:38:09-06:30", at],
    ["Mon, 06 May 2024 07:08:09 GMT", at],
    ["06 May 24 07:08:09 +0000", at],
    ["Mon, 6 May 2024 03:08:09 EDT", at],
    ["Mon,  6 May 2024", Date.UTC(2024, 4, 6)],
    ["2024-02-30", undefined],
    ["2024-13-01", undefined],
    ["2024-05-06T07:08:09+99:00", undefined],
    ["06/05/2024", undefined],
    ["today", undefined],
    ["", undefined],
    ["2".repeat(100_000), undefined],
  ];
  for (const [text, expected] of cases) assert.equal(parseLastmod(text), expected, text);
});
