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
 * Take rows from a worker of the pool: the far end of a port that was given to it.
 *
 * Every row comes as a `Uint8Array` that begins a buffer of its own. Its bytes count against the sink's
 * bound until the receiver gives them back, which it does by posting their number, or
 * `[number, ArrayBuffer]` to give back the buffer too, to be written over. `null` says that no row follows.
 * This function does that: `onRow` is called for one row after the other, in order, and when it is through
 * the row is given back, so that the bytes are only good until then.
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
  port.onmessage = ({ data }: MessageEvent<Uint8Array<ArrayBuffer> | null>) => {
    turn = turn.then(async () => {
      if (data === null) return resolve();
      await onRow(data);
      const { byteLength, buffer } = data;
      port.postMessage([byteLength, buffer], [buffer]);
    });
    turn.catch(reject);
  };
  return { ended, close: () => port.close() };
}
