import assert from "node:assert/strict";
import {
  HubAccessError,
  HubBusyError,
  HubError,
  HubNetworkError,
  HubQuotaError,
} from "../../lib/hub/errors.ts";
import { exitCodeOf } from "../../lib/cli/errors.ts";
import { LedgerError, TokenMissingError } from "../../lib/publish/errors.ts";
import type { HubFault } from "../web/hub.ts";
import { FakeTime } from "../worklist/_fake_time.ts";
import {
  checkCounts,
  committed,
  published,
  REPO,
  sha256,
  TOKEN,
  told,
  toward,
  withHub,
} from "./_publish.ts";

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
      assert.match(
        error.message,
        /the server answers 40[13] \(.+\)\. The token in HF_TOKEN is not/,
      );
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
      hub.fault({ to, kind: "status", status: 503, times: 2 });
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

Deno.test("a hub that asks for no wait, or for one in the past, is not asked all the time", () =>
  withHub(async (hub, run) => {
    run.seal();
    const time = new FakeTime();
    hub.fault({ to: "batch", kind: "status", status: 503, retryAfter: "0", times: 2 });
    const past = "Thu, 01 Jan 1970 00:00:00 GMT";
    hub.fault({ to: "batch", kind: "status", status: 503, retryAfter: past, times: 2 });
    const { error } = await told(run, hub, { sleep: time.sleep, now: time.now });
    assert.equal(error, undefined);
    assert.deepEqual(time.slept, [1000, 1000, 1000, 1000]);
  }));

Deno.test("an address with a password is refused, and not shown", () =>
  withHub(async (hub, run) => {
    run.seal();
    const { error } = await told(run, hub, { hub: `http://me:${TOKEN}@127.0.0.1:1` });
    assert.match(error!.message, /its address holds a name or a password/);
  }));

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
    assert.match(
      busy.error.message,
      /^Cannot commit to .*: the server answers 503.*, after \d+ att/,
    );
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

Deno.test("a token that the hub repeats is in no message, cut or whole", async () => {
  const cases: [RegExp, (sha256: string) => Response][] = [
    ...[0, 280, 290, 299].map((at): [RegExp, () => Response] => {
      const headers = { "x-error-message": "x".repeat(at) + TOKEN };
      return [/preupload/, () => new Response("", { status: 403, headers })];
    }),
    [/revision/, () => new Response(`{"sha": ${TOKEN}}`)],
    [/objects\/batch/, (oid) => {
      const error = { code: 403, message: `not with ${TOKEN}` };
      return Response.json({ objects: [{ oid, size: 1, error }] });
    }],
  ];
  for (const [address, answer] of cases) {
    await withHub(async (hub, run) => {
      hub.repo(REPO);
      const oid = sha256(run.bytes(run.seal()));
      const { error } = await told(run, hub, {
        fetch: (url, init) => address.test(url) ? Promise.resolve(answer(oid)) : fetch(url, init),
      });
      assert.ok(error instanceof HubError);
      assert.ok(!/hf_|aVery|SecretT/.test(`${error.message}${error.stack}`), error.message);
      if (!address.test("revision")) assert.equal(exitCodeOf(error), 4);
      assert.equal(run.parts().length, 1);
    });
  }
});

Deno.test("a part is deleted only where the hub shows that it has it, whatever it says", async () => {
  const parent = (body: string): string => JSON.parse(body.split("\n")[0]!).value.parentCommit;
  for (const id of [() => "\x1b[2Jabcdef012345", parent]) {
    await withHub(async (hub, run) => {
      hub.repo(REPO);
      run.seal();
      const { error, parts, events } = await told(run, hub, {
        fetch: (url, init) =>
          url.includes("/commit/main")
            ? Promise.resolve(Response.json({ commitOid: id(init.body as string) }))
            : fetch(url, init),
      });
      assert.ok(error instanceof HubError, `${error}`);
      assert.deepEqual([parts.length, run.parts().length], [0, 1]);
      assert.ok(events.every(({ type }) => type === "waiting"));
    });
  }
});

Deno.test("an answer that comes by drops is asked for again", () =>
  withHub(async (hub, run) => {
    hub.repo(REPO);
    run.seal();
    let drips = 0;
    const space = new TextEncoder().encode(" ");
    const dripping = () =>
      new Response(
        new ReadableStream({
          pull: (controller) =>
            new Promise((done) =>
              setTimeout(() => {
                controller.enqueue(space);
                done();
              }, 20)
            ),
        }, { highWaterMark: 0 }),
      );
    const { error, events } = await told(run, hub, {
      idle: 500,
      now: () => performance.now(),
      fetch: (url, init) =>
        url.includes("paths-info") && drips++ === 0
          ? Promise.resolve(dripping())
          : fetch(url, init),
    });
    assert.equal(error, undefined);
    const waits = events.filter((event) => event.type === "waiting");
    assert.match(
      waits[0]!.reason,
      /^no more than \d+ bytes came in \d+ seconds \(attempt 1; tried for \d+ (?:s|min) at most\)$/,
    );
    assert.equal(run.parts().length, 0);
  }));

Deno.test("a hub that asks for an hour is given it", () =>
  withHub(async (hub, run) => {
    hub.repo(REPO);
    run.seal();
    const time = new FakeTime();
    const { error } = await told(run, hub, {
      sleep: time.sleep,
      // Asking takes time too.
      now: () => time.now() + performance.now(),
      fetch: (url, init) => {
        if (time.slept.length > 0 || !url.includes("paths-info")) return fetch(url, init);
        return Promise.resolve(
          new Response("", { status: 429, headers: { "retry-after": "3600" } }),
        );
      },
    });
    assert.equal(error, undefined);
    assert.deepEqual(time.slept, [3_600_000]);
  }));

Deno.test("a machine's own ledger that is damaged is not begun anew", () =>
  withHub(async (hub, run) => {
    run.seal();
    hub.put(REPO, "ledger/server1-shard0of1.csv", new TextEncoder().encode("server,shard\n"));
    const { error } = await told(run, hub);
    assert.ok(error instanceof LedgerError);
    assert.match(
      error.message,
      /its ledger\/server1-shard0of1\.csv is damaged, and counting would/,
    );
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
      // A commit that has begun, by reading the ledgers, is waited for.
      assert.equal(before, to === "tree" || to === "commit" ? 2 : 3, to);
      await published(toward(run, hub));
      checkCounts(hub, 6);
      committed(hub);
    });
  }
});
