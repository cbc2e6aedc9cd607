import assert from "node:assert/strict";
import {
  choice,
  count,
  duration,
  filePrefix,
  hostPort,
  path,
  resolverAddress,
  size,
  yesNo,
} from "../../lib/cli/options/types.ts";

Deno.test("duration() reads milliseconds from one unit or several", () => {
  const cases: [string, number][] = [
    ["250ms", 250],
    ["1s", 1000],
    ["2m", 120_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1500],
    ["0", 0],
    ["0s", 0],
    ["1d", 86_400_000],
    ["1H30M", 5_400_000],
    ["1m250ms", 60_250],
  ];
  for (const [text, ms] of cases) assert.equal(duration().parse(text), ms, text);
});

Deno.test("duration() refuses what has no unit, and says what to write", () => {
  assert.throws(() => duration().parse("30"), /needs a unit; write 30s or 30ms/);
  for (const text of ["", "s", "1x", "30m1h", "1s1s", "-1s", "1 s", "1e3s", "ms5"]) {
    assert.throws(() => duration().parse(text), RangeError, text);
  }
});

Deno.test("duration() keeps within what a timer can wait", () => {
  assert.equal(duration().parse("24d"), 24 * 86_400_000);
  assert.throws(() => duration().parse("25d"), /must be 24d or less/);
  assert.throws(() => duration({ min: 1000 }).parse("1ms"), /must be 1s or more/);
});

Deno.test("duration() and size() format to what they parse", () => {
  for (const ms of [0, 1, 250, 1000, 61_000, 5_400_000, 90_061_001]) {
    assert.equal(duration().parse(duration().format(ms)), ms);
  }
  for (const bytes of [0, 1, 1023, 1024, 1536, 1024 ** 2, 3 * 1024 ** 3]) {
    assert.equal(size().parse(size().format(bytes)), bytes);
  }
});

Deno.test("size() takes units of 1024, and bytes", () => {
  const cases: [string, number][] = [
    ["512MB", 512 * 1024 ** 2],
    ["1GB", 1024 ** 3],
    ["1gb", 1024 ** 3],
    ["1GiB", 1024 ** 3],
    ["1G", 1024 ** 3],
    ["64k", 65_536],
    ["1.5MB", 1.5 * 1024 ** 2],
    ["2TB", 2 * 1024 ** 4],
    ["1000", 1000],
    ["10B", 10],
  ];
  for (const [text, bytes] of cases) assert.equal(size().parse(text), bytes, text);
  for (const text of ["", "MB", "-1MB", "1XB", "1MBB", "1,5MB", "99999999999999TB"]) {
    assert.throws(() => size().parse(text), RangeError, text);
  }
  assert.throws(() => size({ min: 1024 ** 2 }).parse("1KB"), /must be 1MB or more/);
});

Deno.test("count() takes whole numbers in its bounds", () => {
  assert.equal(count().parse("64"), 64);
  for (const text of ["", "abc", "1.5", "1e3", "0x10", "99999999999999999", " "]) {
    assert.throws(() => count().parse(text), /not a whole number/, text);
  }
  assert.throws(() => count().parse("-1"), /must be 0 or more/);
  assert.throws(() => count({ max: 16 }).parse("17"), /must be 16 or less/);
});

Deno.test("choice() lists the values and the near miss", () => {
  const type = choice(["clean", "raw"]);
  assert.equal(type.parse("RAW"), "raw");
  assert.throws(() => type.parse("claen"), /must be one of clean, raw; did you mean clean\?/);
});

Deno.test("hostPort binds loopback unless a host is given", () => {
  assert.deepEqual(hostPort.parse("9090"), { host: "127.0.0.1", port: 9090 });
  assert.deepEqual(hostPort.parse(":9090"), { host: "127.0.0.1", port: 9090 });
  assert.deepEqual(hostPort.parse("0.0.0.0:80"), { host: "0.0.0.0", port: 80 });
  assert.deepEqual(hostPort.parse("[::1]:80"), { host: "::1", port: 80 });
  assert.equal(hostPort.format({ host: "::1", port: 80 }), "[::1]:80");
  for (const text of ["", "host", "host:", "::1:80", "host:65536", "a b:1"]) {
    assert.throws(() => hostPort.parse(text), RangeError, text);
  }
});

Deno.test("resolverAddress takes addresses only, port 53 unless given", () => {
  assert.deepEqual(resolverAddress.parse("9.9.9.9"), { ip: "9.9.9.9", port: 53 });
  assert.deepEqual(resolverAddress.parse("127.0.0.1:5353"), { ip: "127.0.0.1", port: 5353 });
  assert.deepEqual(resolverAddress.parse("2620:fe::fe"), { ip: "2620:fe::fe", port: 53 });
  assert.deepEqual(resolverAddress.parse("[2620:fe::fe]:53"), { ip: "2620:fe::fe", port: 53 });
  for (const text of ["", "dns.example", "1.2.3", "1.2.3.4:0", "1.2.3.4:x", "[1.2]:53"]) {
    assert.throws(() => resolverAddress.parse(text), RangeError, text);
  }
});

Deno.test("path() takes - for stdin only where the option says so", () => {
  assert.equal(path("FILE", { stdin: true }).parse("-"), "-");
  assert.throws(() => path().parse("-"), /stdin cannot be used/);
  assert.throws(() => path().parse(""), /needs a path/);
  assert.throws(() => path().parse("a\0b"), /NUL/);
});

Deno.test("yesNo takes the words that environment files use", () => {
  for (const text of ["1", "true", "YES", "on"]) assert.equal(yesNo.parse(text), true);
  for (const text of ["0", "false", "No", "off"]) assert.equal(yesNo.parse(text), false);
  assert.throws(() => yesNo.parse("maybe"), RangeError);
});

Deno.test("filePrefix takes the beginning of a name, never a path or a hidden file", () => {
  assert.equal(filePrefix.parse("ccrawl-crawl.2"), "ccrawl-crawl.2");
  for (const bad of ["", "../x", "a/b", ".x", "a b", "a\nb", "\0", "x".repeat(101)]) {
    assert.throws(() => filePrefix.parse(bad), RangeError, bad);
  }
});
