import assert from "node:assert/strict";
import { RequestLog } from "./_log.ts";

function fixture(max = 10) {
  const clock = { now: 0 };
  const log = new RequestLog(max, () => clock.now);
  const host = log.host("a.test");
  const address = log.address("127.0.0.2");
  const begin = (path: string) => log.begin(host, address, "http", path, 80, 1, "agent");
  const end = (e: ReturnType<typeof begin>, status = 200) => log.end(e, host, address, status);
  return { clock, log, begin, end, host };
}

Deno.test("RequestLog measures gaps from start to start and from end to start", () => {
  const { clock, log, begin, end } = fixture();
  const first = begin("/a");
  clock.now = 300;
  end(first);
  clock.now = 1000;
  const second = begin("/b");
  clock.now = 1100;
  end(second);
  clock.now = 1900;
  end(begin("/c"));
  const [h] = log.summary().hosts;
  assert.equal(h!.minStartGap, 900);
  assert.equal(h!.minEndGap, 700);
  assert.equal(h!.maxConcurrent, 1);
  assert.deepEqual(h!.statuses, { 200: 3 });
});

Deno.test("RequestLog sees requests that overlap, robots.txt among them", () => {
  const { clock, log, begin, end } = fixture();
  const page = begin("/a");
  clock.now = 10;
  const robots = begin("/robots.txt");
  assert.equal(robots.concurrent, 2);
  end(robots);
  clock.now = 20;
  const other = begin("/b");
  end(page);
  end(other, 404);
  const s = log.summary();
  assert.equal(s.worstHostConcurrent, 2);
  assert.equal(s.addresses[0]!.maxConcurrent, 2);
  assert.equal(s.hosts[0]!.minEndGap, 0);
  assert.equal(s.robots, 1);
});

Deno.test("RequestLog leaves robots.txt out of the gaps", () => {
  const { clock, log, begin, end } = fixture();
  end(begin("/robots.txt"));
  clock.now = 5;
  end(begin("/a"));
  clock.now = 7;
  end(begin("/robots.txt"));
  clock.now = 1005;
  end(begin("/b"));
  assert.equal(log.summary().minStartGap, 1000);
});

Deno.test("RequestLog judges beyond the entries it keeps", () => {
  const { clock, log, begin, end } = fixture(2);
  for (let i = 0; i < 5; i++) {
    clock.now += i === 4 ? 3 : 50;
    end(begin(`/${i}`));
  }
  assert.equal(log.entries.length, 2);
  assert.equal(log.summary().requests, 5);
  assert.equal(log.summary().minStartGap, 3);
});

Deno.test("RequestLog counts an end once and forgets on reset() all but what is in flight", () => {
  const { log, begin, end, host } = fixture();
  const open = begin("/a");
  const done = begin("/b");
  end(done);
  end(done);
  assert.equal(host.current, 1);
  log.reset();
  assert.equal(log.summary().requests, 0);
  assert.equal(log.summary().hosts.length, 0);
  end(open);
  assert.equal(host.current, 0);
  end(begin("/c"));
  assert.equal(log.summary().worstHostConcurrent, 1);
});
