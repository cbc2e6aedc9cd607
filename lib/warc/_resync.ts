/**
 * Finding the next record after damage.
 *
 * @module
 */

import { startsWith } from "./_bytes.ts";
import { holdsRecord, isMagic } from "./_member.ts";
import type { ByteQueue } from "./_queue.ts";
import type { RawRecord } from "./_record.ts";

/** Bytes needed to judge a place: enough of a member to inflate a record's first bytes. */
const LOOK = 1024;

/**
 * Moves to the next place at which a record begins, or to the end.
 *
 * @param gzip Whether a gzip member will do; otherwise only a version line.
 */
export async function findRecord(queue: ByteQueue, gzip: boolean): Promise<void> {
  let before = 10; // what stood before the queue's first byte: taken for a line end
  for (;;) {
    if (!await queue.fill(1)) return;
    const last = !await queue.fill(LOOK);
    const view = queue.view;
    // The last bytes are judged with what follows them, once that is there.
    const limit = last ? view.length : view.length - LOOK + 1;
    const at = findIn(view, limit, before, gzip);
    if (at >= 0) return queue.skip(at);
    before = view[limit - 1]!;
    queue.skip(limit);
  }
}

/** Goes back to a record that lies in the block just read, if there is one. */
export function nextRecordIn(queue: ByteQueue, raw: RawRecord): boolean {
  if (raw.head !== undefined && raw.content.length < raw.head.contentLength && !raw.short) {
    return false; // only its first bytes are at hand
  }
  const at = findIn(raw.content, raw.content.length, 0, false);
  if (at < 0) return false;
  queue.unread(raw.content.subarray(at));
  return true;
}

function findIn(view: Uint8Array, limit: number, before: number, gzip: boolean): number {
  let line = before === 10 && isVersionLine(view, 0) ? 0 : -1;
  for (let lf = -1; line < 0;) {
    lf = view.indexOf(10, lf + 1);
    if (lf < 0 || lf + 1 >= limit) break;
    if (isVersionLine(view, lf + 1)) line = lf + 1;
  }
  const end = line < 0 ? limit : line;
  if (!gzip) return line;
  for (let at = view.indexOf(0x1f); at >= 0 && at < end; at = view.indexOf(0x1f, at + 1)) {
    if (isMagic(view, at) && holdsRecord(view.subarray(at, at + LOOK))) return at;
  }
  return line;
}

/** `WARC/1.0` and a line end. */
function isVersionLine(view: Uint8Array, at: number): boolean {
  if (!startsWith(view, "WARC/", at)) return false;
  let i = at + 5;
  for (; i < at + 12; i++) {
    const byte = view[i]!;
    if (byte !== 46 && (byte < 48 || byte > 57)) break;
  }
  return i > at + 7 && (view[i] === 10 || (view[i] === 13 && view[i + 1] === 10));
}
