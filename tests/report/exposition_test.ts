import assert from "node:assert/strict";
import { formatExposition } from "../../lib/report/_exposition.ts";

Deno.test("formatExposition() writes help, type and samples, escaped", () => {
  assert.equal(
    formatExposition([
      { name: "a_total", type: "counter", help: "of\n\\", samples: [{ value: 1.5 }] },
      {
        name: "b",
        type: "gauge",
        help: "two",
        samples: [
          { labels: { class: 'x"y\\z\n', other: "o" }, value: Infinity },
          { value: -Infinity },
          { value: NaN },
        ],
      },
    ]),
    "# HELP a_total of\\n\\\\\n# TYPE a_total counter\na_total 1.5\n" +
      '# HELP b two\n# TYPE b gauge\nb{class="x\\"y\\\\z\\n",other="o"} +Inf\nb -Inf\nb NaN\n',
  );
});
