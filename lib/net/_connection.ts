import type { Transport } from "./connect.ts";

/** What one read takes in: a page of 20 KB in one go, and the most a TLS record holds. */
const BUFFER_SIZE = 32 * 1024;
/** Most buffers kept for reuse. */
const MAX_FREE = 256;

const free: Uint8Array<ArrayBuffer>[] = [];

/** An open connection and its read buffer. */
export class Connection {
  readonly key: string;
  readonly ip: string;
  readonly port: number;
  /** How many answers it has carried. */
  carried = 0;
  /** Told once when the connection closes. */
  onClose: (() => void) | undefined;
  readonly #transport: Transport;
  #buffer: Uint8Array<ArrayBuffer> | undefined;
  #pending: Promise<number | null> | undefined;
  #reading = false;
  #disturbed = false;
  #closed = false;

  /** A connection to `ip`, for exchanges with the host that `key` stands for. */
  constructor(transport: Transport, key: string, ip: string, port: number) {
    this.#transport = transport;
    this.key = key;
    this.ip = ip;
    this.port = port;
  }

  /** Whether it was closed, from this side. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Whether something came, or the end, while it was watched, or it was closed. */
  get disturbed(): boolean {
    return this.#closed || this.#disturbed;
  }

  /** Writes everything. */
  async write(bytes: Uint8Array): Promise<void> {
    let at = await this.#transport.write(bytes);
    while (at < bytes.length) at += await this.#transport.write(bytes.subarray(at));
  }

  /**
   * Reads on: how many bytes came, `null` at the end. To be followed by {@linkcode Connection.taken} when it
   * settles, either way.
   */
  read(): Promise<number | null> {
    this.#buffer ??= free.pop() ?? new Uint8Array(BUFFER_SIZE);
    this.#reading = true;
    // Until it settles the buffer is the runtime's, also when the connection is closed.
    return this.#pending ??= this.#transport.read(this.#buffer);
  }

  /** Ends a read that brought `n` bytes and gives them, valid until the next. */
  taken(n: number): Uint8Array {
    const buffer = this.#buffer!;
    this.#reading = false;
    this.#pending = undefined;
    // With bytes in it that somebody reads, the buffer of a closed connection goes to nobody else.
    if (this.#closed && n === 0) this.#giveBack();
    return n === buffer.length ? buffer : buffer.subarray(0, n);
  }

  /**
   * Watches a connection that nothing is expected on: `onEvent` is called if bytes or the end come before
   * the next {@linkcode Connection.read}, which else goes on where this leaves off.
   */
  watch(onEvent: () => void): void {
    const buffer = this.#buffer ??= free.pop() ?? new Uint8Array(BUFFER_SIZE);
    const reading = this.#transport.read(buffer);
    this.#pending = reading;
    const settled = () => {
      if (!this.#reading) this.#disturbed = true;
      onEvent();
      // A read() that has taken over sees to the rest itself.
      if (this.#closed && !this.#reading) {
        this.#pending = undefined;
        this.#giveBack();
      }
    };
    reading.then(settled, settled);
  }

  /** Closes it. The buffer goes back once no read holds it. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#transport.close();
    if (this.#pending === undefined) this.#giveBack();
    this.onClose?.();
  }

  #giveBack(): void {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    if (buffer !== undefined && free.length < MAX_FREE) free.push(buffer);
  }
}
