/** Puts documents into an index until it is killed, and says how many are committed. */

import { IndexWriter } from "../../lib/index/writer.ts";

const [dir = "", from = "0"] = Deno.args;
const writer = new IndexWriter(dir);
for (let i = Number(from);; i++) {
  writer.add({
    url: `https://host${i % 7}.example/${i}`,
    title: `Document ${i}`,
    text: `unique${i} among ${"many words ".repeat(i % 50)}`,
    language: "eng",
  });
  if (i % 37 !== 0) continue;
  writer.commit();
  Deno.stdout.writeSync(new TextEncoder().encode(`${i}\n`));
}
