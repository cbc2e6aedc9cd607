/**
 * The part of RFC 1035's message format that asking for addresses needs. Names are held in wire form (length
 * octets and all, lower-cased, one character a byte), in which two names are equal exactly when they are the
 * same name, whatever bytes a hostile label holds.
 *
 * @module
 */
import { formatAddress } from "./address.ts";

/** Record types (RFC 1035 section 3.2.2, RFC 3596). */
export const TYPE_A = 1;
export const TYPE_AAAA = 28;
const TYPE_CNAME = 5;
const TYPE_SOA = 6;
const CLASS_IN = 1;

/** Response codes that mean something to us (RFC 1035 section 4.1.1). */
export const NOERROR = 0;
export const NXDOMAIN = 3;
/** Stands for an answer that cannot be read. */
export const MALFORMED = -1;

/** Most records read of one section, most addresses kept, and most links of an alias chain followed in a message. */
const MAX_RECORDS = 256;
const MAX_ADDRESSES = 16;
const MAX_ALIASES = 16;

/**
 * Gives a host name (lower case, no trailing dot) in wire form; `null` if it cannot be a name on the
 * internet: an empty label, one over 63 bytes, over 253 bytes in all, or a character outside printable ASCII.
 */
export function encodeName(name: string): string | null {
  if (name.length === 0 || name.length > 253) return null;
  let wire = "";
  let start = 0;
  for (let i = 0; i <= name.length; i++) {
    const c = i < name.length ? name.charCodeAt(i) : 0x2e;
    if (c === 0x2e) {
      const length = i - start;
      if (length === 0 || length > 63) return null;
      wire += String.fromCharCode(length) + name.slice(start, i);
      start = i + 1;
    } else if (c <= 0x20 || c >= 0x7f) return null;
  }
  return wire + "\0";
}

/** Builds a query for one record type, recursion desired. */
export function buildQuery(id: number, wire: string, type: number): Uint8Array {
  const b = new Uint8Array(12 + wire.length + 4);
  b[0] = id >> 8;
  b[1] = id & 255;
  b[2] = 1;
  b[5] = 1;
  let p = 12;
  for (let i = 0; i < wire.length; i++) b[p++] = wire.charCodeAt(i);
  b[p + 1] = type;
  b[p + 3] = CLASS_IN;
  return b;
}

/** What a name server said. */
export interface Response {
  /** The response code, or {@linkcode MALFORMED}. */
  readonly rcode: number;
  /** Cut to fit a datagram: to be asked again over TCP. */
  readonly truncated: boolean;
  /** Addresses of the name or of what it is an alias of, in the order given, at most 16. */
  readonly addresses: readonly string[];
  /** Seconds the addresses or the alias may be kept. */
  readonly ttl: number;
  /** Where the alias chain ends when the message holds no address for it; `null` without one. */
  readonly alias: string | null;
  /** Seconds that the absence of the name may be kept (RFC 2308 section 5); 0 if not said. */
  readonly negativeTtl: number;
}

const UNREADABLE: Response = {
  rcode: MALFORMED,
  truncated: false,
  addresses: [],
  ttl: 0,
  alias: null,
  negativeTtl: 0,
};

/** Names are put together here, lower-cased; reading is synchronous. */
const NAME = new Uint8Array(256);

/** The first bytes of {@linkcode NAME} as a string. */
function nameSoFar(length: number): string {
  return String.fromCharCode.apply(null, NAME.subarray(0, length) as unknown as number[]);
}

/** Walks a message; every read is checked against its end. */
class Reader {
  /** @param question The name asked, which begins at byte 12 once {@linkcode Reader.asks} has said so. */
  constructor(readonly bytes: Uint8Array, public at: number, readonly question: string) {}

  /** Whether the question's name stands at byte 12, uncompressed, in any case; stands after it if so. */
  asks(): boolean {
    const b = this.bytes;
    const { question } = this;
    if (12 + question.length > b.length) return false;
    for (let i = 0; i < question.length; i++) {
      const c = b[12 + i]!;
      if ((c >= 0x41 && c <= 0x5a ? c + 0x20 : c) !== question.charCodeAt(i)) return false;
    }
    this.at = 12 + question.length;
    return true;
  }

  u16(at: number): number {
    return this.bytes[at]! << 8 | this.bytes[at + 1]!;
  }

  u32(at: number): number {
    return (this.u16(at) << 16 | this.u16(at + 2)) >>> 0;
  }

  /**
   * Reads a name and stands after it; `null` if it is malformed. A pointer must go to before where the last
   * one went, so that a chain of them ends (RFC 1035 section 4.1.4: "a prior occurrence").
   */
  name(): string | null {
    const b = this.bytes;
    let n = 0;
    let p = this.at;
    let limit = p;
    let after = -1;
    while (p < b.length) {
      const length = b[p]!;
      if (length === 0) {
        this.at = after < 0 ? p + 1 : after;
        NAME[n++] = 0;
        return nameSoFar(n);
      }
      if (length >= 0xc0) {
        if (p + 1 >= b.length) return null;
        const target = this.u16(p) & 0x3fff;
        if (after < 0) after = p + 2;
        if (target >= limit) return null;
        // What nearly every record of an answer says: the name that was asked.
        if (target === 12 && n + this.question.length <= 255) {
          this.at = after;
          return n === 0 ? this.question : nameSoFar(n) + this.question;
        }
        limit = p = target;
        continue;
      }
      if (length >= 0x40 || p + 1 + length > b.length || n + length > 253) return null;
      NAME[n++] = length;
      for (let i = p + 1; i <= p + length; i++) {
        const c = b[i]!;
        NAME[n++] = c >= 0x41 && c <= 0x5a ? c + 0x20 : c;
      }
      p += 1 + length;
    }
    return null;
  }
}

/**
 * Reads a message as the answer to a question; `null` if it is none (another question, a query, not DNS),
 * which is then as if it had never come. One that is ours but cannot be read has `rcode` MALFORMED.
 */
export function parseResponse(bytes: Uint8Array, wire: string, type: number): Response | null {
  if (bytes.length < 12) return null;
  const r = new Reader(bytes, 12, wire);
  if ((bytes[2]! & 0xf8) !== 0x80) return null; // QR set, opcode QUERY
  const rcode = bytes[3]! & 15;
  const questions = r.u16(4);
  // A server that could not read the query may send the header alone back.
  if (questions === 0 && rcode !== NOERROR && rcode !== NXDOMAIN) return { ...UNREADABLE, rcode };
  if (questions !== 1 || !r.asks() || r.at + 4 > bytes.length) return null;
  if (r.u16(r.at) !== type || r.u16(r.at + 2) !== CLASS_IN) return null;
  r.at += 4;
  const truncated = (bytes[2]! & 2) !== 0;
  const answers = readAnswers(r, r.u16(6), type);
  if (answers === null) return truncated ? { ...UNREADABLE, truncated } : UNREADABLE;
  const found = follow(answers, wire);
  const negative = found.addresses.length === 0 && !truncated && answers.whole;
  return {
    rcode,
    truncated,
    ...found,
    negativeTtl: negative ? readNegativeTtl(r, r.u16(8)) : 0,
  };
}

interface Answers {
  readonly aliases: Map<string, { readonly target: string; readonly ttl: number }>;
  readonly addresses: { readonly owner: string; readonly address: string; readonly ttl: number }[];
  /** Whether the section was read to its end. */
  readonly whole: boolean;
}

/** Reads the answer section; what a count promises and the message does not hold makes it malformed. */
function readAnswers(r: Reader, count: number, type: number): Answers | null {
  const aliases: Answers["aliases"] = new Map();
  const addresses: Answers["addresses"] = [];
  const size = type === TYPE_A ? 4 : 16;
  for (let i = 0; i < count && i < MAX_RECORDS; i++) {
    const owner = r.name();
    const head = r.at;
    if (owner === null || head + 10 > r.bytes.length) return null;
    const kind = r.u16(head);
    const length = r.u16(head + 8);
    const data = head + 10;
    const end = data + length;
    if (end > r.bytes.length) return null;
    const ttl = toTtl(r.u32(head + 4));
    if (r.u16(head + 2) === CLASS_IN) {
      if (kind === type) {
        if (length !== size) return null;
        if (addresses.length < MAX_RECORDS) {
          addresses.push({ owner, address: formatAddress(r.bytes.subarray(data, end)), ttl });
        }
      } else if (kind === TYPE_CNAME) {
        r.at = data;
        const target = r.name();
        if (target === null || r.at !== end) return null;
        if (!aliases.has(owner)) aliases.set(owner, { target, ttl });
      }
    }
    r.at = end;
  }
  return { aliases, addresses, whole: count <= MAX_RECORDS };
}

/** RFC 2181 section 8: with the highest bit set it is to be read as zero. */
function toTtl(value: number): number {
  return value > 0x7fffffff ? 0 : value;
}

/** Follows the aliases from a name to the first that has addresses; records of other names count for nothing. */
function follow(
  answers: Answers,
  wire: string,
): { addresses: string[]; ttl: number; alias: string | null } {
  let name = wire;
  let ttl = 0x7fffffff;
  for (let i = 0; i <= MAX_ALIASES; i++) {
    const own: string[] = [];
    for (const a of answers.addresses) {
      if (a.owner !== name || own.length === MAX_ADDRESSES) continue;
      own.push(a.address);
      ttl = Math.min(ttl, a.ttl);
    }
    if (own.length > 0) return { addresses: own, ttl, alias: null };
    const next = answers.aliases.get(name);
    if (!next) break;
    name = next.target;
    ttl = Math.min(ttl, next.ttl);
  }
  return { addresses: [], ttl, alias: name === wire ? null : name };
}

/** The lesser of the SOA record's own TTL and its MINIMUM field, from the authority section; 0 without one. */
function readNegativeTtl(r: Reader, count: number): number {
  for (let i = 0; i < count && i < MAX_RECORDS; i++) {
    const owner = r.name();
    const head = r.at;
    if (owner === null || head + 10 > r.bytes.length) return 0;
    const end = head + 10 + r.u16(head + 8);
    if (end > r.bytes.length) return 0;
    if (r.u16(head) === TYPE_SOA && end - head >= 10 + 22) {
      return Math.min(toTtl(r.u32(head + 4)), toTtl(r.u32(end - 4)));
    }
    r.at = end;
  }
  return 0;
}
