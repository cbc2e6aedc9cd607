/**
 * SipHash on 32-bit halves. The fingerprints of the seen set are keyed with 16 random bytes that
 * live in the state, so that a site, which chooses its URLs, cannot choose two that collide.
 *
 * @module
 */

/** A keyed 64-bit hash. The result of {@linkcode SipHash.update} stands in `hi` and `lo` (unsigned). */
export class SipHash {
  hi = 0;
  lo = 0;
  readonly #k: Int32Array;
  readonly #c: number;
  readonly #d: number;

  /** `key` has 16 bytes. One and three rounds are the variant for tables; two and four the full one. */
  constructor(key: Uint8Array, compression = 1, finalization = 3) {
    if (key.length !== 16) throw new RangeError("Cannot key SipHash: the key must have 16 bytes");
    const view = new DataView(key.buffer, key.byteOffset, 16);
    this.#k = Int32Array.from([0, 4, 8, 12], (at) => view.getInt32(at, true));
    this.#c = compression;
    this.#d = finalization;
  }

  /** Hashes `bytes[start, end)`. */
  update(bytes: Uint8Array, start: number, end: number): void {
    const k0l = this.#k[0]!, k0h = this.#k[1]!, k1l = this.#k[2]!, k1h = this.#k[3]!;
    let v0h = k0h ^ 0x736f6d65, v0l = k0l ^ 0x70736575;
    let v1h = k1h ^ 0x646f7261, v1l = k1l ^ 0x6e646f6d;
    let v2h = k0h ^ 0x6c796765, v2l = k0l ^ 0x6e657261;
    let v3h = k1h ^ 0x74656462, v3l = k1l ^ 0x79746573;
    const length = end - start;
    const words = length >>> 3;
    let at = start;
    for (let word = 0; word <= words + 1; word++) {
      let mh = 0, ml = 0, rounds = this.#c;
      if (word < words) {
        ml = bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
        mh = bytes[at + 4]! | bytes[at + 5]! << 8 | bytes[at + 6]! << 16 | bytes[at + 7]! << 24;
        at += 8;
      } else if (word === words) {
        for (let i = 0; at + i < end; i++) {
          if (i < 4) ml |= bytes[at + i]! << (i * 8);
          else mh |= bytes[at + i]! << ((i - 4) * 8);
        }
        mh |= (length & 255) << 24;
      } else {
        v2l ^= 0xff;
        rounds = this.#d;
      }
      v3h ^= mh;
      v3l ^= ml;
      for (let r = 0; r < rounds; r++) {
        let l = (v0l + v1l) | 0;
        let t = 0;
        v0h = (v0h + v1h + ((l >>> 0) < (v0l >>> 0) ? 1 : 0)) | 0;
        v0l = l;
        t = (v1h << 13 | v1l >>> 19) ^ v0h;
        v1l = (v1l << 13 | v1h >>> 19) ^ v0l;
        v1h = t;
        t = v0h;
        v0h = v0l;
        v0l = t;
        l = (v2l + v3l) | 0;
        v2h = (v2h + v3h + ((l >>> 0) < (v2l >>> 0) ? 1 : 0)) | 0;
        v2l = l;
        t = (v3h << 16 | v3l >>> 16) ^ v2h;
        v3l = (v3l << 16 | v3h >>> 16) ^ v2l;
        v3h = t;
        l = (v0l + v3l) | 0;
        v0h = (v0h + v3h + ((l >>> 0) < (v0l >>> 0) ? 1 : 0)) | 0;
        v0l = l;
        t = (v3h << 21 | v3l >>> 11) ^ v0h;
        v3l = (v3l << 21 | v3h >>> 11) ^ v0l;
        v3h = t;
        l = (v2l + v1l) | 0;
        v2h = (v2h + v1h + ((l >>> 0) < (v2l >>> 0) ? 1 : 0)) | 0;
        v2l = l;
        t = (v1h << 17 | v1l >>> 15) ^ v2h;
        v1l = (v1l << 17 | v1h >>> 15) ^ v2l;
        v1h = t;
        t = v2h;
        v2h = v2l;
        v2l = t;
      }
      v0h ^= mh;
      v0l ^= ml;
    }
    this.hi = (v0h ^ v1h ^ v2h ^ v3h) >>> 0;
    this.lo = (v0l ^ v1l ^ v2l ^ v3l) >>> 0;
  }
}
