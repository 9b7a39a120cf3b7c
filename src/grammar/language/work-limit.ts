import assert from "node:assert/strict";
import { WorkLimitExceeded } from "../errors.js";

/** Work that several tasks may spend in all, and memory that they may take for good. */
export class WorkAllowance {
  unitsLeft: number;
  bytesLeft: number;

  constructor(units: number, bytes = Number.POSITIVE_INFINITY) {
    assert(units >= 0 && bytes >= 0, "an allowance is not negative");
    this.unitsLeft = units;
    this.bytesLeft = bytes;
  }
}

/**
 * Counts work, and memory that is kept, and ends what takes too much of either. A unit of work is an expression
 * that is made, or a part of one that is looked at: some tenths of a microsecond.
 */
export class WorkMeter {
  #left = Number.POSITIVE_INFINITY;
  #keptBytes = 0;
  #maxKeptBytes = Number.POSITIVE_INFINITY;

  /** Memory that is kept, in bytes, as far as it was counted. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** @throws {WorkLimitExceeded} */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new WorkLimitExceeded();
  }

  /**
   * Counts memory that is about to be kept.
   * @throws {WorkLimitExceeded}
   */
  keep(bytes: number): void {
    if (this.#keptBytes + bytes > this.#maxKeptBytes) throw new WorkLimitExceeded();
    this.#keptBytes += bytes;
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
    const keptBefore = this.#keptBytes;
    const maxKept = this.#maxKeptBytes;
    this.#left = granted;
    this.#maxKeptBytes = Math.min(maxKept, keptBefore + allowance.bytesLeft);
    try {
      return work();
    } finally {
      const spent = granted - this.#left;
      allowance.unitsLeft -= spent;
      allowance.bytesLeft -= this.#keptBytes - keptBefore;
      this.#left = before - spent;
      this.#maxKeptBytes = maxKept;
    }
  }
}
