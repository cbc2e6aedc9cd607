import assert from "node:assert/strict";
import fc from "fast-check";
import { LedgerError } from "../../lib/publish/errors.ts";
import {
  formatLedger,
  type LedgerRow,
  ledgerTime,
  ledgerTotals,
  mergeLedgers,
  parseLedger,
} from "../../lib/publish/ledger.ts";
import { dataPath, ledgerPath, serverName } from "../../lib/publish/names.ts";

const row: LedgerRow = {
  server: "server1",
  shard: 0,
  shards: 3,
  files: 12,
  rows: 24_000,
  bytes: 6_000_000_000,
  part: 1,
  row: 20_000,
  done: false,
  firstCommitted: "2026-11-30T22:10:00Z",
  lastCommitted: "2026-12-01T01:40:07Z",
};

Deno.test("formatLedger() writes the columns that are promised", () => {
  assert.equal(
    formatLedger([row]),
    "server,shard,shards,files,rows,bytes,part,row,done,first_committed,last_committed\n" +
      "server1,0,3,12,24000,6000000000,1,20000,false,2026-11-30T22:10:00Z,2026-12-01T01:40:07Z\n",
  );
  assert.equal(ledgerTime(Date.UTC(2026, 11, 1, 1, 40, 7, 999)), "2026-12-01T01:40:07Z");
});

Deno.test("parseLedger() reads what formatLedger() writes", () => {
  const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const time = fc.integer({ min: 0, max: 4_000_000_000_000 }).map(ledgerTime);
  const rows = fc.array(
    fc.record({
      server: fc.stringMatching(/^[a-z0-9_-]{1,20}$/),
      shard: fc.integer({ min: 0, max: 9 }),
      shards: fc.integer({ min: 10, max: 99 }),
      files: count,
      rows: count,
      bytes: count,
      part: count,
      row: count,
      done: fc.boolean(),
      firstCommitted: time,
      lastCommitted: time,
    }, { noNullPrototype: true }),
    { maxLength: 5 },
  );
  fc.assert(fc.property(rows, (some) => {
    assert.deepEqual(parseLedger(formatLedger(some)), some);
  }));
});

Deno.test("parseLedger() goes by the names of columns, and takes other line ends", () => {
  const [header, line] = formatLedger([row]).split("\n");
  const reversed = [header, line].map((text) => text!.split(",").toReversed().join(","));
  assert.deepEqual(parseLedger(`\ufeff${reversed[0]},new\r\n${reversed[1]},7\r\n`), [row]);
});

Deno.test("parseLedger() refuses what is no ledger", () => {
  const good = formatLedger([row]);
  const bad = (from: string, to: string) => good.replace(from, to);
  for (
    const text of [
      "",
      "server,shard\n",
      bad("12,", "-12,"),
      bad("24000", "2e4"),
      bad("24000", "99999999999999999"),
      bad("false", "no"),
      bad("server1", "Server 1"),
      bad("server1,0", "server1,3"),
      bad("2026-12-01T01:40:07Z", "yesterday"),
      bad("2026-12-01T01:40:07Z", "2026-13-41T01:40:07Z"),
      bad("server1,0,3", "server1,0"),
      good.split("\n")[0] + "\n" + (good.split("\n")[1] + "\n").repeat(10_001),
    ]
  ) assert.throws(() => parseLedger(text), LedgerError, text.slice(0, 200));
});

Deno.test("mergeLedgers() keeps of each server and share what was committed last", () => {
  const old = { ...row, rows: 1, lastCommitted: "2026-11-30T23:00:00Z" };
  const other = { ...row, server: "server2", shard: 1 };
  const wider = { ...row, shards: 4 };
  assert.deepEqual(mergeLedgers([wider, old, other, row, old]), [row, other, wider]);
  const fuller = { ...row, files: 13 };
  assert.deepEqual(mergeLedgers([fuller, row]), [fuller]);
  assert.deepEqual(mergeLedgers([row, fuller]), [fuller]);
});

Deno.test("ledgerTotals() sums", () => {
  const other = { ...row, server: "server2", lastCommitted: "2026-12-02T00:00:00Z" };
  assert.deepEqual(ledgerTotals([row, other, { ...row, shard: 2 }]), {
    files: 36,
    rows: 72_000,
    bytes: 18_000_000_000,
    servers: 2,
    lastCommitted: "2026-12-02T00:00:00Z",
  });
  assert.equal(ledgerTotals([]).lastCommitted, "");
});

Deno.test("names of files follow the machine, its share and what is in them", () => {
  const slice = { server: "server1", shard: 0, shards: 3 };
  assert.equal(
    dataPath(slice, "a1b2c3d4e5f6" + "0".repeat(52)),
    "data/server1-shard0of3-a1b2c3d4e5f6.parquet",
  );
  assert.equal(ledgerPath(slice), "ledger/server1-shard0of3.csv");
});

Deno.test("serverName() makes a host's name fit for a file's", () => {
  assert.equal(serverName("Server1"), "server1");
  assert.equal(serverName("web_3.Example.COM."), "web_3-example-com");
  assert.equal(serverName("../../etc"), "etc");
  assert.equal(serverName("a".repeat(500)).length, 64);
  assert.equal(serverName("-a-"), "a");
  for (const name of ["", "...", "äöü", "---"]) assert.throws(() => serverName(name), RangeError);
});
