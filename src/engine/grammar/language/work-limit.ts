/** A grammar takes more work than is allowed. */
export class WorkLimitExceeded extends Error {
  override readonly name = "WorkLimitExceeded";

  constructor() {
    super("the grammar takes too much work");
  }
}

/** Counts work, and ends what takes too much of it. */
export class WorkMeter {
  #left = Number.POSITIVE_INFINITY;

  /** @throws {WorkLimitExceeded} */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new WorkLimitExceeded();
  }

  /**
   * Runs something that may spend at most `units`, also within another such call.
   * @throws {WorkLimitExceeded}
   */
  limit<Result>(units: number, work: () => Result): Result {
    const before = this.#left;
    const granted = Math.min(units, before);
    this.#left = granted;
    try {
      return work();
    } finally {
      this.#left = before - (granted - this.#left);
    }
  }
}
