/**
 * Checking the digests of a record against its block.
 *
 * @module
 */

import { createHash, type Hash } from "node:crypto";
import { concat, NONE } from "./_bytes.ts";
import { base32 } from "./_digest.ts";
import { dechunk, parseHttp } from "./http.ts";
import type { WarcRecord, WarcRecordHead } from "./reader.ts";

/** Names that writers use for the algorithms known here. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  "sha1": "sha1",
  "sha-1": "sha1",
  "sha256": "sha256",
  "sha-256": "sha256",
  "sha512": "sha512",
  "sha-512": "sha512",
  "md5": "md5",
};
/** An HTTP head is looked for in this many bytes. */
const HEAD = 1 << 20;

/** What is wrong with a digest. */
export interface DigestFault {
  readonly code: "block-digest" | "payload-digest" | "unknown-digest";
  readonly message: string;
}

interface Claim {
  readonly algorithm: string | undefined;
  readonly value: string;
}

/** Takes a record's block piece by piece and tells whether the digests it claims are true. */
export class BlockDigests {
  readonly #block: Claim | undefined;
  readonly #payload: Claim | undefined;
  readonly #blockHash: Hash | undefined;
  readonly #payloadHash: Hash | undefined;
  readonly #http: boolean;
  /** Pieces until the HTTP head is found. */
  #begin: Uint8Array[] | undefined = [];
  #beginBytes = 0;

  /** @param head What stands before the block. */
  constructor(head: WarcRecordHead) {
    this.#block = claim(head.headers.get("WARC-Block-Digest"));
    // A revisit's payload is another record's.
    this.#payload = head.type === "revisit"
      ? undefined
      : claim(head.headers.get("WARC-Payload-Digest"));
    this.#blockHash = hasher(this.#block);
    this.#payloadHash = hasher(this.#payload);
    this.#http = /^application\/http\b/i.test(head.headers.get("Content-Type") ?? "");
  }

  /** Takes a piece. */
  update(piece: Uint8Array): void {
    this.#blockHash?.update(piece);
    if (this.#payloadHash === undefined) return;
    if (!this.#http || this.#begin === undefined) {
      this.#payloadHash.update(piece);
      return;
    }
    this.#begin.push(piece);
    this.#beginBytes += piece.length;
    if (this.#beginBytes >= HEAD) this.#foundHead();
  }

  /** What is wrong, once the whole block was taken. */
  *faults(record: WarcRecord): Generator<DigestFault, void, unknown> {
    if (this.#begin !== undefined) this.#foundHead();
    for (const one of [this.#block, this.#payload]) {
      if (one !== undefined && one.algorithm === undefined) {
        yield { code: "unknown-digest", message: `the digest ${one.value} cannot be checked` };
      }
    }
    if (this.#blockHash !== undefined) {
      const digest = this.#blockHash.digest();
      if (!matches(digest, this.#block!.value)) yield wrong("block", this.#block!, digest);
    }
    if (this.#payloadHash === undefined) return;
    const digest = this.#payloadHash.digest();
    if (matches(digest, this.#payload!.value)) return;
    // Some writers digest a chunked payload as stored, some without the chunks.
    const { payload, get } = parseHttp(record.content);
    if (this.#http && /chunked/i.test(get("Transfer-Encoding") ?? "")) {
      const other = createHash(this.#payload!.algorithm!).update(dechunk(payload).content).digest();
      if (matches(other, this.#payload!.value)) return;
    }
    yield wrong("payload", this.#payload!, digest);
  }

  #foundHead(): void {
    const begin = concat([NONE, ...this.#begin ?? []]);
    this.#begin = undefined;
    this.#payloadHash?.update(this.#http ? parseHttp(begin).payload : begin);
  }
}

function claim(field: string | undefined): Claim | undefined {
  if (field === undefined) return undefined;
  const colon = field.indexOf(":");
  const algorithm = colon < 0 ? undefined : ALGORITHMS[field.slice(0, colon).toLowerCase()];
  return { algorithm, value: algorithm === undefined ? field : field.slice(colon + 1).trim() };
}

function hasher(one: Claim | undefined): Hash | undefined {
  return one?.algorithm === undefined ? undefined : createHash(one.algorithm);
}

/** Digests are written in base32, base16 or base64, with or without padding. */
function matches(digest: Uint8Array & { toString(encoding?: string): string }, value: string) {
  const bare = value.replace(/=+$/, "");
  return bare.toLowerCase() === digest.toString("hex") ||
    bare.toUpperCase() === base32Any(digest) ||
    bare.replaceAll("-", "+").replaceAll("_", "/") ===
      digest.toString("base64").replace(/=+$/, "");
}

function base32Any(digest: Uint8Array): string {
  const padded = new Uint8Array(Math.ceil(digest.length / 5) * 5);
  padded.set(digest);
  return base32(padded).slice(0, Math.ceil(digest.length * 8 / 5));
}

function wrong(what: "block" | "payload", one: Claim, digest: Uint8Array): DigestFault {
  return {
    code: `${what}-digest`,
    message: `the ${what} has the ${one.algorithm} digest ${base32Any(digest)}, not ${one.value}`,
  };
}
