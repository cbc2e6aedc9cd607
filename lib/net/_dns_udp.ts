import { createSocket, type Socket } from "node:dgram";
import { formatAddress, parseAddress } from "./address.ts";
import type { NameServer } from "./resolv_conf.ts";
import { buildQuery, parseResponse, type Response } from "./_dns_wire.ts";

/** Source sockets a family: an off-path forger has to guess the port among these besides the id. */
const SOCKETS = 4;
/**
 * What is set aside for each datagram; answers to questions as ours have 512 bytes at the most. Left alone the
 * runtime takes fresh 64 KB every time, which is most of what a datagram costs. Where the kernel is told instead,
 * it is room for some twenty answers that came at once.
 */
const RECEIVE_BYTES = 16 * 1024;

/** What becomes of a question: an answer to it, or a failure to send it. */
export interface QuestionEvents {
  /** A datagram from the server asked, with the id and question asked. */
  answered(response: Response): void;
  /** The machine would not send it: no route, no socket. */
  unsendable(error: Error): void;
}

/** One question to one server, until it is answered or cancelled. */
export class Question {
  /** The query as sent. */
  readonly packet: Uint8Array;

  constructor(
    readonly socket: QuerySocket,
    readonly id: number,
    readonly server: NameServer,
    readonly wire: string,
    readonly type: number,
    readonly events: QuestionEvents,
  ) {
    this.packet = buildQuery(id, wire, type);
  }

  /** Sends it, the first time or once more. */
  send(): void {
    this.socket.send(this);
  }

  /** Forgets it: an answer that comes later is not looked at. */
  cancel(): void {
    this.socket.pending.delete(this.id);
  }
}

/** One UDP socket and the questions out on it. */
class QuerySocket {
  readonly pending = new Map<number, Question>();
  readonly #socket: Socket;

  constructor(family: "udp4" | "udp6", onBroken: (s: QuerySocket) => void) {
    this.#socket = createSocket(family);
    // An idle resolver must not keep the process; the owner's timer does while questions are out.
    this.#socket.unref();
    this.#socket.once("listening", () => this.#socket.setRecvBufferSize(RECEIVE_BYTES / 2));
    this.#socket.on("message", (bytes, from) => this.#receive(bytes, from.address, from.port));
    this.#socket.on("error", (error) => {
      onBroken(this);
      for (const q of [...this.pending.values()]) {
        q.cancel();
        q.events.unsendable(error);
      }
      this.close();
    });
  }

  send(q: Question): void {
    this.#socket.send(q.packet, q.server.port, q.server.address, (error) => {
      if (error && this.pending.get(q.id) === q) {
        q.cancel();
        q.events.unsendable(error);
      }
    });
  }

  #receive(bytes: Uint8Array, address: string, port: number): void {
    if (bytes.length < 12) return;
    const q = this.pending.get(bytes[0]! << 8 | bytes[1]!);
    if (q === undefined || port !== q.server.port || !sameAddress(address, q.server.address)) {
      return;
    }
    const response = parseResponse(bytes, q.wire, q.type);
    if (response === null) return;
    q.cancel();
    q.events.answered(response);
  }

  close(): void {
    try {
      this.#socket.close();
    } catch (e) {
      // A socket that broke may be closed already; anything else is a fault of ours.
      if ((e as { code?: string }).code !== "ERR_SOCKET_DGRAM_NOT_RUNNING") throw e;
    }
  }
}

function sameAddress(text: string, canonical: string): boolean {
  if (text === canonical) return true;
  const bytes = parseAddress(text);
  return bytes !== null && formatAddress(bytes) === canonical;
}

/** A handful of sockets, opened when first needed, over which questions are spread at random. */
export class UdpClient {
  readonly #sockets = new Map<string, QuerySocket>();
  readonly #random: () => number;

  /** @param random A number from 0 up to 1, unpredictable to others. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Prepares a question; it goes out with {@linkcode Question.send}. */
  question(server: NameServer, wire: string, type: number, events: QuestionEvents): Question {
    const family = server.address.includes(":") ? "udp6" : "udp4";
    const key = `${family} ${Math.floor(this.#random() * SOCKETS)}`;
    let socket = this.#sockets.get(key);
    if (!socket) {
      socket = new QuerySocket(family, () => this.#sockets.delete(key));
      this.#sockets.set(key, socket);
    }
    let id = Math.floor(this.#random() * 65536);
    // Lookups are bounded far below 65536, so a free id is near.
    while (socket.pending.has(id)) id = (id + 1) & 0xffff;
    const q = new Question(socket, id, server, wire, type, events);
    socket.pending.set(id, q);
    return q;
  }

  /** Closes every socket. */
  close(): void {
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
  }
}
