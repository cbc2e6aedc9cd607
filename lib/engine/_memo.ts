/**
 * What a crawl that comes back keeps about a page between two visits: what to ask with, what to compare with,
 * and the record that holds what it had.
 */

import { createHash } from "node:crypto";
import type { VisitVerdict } from "../tiers/revisit.ts";
import type { Exchange } from "../net/mod.ts";
import type { RecordReference } from "../warc/mod.ts";
import type { Archived } from "./archiver.ts";
import { encodeBase32 } from "./base32.ts";
import { conditionsOf } from "./validators.ts";

/** What is kept of a page's last visit that was an answer. */
export interface PageMemo {
  readonly status: number;
  /** Base32 SHA-1 of the decoded body; of a redirect, of where it leads. */
  readonly digest: string;
  /** Validators; empty where there are none, or where a 304 would refer to nothing whole. */
  readonly etag: string;
  readonly lastModified: string;
  /** Unix ms of that visit. */
  readonly visited: number;
  /** The record that holds the payload, and that payload's digest, with its `sha1:`. */
  readonly record?: RecordReference & { readonly payloadDigest: string };
}

/** Longest validator that is kept and sent back. */
const MAX_VALIDATOR = 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** As the frontier keeps it. */
export function encodeMemo(
  { status, digest, etag, lastModified, visited, record }: PageMemo,
): Uint8Array {
  const row: unknown[] = [status, digest, etag, lastModified, visited];
  if (record !== undefined) {
    row.push(record.recordId, record.url, record.date, record.payloadDigest);
  }
  return encoder.encode(JSON.stringify(row));
}

/** Undefined for a page that was visited and never answered. */
export function decodeMemo(bytes: Uint8Array | undefined): PageMemo | undefined {
  if (bytes === undefined || bytes.length === 0) return undefined;
  const [status, digest, etag, lastModified, visited, recordId, url, date, payloadDigest] = JSON
    .parse(
      decoder.decode(bytes),
    ) as [number, string, string, string, number, string?, string?, string?, string?];
  return {
    status,
    digest,
    etag,
    lastModified,
    visited,
    ...(recordId === undefined
      ? {}
      : { record: { recordId, url: url!, date: date!, payloadDigest: payloadDigest! } }),
  };
}

/** Whether a page is asked for on conditions: only then a 304 speaks of what we have. */
export function isAskedOnCondition(memo: PageMemo | undefined): boolean {
  return conditionsOf(memo).length > 0;
}

/** The validators that an answer came with. */
export function validatorsOf({ headers }: Pick<Exchange, "headers">): {
  etag: string;
  lastModified: string;
} {
  let etag = "", lastModified = "";
  for (const [name, value] of headers) {
    if (value.length > MAX_VALIDATOR) continue;
    const lower = name.toLowerCase();
    if (lower === "etag") etag ||= value;
    else if (lower === "last-modified") lastModified ||= value;
  }
  return { etag, lastModified };
}

/** What a visit showed, and what is to be kept; nothing new where the server was only not well. */
export interface Visited {
  readonly verdict: VisitVerdict;
  readonly memo?: PageMemo;
}

/** An answer that is archived. */
export interface VisitAnswer {
  readonly status: number;
  readonly date: number;
  readonly truncated: boolean;
  /** Where it leads; empty where that is nowhere. */
  readonly target: string;
  readonly etag: string;
  readonly lastModified: string;
}

/**
 * Judges a visit by what was kept before.
 *
 * @param archived Whether records are written at all.
 */
export function judgeVisit(
  before: PageMemo | undefined,
  answer: VisitAnswer,
  page: Pick<Archived, "digest" | "payloadDigest" | "payloadRecord" | "file">,
  archived: boolean,
): Visited {
  const { status, date, truncated, target } = answer;
  if (status === 429 || status >= 500) return { verdict: "unknown" };
  if (status === 304) {
    if (before === undefined || !isAskedOnCondition(before)) return { verdict: "unknown" };
    return {
      verdict: "unchanged",
      memo: {
        ...before,
        visited: date,
        etag: answer.etag || before.etag,
        lastModified: answer.lastModified || before.lastModified,
      },
    };
  }
  // What redirects and refusals have for a body is written for the moment (the time, a number of the
  // request): pages that are gone would be visited the most often of all.
  const digest = target === "" ? page.digest : sha1(target);
  const same = before !== undefined && before.status === status &&
    (status >= 400 || before.digest === digest);
  const stored = !truncated && page.payloadRecord !== undefined && page.payloadDigest !== ""
    ? { ...page.payloadRecord, payloadDigest: page.payloadDigest }
    : undefined;
  // A 304 says that what we have is whole and what the server has: so we must have it.
  const conditional = status === 200 && !truncated && (!archived || page.file !== "");
  return {
    verdict: before === undefined ? "unknown" : same ? "unchanged" : "changed",
    memo: {
      status,
      digest,
      etag: conditional ? answer.etag : "",
      lastModified: conditional ? answer.lastModified : "",
      visited: date,
      ...(stored === undefined ? {} : { record: stored }),
    },
  };
}

function sha1(text: string): string {
  return encodeBase32(createHash("sha1").update(text).digest());
}
