import assert from "node:assert/strict";
import { WorkLimitExceeded } from "../errors.js";

/** Total work and memory that several tasks may spend together. */
export class WorkAllowance {
  unitsLeft: number;
  bytesLeft: number;

  constructor(units: number, bytes = Number.POSITIVE_INFINITY) {
    assert(units >= 0 && bytes >= 0, "an allowance must not be negative");
    this.unitsLeft = units;
    this.bytesLeft = bytes;
  }
}

/**
 * Counts work and retained memory, and aborts tasks that exceed a limit of either. A unit of work
 * is creating an expression or visiting a part of one: some tenths of a microsecond.
 */
export class WorkMeter {
  #unitsLeft = Number.POSITIVE_INFINITY;
  #keptBytes = 0;
  #maxKeptBytes = Number.POSITIVE_INFINITY;

  /** Retained memory that has been counted, in bytes. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** @throws {WorkLimitExceeded} */
  spend(units: number): void {
    this.#unitsLeft -= units;
    if (this.#unitsLeft < 0) throw new WorkLimitExceeded();
  }

  /**
   * Counts memory that is about to be retained.
   * @throws {WorkLimitExceeded}
   */
  keep(bytes: number): void {
    if (this.#keptBytes + bytes > this.#maxKeptBytes) throw new WorkLimitExceeded();
    this.#keptBytes += bytes;
  }

  /**
   * Runs a function that may spend at most `units`. Calls may be nested.
   * @throws {WorkLimitExceeded}
   */
  limit<Result>(units: number, work: () => Result): Result {
    return this.runWithin(new WorkAllowance(units), work);
  }

  /**
   * Runs a function that spends from an allowance. Calls may be nested.
   * @throws {WorkLimitExceeded}
   */
  runWithin<Result>(allowance: WorkAllowance, work: () => Result): Result {
    const before = this.#unitsLeft;
    const grantedUnits = Math.min(allowance.unitsLeft, before);
    const keptBefore = this.#keptBytes;
    const maxKept = this.#maxKeptBytes;
    this.#unitsLeft = grantedUnits;
    this.#maxKeptBytes = Math.min(maxKept, keptBefore + allowance.bytesLeft);
    try {
      return work();
    } finally {
      const spentUnits = grantedUnits - this.#unitsLeft;
      allowance.unitsLeft -= spentUnits;
      allowance.bytesLeft -= this.#keptBytes - keptBefore;
      this.#unitsLeft = before - spentUnits;
      this.#maxKeptBytes = maxKept;
    }
  }
}
