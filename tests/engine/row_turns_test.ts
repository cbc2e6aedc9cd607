import assert from "node:assert/strict";
import { RowTurns } from "../../lib/engine/_row_turns.ts";
import type { WorkList, WorkRow } from "../../lib/worklist/types.ts";
import { normalRanges } from "../../lib/worklist/ranges.ts";

/** A list of one part in memory: a host a row. */
function listOf(hosts: readonly string[]): WorkList & { readonly reads: number[] } {
  const reads: number[] = [];
  return {
    ...{ source: "test", release: "", parts: [{ name: "0" }], reads },
    stats: { rows: 0, bad: 0, bytes: 0, requests: 0, retries: 0 },
    async *read({ from = { part: 0, row: 0 }, pending = [], batch = 2000 } = {}) {
      const ranges = normalRanges([
        ...pending,
        ...(from.part > 0 ? [] : [{ part: 0, first: from.row, last: hosts.length - 1 }]),
      ]);
      let rows: WorkRow[] = [];
      const next = { part: 1, row: 0 };
      for (const { first, last } of ranges) {
        for (let row = first; row <= last; row++) {
          reads.push(row);
          rows.push({ part: 0, row, host: hosts[row]!, url: `http://${hosts[row]}/${row}` });
          if (rows.length < batch) continue;
          yield { rows, next, unread: [] };
          rows = [];
        }
      }
      yield await Promise.resolve({ rows, next, unread: [] });
    },
  };
}

/** Turns on a clock of its own; a host's next turn comes when `pace` says. */
function turnsOf(
  hosts: readonly string[],
  pace: (host: string) => number,
  options: { workers: number; batch: number; rereadable?: boolean },
) {
  const list = listOf(hosts);
  const due = new Map<string, number>();
  const turns = new RowTurns({
    list,
    read: { batch: options.batch },
    workers: options.workers,
    onBatch: () => {},
    dueAt: (host) => due.get(host) ?? 0,
    patienceMs: 100,
    rereadable: options.rereadable ?? true,
  });
  /** Works everything off; gives each row with the time it was begun. */
  const run = async (flightMs: (host: string) => number = () => 1) => {
    const out: { row: number; host: string; at: number }[] = [];
    const flying: { host: string; until: number }[] = [];
    let now = 1;
    for (let steps = 0; steps < 100_000; steps++) {
      for (let i = flying.length - 1; i >= 0; i--) {
        if (flying[i]!.until > now) continue;
        const [{ host }] = flying.splice(i, 1) as [{ host: string; until: number }];
        due.set(host, now + pace(host));
        turns.over(host, now);
      }
      while (flying.length < options.workers) {
        const row = turns.take(now);
        if (row === undefined) {
          if (!turns.hungry(now)) break;
          await turns.fill(now);
          if (turns.hungry(now)) break;
          continue;
        }
        out.push({ row: row.row, host: row.host, at: now });
        flying.push({ host: row.host, until: now + flightMs(row.host) });
      }
      if (turns.ended && turns.size === 0 && flying.length === 0) return { out, list, turns };
      const next = Math.min(turns.nextAt(), ...flying.map(({ until }) => until));
      assert.ok(next < Infinity, "there is nothing to wait for, and rows are left");
      now = Math.max(next, now);
    }
    throw new Error("it does not come to an end");
  };
  return { run };
}

const sorted = (hosts: number, rows: number, name = "h") =>
  Array.from({ length: hosts * rows }, (_, i) => `${name}${Math.floor(i / rows)}`);

Deno.test("RowTurns gives every row once, each host's in order, one in flight a host", async () => {
  const hosts = sorted(10, 30);
  const { out } = await turnsOf(hosts, () => 5, { workers: 4, batch: 10 }).run();
  assert.deepEqual(out.map(({ row }) => row).sort((a, b) => a - b), hosts.map((_, i) => i));
  const last = new Map<string, { row: number; at: number }>();
  for (const one of out) {
    const before = last.get(one.host);
    if (before !== undefined) {
      assert.ok(one.row > before.row);
      assert.ok(one.at >= before.at + 6, "its flight and its delay");
    }
    last.set(one.host, one);
  }
});

Deno.test("RowTurns sets aside hosts that would keep others waiting, and comes back to them", async () => {
  // 40 rows of a host that wants to be left alone for long; 16 batches of 2 may be read ahead
  const hosts = [...sorted(1, 40, "refusing"), ...sorted(10, 10)];
  const pace = (host: string) => host.startsWith("refusing") ? 1000 : 5;
  const { out, list } = await turnsOf(hosts, pace, { workers: 4, batch: 2 }).run();
  assert.deepEqual(out.map(({ row }) => row).sort((a, b) => a - b), hosts.map((_, i) => i));
  const lastGood = out.findLast(({ host }) => !host.startsWith("refusing"))!;
  assert.ok(lastGood.at < 1000, `the others waited until ${lastGood.at}`);
  const refusing = out.filter(({ host }) => host.startsWith("refusing"));
  for (let i = 1; i < refusing.length; i++) {
    assert.ok(refusing[i]!.at >= refusing[i - 1]!.at + 1000);
    assert.ok(refusing[i]!.row > refusing[i - 1]!.row);
  }
  assert.ok(list.reads.length < 4 * hosts.length, `${list.reads.length} rows were read`);
});

Deno.test("RowTurns sets aside hosts that take long to answer", async () => {
  const hosts = [...sorted(2, 30, "slow"), ...sorted(6, 10)];
  const flight = (host: string) => host.startsWith("slow") ? 3000 : 1;
  const { out } = await turnsOf(hosts, () => 2, { workers: 4, batch: 2 }).run(flight);
  assert.deepEqual(out.map(({ row }) => row).sort((a, b) => a - b), hosts.map((_, i) => i));
  const lastGood = out.findLast(({ host }) => !host.startsWith("slow"))!;
  assert.ok(lastGood.at < 1000, `the others waited until ${lastGood.at}`);
});

Deno.test("RowTurns reads no list twice that cannot be read again", async () => {
  const hosts = [...sorted(1, 40, "refusing"), ...sorted(3, 10)];
  const pace = (host: string) => host.startsWith("refusing") ? 1000 : 5;
  const options = { workers: 4, batch: 2, rereadable: false };
  const { out, list } = await turnsOf(hosts, pace, options).run();
  assert.equal(out.length, hosts.length);
  assert.equal(list.reads.length, hosts.length);
});

Deno.test("RowTurns does not go round and round where every host is refusing", async () => {
  const hosts = sorted(20, 20, "refusing");
  const { out, list } = await turnsOf(hosts, () => 1000, { workers: 4, batch: 2 }).run();
  assert.deepEqual(out.map(({ row }) => row).sort((a, b) => a - b), hosts.map((_, i) => i));
  assert.ok(list.reads.length < 20 * hosts.length, `${list.reads.length} rows were read`);
});
