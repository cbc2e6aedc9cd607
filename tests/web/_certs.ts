/**
 * A certificate authority in a few lines: EC keys, X.509 v3 written straight as DER, so that a web with https
 * starts as fast as one without. RFC 5280 names the fields.
 *
 * @module
 */

import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";

/** What a certificate says. */
export interface CertificateRequest {
  /** Common name of the subject. */
  readonly name: string;
  /** DNS names and IPv4 addresses it is good for. */
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const DAY = 86_400_000;

/** An authority, which signs what it is asked to. */
export class Authority {
  readonly #key: KeyObject;
  readonly #name: Uint8Array;
  /** Its own certificate. */
  readonly pem: string;

  constructor(name: string) {
    this.#key = newKey();
    this.#name = distinguishedName(name);
    const now = Date.now();
    const der = certificate({
      issuer: this.#name,
      subject: this.#name,
      publicKey: this.#key,
      signer: this.#key,
      notBefore: new Date(now - DAY),
      notAfter: new Date(now + 30 * DAY),
      extensions: [
        extension("2.5.29.19", true, sequence(der1(0x01, Uint8Array.of(0xff)))),
        // keyCertSign and cRLSign.
        extension("2.5.29.15", true, der1(0x03, Uint8Array.of(1, 0x06))),
      ],
    });
    this.pem = pem("CERTIFICATE", der);
  }

  /** A server certificate in PEM for `key`. */
  issue(request: CertificateRequest, key: KeyObject): string {
    return pem(
      "CERTIFICATE",
      certificate({
        issuer: this.#name,
        subject: distinguishedName(request.name),
        publicKey: key,
        signer: this.#key,
        notBefore: request.notBefore,
        notAfter: request.notAfter,
        extensions: leafExtensions(request.names),
      }),
    );
  }
}

/** A server certificate that is its own issuer. */
export function selfSigned(request: CertificateRequest, key: KeyObject): string {
  const name = distinguishedName(request.name);
  return pem(
    "CERTIFICATE",
    certificate({
      issuer: name,
      subject: name,
      publicKey: key,
      signer: key,
      notBefore: request.notBefore,
      notAfter: request.notAfter,
      extensions: leafExtensions(request.names),
    }),
  );
}

/** A new private key on P-256. */
export function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** A private key in PEM (PKCS #8). */
export function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

interface Certificate {
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Uint8Array[];
}

/** RFC 5280, 4.1: the certificate, signed. */
function certificate(c: Certificate): Uint8Array {
  const algorithm = sequence(oid("1.2.840.10045.4.3.2")); // ecdsa-with-SHA256
  const serial = randomBytes(16);
  serial[0] = serial[0]! & 0x7f | 0x40;
  const body = sequence(
    der1(0xa0, der1(0x02, Uint8Array.of(2))),
    der1(0x02, serial),
    algorithm,
    c.issuer,
    sequence(time(c.notBefore), time(c.notAfter)),
    c.subject,
    new Uint8Array(createPublicKey(c.publicKey).export({ type: "spki", format: "der" })),
    der1(0xa3, sequence(...c.extensions)),
  );
  const signature = new Uint8Array(sign("sha256", body, c.signer));
  return sequence(body, algorithm, der1(0x03, Uint8Array.of(0), signature));
}

function leafExtensions(names: readonly string[]): Uint8Array[] {
  const alternatives = names.map((n) =>
    /^\d+\.\d+\.\d+\.\d+$/.test(n)
      ? der1(0x87, Uint8Array.from(n.split("."), Number))
      : der1(0x82, new TextEncoder().encode(n))
  );
  return [
    extension("2.5.29.19", true, sequence()),
    extension("2.5.29.15", true, der1(0x03, Uint8Array.of(7, 0x80))), // digitalSignature
    extension("2.5.29.37", false, sequence(oid("1.3.6.1.5.5.7.3.1"))), // serverAuth
    extension("2.5.29.17", false, sequence(...alternatives)),
  ];
}

function extension(id: string, critical: boolean, value: Uint8Array): Uint8Array {
  const octets = der1(0x04, value);
  return critical
    ? sequence(oid(id), der1(0x01, Uint8Array.of(0xff)), octets)
    : sequence(oid(id), octets);
}

function distinguishedName(common: string): Uint8Array {
  const text = der1(0x0c, new TextEncoder().encode(common.slice(0, 64)));
  return sequence(der1(0x31, sequence(oid("2.5.4.3"), text)));
}

function time(at: Date): Uint8Array {
  const digits = at.toISOString().replaceAll(/[-:T]/g, "").slice(2, 14) + "Z";
  return der1(0x17, new TextEncoder().encode(digits));
}

function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return der1(0x30, ...parts);
}

/** One DER value: tag, length, contents. */
function der1(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const p of parts) size += p.length;
  const head = size < 128
    ? [tag, size]
    : size < 256
    ? [tag, 0x81, size]
    : [tag, 0x82, size >> 8, size & 255];
  const out = new Uint8Array(head.length + size);
  out.set(head);
  let at = head.length;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

function oid(dotted: string): Uint8Array {
  const [a = 0, b = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [a * 40 + b];
  for (const n of rest) {
    const groups = [n & 127];
    for (let r = n >>> 7; r > 0; r >>>= 7) groups.unshift(r & 127 | 128);
    bytes.push(...groups);
  }
  return der1(0x06, Uint8Array.from(bytes));
}

function pem(label: string, der: Uint8Array): string {
  const text = btoa(String.fromCharCode(...der)).replaceAll(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;
}
