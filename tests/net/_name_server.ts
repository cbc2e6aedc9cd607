import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { Buffer } from "node:buffer";
import { decode, encode } from "dns-packet";

/** A question as a test's name server sees it. */
export interface Asked {
  readonly id: number;
  readonly name: string;
  readonly type: "A" | "AAAA";
  readonly tcp: boolean;
  /** Which arrival of this name and type over this transport it is, from 1. */
  readonly nth: number;
  readonly from: RemoteInfo | undefined;
}

/** Packets to send back, in order; none keeps silent. */
export type Handler = (q: Asked, server: NameServerForTests) => Uint8Array[];

interface Parts {
  readonly id?: number;
  readonly rcode?: number;
  readonly flags?: number;
  readonly question?: { name: string; type: string };
  readonly answers?: unknown[];
  readonly authorities?: unknown[];
}

/** Builds an answer with an independent codec. */
export function answer(q: Asked, parts: Parts = {}): Uint8Array {
  return encode({
    type: "response",
    id: parts.id ?? q.id,
    flags: 0x0180 | (parts.rcode ?? 0) | (parts.flags ?? 0),
    questions: [parts.question ?? { name: q.name, type: q.type }],
    answers: parts.answers ?? [],
    authorities: parts.authorities ?? [],
    // deno-lint-ignore no-explicit-any
  } as any);
}

/** Records for {@linkcode answer}. */
export const a = (name: string, data: string, ttl = 300) => ({ type: "A", name, ttl, data });
export const aaaa = (name: string, data: string, ttl = 300) => ({ type: "AAAA", name, ttl, data });
export const cname = (name: string, data: string, ttl = 300) => ({
  type: "CNAME",
  name,
  ttl,
  data,
});

/** Answers `A` with one address, and `AAAA` with nothing. */
export const plain = (address: string): Handler => (q) => [
  answer(q, { answers: q.type === "A" ? [a(q.name, address)] : [] }),
];
/** Says that no name exists. */
export const nxdomain: Handler = (q) => [answer(q, { rcode: 3 })];
/** Fails on everything. */
export const servfail: Handler = (q) => [answer(q, { rcode: 2 })];
/** Never answers. */
export const silent: Handler = () => [];

/** A name server on loopback, over UDP and TCP on the same port, that does what its handler says. */
export class NameServerForTests {
  readonly asked: Asked[] = [];
  readonly #udp: Socket;
  readonly #tcp: Deno.Listener | undefined;
  readonly #counts = new Map<string, number>();

  private constructor(udp: Socket, tcp: Deno.Listener | undefined, readonly handler: Handler) {
    this.#udp = udp;
    this.#tcp = tcp;
    udp.on("message", (bytes: Buffer, from: RemoteInfo) => {
      for (const packet of this.#handle(bytes, from)) this.reply(packet, from);
    });
    if (tcp) this.#serveTcp(tcp);
  }

  static async start(
    handler: Handler,
    options: { tcp?: boolean; host?: string } = {},
  ): Promise<NameServerForTests> {
    const host = options.host ?? "127.0.0.1";
    const tcp = options.tcp ? Deno.listen({ hostname: host, port: 0 }) : undefined;
    const udp = createSocket(host.includes(":") ? "udp6" : "udp4");
    const port = tcp ? (tcp.addr as Deno.NetAddr).port : 0;
    await new Promise<void>((resolve, reject) => {
      udp.once("error", reject);
      udp.bind(port, host, () => resolve());
    });
    return new NameServerForTests(udp, tcp, handler);
  }

  get address(): string {
    const { address, port } = this.#udp.address();
    return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  }

  /** Sends a packet from this server's own port. */
  reply(packet: Uint8Array, to: RemoteInfo): void {
    this.#udp.send(packet, to.port, to.address);
  }

  #handle(bytes: Uint8Array, from?: RemoteInfo): Uint8Array[] {
    const packet = decode(new Uint8Array(bytes)) as unknown as {
      id: number;
      questions: { name: string; type: "A" | "AAAA" }[];
    };
    const { name, type } = packet.questions[0]!;
    const key = `${name} ${type} ${from === undefined}`;
    const nth = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, nth);
    const asked: Asked = { id: packet.id, name, type, tcp: from === undefined, nth, from };
    this.asked.push(asked);
    return this.handler(asked, this);
  }

  async #serveTcp(listener: Deno.Listener): Promise<void> {
    for await (const conn of listener) {
      const buffer = new Uint8Array(1024);
      const n = await conn.read(buffer);
      if (n !== null) {
        for (const packet of this.#handle(buffer.subarray(2, n))) {
          const framed = new Uint8Array(2 + packet.length);
          framed.set([packet.length >> 8, packet.length & 255]);
          framed.set(packet, 2);
          await conn.write(framed);
        }
      }
      conn.close();
    }
  }

  close(): void {
    this.#udp.close();
    this.#tcp?.close();
  }
}
