/**
 * The engine inside a zlib stream, used synchronously and again and again.
 *
 * `gzipSync` and its kin set up and tear down an engine for every call, which costs more than
 * compressing a small record. The insides of a stream object are not documented, so whoever uses
 * them tries out first whether they do what is expected, and has the plain way to fall back on.
 *
 * @module
 */

/** What Deno and Node keep behind a zlib stream. */
interface Handle {
  reset(): void;
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
  onerror: unknown;
}

/** The engine inside a stream of zlib, brotli or zstd. */
export class Engine {
  // The stream is held so that nobody collects it while its engine is in use.
  readonly #stream: { readonly _handle: Handle };
  /** Output bytes left, input bytes left, as of the last call. */
  readonly #state: Uint32Array;
  #failed = false;

  private constructor(stream: { readonly _handle: Handle }, state: Uint32Array) {
    this.#stream = stream;
    this.#state = state;
    stream._handle.onerror = () => {
      this.#failed = true;
    };
  }

  /** The engine inside a stream made by `createDeflateRaw` and the like, where it can be found. */
  static inside(stream: object): Engine | undefined {
    const { _handle, _writeState } = stream as { _handle?: Partial<Handle>; _writeState?: unknown };
    if (typeof _handle?.reset !== "function" || typeof _handle.writeSync !== "function") {
      return undefined;
    }
    if (!(_writeState instanceof Uint32Array) || _writeState.length < 2) return undefined;
    return new Engine(stream as { _handle: Handle }, _writeState);
  }

  /** Forgets all that was before. */
  reset(): void {
    this.#failed = false;
    this.#stream._handle.reset();
  }

  /** Works on input from `at` and puts the output at `outAt`; whether the input was any good. */
  work(flush: number, input: Uint8Array, at: number, output: Uint8Array, outAt: number): boolean {
    const { length } = input;
    const room = output.length - outAt;
    try {
      this.#stream._handle.writeSync(flush, input, at, length - at, output, outAt, room);
    } catch {
      // zstd throws where the others call back.
      this.#failed = true;
    }
    return !this.#failed;
  }

  /** Bytes of the output that are still free. */
  get outLeft(): number {
    return this.#state[0]!;
  }

  /** Bytes of the input that were not used. */
  get inLeft(): number {
    return this.#state[1]!;
  }

  /** Whether the input was no good since the last reset. */
  get failed(): boolean {
    return this.#failed;
  }
}
