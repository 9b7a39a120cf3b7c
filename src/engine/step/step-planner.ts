import { PrefillBudget } from "../costs/prefill-budget.js";
import { pausesDecoding, planStep, type StepCandidate, type StepWork } from "./step-plan.js";
import type { StepReport } from "./step-report.js";

export interface StepPlannerOptions {
  /** Longest time between two tokens of a generation that is aimed at, in milliseconds. */
  readonly itlTargetMs: number;
  readonly batchSize: number;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Longest pause of decoding in a rush, in targets of the time between two tokens. */
const MOST_PAUSED_TARGETS = 50;

/** Divides steps between those that decode and prompts, by what earlier steps took. */
export class StepPlanner {
  readonly #options: StepPlannerOptions;
  readonly #budget: PrefillBudget;
  /** When decoding began to pause; `undefined`: it does not. */
  #pausedSince: number | undefined;

  constructor(options: StepPlannerOptions) {
    this.#options = options;
    this.#budget = new PrefillBudget(options.itlTargetMs, options.batchSize);
  }

  /** The work of the next step, in ascending sequence id. */
  plan(candidates: readonly StepCandidate[]): StepWork[] {
    const { batchSize } = this.#options;
    const prefilling = candidates.filter(({ promptTokensLeft }) => promptTokensLeft > 0);
    const decoding = candidates.length - prefilling.length;
    const pauseMs = this.#pause(decoding, prefilling.length);
    return pauseMs === undefined
      ? planStep(candidates, {
          wanted: this.#budget.tokens(decoding),
          most: batchSize - decoding,
        })
      : planStep(prefilling, {
          wanted: this.#firstTokenBudget(prefilling, pauseMs),
          most: batchSize,
        });
  }

  /** Learns what a step took; one with drafts says nothing about the time between tokens. */
  learn({ decodeTokens, draftTokens, prefillTokens, draftMs, totalMs }: StepReport): void {
    if (draftTokens > 0) return;
    this.#budget.learn({ decodeTokens, prefillTokens, milliseconds: totalMs - draftMs });
  }

  /** How long decoding may pause from now on, in milliseconds; `undefined`: it does not. */
  #pause(decoding: number, prefilling: number): number | undefined {
    const now = this.#options.now();
    const pausedMs = this.#pausedSince === undefined ? undefined : now - this.#pausedSince;
    const mostPausedMs = MOST_PAUSED_TARGETS * this.#options.itlTargetMs;
    const pauses = pausesDecoding({ decoding, prefilling, pausedMs, mostPausedMs });
    this.#pausedSince = pauses ? (this.#pausedSince ?? now) : undefined;
    if (decoding === 0) return Number.POSITIVE_INFINITY;
    return pauses ? mostPausedMs - (pausedMs ?? 0) : undefined;
  }

  /**
   * Prompt tokens of a step that only evaluates prompts: whole ones, but not many in one step, since
   * all of them get their first token when it is over.
   */
  #firstTokenBudget(prefilling: readonly StepCandidate[], mostMs: number): number {
    const [first] = prefilling.toSorted((a, b) => a.admitted - b.admitted);
    const usual = this.#budget.tokensIn(this.#options.itlTargetMs);
    return Math.min(this.#budget.tokensIn(mostMs), Math.max(usual, first?.promptTokensLeft ?? 0));
  }
}
