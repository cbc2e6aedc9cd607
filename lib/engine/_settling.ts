/** Waiting for a condition that is looked at again whenever something may have made it true. */
export class Settling {
  #checks: (() => void)[] = [];

  /** Resolves once `condition` holds: now, or at a {@linkcode settle}. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = () => {
        if (condition()) resolve();
        else this.#checks.push(check);
      };
      this.#checks.push(check);
    });
  }

  /** Something happened that a condition may have waited for. */
  settle(): void {
    const checks = this.#checks;
    this.#checks = [];
    for (const check of checks) check();
  }
}
