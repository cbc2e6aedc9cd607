/**
 * Which rows of a work list are this machine's.
 *
 * @module
 */

import { hostOf, shardOfHost } from "../url/mod.ts";

/**
 * Tells a URL's host and whether it is this shard's. Rows of one host stand together in lists sorted by
 * host, so the last answer is kept.
 */
export class ShardFilter {
  readonly #shard: number;
  readonly #shards: number;
  #prefix = "";
  #host = "";
  #owned = false;

  /**
   * Filters for `shard` of `shards`.
   *
   * @throws {RangeError} If `shards` is not from 1 to 2^20, or `shard` not below it.
   */
  constructor(shard: number, shards: number) {
    shardOfHost("", shards);
    if (!Number.isInteger(shard) || shard < 0 || shard >= shards) {
      throw new RangeError(
        `Cannot read shard ${shard} of ${shards}: it must be from 0 to ${shards - 1}`,
      );
    }
    this.#shard = shard;
    this.#shards = shards;
  }

  /** `host`, if it is this shard's. */
  own(host: string): string | undefined {
    return this.#shards === 1 || shardOfHost(host, this.#shards) === this.#shard ? host : undefined;
  }

  /** Host of `url` if the row is this shard's. */
  ownHost(url: string): string | undefined {
    if (this.#prefix === "" || !url.startsWith(this.#prefix)) {
      this.#host = hostOf(url);
      this.#owned = this.own(this.#host) !== undefined;
      // With the slash, so that no other host has it as its beginning.
      this.#prefix = `${url.startsWith("https:") ? "https" : "http"}://${this.#host}/`;
      if (this.#host === "" || !url.startsWith(this.#prefix)) this.#prefix = "";
    }
    return this.#owned ? this.#host : undefined;
  }
}
