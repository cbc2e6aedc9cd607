/** Starts a language thread and stops it; prints how many threads of workers are left, once none is or it is late. */

import { LanguageThread } from "../../lib/render/_language_thread.ts";

const left = () =>
  [...Deno.readDirSync("/proc/self/task")].filter(({ name }) => {
    try {
      return Deno.readTextFileSync(`/proc/self/task/${name}/comm`).startsWith("worker");
    } catch {
      return false; // it ended meanwhile
    }
  }).length;

const ready = Promise.withResolvers<void>();
const thread = new LanguageThread(2, { ready: () => ready.resolve(), fatal: console.log });
await ready.promise;
await thread.stop();
for (let looks = 0; left() > 0 && looks < 100; looks++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
}
console.log(left());
