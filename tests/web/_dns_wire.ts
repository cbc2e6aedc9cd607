/**
 * DNS messages (RFC 1035, 4), made and read by hand, since many of the web's must be wrong.
 *
 * @module
 */

/** Record types and response codes. */
export const A = 1;
export const AAAA = 28;
export const CNAME = 5;
export const SOA = 6;
export const SERVFAIL = 2;
export const NXDOMAIN = 3;
export const REFUSED = 5;

/** A question, as the server needs it. */
export interface Question {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  /** The question section as asked, so that its letters' case comes back. */
  readonly question: Uint8Array;
  readonly recursion: boolean;
}

/** Reads a query with one question; undefined for anything else. */
export function readQuestion(m: Uint8Array): Question | undefined {
  if (m.length < 17 || (m[2]! & 0x80) !== 0 || (m[4]! << 8 | m[5]!) !== 1) return undefined;
  let i = 12;
  const labels: string[] = [];
  for (;;) {
    const n = m[i];
    if (n === undefined || n > 63 || i + 1 + n > m.length) return undefined;
    i++;
    if (n === 0) break;
    let label = "";
    for (let j = 0; j < n; j++) label += String.fromCharCode(m[i + j]!);
    labels.push(label.toLowerCase());
    i += n;
  }
  if (i + 4 > m.length) return undefined;
  return {
    id: m[0]! << 8 | m[1]!,
    name: labels.join("."),
    type: m[i]! << 8 | m[i + 1]!,
    question: m.slice(12, i + 4),
    recursion: (m[2]! & 1) === 1,
  };
}

/** A message with answers, and with the zone's SOA where `soa` says so. */
export function message(
  q: Question,
  rcode: number,
  answers: readonly Uint8Array[],
  soa = false,
): Uint8Array {
  const authority = soa ? [record("test", SOA, 60, soaData())] : [];
  const records = [...answers, ...authority];
  let size = 12 + q.question.length;
  for (const r of records) size += r.length;
  const m = new Uint8Array(size);
  m[0] = q.id >> 8;
  m[1] = q.id & 255;
  m[2] = 0x84 | (q.recursion ? 1 : 0);
  m[3] = 0x80 | rcode;
  m[5] = 1;
  m[6] = answers.length >> 8;
  m[7] = answers.length & 255;
  m[9] = authority.length;
  m.set(q.question, 12);
  let i = 12 + q.question.length;
  for (const r of records) {
    m.set(r, i);
    i += r.length;
  }
  return m;
}

/** The same question back with nothing but the truncated bit. */
export function truncated(q: Question): Uint8Array {
  const m = message(q, 0, []);
  m[2]! |= 2;
  return m;
}

/** The message under an id that was not asked with. */
export function otherId(m: Uint8Array): Uint8Array {
  const other = m.slice();
  other[0]! ^= 0x5a;
  other[1]! ^= 0xa5;
  return other;
}

/** An answer whose owner name is a compression pointer to itself. */
export function pointerLoop(q: Question): Uint8Array {
  const at = 12 + q.question.length;
  const r = Uint8Array.of(0xc0 | at >> 8, at & 255, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1);
  return message(q, 0, [r]);
}

/** One resource record. */
export function record(owner: string, type: number, ttl: number, data: Uint8Array): Uint8Array {
  const name = wireName(owner);
  const r = new Uint8Array(name.length + 10 + data.length);
  r.set(name);
  const v = new DataView(r.buffer, name.length);
  v.setUint16(0, type);
  v.setUint16(2, 1);
  v.setUint32(4, ttl);
  v.setUint16(8, data.length);
  r.set(data, name.length + 10);
  return r;
}

/** An alias. */
export function cname(owner: string, target: string, ttl: number): Uint8Array {
  return record(owner, CNAME, ttl, wireName(target));
}

/** A question section. */
export function question(name: string, type: number): Uint8Array {
  const n = wireName(name);
  const q = new Uint8Array(n.length + 4);
  q.set(n);
  q[n.length] = type >> 8;
  q[n.length + 1] = type & 255;
  q[n.length + 3] = 1;
  return q;
}

function soaData(): Uint8Array {
  const ns = wireName("ns.test");
  const data = new Uint8Array(ns.length * 2 + 20);
  data.set(ns);
  data.set(ns, ns.length);
  const v = new DataView(data.buffer, ns.length * 2);
  [1, 3600, 600, 86_400, 60].forEach((n, i) => v.setUint32(i * 4, n));
  return data;
}

function wireName(name: string): Uint8Array {
  const labels = name.split(".");
  let size = 1;
  for (const l of labels) size += l.length + 1;
  const out = new Uint8Array(size);
  let i = 0;
  for (const l of labels) {
    out[i++] = l.length;
    for (let j = 0; j < l.length; j++) out[i++] = l.charCodeAt(j);
  }
  return out;
}

/** An IPv4 address as record data. */
export function bytes4(address: string): Uint8Array {
  return Uint8Array.from(address.split("."), Number);
}

/** An IPv6 address as record data. */
export function bytes6(address: string): Uint8Array {
  const [left = "", right = ""] = address.split("::");
  const head = left === "" ? [] : left.split(":");
  const tail = right === "" ? [] : right.split(":");
  const groups = [...head, ...new Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return Uint8Array.from(groups.flatMap((g) => [parseInt(g, 16) >> 8, parseInt(g, 16) & 255]));
}
