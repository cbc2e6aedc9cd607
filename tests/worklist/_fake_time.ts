/**
 * A clock that only sleeping moves.
 *
 * @module
 */

/** `sleep` and `now` of {@linkcode OpenWorkListOptions}, with what was slept. */
export class FakeTime {
  /** Every sleep, in ms. */
  readonly slept: number[] = [];
  #now = 0;

  readonly sleep = (ms: number): Promise<void> => {
    this.slept.push(ms);
    this.#now += ms;
    return Promise.resolve();
  };

  readonly now = (): number => this.#now;
}
