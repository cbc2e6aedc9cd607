/** A pool that is kept busy until its input ends, whatever stops the process meanwhile; prints how many threads were taken to hang. */

import { collect, page } from "./_pool.ts";

const { pool } = collect({ width: 12, deadlineMs: 500, queueBytes: 150_000 });
let over = false;
console.log("busy");
const end = Deno.stdin.read(new Uint8Array(1)).then(() => over = true);
for (let i = 0; !over; i++) await pool.push(page(`${i}`, "<!--do work--><p>x"));
await end;
await pool.close();
console.log(pool.figures.stuck);
