/**
 * How often a page changes, estimated from visits that only tell whether it changed since the last one.
 *
 * A page that changes by itself at a rate of λ a day has changed, t days after a visit, with a
 * probability of 1 − e^(−λt) (a Poisson process). A visit cannot tell one change from several, so the
 * share of visits that found a change says too little, the more so the further they are apart. The
 * estimators are those of J. Cho and H. Garcia-Molina, "Estimating Frequency of Change", ACM
 * Transactions on Internet Technology 3 (3), 2003: for visits at regular intervals
 * λ = −ln((n − X + ½) / (n + ½)) / t, where X of n visits found a change (section 4.2), and for irregular
 * ones the root of the likelihood's derivative, Σ t/(e^(λt) − 1) over the intervals with a change less
 * the sum of those without (section 5). The latter is infinite where every visit found a change. The
 * former's ½, which is what makes it so little biased, is half a visit of the mean interval without a
 * change; with it the two are one, and this is that one.
 *
 * @module
 */

/** Bins of interval lengths to a doubling: what falls into one differs by 1 % at most from its mean. */
const BINS = 32;
/** Longest and shortest interval that is told from others, in days: a millisecond, and centuries. */
const SHORTEST = 1e-8;
const LONGEST = 1e6;

/** The visits to a page, or to pages that are taken to change alike. Bounded, however many there are. */
export class VisitHistory {
  /** Visits that could be compared to one before. */
  visits = 0;
  /** Of them, those that found a change. */
  changed = 0;
  /** Sum of all intervals, in days. */
  days = 0;
  /** Of those without a change. */
  #still = 0;
  /** Intervals with a change, by length: how many, and their sum. */
  readonly #bins = new Map<number, { count: number; days: number }>();

  /**
   * Takes visits in.
   *
   * @param days Since the visit before. What is not above zero is left out.
   * @param changed Whether the page was another than then.
   * @param count How many visits of the kind.
   */
  add(days: number, changed: boolean, count = 1): void {
    if (!(days > 0) || !(count > 0)) return;
    const length = Math.min(Math.max(days, SHORTEST), LONGEST);
    this.visits += count;
    this.days += length * count;
    if (!changed) {
      this.#still += length * count;
      return;
    }
    this.changed += count;
    const bin = Math.round(Math.log2(length) * BINS);
    const held = this.#bins.get(bin);
    if (held === undefined) this.#bins.set(bin, { count, days: length * count });
    else {
      held.count += count;
      held.days += length * count;
    }
  }

  /** Changes a day; 0 where no visit found one. */
  changesPerDay(): number {
    if (this.changed === 0) return 0;
    const still = this.#still + 0.5 * this.days / this.visits;
    const gaps = [...this.#bins.values()].map(({ count, days }) => ({ count, days: days / count }));
    const excess = (rate: number): number => {
      let sum = -still;
      for (const { count, days } of gaps) sum += count * days / Math.expm1(rate * days);
      return sum;
    };
    // Falls from infinity to below zero: first a rate that is too high, then halves.
    let high = this.visits / this.days;
    while (excess(high) > 0) high *= 2;
    let low = 0;
    for (let i = 0; i < 200 && high - low > 1e-12 * high; i++) {
      const middle = (low + high) / 2;
      if (excess(middle) > 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }
}

/** Share of pages that have changed after so many days, each changing by itself at a rate. */
export function changedShare(changesPerDay: number, days: number): number {
  return -Math.expm1(-changesPerDay * days);
}
