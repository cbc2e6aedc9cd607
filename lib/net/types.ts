/**
 * The shapes that the fetch client speaks: what is asked, what came back.
 *
 * @module
 */

/** Why an answer's body is shorter than what the server meant to send (WARC-Truncated's words). */
export type Truncation = "length" | "time" | "disconnect";

/** One GET to one host. Addresses are resolved, judged and pinned by the client. */
export interface ExchangeRequest {
  /** Absolute http: or https: URL; the fragment is not sent. */
  readonly url: URL;
  /** Header lines after `Host`, in the order they are sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * Milliseconds for connecting, sending and reading. Time spent waiting in `perIp` is not counted.
   * When it runs out inside a body the answer is kept and marked `time`; before the head it is an error.
   */
  readonly timeoutMs: number;
  /** Most body bytes taken off the wire after transfer coding is removed. @default 10 MiB */
  readonly bodyCap?: number;
  /** Keep the wire bytes of the final answer whole in {@linkcode Exchange.wire}. @default false */
  readonly keepWire?: boolean;
  /** Called at the moment the request's bytes are handed to the socket, with `performance.now()`. */
  readonly onSent?: (at: number) => void;
  /**
   * Called when the system has taken all of the request's bytes, with `performance.now()`: on a busy
   * machine that is later than `onSent` says. Not called for a request that could not be written.
   */
  readonly onWritten?: (at: number) => void;
  /**
   * Waited for before the request is sent a second time, because a kept connection ended under the first:
   * the server may have read that one. The wait is not counted in `timeoutMs`. What it throws ends the
   * exchange. @default sent again at once
   */
  readonly beforeAgain?: (signal: AbortSignal) => Promise<void>;
  /** When bytes come in, `at` is set to `performance.now()` and `bytes` grows by their number. */
  readonly progress?: { at: number; bytes: number };
  /** Ends the exchange at once; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** One request and the final answer to it. All bytes are the server's own. */
export interface Exchange {
  /** What was asked for. */
  readonly url: URL;
  /** The three digits of the status line; 200 for an HTTP/0.9 answer. */
  readonly status: number;
  /** `HTTP/1.1`, `HTTP/1.0`, `ICY`, or `HTTP/0.9` where no status line was sent. */
  readonly version: string;
  /** Status line and header lines as served, through the blank line; empty for HTTP/0.9. */
  readonly head: Uint8Array;
  /** Header fields in the order served; names as served, folded lines unfolded, Latin-1 decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body with transfer coding removed and content coding kept. */
  readonly body: Uint8Array;
  /** The answer's bytes as they crossed the wire (head, chunk framing and all), when asked for. */
  readonly wire?: Uint8Array;
  /** Why the body is shorter than the server meant it to be; undefined where it is whole. */
  readonly truncated?: Truncation;
  /** The exact request bytes that were sent. */
  readonly request: Uint8Array;
  /** Address that answered, without brackets. */
  readonly ip: string;
  /** Its port. */
  readonly port: number;
  /** Whether the connection had carried an earlier exchange. */
  readonly reused: boolean;
  /** Whether the connection was kept for the next exchange. */
  readonly kept: boolean;
  /** Wall clock (unix ms) when the request went out. */
  readonly date: number;
  /** `performance.now()` when the request went out, when the first byte and the last byte came. */
  readonly sentAt: number;
  /** `performance.now()` when the answer's first byte came. */
  readonly firstByteAt: number;
  /** `performance.now()` when its last byte came. */
  readonly endedAt: number;
}
