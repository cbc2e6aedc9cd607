/**
 * Why a fetch failed: one error class, the classes a run counts, and the fingerprint of what no class
 * recognises.
 *
 * @module
 */

/**
 * The classes a failed fetch is counted under.
 *
 * - `dns`: no such name, no address, a resolver that failed or did not answer
 * - `timeout`: the host took longer than its deadline
 * - `refused`: refused, reset, no route, unreachable, a connection the kernel would not open
 * - `tls`: handshake or certificate
 * - `skip`: our own refusal (a private address, a port that is not for the web)
 * - `other`: none of these; see {@linkcode ErrorShapes}
 */
export type FailureKind = "dns" | "timeout" | "refused" | "tls" | "skip" | "other";

/** What a {@linkcode FetchError} may carry besides its kind and message. */
export interface FetchErrorOptions {
  /** The error that this one explains. */
  readonly cause?: unknown;
  /** A finer word than the kind, in kebab case. @default "" */
  readonly reason?: string;
}

/** Longest message kept: some of it comes off the wire. */
const MAX_MESSAGE = 1000;

/** A fetch that brought no answer, with the class it counts under. */
export class FetchError extends Error {
  /** Always `"FetchError"`. */
  override readonly name = "FetchError";
  /** The class it counts under. */
  readonly kind: FailureKind;
  /** A finer word: `nxdomain`, `no-address`, `resolver`, `private-address`, `bad-port`, `descriptors`…; `""` if there is none. */
  readonly reason: string;

  /** Makes an error of a class, with a message for people. */
  constructor(kind: FailureKind, message: string, options: FetchErrorOptions = {}) {
    super(
      message.length > MAX_MESSAGE ? message.slice(0, MAX_MESSAGE) : message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.kind = kind;
    this.reason = options.reason ?? "";
  }
}

type Verdict = readonly [kind: FailureKind, reason: string];

const REFUSED: Verdict = ["refused", ""];
const RESET: Verdict = ["refused", "reset"];
const UNREACHABLE: Verdict = ["refused", "unreachable"];
const TIMEOUT: Verdict = ["timeout", ""];
const CERTIFICATE: Verdict = ["tls", "certificate"];
const HANDSHAKE: Verdict = ["tls", "handshake"];
const OTHER: Verdict = ["other", ""];
const EOF: Verdict = ["other", "eof"];
const PLAIN_HTTP: Verdict = ["other", "plain-http"];
/** This process, or this machine, has no descriptor left: it says nothing of the host. */
const DESCRIPTORS: Verdict = ["other", "descriptors"];
const NXDOMAIN: Verdict = ["dns", "nxdomain"];
const NO_ADDRESS: Verdict = ["dns", "no-address"];
const RESOLVER: Verdict = ["dns", "resolver"];

/** By `error.code`: what libuv, getaddrinfo, OpenSSL and Deno's system errors carry. */
const BY_CODE: ReadonlyMap<string, Verdict> = new Map([
  ["ECONNREFUSED", REFUSED],
  ["ECONNRESET", RESET],
  ["ECONNABORTED", RESET],
  ["EPIPE", RESET],
  ["ENOTCONN", RESET],
  ["EHOSTUNREACH", UNREACHABLE],
  ["ENETUNREACH", UNREACHABLE],
  ["EHOSTDOWN", UNREACHABLE],
  ["ENETDOWN", UNREACHABLE],
  ["EADDRNOTAVAIL", UNREACHABLE],
  ["EACCES", REFUSED],
  ["EPERM", REFUSED],
  ["ETIMEDOUT", TIMEOUT],
  ["ETIME", TIMEOUT],
  ["ESOCKETTIMEDOUT", TIMEOUT],
  ["UND_ERR_CONNECT_TIMEOUT", TIMEOUT],
  ["UND_ERR_HEADERS_TIMEOUT", TIMEOUT],
  ["UND_ERR_BODY_TIMEOUT", TIMEOUT],
  ["ENOTFOUND", NXDOMAIN],
  ["EAI_NONAME", NXDOMAIN],
  ["ENODATA", NO_ADDRESS],
  ["EAI_NODATA", NO_ADDRESS],
  ["EAI_AGAIN", RESOLVER],
  ["EAI_FAIL", RESOLVER],
  ["ESERVFAIL", RESOLVER],
  ["EREFUSED", RESOLVER],
  ["EMFILE", DESCRIPTORS],
  ["ENFILE", DESCRIPTORS],
  ["EPROTO", HANDSHAKE],
  ["ERR_SSL_WRONG_VERSION_NUMBER", PLAIN_HTTP],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", PLAIN_HTTP],
  ["ERR_TLS_CERT_ALTNAME_INVALID", CERTIFICATE],
  ["CERT_HAS_EXPIRED", CERTIFICATE],
  ["CERT_NOT_YET_VALID", CERTIFICATE],
  ["CERT_REVOKED", CERTIFICATE],
  ["CERT_UNTRUSTED", CERTIFICATE],
  ["CERT_SIGNATURE_FAILURE", CERTIFICATE],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", CERTIFICATE],
  ["SELF_SIGNED_CERT_IN_CHAIN", CERTIFICATE],
  ["UNABLE_TO_GET_ISSUER_CERT", CERTIFICATE],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", CERTIFICATE],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", CERTIFICATE],
]);

/** By `error.name`: Deno's error classes and the platform's own. */
const BY_NAME: ReadonlyMap<string, Verdict> = new Map([
  ["ConnectionRefused", REFUSED],
  ["ConnectionReset", RESET],
  ["ConnectionAborted", RESET],
  ["BrokenPipe", RESET],
  ["NotConnected", RESET],
  ["NetworkUnreachable", UNREACHABLE],
  ["AddrNotAvailable", UNREACHABLE],
  ["PermissionDenied", REFUSED],
  ["TimedOut", TIMEOUT],
  ["TimeoutError", TIMEOUT],
  ["UnexpectedEof", EOF],
]);

/**
 * By words of the lower-cased message, first match wins. Deno gives rustls' errors as `InvalidData` and
 * some of the system's as a bare `Error`, so that the words are all there is.
 */
const BY_WORDS: readonly (readonly [words: string, verdict: Verdict])[] = [
  // What rustls says of a first byte that opens no TLS record: an http server on the port.
  ["received corrupt message of type invalidcontenttype", PLAIN_HTTP],
  ["received corrupt message", HANDSHAKE],
  ["wrong version number", PLAIN_HTTP],
  ["invalid peer certificate", CERTIFICATE],
  ["peer sent no certificates", CERTIFICATE],
  ["no certificates presented", CERTIFICATE],
  ["certificate", CERTIFICATE],
  ["received fatal alert", HANDSHAKE],
  ["peer is incompatible", HANDSHAKE],
  ["peer misbehaved", HANDSHAKE],
  ["received unexpected message", HANDSHAKE],
  ["received unexpected handshake message", HANDSHAKE],
  ["inappropriate message", HANDSHAKE],
  ["inappropriate handshake message", HANDSHAKE],
  ["any known protocol", HANDSHAKE],
  ["cannot decrypt peer", HANDSHAKE],
  ["oversized message", HANDSHAKE],
  ["ssl routines", HANDSHAKE],
  ["too many open files", DESCRIPTORS],
  ["connection refused", REFUSED],
  ["connection reset", RESET],
  ["connection aborted", RESET],
  ["forcibly closed", RESET],
  ["broken pipe", RESET],
  ["socket hang up", EOF],
  ["no route to host", UNREACHABLE],
  ["unreachable", UNREACHABLE],
  ["host is down", UNREACHABLE],
  ["network is down", UNREACHABLE],
  ["cannot assign requested address", UNREACHABLE],
  ["timed out", TIMEOUT],
  ["name or service not known", NXDOMAIN],
  ["nodename nor servname provided", NXDOMAIN],
  ["no such host", NXDOMAIN],
  ["no address associated", NO_ADDRESS],
  ["failed to lookup address", RESOLVER],
  ["temporary failure in name resolution", RESOLVER],
  ["eof", EOF],
];

/** Finds the verdict on one error, its causes not looked at. */
function judge(e: Error): Verdict | undefined {
  const code = (e as { code?: unknown }).code;
  if (typeof code === "string") {
    const byCode = BY_CODE.get(code);
    if (byCode) return byCode;
    if (code.startsWith("ERR_SSL_")) return HANDSHAKE;
  }
  const byName = BY_NAME.get(e.name);
  if (byName) return byName;
  // An answer may put what it likes in an error's text; only the beginning is read for words.
  const text = String(e.message).slice(0, MAX_MESSAGE).toLowerCase();
  for (const [words, verdict] of BY_WORDS) if (text.includes(words)) return verdict;
  return undefined;
}

/** How far a chain of causes is followed. */
const MAX_CAUSES = 8;

/**
 * Gives any thrown value as a {@linkcode FetchError}, classified by its code, its class, or the words of
 * its message, and by those of its causes when the error itself says nothing. A `FetchError` comes back as
 * it is.
 *
 * @param doing What was being done, for the message: `"connect to 192.0.2.1:443"` gives
 * `Cannot connect to 192.0.2.1:443: …`. Without it the message is the error's own.
 *
 * @example
 * ```ts
 * import { toFetchError } from "./errors.ts";
 *
 * toFetchError(new Deno.errors.ConnectionRefused("Connection refused (os error 111)")).kind; // "refused"
 * ```
 */
export function toFetchError(e: unknown, doing?: string): FetchError {
  let verdict = OTHER;
  let link: unknown = e;
  for (let i = 0; i < MAX_CAUSES && link instanceof Error; i++) {
    if (link instanceof FetchError) {
      if (link === e) return link;
      verdict = [link.kind, link.reason];
      break;
    }
    const found = judge(link);
    if (found) {
      verdict = found;
      break;
    }
    link = link instanceof AggregateError && link.errors.length > 0 ? link.errors[0] : link.cause;
  }
  const text = e instanceof Error ? e.message || e.name : String(e);
  const message = doing === undefined ? text : `Cannot ${doing}: ${text}`;
  return new FetchError(verdict[0], message, { cause: e, reason: verdict[1] });
}
