/**
 * What a worker of the pool sends to a writer: one row; several, one after the other, and their lengths; or
 * `null`, that none follows. The bytes begin a buffer of their own.
 */
export type RowsMessage =
  | Uint8Array<ArrayBuffer>
  | readonly [rows: Uint8Array<ArrayBuffer>, lengths: readonly number[]]
  | null;

/**
 * What a writer answers once it is done with a message: the byte length of its buffer, which counted against
 * the sink's bound until now; better with the buffer itself, to be written over.
 */
export type RowsGivenBack = number | readonly [bytes: number, buffer: ArrayBuffer];

/** How rows are taken in: see {@linkcode receiveRows}. */
export interface RowReceiver {
  /**
   * Resolves when the sender has said that no row follows, and all were handled; never, if it ended without
   * a word. Rejects with what `onRow` threw.
   */
  readonly ended: Promise<void>;
  /** Take no more. */
  close(): void;
}

/**
 * Take rows from a worker of the pool, at the far end of a port that was given to it: `onRow` is called for
 * one row after the other, in order, and when it is through with those of a message they are given back, so
 * that a row's bytes are only good until then.
 *
 * @example Usage
 * ```ts
 * import { receiveRows } from "@ccrawl/cli/render";
 *
 * const { port1, port2 } = new MessageChannel(); // port2 goes to a worker of the pool
 * const rows = receiveRows(port1, (row) => console.log(row.length));
 * rows.close();
 * port2.close();
 * ```
 */
export function receiveRows(
  port: MessagePort,
  onRow: (row: Uint8Array<ArrayBuffer>) => void | Promise<void>,
): RowReceiver {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let turn: Promise<void> = Promise.resolve();
  const take = async (message: RowsMessage) => {
    if (message === null) return resolve();
    const [rows, lengths] = message instanceof Uint8Array ? [message, [message.length]] : message;
    let at = 0;
    for (const length of lengths) {
      const handled = onRow(rows.subarray(at, at += length));
      if (handled !== undefined) await handled;
    }
    const { buffer } = rows;
    port.postMessage([buffer.byteLength, buffer] satisfies RowsGivenBack, [buffer]);
  };
  port.onmessage = ({ data }: MessageEvent<RowsMessage>) => {
    turn = turn.then(() => take(data));
    turn.catch(reject);
  };
  return { ended, close: () => port.close() };
}
