/**
 * Gives the memory of bytes back at once. A collector counts such memory, and runs more often for it, long before it
 * finds that nobody needs it.
 *
 * @param bytes All of a buffer that nobody else has; anything less is left alone.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === 0 || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
