/** A grammar takes more work than is allowed. */
export class WorkLimitExceeded extends Error {
  override readonly name = "WorkLimitExceeded";

  constructor() {
    super("the grammar takes too much work");
  }
}

/** Work that several tasks may spend in all. */
export class WorkAllowance {
  unitsLeft: number;

  constructor(units: number) {
    this.unitsLeft = units;
  }
}

/**
 * Counts work, and ends what takes too much of it. A unit is an expression that is made, or a part of one
 * that is looked at: some tenths of a microsecond.
 */
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
    return this.within(new WorkAllowance(units), work);
  }

  /**
   * Runs something that spends of an allowance.
   * @throws {WorkLimitExceeded}
   */
  within<Result>(allowance: WorkAllowance, work: () => Result): Result {
    const before = this.#left;
    const granted = Math.min(allowance.unitsLeft, before);
    this.#left = granted;
    try {
      return work();
    } finally {
      const spent = granted - this.#left;
      allowance.unitsLeft -= spent;
      this.#left = before - spent;
    }
  }
}
