import { runningAverage } from "./running-average.js";

/** A size that was not seen for so long may cost something else now, or was measured badly. */
const STALE_AFTER_STEPS = 1000;

/**
 * What decoding steps of different sizes cost on this machine, learnt from the steps themselves:
 * how much room a batch has differs by orders of magnitude between a laptop and a large GPU.
 */
export class StepCosts {
  /** By size class: 1, 2, 3–4, 5–8, … tokens. */
  readonly #known: ({ readonly milliseconds: number; readonly step: number } | undefined)[] = [];
  #steps = 0;

  learn(tokens: number, milliseconds: number): void {
    const index = sizeClass(tokens);
    this.#known[index] = {
      milliseconds: runningAverage(this.#known[index]?.milliseconds, milliseconds),
      step: ++this.#steps,
    };
  }

  /** A step went by that says nothing about these costs, but makes what is known older. */
  skip(): void {
    this.#steps++;
  }

  /**
   * Milliseconds that a step of this many tokens is expected to take; `undefined`: there was none
   * of about that size, or not for long.
   */
  estimate(tokens: number): number | undefined {
    const known = this.#known[sizeClass(tokens)];
    return known && this.#steps - known.step < STALE_AFTER_STEPS ? known.milliseconds : undefined;
  }

  /**
   * Milliseconds that a step of this many tokens takes at least: those of the largest known size up
   * to it, 0 when none is known. What might pay at this price is tried, and then its price is known.
   */
  atLeast(tokens: number): number {
    for (let size = tokens; size > 1; size /= 2) {
      const known = this.estimate(size);
      if (known !== undefined) return known;
    }
    return this.estimate(1) ?? 0;
  }
}

function sizeClass(tokens: number): number {
  return Math.ceil(Math.log2(Math.max(1, tokens)));
}
