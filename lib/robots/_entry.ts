/**
 * A robots.txt answer as the durable store keeps it: version, status (two bytes, big-endian), failure,
 * how the body is coded, and the body itself. The body is kept as it came, not as it was understood, so
 * that another user agent or a better parser reads it anew.
 */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { PARSE_LIMIT } from "./parse.ts";
import type { RobotsAnswer, RobotsFailure } from "./types.ts";

const VERSION = 1;
const HEADER = 5;
const RAW = 0;
const DEFLATED = 1;
/** Bodies below this are not worth the deflating. */
const SMALL = 512;

const FAILURES: readonly RobotsFailure[] = ["other", "dns", "timeout", "refused", "tls", "skip"];

export function encodeEntry(answer: RobotsAnswer): Uint8Array {
  const parsed = answer.status >= 200 && answer.status < 300;
  // One byte beyond the limit shows the parser, again, that the file was cut there.
  const body = parsed ? answer.body.subarray(0, PARSE_LIMIT + 1) : new Uint8Array();
  const coded = body.length < SMALL ? body : deflateRawSync(body, { level: 1 });
  const out = new Uint8Array(HEADER + coded.length);
  out[0] = VERSION;
  out[1] = answer.status >> 8;
  out[2] = answer.status & 0xff;
  out[3] = Math.max(0, FAILURES.indexOf(answer.failure ?? "other"));
  out[4] = coded === body ? RAW : DEFLATED;
  out.set(coded, HEADER);
  return out;
}

/** The answer; undefined for a value of another version, or none of ours: the host is asked anew. */
export function decodeEntry(value: Uint8Array): RobotsAnswer | undefined {
  if (value.length < HEADER || value[0] !== VERSION) return undefined;
  const status = value[1]! << 8 | value[2]!;
  const failure = FAILURES[value[3]!];
  if (failure === undefined || value[4]! > DEFLATED) return undefined;
  let body: Uint8Array = value.subarray(HEADER);
  if (value[4] === DEFLATED) {
    try {
      body = inflateRawSync(body, { maxOutputLength: PARSE_LIMIT + 1 });
    } catch (error) {
      // A damaged value is no answer; anything but zlib's own complaint is a fault of ours.
      if (!(error instanceof Error && /^(?:Z_|ERR_BUFFER_TOO_LARGE)/.test(codeOf(error)))) {
        throw error;
      }
      return undefined;
    }
  }
  return status === 0 ? { status, body, failure } : { status, body };
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
