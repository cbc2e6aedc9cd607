import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import {
  HubAccessError,
  HubBusyError,
  HubError,
  HubNetworkError,
  HubQuotaError,
} from "../../lib/hub/errors.ts";
import { LedgerError, TokenMissingError } from "../../lib/publish/errors.ts";
import type { PublishOptions } from "../../lib/publish/types.ts";
import { exitCodeOf } from "../../lib/cli/errors.ts";
import type { HubFault, LocalHub } from "../web/hub.ts";
import { FakeTime } from "../worklist/_fake_time.ts";
import {
  attempt,
  checkCounts,
  committed,
  type Outcome,
  pathOf,
  published,
  REPO,
  TOKEN,
  toward,
  withHub,
} from "./_publish.ts";
import type { LocalRun } from "./_run.ts";

/** Publishes, looks that the token is in nothing that is told, and that nothing is lost. */
async function told(
  run: LocalRun,
  hub: LocalHub,
  more: Partial<PublishOptions> = {},
): Promise<Outcome> {
  const outcome = await attempt(toward(run, hub, more));
  let words = JSON.stringify([outcome.events, outcome.parts]);
  for (let e: unknown = outcome.error; e instanceof Error; e = e.cause) {
    words += `${e.message}\n${e.stack}`;
  }
  assert.ok(!words.includes(more.token ?? TOKEN) || more.token === "", words);
  assert.ok(!words.includes("signature="), "an address that may be written to");
  return outcome;
}

Deno.test("without a token nothing is asked of the hub", () =>
  withHub(async (hub, run) => {
    run.seal();
    const { error } = await told(run, hub, { token: "" });
    assert.ok(error instanceof TokenMissingError);
    assert.equal(exitCodeOf(error), 4);
    assert.match(error.message, /HF_TOKEN is not set/);
    assert.equal(hub.log.length, 0);
    assert.equal(run.parts().length, 1);
  }));

Deno.test("a token that is wrong, or may only read, is found out before any part is read", () =>
  withHub(async (hub, run) => {
    hub.repo(REPO);
    run.seal();
    for (const token of ["hf_wrong", "hf_reader"]) {
      const { error } = await told(run, hub, { token });
      assert.ok(error instanceof HubAccessError, token);
      assert.equal(exitCodeOf(error), 4);
      assert.match(error.message, /the server answers 40[13] \(.+\)\. The token in HF_TOKEN is not/);
      assert.ok(hub.log.every(({ to }) => to === "head" || to === "preupload"));
    }
    assert.equal(run.parts().length, 1);
  }, { hub: { readToken: "hf_reader" } }));

Deno.test("a token with a line end, as from a file, is taken; one that can be none is not shown", () =>
  withHub(async (hub, run) => {
    run.seal();
    const bad = await told(run, hub, { token: "hf_a\nb" });
    assert.ok(bad.error instanceof HubAccessError);
    assert.match(bad.error.message, /HF_TOKEN holds what no token can/);
    assert.equal(hub.log.length, 0);
    assert.equal((await published(toward(run, hub, { token: `${TOKEN}\n` }))).length, 1);
  }));

Deno.test("401 and 403 at any step end it with 4, and all parts stay", async () => {
  for (const to of ["head", "preupload", "paths", "batch", "commit"] as const) {
    for (const status of [401, 403]) {
      await withHub(async (hub, run) => {
        hub.repo(REPO);
        const names = [run.seal(), run.seal()];
        hub.fault({ to, kind: "status", status, error: `not you, ${TOKEN}` });
        const { error } = await told(run, hub);
        assert.ok(error instanceof HubAccessError, `${to} ${status}: ${error}`);
        assert.equal(exitCodeOf(error), 4);
        assert.match(error.message, /not you, …/);
        assert.deepEqual(run.parts(), names);
        hub.heal();
        await published(toward(run, hub));
        checkCounts(hub, 6);
      });
    }
  }
});

Deno.test("an account that is full ends it with 75, and all parts stay", async () => {
  const words = "Private repository storage limit reached, please upgrade your plan";
  for (
    const fault of [
      { to: "batch", status: 403, error: words },
      { to: "batch", status: 403, error: "Your storage patterns tripped our internal systems!" },
      { to: "preupload", status: 403, error: "You have exceeded your storage quota" },
      { to: "commit", status: 402, error: "Payment required" },
      { to: "create", status: 403, error: words },
    ] as const
  ) {
    await withHub(async (hub, run) => {
      run.seal();
      hub.fault({ ...fault, kind: "status" });
      const { error } = await told(run, hub);
      assert.ok(error instanceof HubQuotaError, `${fault.to}: ${error}`);
      assert.equal(exitCodeOf(error), 75);
      assert.ok(error.message.includes(fault.error), error.message);
      assert.equal(run.parts().length, 1);
      hub.heal();
      await published(toward(run, hub));
      checkCounts(hub, 3);
    });
  }
});

Deno.test("429 and 5xx at any step are waited out, for as long as Retry-After says", async () => {
  for (
    const to of [
      "head",
      "create",
      "preupload",
      "paths",
      "tree",
      "batch",
      "put",
      "complete",
      "verify",
      "commit",
    ] as const
  ) {
    await withHub(async (hub, run) => {
      run.seal(40);
      const time = new FakeTime();
      hub.fault({ to, kind: "status", status: 429, retryAfter: "37", times: 1 });
      hub.fault({ to, kind: "status", status: 503, times: 2, after: 1 });
      const { error, events } = await told(run, hub, { sleep: time.sleep, now: time.now });
      assert.equal(error, undefined, `${to}: ${error}`);
      assert.equal(time.slept.filter((ms) => ms === 37_000).length, 1, to);
      assert.ok(time.slept.length >= 3, to);
      assert.equal(events.filter(({ type }) => type === "waiting").length, time.slept.length);
      checkCounts(hub, 40);
      committed(hub);
    }, { hub: { chunk: 2000 } });
  }
});

Deno.test("a hub that says by RateLimit when it may be asked again is left alone until then", () =>
  withHub(async (hub, run) => {
    run.seal();
    const time = new FakeTime();
    let limited = 2;
    const { error } = await told(run, hub, {
      sleep: time.sleep,
      now: time.now,
      fetch: (url, init) =>
        limited-- > 0
          ? Promise.resolve(
            new Response("no", { status: 429, headers: { ratelimit: '"api";r=0;t=55' } }),
          )
          : fetch(url, init),
    });
    assert.equal(error, undefined);
    assert.deepEqual(time.slept, [55_000, 55_000]);
  }));

Deno.test("a hub that goes on refusing ends it with 75, one that is silent with 8", () =>
  withHub(async (hub, run) => {
    run.seal();
    const time = new FakeTime();
    const patient = { sleep: time.sleep, now: time.now, retryFor: 300_000 };
    hub.fault({ to: "commit", kind: "status", status: 503 });
    const busy = await told(run, hub, patient);
    assert.ok(busy.error instanceof HubBusyError);
    assert.equal(exitCodeOf(busy.error), 75);
    assert.match(busy.error.message, /^Cannot commit to .*: the server answers 503.*, after \d+ att/);
    hub.heal();
    const gone = await told(run, hub, { ...patient, hub: "http://127.0.0.1:1" });
    assert.ok(gone.error instanceof HubNetworkError);
    assert.equal(exitCodeOf(gone.error), 8);
    assert.equal(run.parts().length, 1);
  }));

Deno.test("a commit of which nothing is heard, and that was made, is not made again", async () => {
  const faults: HubFault[] = [
    { to: "commit", kind: "cut", bytes: -1, times: 1 },
    { to: "commit", kind: "cut", bytes: 10, times: 1 },
    { to: "commit", kind: "stall", bytes: 0, times: 1 },
    { to: "commit", kind: "status", status: 504, done: true, times: 1 },
    { to: "commit", kind: "status", status: 500, done: true, times: 1 },
  ];
  for (const fault of faults) {
    await withHub(async (hub, run) => {
      run.seal(3);
      run.seal(4);
      hub.fault(fault);
      const { error, parts } = await told(run, hub, { idle: 300 });
      assert.equal(error, undefined, `${JSON.stringify(fault)}: ${error}`);
      assert.deepEqual(parts.map(({ outcome }) => outcome), ["published", "published"]);
      assert.equal(committed(hub).length, 1);
      assert.equal(hub.count({ to: "commit" }).requests, 1);
      checkCounts(hub, 7);
      assert.deepEqual(run.parts(), []);
    });
  }
});

Deno.test("a commit of which nothing is heard, and that was not made, is made", () =>
  withHub(async (hub, run) => {
    run.seal(3);
    hub.fault({ to: "commit", kind: "status", status: 502, times: 2 });
    assert.equal((await told(run, hub)).error, undefined);
    assert.equal(committed(hub).length, 1);
    checkCounts(hub, 3);
  }));

Deno.test("a commit that another's has overtaken is made on top of it", async () => {
  for (const status of [409, 412]) {
    await withHub(async (hub, run) => {
      run.seal(3);
      hub.fault({ to: "commit", kind: "status", status, times: 3 });
      assert.equal((await told(run, hub)).error, undefined);
      assert.equal(committed(hub).length, 1);
      checkCounts(hub, 3);
    });
  }
});

Deno.test("an upload that is cut, stalls, or is refused by the store is done again", async () => {
  const faults: [string, HubFault, number][] = [
    ["in the middle of a whole file", { to: "put", kind: "cut-request", bytes: 2000 }, 1 << 20],
    ["in the middle of a piece", { to: "put", kind: "cut-request", bytes: 1000, after: 2 }, 4000],
    ["behind its end", { to: "put", kind: "cut", bytes: -1 }, 1 << 20],
    ["before the answer", { to: "put", kind: "stall", bytes: 0 }, 1 << 20],
    ["refused by the store", { to: "put", kind: "status", status: 403 }, 4000],
    ["not known to it", { to: "put", kind: "status", status: 404 }, 4000],
    ["and the end of it", { to: "complete", kind: "cut", bytes: -1 }, 4000],
    ["and the end of it refused", { to: "complete", kind: "status", status: 404 }, 4000],
    ["and its check", { to: "verify", kind: "cut", bytes: -1 }, 1 << 20],
    ["and its check refused", { to: "verify", kind: "status", status: 404 }, 1 << 20],
  ];
  for (const [what, fault, chunk] of faults) {
    await withHub(async (hub, run) => {
      const name = run.seal(100), bytes = run.bytes(name), path = pathOf(run, name);
      assert.ok(bytes.length > 10_000);
      hub.fault({ ...fault, times: 1 });
      const { error } = await told(run, hub, { idle: 300 });
      assert.equal(error, undefined, `${what}: ${error}`);
      assert.deepEqual(Deno.readFileSync(hub.file(REPO, path) as string), new Uint8Array(bytes));
      checkCounts(hub, 100);
    }, { hub: { chunk } });
  }
});

Deno.test("a piece that is cut is sent again alone", () =>
  withHub(async (hub, run) => {
    const name = run.seal(100), size = run.bytes(name).length;
    hub.fault({ to: "put", kind: "cut-request", bytes: 1000, after: 2, times: 1 });
    assert.equal((await told(run, hub)).error, undefined);
    assert.ok(hub.taken <= size + 4000, `${hub.taken} of ${size} bytes were sent`);
    assert.equal(hub.count({ to: "put" }).requests, Math.ceil(size / 4000) + 1);
  }, { hub: { chunk: 4000 } }));

Deno.test("a store that goes on refusing ends it, with its words and without its address", () =>
  withHub(async (hub, run) => {
    run.seal();
    hub.fault({ to: "put", kind: "status", status: 403, error: "SignatureDoesNotMatch" });
    const { error } = await told(run, hub);
    assert.ok(error instanceof HubError);
    assert.match(error.message, /the store answers 403 \(SignatureDoesNotMatch\)/);
    assert.equal(hub.count({ to: "put" }).requests, 3);
    assert.equal(run.parts().length, 1);
  }));

Deno.test("addresses that run out while a file is sent are asked for anew", () =>
  withHub(async (hub, run) => {
    const name = run.seal(100), path = pathOf(run, name);
    hub.fault({ to: "put", kind: "slow", ms: 1, after: 1, times: 1 });
    let puts = 0;
    const watching = setInterval(() => {
      const count = hub.count({ to: "put" }).requests;
      if (puts < 2 && count >= 2) hub.expire();
      puts = count;
    }, 1);
    const { error } = await told(run, hub).finally(() => clearInterval(watching));
    assert.equal(error, undefined);
    assert.ok(hub.file(REPO, path) !== undefined);
    assert.ok(hub.log.some(({ to, status }) => to === "put" && status === 403));
  }, { hub: { chunk: 2000 } }));

Deno.test("the token goes to the hub, and to no store", () =>
  withHub(async (hub, run) => {
    run.seal(100);
    await published(toward(run, hub));
    for (const { to, authorization } of hub.log) {
      const wanted = to === "put" || to === "cdn" ? undefined : `Bearer ${TOKEN}`;
      assert.equal(authorization, wanted, to);
    }
    assert.ok(hub.log.some(({ to }) => to === "put"));
  }, { hub: { chunk: 4000 } }));

Deno.test("an object that the store has lost before the commit is sent again by the next run", () =>
  withHub(async (hub, run) => {
    const name = run.seal();
    const error = "LFS pointer pointed to a file that does not exist";
    hub.fault({ to: "commit", kind: "status", status: 400, error, times: 1 });
    const failed = await told(run, hub);
    assert.ok(failed.error instanceof HubError);
    assert.match(failed.error.message, /LFS pointer pointed to a file that does not exist/);
    assert.deepEqual(run.parts(), [name]);
    await published(toward(run, hub));
    checkCounts(hub, 3);
  }));

Deno.test("a part that is changed while it is sent is not published", () =>
  withHub(async (hub, run) => {
    const name = run.seal(100);
    const watching = setInterval(() => {
      if (hub.count({ to: "put" }).requests === 0) return;
      clearInterval(watching);
      appendFileSync(join(run.dir, name), "more");
    }, 1);
    hub.fault({ to: "put", kind: "slow", ms: 30, times: 1 });
    const { error } = await told(run, hub).finally(() => clearInterval(watching));
    assert.match(error!.message, /it was changed while it was being published/);
    assert.equal(hub.commits(REPO).length, 0);
    assert.deepEqual(run.parts(), [name]);
  }));

Deno.test("a part that cannot be deleted is said to be published, and is not published again", () =>
  withHub(async (hub, run) => {
    const name = run.seal();
    Deno.chmodSync(run.dir, 0o555);
    try {
      const { error } = await told(run, hub);
      if (Deno.uid() === 0) return; // who may do everything
      assert.match(error!.message, /^Cannot delete .*: .*\. It is published, and will be skipped\./);
    } finally {
      Deno.chmodSync(run.dir, 0o755);
    }
    assert.deepEqual(run.parts(), [name]);
    await published(toward(run, hub));
    checkCounts(hub, 3);
  }));

Deno.test("a part that lies in a folder's place is none", () =>
  withHub(async (hub, run) => {
    const name = run.seal();
    Deno.removeSync(join(run.dir, name));
    mkdirSync(join(run.dir, name));
    assert.deepEqual(await published(toward(run, hub)), []);
  }));

Deno.test("answers that are no hub's are told apart", async () => {
  const cases: [RegExp, string, string][] = [
    [/revision\/main/, "{}", "the answer is no commit"],
    [/revision\/main/, "<html>", "the answer is no JSON"],
    [/paths-info/, "{}", "the answer is no list of files"],
    [/paths-info/, '[{"type":"file"}]', "the answer is no list of files"],
    [/preupload/, "[]", "the answer is no files"],
    [/objects\/batch/, '{"objects":[]}', "the answer is about no file that was asked for"],
    [/objects\/batch/, "null", "the answer is no JSON object"],
  ];
  for (const [address, body, message] of cases) {
    await withHub(async (hub, run) => {
      hub.repo(REPO);
      run.seal();
      const { error } = await told(run, hub, {
        fetch: (url, init) =>
          address.test(url) ? Promise.resolve(new Response(body)) : fetch(url, init),
      });
      assert.ok(error instanceof HubError, `${address} ${body}: ${error}`);
      assert.ok(error.message.includes(message), error.message);
      assert.equal(run.parts().length, 1);
    });
  }
});

Deno.test("a plan of pieces that does not fit the file is refused", async () => {
  const plans = [
    { chunk_size: "10", "00001": "http://127.0.0.1:1/" },
    { chunk_size: "0", "00001": "http://127.0.0.1:1/" },
    { chunk_size: "-5" },
    { chunk_size: "1e99", "00002": "http://127.0.0.1:1/" },
    { chunk_size: "1000000", "00001": "file:///etc/passwd" },
  ];
  for (const header of plans) {
    await withHub(async (hub, run) => {
      hub.repo(REPO);
      run.seal();
      const { error } = await told(run, hub, {
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (!url.endsWith("objects/batch")) return response;
          const answer = await response.json();
          answer.objects[0].actions.upload.header = header;
          return Response.json(answer);
        },
      });
      assert.ok(error instanceof HubError, `${JSON.stringify(header)}: ${error}`);
      assert.match(error.message, /a plan that does not fit the file|no address|the store answers/);
    });
  }
});

Deno.test("a machine's own ledger that is damaged is not begun anew", () =>
  withHub(async (hub, run) => {
    run.seal();
    hub.put(REPO, "ledger/server1-shard0of1.csv", new TextEncoder().encode("server,shard\n"));
    const { error } = await told(run, hub);
    assert.ok(error instanceof LedgerError);
    assert.match(error.message, /its ledger\/server1-shard0of1\.csv is damaged, and counting would/);
    assert.equal(run.parts().length, 1);
    assert.equal(hub.commits(REPO).length, 0);
  }));

Deno.test("a signal ends it wherever it is, and what was under way is done by the next run", async () => {
  for (const to of ["head", "batch", "put", "tree", "commit"] as const) {
    await withHub(async (hub, run) => {
      for (let i = 0; i < 3; i++) run.seal(2);
      const stop = new AbortController();
      hub.fault({ to, kind: "slow", ms: 20 });
      const watching = setInterval(() => {
        if (hub.count({ to }).requests > 0) stop.abort(new Error("enough"));
      }, 1);
      const { error } = await told(run, hub, { signal: stop.signal, commitEvery: 1 })
        .finally(() => clearInterval(watching));
      assert.equal(error, undefined, `${to}: ${error}`);
      hub.heal();
      const before = run.parts().length;
      if (to === "commit") assert.equal(before, 2, "a commit under way is waited for");
      else assert.equal(before, 3, to);
      await published(toward(run, hub));
      checkCounts(hub, 6);
      committed(hub);
    });
  }
});
