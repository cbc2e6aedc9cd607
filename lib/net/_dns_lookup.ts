import { askTcp } from "./_dns_tcp.ts";
import type { Question, UdpClient } from "./_dns_udp.ts";
import type { ServerState } from "./_dns_server.ts";
import { NOERROR, NXDOMAIN, parseResponse, type Response, TYPE_A, TYPE_AAAA } from "./_dns_wire.ts";

/** When a question is sent again, in milliseconds since it was first sent, of a lookup of 5 s. */
const RESEND_MS = [400, 1200, 2500];
const NOMINAL_MS = 5000;
/** How long IPv6 addresses are waited for once there are IPv4 ones (RFC 8305 section 3, less patient). */
const GRACE_MS = 20;
/** How long TCP may take, of the same 5 s, before what fitted a datagram has to do. */
const TCP_MS = 2000;
/** Most aliases followed by asking again, as for servers that do not follow them themselves. */
const MAX_HOPS = 8;

type State = "pending" | "found" | "no-data" | "no-name" | "failed";

/** One record type asked of one server, through resends, aliases and TCP. */
interface Ask {
  readonly attempt: Attempt;
  readonly type: number;
  state: State;
  wire: string;
  hops: number;
  ttl: number;
  addresses: readonly string[];
  question: Question | undefined;
  tcp: AbortController | undefined;
  /** The answer that did not fit, while the whole one is fetched over TCP. */
  cut: Response | undefined;
  sentAt: number;
  resends: number;
}

/** One server's part in a lookup. */
interface Attempt {
  readonly server: ServerState;
  /** False for a server that is only asked to see whether it is back. */
  readonly awaited: boolean;
  readonly startedAt: number;
  heard: boolean;
  v4: Ask | undefined;
  v6: Ask | undefined;
  negativeTtl: number;
}

/** How a lookup ended. */
export type Outcome =
  | { readonly kind: "found"; readonly addresses: readonly string[]; readonly ttl: number }
  | {
    readonly kind: "nxdomain" | "no-address" | "resolver";
    /** How many servers said that the name does not exist, and the shortest time they gave for it. */
    readonly nxdomains: number;
    readonly ttl: number;
    /** Servers that failed, and that said nothing. */
    readonly failed: number;
    readonly silent: number;
  };

/** What a lookup needs of its owner. */
export interface LookupContext {
  readonly udp: UdpClient;
  readonly timeoutMs: number;
  /** Servers to ask, the first one ahead of the rest. */
  readonly servers: readonly ServerState[];
  /** Servers asked along but not waited for. */
  readonly probes: readonly ServerState[];
  readonly onEnd: (outcome: Outcome) => void;
}

/**
 * The race for one name. One server has a head start of a few tens of milliseconds; the others are asked as
 * soon as it is late or has nothing usable to say, so that a healthy resolver costs one server's datagrams
 * and a silent or lying one costs no more than the head start.
 */
export class Lookup {
  readonly #context: LookupContext;
  readonly #wire: string;
  readonly #startedAt: number;
  readonly #attempts: Attempt[] = [];
  #widened = false;
  #graceEnds = Infinity;
  #ended = false;

  constructor(wire: string, context: LookupContext, now: number) {
    this.#wire = wire;
    this.#context = context;
    this.#startedAt = now;
  }

  /** Sends the first questions. */
  start(): void {
    const [first] = this.#context.servers;
    if (first) this.#begin(first, true, true);
    for (const server of this.#context.probes) this.#begin(server, false, false);
    this.#judge(this.#startedAt);
  }

  /** Ends it without an outcome. */
  cancel(): void {
    this.#ended = true;
    for (const a of this.#attempts) {
      for (const ask of [a.v4, a.v6]) {
        ask?.question?.cancel();
        ask?.tcp?.abort();
      }
    }
  }

  /** Does what has become due: the other servers, resends, the end. */
  tick(now: number): void {
    if (this.#ended) return;
    const age = now - this.#startedAt;
    const first = this.#context.servers[0];
    if (!this.#widened && first && age >= first.headStart) {
      first.late(age);
      this.#widen(true, now);
    }
    for (const a of this.#attempts) {
      this.#resend(a.v4, now);
      this.#resend(a.v6, now);
    }
    this.#judge(now, age >= this.#context.timeoutMs);
  }

  #resend(ask: Ask | undefined, now: number): void {
    if (ask?.state !== "pending" || this.#ended) return;
    const waited = (now - ask.sentAt) / Math.min(1, this.#context.timeoutMs / NOMINAL_MS);
    if (ask.tcp) {
      if (waited >= TCP_MS) ask.tcp.abort();
      return;
    }
    const due = RESEND_MS[ask.resends];
    if (due === undefined || waited < due) return;
    ask.resends++;
    ask.question?.send();
  }

  /** Asks the servers that were not asked yet. */
  #widen(both: boolean, now = performance.now()): void {
    this.#widened = true;
    for (const server of this.#context.servers.slice(1)) this.#begin(server, true, both, now);
  }

  #begin(server: ServerState, awaited: boolean, both: boolean, now = this.#startedAt): void {
    const attempt: Attempt = {
      server,
      awaited,
      startedAt: now,
      heard: false,
      v4: undefined,
      v6: undefined,
      negativeTtl: 0,
    };
    this.#attempts.push(attempt);
    attempt.v4 = this.#ask(attempt, TYPE_A, now);
    if (both) attempt.v6 = this.#ask(attempt, TYPE_AAAA, now);
  }

  #ask(attempt: Attempt, type: number, now: number): Ask {
    const ask: Ask = {
      attempt,
      type,
      state: "pending",
      wire: this.#wire,
      hops: 0,
      ttl: Infinity,
      addresses: [],
      question: undefined,
      tcp: undefined,
      cut: undefined,
      sentAt: now,
      resends: 0,
    };
    this.#send(ask, now);
    return ask;
  }

  #send(ask: Ask, now: number): void {
    ask.sentAt = now;
    ask.resends = 0;
    ask.question = this.#context.udp.question(ask.attempt.server, ask.wire, ask.type, {
      answered: (response) => this.#answered(ask, response, false),
      unsendable: () => {
        if (this.#ended) return;
        ask.state = "failed";
        this.#judge(performance.now());
      },
    });
    ask.question.send();
  }

  #answered(ask: Ask, response: Response, overTcp: boolean): void {
    if (this.#ended) return;
    const now = performance.now();
    const { attempt } = ask;
    ask.tcp = undefined;
    attempt.heard = true;
    attempt.server.heard(ask.resends === 0 && !overTcp ? now - ask.sentAt : undefined);
    if (response.truncated && !overTcp) {
      this.#askAgainOverTcp(ask, response);
      return;
    }
    this.#settle(ask, response, now);
    this.#judge(now);
  }

  /** Takes in an answer that is whole, or the best there is. */
  #settle(ask: Ask, response: Response, now: number): void {
    ask.ttl = Math.min(ask.ttl, response.ttl);
    if (response.rcode === NOERROR && response.addresses.length > 0) {
      ask.state = "found";
      ask.addresses = response.addresses;
    } else if (response.rcode === NOERROR && response.alias !== null) {
      if (++ask.hops > MAX_HOPS) {
        ask.state = "failed";
        return;
      }
      ask.wire = response.alias;
      this.#send(ask, now);
    } else if (response.rcode === NOERROR) {
      ask.state = "no-data";
    } else if (response.rcode === NXDOMAIN) {
      ask.state = "no-name";
      ask.attempt.negativeTtl = response.negativeTtl;
    } else {
      ask.state = "failed";
    }
  }

  /** Fetches an answer that did not fit a datagram; where TCP fails, what did fit has to do. */
  #askAgainOverTcp(ask: Ask, cut: Response): void {
    const abort = new AbortController();
    ask.tcp = abort;
    ask.cut = cut;
    ask.sentAt = performance.now();
    askTcp(ask.attempt.server, ask.question!.packet, abort.signal).then(
      (bytes) => {
        const whole = parseResponse(bytes, ask.wire, ask.type);
        if (whole === null) this.#makeDo(ask);
        else this.#answered(ask, whole, true);
      },
      // A server without TCP is common enough; the lookup's own verdict says what came of it.
      () => this.#makeDo(ask),
    );
  }

  /** Takes the cut answer for the whole one, if it holds anything. */
  #makeDo(ask: Ask): void {
    if (this.#ended) return;
    ask.tcp = undefined;
    const cut = ask.cut!;
    const now = performance.now();
    if (cut.rcode === NOERROR && cut.addresses.length === 0) ask.state = "failed";
    else this.#settle(ask, cut, now);
    this.#judge(now);
  }

  /** Looks whether there is an outcome, and asks further where an answer calls for it. */
  #judge(now: number, last = false): void {
    if (this.#ended) return;
    const v6 = this.#attempts.find((a) => a.v6?.state === "found")?.v6;
    const winner = this.#attempts.find((a) => a.v4?.state === "found");
    if (winner) {
      if (!v6 && winner.v6?.state === "pending" && now < this.#graceEnds && !last) {
        if (this.#graceEnds === Infinity) this.#graceEnds = now + GRACE_MS;
        return;
      }
      this.#found(winner.v4!, v6);
      return;
    }
    if (v6 && (last || v6.attempt.v4?.state !== "pending")) {
      this.#found(v6);
      return;
    }
    let open = false;
    for (const a of this.#attempts) {
      if (verdict(a) === "no-data" && a.v6 === undefined) a.v6 = this.#ask(a, TYPE_AAAA, now);
      const v = verdict(a);
      if (v === "pending" || (v === "failed" && a.v6?.state === "pending")) open ||= a.awaited;
      if (v !== "pending" && !this.#widened && a.awaited) {
        // The name that one server says does not exist needs but one question to each of the others.
        this.#widen(v !== "no-name", now);
        open ||= this.#context.servers.length > 1;
      }
    }
    if (!open || last) this.#giveUp(now);
  }

  #found(first: Ask, second?: Ask): void {
    this.#close(performance.now());
    const addresses = second ? [...first.addresses, ...second.addresses] : first.addresses;
    const ttl = Math.min(first.ttl, second?.ttl ?? Infinity);
    this.#context.onEnd({ kind: "found", addresses, ttl });
  }

  #giveUp(now: number): void {
    this.#close(now);
    const said = { "no-name": 0, "no-data": 0, failed: 0, pending: 0, found: 0 };
    let nxdomains = 0;
    let ttl = Infinity;
    for (const a of this.#attempts) {
      const v = verdict(a);
      if (a.awaited) said[v]++;
      if (v === "no-name") {
        nxdomains++;
        ttl = Math.min(ttl, a.negativeTtl);
      }
    }
    const unanimous = said["no-name"] > 0 &&
      said["no-data"] + said.failed + said.pending === 0;
    const kind = unanimous ? "nxdomain" : said["no-data"] > 0 ? "no-address" : "resolver";
    this.#context.onEnd({
      kind,
      nxdomains,
      ttl: ttl === Infinity ? 0 : ttl,
      failed: said.failed,
      silent: said.pending,
    });
  }

  /** Stops all questions and notes which servers kept silent. */
  #close(now: number): void {
    const patience = Math.min(1000, this.#context.timeoutMs / 5);
    for (const a of this.#attempts) {
      if (!a.heard && now - a.startedAt >= patience) a.server.missed();
    }
    this.cancel();
  }
}

/**
 * What a server has said of the name so far. That there is no such name counts only of the question for IPv4:
 * servers that say it of any type they do not know are met (RFC 4074 section 4.2), as are ones that fail on it.
 */
function verdict(a: Attempt): State {
  const v4 = a.v4?.state ?? "pending";
  if (v4 !== "no-data" || a.v6 === undefined) return v4;
  return a.v6.state === "pending" ? "pending" : "no-data";
}
