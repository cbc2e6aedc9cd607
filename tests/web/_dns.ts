/**
 * The name server: UDP and TCP, answering `*.test` by the traits in the name.
 *
 * @module
 */

import dgram from "node:dgram";
import { accepted, isNetworkError } from "./_accept.ts";
import { mix, mixText } from "./scenario.ts";
import { figure } from "./traits.ts";
import {
  A,
  AAAA,
  bytes4,
  bytes6,
  cname,
  message,
  NXDOMAIN,
  otherId,
  pointerLoop,
  type Question,
  question,
  readQuestion,
  record,
  REFUSED,
  SERVFAIL,
  truncated,
} from "./_dns_wire.ts";
import type { HostState, Web } from "./_web.ts";

const UDP_MAX = 512;
const NAMES_MAX = 200_000;

/** A name server, and how often it was asked for what. */
export class NameServer {
  readonly web: Web;
  /** Which of the web's name servers it is, from 1. */
  readonly number: number;
  readonly queries = new Map<string, number>();
  port = 0;
  /** Most questions held unanswered at once. */
  peak = 0;
  #open = 0;
  #socket: dgram.Socket | undefined;
  #listener: Deno.TcpListener | undefined;
  #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(web: Web, number: number) {
    this.web = web;
    this.number = number;
  }

  /** Binds UDP and TCP to the same port. */
  async listen(port: number): Promise<void> {
    for (let attempt = 0;; attempt++) {
      const listener = Deno.listen({ hostname: "127.0.0.1", port });
      try {
        await this.#bind(listener.addr.port);
        this.port = listener.addr.port;
        this.#listener = listener;
        break;
      } catch (error) {
        listener.close();
        // The same number may be taken for UDP: another one, unless it was asked for.
        if (port !== 0 || attempt >= 20) throw error;
      }
    }
    this.#acceptAll(this.#listener);
  }

  close(): void {
    for (const t of this.#timers) clearTimeout(t);
    this.#socket?.close();
    this.#listener?.close();
  }

  reset(): void {
    this.queries.clear();
    this.peak = this.#open;
  }

  #bind(port: number): Promise<void> {
    const socket = dgram.createSocket("udp4");
    return new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(port, "127.0.0.1", () => {
        socket.off("error", reject);
        // An asker that has closed its socket is its own business.
        socket.on("error", () => {});
        socket.on("message", (m, from) => this.#onMessage(m, from.port, from.address));
        this.#socket = socket;
        resolve();
      });
    });
  }

  #onMessage(message: Uint8Array, port: number, address: string): void {
    const q = readQuestion(message);
    if (q === undefined) return;
    const send = (answer: Uint8Array) => this.#socket?.send(answer, port, address);
    this.#answer(q, false, send);
  }

  #answer(q: Question, tcp: boolean, send: (message: Uint8Array) => void): void {
    const { web } = this;
    web.stats.dnsQueries++;
    const seen = this.queries.get(q.name) ?? 0;
    if (seen > 0 || this.queries.size < NAMES_MAX) this.queries.set(q.name, seen + 1);
    if (q.name !== "test" && !q.name.endsWith(".test")) {
      send(message(q, NXDOMAIN, []));
      return;
    }
    const host = web.host(q.name);
    const t = host.traits;
    if (this.#here(host, "dns-silent") || (tcp && t.has("tc-silent"))) return;
    const loss = figure(t, "dns-loss", 50);
    if (!tcp && loss !== undefined && mix(web.scenario.seed, seen, mixText(q.name)) % 100 < loss) {
      return;
    }
    const flaky = figure(t, "dns-flaky", 1);
    if (flaky !== undefined && seen < flaky) return;
    const answers = this.#messages(q, host, tcp);
    const late = figure(t, "dns-late", 2000);
    if (late === undefined) {
      for (const m of answers) send(m);
      return;
    }
    if (++this.#open > this.peak) this.peak = this.#open;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#open--;
      for (const m of answers) send(m);
    }, late);
    this.#timers.add(timer);
  }

  /** Whether a trait that may be one server's alone is on here. */
  #here(host: HostState, trait: string): boolean {
    if (!host.traits.has(trait)) return false;
    const only = host.traits.get(trait);
    return only === undefined || only === this.number;
  }

  #messages(q: Question, host: HostState, tcp: boolean): Uint8Array[] {
    const t = host.traits;
    if (this.#here(host, "nx")) return [message(q, NXDOMAIN, [], true)];
    if (this.#here(host, "servfail")) return [message(q, SERVFAIL, [])];
    if (this.#here(host, "dns-refused")) return [message(q, REFUSED, [])];
    if (!tcp && (t.has("tc") || t.has("tc-silent"))) return [truncated(q)];
    if (t.has("dns-garbage")) return [new TextEncoder().encode("this is no message at all")];
    const ttl = figure(t, "ttl", 0) ?? 300;
    if (t.has("cname-loop")) {
      const other = `loop.${host.name}`;
      return [message(q, 0, [cname(q.name, other, ttl), cname(other, q.name, ttl)])];
    }
    if (t.has("cname-bare")) {
      const target = host.name.replace("cname-bare", "good");
      return [message(q, 0, [cname(q.name, target, ttl)])];
    }
    const records: Uint8Array[] = [];
    let owner = q.name;
    const chain = figure(t, "cname", 3) ?? 0;
    // The aliases are `c1.` … before the name; asked for one of them, what is left of the chain follows.
    const alias = chain > 0 ? /^c(\d{1,2})\./.exec(q.name) : null;
    const base = alias === null ? q.name : q.name.slice(alias[0].length);
    for (let i = Number(alias?.[1] ?? 0); i < chain && i < 30; i++) {
      const next = `c${i + 1}.${base}`;
      records.push(cname(owner, next, ttl));
      owner = next;
    }
    for (const a of this.#addresses(host, q.type)) records.push(record(owner, q.type, ttl, a));
    if (t.has("dns-pointer-loop")) return [pointerLoop(q)];
    const whole = message(q, 0, records, records.length === 0);
    if (t.has("dns-wrong-id")) return [otherId(whole)];
    if (t.has("dns-wrong-name")) {
      const other = { ...q, name: "other.test", question: question("other.test", q.type) };
      return [
        message(other, 0, [record("other.test", q.type, ttl, this.#addresses(host, q.type)[0]!)]),
      ];
    }
    if (t.has("dns-spoof")) {
      return [
        otherId(message(q, 0, [record(q.name, A, ttl, Uint8Array.of(203, 0, 113, 66))])),
        whole,
      ];
    }
    return [!tcp && whole.length > UDP_MAX ? truncated(q) : whole];
  }

  #addresses(host: HostState, type: number): Uint8Array[] {
    const t = host.traits;
    const fixed = FIXED.find(([name]) => t.has(name));
    const four: string[] = [];
    const six: string[] = [];
    if (t.has("no-address")) return [];
    if (fixed !== undefined) {
      (fixed[1].includes(":") ? six : four).push(fixed[1]);
    } else if (t.has("v6")) six.push("::1");
    else {
      if (t.has("dead-first")) four.push("224.0.0.251");
      if (t.has("mixed")) four.push("93.184.215.14", "127.0.0.1");
      else four.push(this.web.addressOf(host));
      if (t.has("many")) { for (let i = 1; i < 60; i++) four.push(`127.250.0.${i}`); }
      if (t.has("dual")) six.push("::1");
    }
    if (type === A) return four.map(bytes4);
    if (type === AAAA) return six.map(bytes6);
    return [];
  }

  async #acceptAll(listener: Deno.TcpListener): Promise<void> {
    for await (const c of accepted(this.web, listener)) {
      if (!this.web.admit("name server")) {
        c.close();
        continue;
      }
      this.#serveTcp(c).finally(() => this.web.leave("name server"));
    }
  }

  async #serveTcp(c: Deno.TcpConn): Promise<void> {
    let writes: Promise<unknown> = Promise.resolve();
    try {
      let held = new Uint8Array(0);
      const chunk = new Uint8Array(4096);
      for (;;) {
        const n = await c.read(chunk);
        if (n === null) break;
        const joined = new Uint8Array(held.length + n);
        joined.set(held);
        joined.set(chunk.subarray(0, n), held.length);
        held = joined;
        while (held.length >= 2) {
          const size = held[0]! << 8 | held[1]!;
          if (held.length < 2 + size) break;
          const q = readQuestion(held.subarray(2, 2 + size));
          held = held.slice(2 + size);
          if (q === undefined) return;
          this.#answer(q, true, (m) => {
            const framed = new Uint8Array(m.length + 2);
            framed[0] = m.length >> 8;
            framed[1] = m.length & 255;
            framed.set(m, 2);
            writes = writes.then(() => writeAll(c, framed)).catch((error) => {
              if (!isNetworkError(error)) throw error;
            });
          });
        }
        if (held.length > 4096) return;
      }
    } catch (error) {
      if (!isNetworkError(error)) throw error;
    } finally {
      await writes;
      c.close();
    }
  }
}

/** Traits that stand for one address alone. */
const FIXED: readonly (readonly [trait: string, address: string])[] = [
  ["private", "10.1.2.3"],
  ["link-local", "169.254.169.254"],
  ["zero", "0.0.0.0"],
  ["cgnat", "100.64.0.1"],
  ["mapped", "::ffff:7f00:1"],
  ["nat64", "64:ff9b::7f00:1"],
  ["six-to-four", "2002:7f00:1::"],
  ["ula", "fd00::1"],
];

async function writeAll(c: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += await c.write(bytes.subarray(done));
}
