import assert from "node:assert/strict";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { HubError } from "../../lib/hub/errors.ts";
import type { HubFault } from "../web/hub.ts";
import { checkCounts, pathOf, published, REPO, TOKEN, told, toward, withHub } from "./_publish.ts";

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
      const wanted = ["put", "cdn", "complete"].includes(to) ? undefined : `Bearer ${TOKEN}`;
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
      assert.match(
        error!.message,
        /^Cannot delete .*: .*\. It is published, and will be skipped\./,
      );
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
