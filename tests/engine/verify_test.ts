import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type Fault, verifyPaths } from "../../lib/engine/verify.ts";
import { readWarcFile } from "../../lib/warc/reader.ts";
import type { ArchivedExchange } from "../../lib/warc/types.ts";
import { WarcWriter } from "../../lib/warc/writer.ts";
import { startWeb } from "../web/mod.ts";
import { collect, withFolder } from "./_crawl.ts";
import { ccrawl } from "./_process.ts";

/** A crawl that is done, to be damaged. */
interface Crawled {
  readonly dir: string;
  readonly warc: string;
  readonly index: string;
  readonly state: string;
  readonly members: Member[];
}

interface Member {
  readonly type: string;
  readonly url: string;
  readonly offset: number;
  readonly length: number;
}

let template: { dir: string; members: Member[] } | undefined;

/** Each test damages a copy of one small crawl. */
async function withCrawl(body: (crawled: Crawled) => Promise<void>): Promise<void> {
  template ??= await makeTemplate();
  const { dir: from, members } = template;
  await withFolder(async (dir) => {
    for (const name of ["crawl.db", "ccrawl-crawl-00000.warc.gz", "ccrawl-crawl-00000.cdxj"]) {
      await Deno.copyFile(join(from, name), join(dir, name));
    }
    const warc = join(dir, "ccrawl-crawl-00000.warc.gz");
    const index = join(dir, "ccrawl-crawl-00000.cdxj");
    await body({ dir, warc, index, state: join(dir, "crawl.db"), members });
  });
}

async function makeTemplate(): Promise<{ dir: string; members: Member[] }> {
  const dir = await Deno.makeTempDir({ prefix: "ccrawl-test-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));
  await using web = await startWeb({ hosts: 4, pages: 40, pageBytes: 1500 });
  await collect(web, { seeds: web.seeds(), maxDepth: 9, state: `${dir}/crawl.db`, warc: dir });
  const members: Member[] = [];
  for await (const record of readWarcFile(join(dir, "ccrawl-crawl-00000.warc.gz"))) {
    const { type, url, offset, length } = record;
    members.push({ type, url, offset, length: length! });
  }
  return { dir, members };
}

async function faultsOf({ dir, state }: Crawled, withState = true): Promise<Fault[]> {
  const faults: Fault[] = [];
  for await (const fault of verifyPaths([dir], withState ? { state } : {})) faults.push(fault);
  return faults;
}

function has(faults: readonly Fault[], file: string, offset: number, fault: RegExp): void {
  const found = faults.some((f) => f.file === file && f.offset === offset && fault.test(f.fault));
  assert.ok(found, `no ${fault} at ${basename(file)}:${offset} in ${JSON.stringify(faults)}`);
}

/** The n-th answer that a page gave, and the request before it. */
function pair({ members }: Crawled, n: number): { request: Member; answer: Member } {
  const at = members.flatMap((m, i) => m.type === "response" && m.url.includes("/p/") ? [i] : [])[
    n
  ]!;
  return { request: members[at - 1]!, answer: members[at]! };
}

function cutOut(bytes: Uint8Array, { offset, length }: Member): Uint8Array {
  const left = new Uint8Array(bytes.length - length);
  left.set(bytes.subarray(0, offset));
  left.set(bytes.subarray(offset + length), offset);
  return left;
}

Deno.test("verifyPaths() finds nothing in a crawl that is whole", () =>
  withCrawl(async (crawled) => assert.deepEqual(await faultsOf(crawled), [])));

Deno.test("verifyPaths() finds a flipped byte wherever it lies in a record", () =>
  withCrawl(async (crawled) => {
    const whole = await Deno.readFile(crawled.warc);
    const { answer } = pair(crawled, 5);
    for (let i = 0; i < 20; i++) {
      const bytes = whole.slice();
      // Not the header's time, system and flags, which no reader looks at.
      const at = answer.offset + 10 + Math.floor((answer.length - 10) * i / 20);
      bytes[at]! ^= 1 << i % 8;
      await Deno.writeFile(crawled.warc, bytes);
      const faults = await faultsOf(crawled);
      assert.ok(
        faults.some((f) => f.file === crawled.warc && f.offset === answer.offset),
        `byte ${at}: ${JSON.stringify(faults)}`,
      );
    }
  }));

Deno.test("verifyPaths() finds a record that was dropped", () =>
  withCrawl(async (crawled) => {
    const whole = await Deno.readFile(crawled.warc);
    const { request, answer } = pair(crawled, 3);
    await Deno.writeFile(crawled.warc, cutOut(whole, answer));
    has(await faultsOf(crawled, false), crawled.warc, request.offset, /unlinked/);
    await Deno.writeFile(crawled.warc, cutOut(whole, request));
    has(await faultsOf(crawled, false), crawled.warc, request.offset, /unlinked/);
  }));

Deno.test("verifyPaths() finds an exchange that is missing whole", () =>
  withCrawl(async (crawled) => {
    const whole = await Deno.readFile(crawled.warc);
    const last = pair(crawled, 39);
    assert.equal(last.answer, crawled.members.at(-1), "the last exchange");
    await Deno.writeFile(crawled.warc, whole.subarray(0, last.request.offset));
    has(await faultsOf(crawled), crawled.warc, last.answer.offset, /state-record/);
    const faults = await faultsOf(crawled, false);
    assert.ok(faults.some((f) => f.file === crawled.index && f.fault === "cdxj-offset"));
    await Deno.remove(crawled.index);
    assert.deepEqual(await faultsOf(crawled, false), [], "without state and index nobody can tell");
    has(await faultsOf(crawled), crawled.warc, last.answer.offset, /state-record/);
  }));

Deno.test("verifyPaths() finds a cut tail", () =>
  withCrawl(async (crawled) => {
    const whole = await Deno.readFile(crawled.warc);
    const { request, answer } = pair(crawled, 39);
    await Deno.writeFile(crawled.warc, whole.subarray(0, whole.length - 3));
    has(await faultsOf(crawled, false), crawled.warc, answer.offset, /truncated/);
    has(await faultsOf(crawled), crawled.warc, answer.offset, /state-record/);
    await Deno.writeFile(crawled.warc, whole.subarray(0, answer.offset));
    has(await faultsOf(crawled, false), crawled.warc, request.offset, /unlinked/);
  }));

Deno.test("verifyPaths() finds two records that were swapped", () =>
  withCrawl(async (crawled) => {
    const whole = await Deno.readFile(crawled.warc);
    const { answer: a } = pair(crawled, 3), { answer: b } = pair(crawled, 4);
    const parts = [
      whole.subarray(0, a.offset),
      whole.subarray(b.offset, b.offset + b.length),
      whole.subarray(a.offset + a.length, b.offset),
      whole.subarray(a.offset, a.offset + a.length),
      whole.subarray(b.offset + b.length),
    ];
    await Deno.writeFile(crawled.warc, new Uint8Array(await new Blob(parts).arrayBuffer()));
    has(await faultsOf(crawled), crawled.warc, a.offset, /state-record/);
    const faults = await faultsOf(crawled, false);
    assert.ok(faults.some((f) => f.file === crawled.index && f.fault === "cdxj-field"));
  }));

Deno.test("verifyPaths() finds a digest that is not the record's", () =>
  withCrawl(async (crawled) => {
    const whole = await Deno.readFile(crawled.warc);
    const { answer } = pair(crawled, 7);
    const member = whole.subarray(answer.offset, answer.offset + answer.length);
    for (const name of ["WARC-Payload-Digest", "WARC-Block-Digest"]) {
      const text = gunzipSync(member).toString("latin1");
      const wrong = text.replace(
        new RegExp(`(${name}: sha1:.)(.)`),
        (_, before, letter) => before + (letter === "A" ? "B" : "A"),
      );
      assert.notEqual(wrong, text);
      const parts = [
        whole.subarray(0, answer.offset),
        new Uint8Array(gzipSync(Uint8Array.from(wrong, (c) => c.charCodeAt(0)))),
        whole.subarray(answer.offset + answer.length),
      ];
      await Deno.writeFile(crawled.warc, new Uint8Array(await new Blob(parts).arrayBuffer()));
      const fault = name === "WARC-Block-Digest" ? /^block-digest$/ : /^payload-digest$/;
      has(await faultsOf(crawled, false), crawled.warc, answer.offset, fault);
    }
  }));

Deno.test("verifyPaths() finds an index whose offset is wrong, and one that is not sorted", () =>
  withCrawl(async (crawled) => {
    const text = await Deno.readTextFile(crawled.index);
    const lines = text.split("\n");
    const at = lines.slice(0, 9).join("\n").length + 1;
    const moved = lines.with(
      9,
      lines[9]!.replace(
        /"offset": ?"(\d+)"/,
        (whole, n) => whole.replace(n, String(Number(n) + 1)),
      ),
    );
    assert.notDeepEqual(moved, lines);
    await Deno.writeTextFile(crawled.index, moved.join("\n"));
    has(await faultsOf(crawled, false), crawled.index, at, /cdxj-offset/);
    const swapped = lines.with(3, lines[4]!).with(4, lines[3]!);
    await Deno.writeTextFile(crawled.index, swapped.join("\n"));
    const faults = await faultsOf(crawled, false);
    assert.ok(faults.some((f) => f.file === crawled.index && f.fault === "cdxj-order"));
  }));

Deno.test("verifyPaths() finds what a state calls done and no file holds", () =>
  withCrawl(async (crawled) => {
    const { answer } = pair(crawled, 11);
    const renamed = join(crawled.dir, "other-00000.warc.gz");
    await Deno.rename(crawled.warc, renamed);
    await Deno.remove(crawled.index);
    const faults = (await faultsOf(crawled)).filter((f) => f.fault === "state-record");
    assert.equal(faults.length, 40);
    has(faults, basename(crawled.warc), answer.offset, /state-record/);
    const fault = faults.find((f) => f.offset === answer.offset)!;
    assert.equal(fault.detail, `${answer.url}: the file is not there`);
  }));

Deno.test("`ccrawl verify` tells each fault with its file and offset and ends with 1", () =>
  withCrawl(async (crawled) => {
    const bytes = await Deno.readFile(crawled.warc);
    const { answer } = pair(crawled, 20);
    bytes[answer.offset + answer.length - 20]! ^= 4;
    await Deno.writeFile(crawled.warc, bytes);
    const args = ["verify", crawled.dir, "--state", crawled.state, "-o", "jsonl"];
    const { code, stdout } = await ccrawl(args);
    assert.equal(code, 1);
    const faults = stdout.trim().split("\n").map((line) => JSON.parse(line) as Fault);
    has(faults, crawled.warc, answer.offset, /damaged/);
    has(faults, crawled.warc, answer.offset, /state-record/);
  }));

Deno.test("verifyPaths() lets a revisit refer to a file that is still being written", () =>
  withFolder(async (dir) => {
    const writer = () => new WarcWriter({ dir, software: "x/1", command: "x", cdx: false });
    const exchange = (url: string): ArchivedExchange => ({
      ...{ url, date: 1_700_000_000_000, ip: "127.0.0.1", status: 200, mime: "text/plain" },
      request: text("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"),
      head: text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
      body: text("hello"),
    });
    const one = writer(), other = writer();
    one.write(exchange("http://a.test/1"));
    one.sync();
    other.learn(one.drainDurable());
    assert.equal(other.write(exchange("http://a.test/2")).type, "revisit");
    other.close();
    assert.deepEqual(await Array.fromAsync(verifyPaths([dir])), []);
    one.close();
    await Deno.remove(join(dir, "ccrawl-crawl-00000.warc.gz"));
    const faults = await Array.fromAsync(verifyPaths([dir]));
    assert.deepEqual(faults.map(({ fault }) => fault), ["revisit-target"]);
  }));

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
