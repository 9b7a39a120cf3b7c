import { PrefillBudget } from "../costs/prefill-budget.js";
import { type PlannedWork, pausesDecoding, planStep, type StepCandidate } from "./step-plan.js";
import type { StepReport } from "./step-report.js";

export interface StepPlannerOptions {
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  readonly batchSize: number;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Longest pause of decoding in a burst, in targets of inter-token latency. */
const MAX_PAUSE_ITL_TARGETS = 50;

/** Divides each step between decoding and prompts, by what earlier steps cost. */
export class StepPlanner {
  readonly #options: StepPlannerOptions;
  readonly #budget: PrefillBudget;
  /** When decoding was paused, on the monotonic clock; `undefined`: it is not paused. */
  #pausedSince: number | undefined;

  constructor(options: StepPlannerOptions) {
    this.#options = options;
    this.#budget = new PrefillBudget(options.itlTargetMs, options.batchSize);
  }

  /** What a prompt token adds to a step, in milliseconds; `undefined`: not learnt yet. */
  get msPerPrefillToken(): number | undefined {
    return this.#budget.msPerPrefillToken;
  }

  /** The work of the next step, in ascending sequence id. */
  plan(candidates: readonly StepCandidate[]): PlannedWork[] {
    const { batchSize } = this.#options;
    const prefilling = candidates.filter(({ promptTokensLeft }) => promptTokensLeft > 0);
    const decoding = candidates.length - prefilling.length;
    const pauseMsLeft = this.#updatePause(decoding, prefilling.length);
    return pauseMsLeft === undefined
      ? planStep(candidates, {
          targetTokens: this.#budget.tokens(decoding),
          maxTokens: batchSize - decoding,
        })
      : planStep(prefilling, {
          targetTokens: this.#prefillOnlyTokens(prefilling, pauseMsLeft),
          maxTokens: batchSize,
        });
  }

  /**
   * Learns the cost of a step. Steps with drafts are left out, because they return several tokens; so
   * is the time for drafts and states, which the next step need not take.
   */
  learn(report: StepReport): void {
    const { decodeTokens, draftTokens, prefillTokens, stateMs, draftMs, totalMs } = report;
    if (draftTokens > 0 || decodeTokens + prefillTokens === 0) return;
    this.#budget.learn({ decodeTokens, prefillTokens, stepMs: totalMs - draftMs - stateMs });
  }

  /**
   * Begins, continues or ends the pause of decoding.
   * @returns for how long it may go on, in milliseconds; `undefined`: decoding is not paused
   */
  #updatePause(decoding: number, prefilling: number): number | undefined {
    const now = this.#options.now();
    const pausedMs = this.#pausedSince === undefined ? undefined : now - this.#pausedSince;
    const maxPausedMs = MAX_PAUSE_ITL_TARGETS * this.#options.itlTargetMs;
    const pauses = pausesDecoding({ decoding, prefilling, pausedMs, maxPausedMs });
    this.#pausedSince = pauses ? (this.#pausedSince ?? now) : undefined;
    if (decoding === 0) return Number.POSITIVE_INFINITY;
    return pauses ? maxPausedMs - (pausedMs ?? 0) : undefined;
  }

  /**
   * Prompt tokens of a step that only evaluates prompts. It takes whole prompts, but few at once:
   * all prompts of a step get their first token only when the step ends.
   */
  #prefillOnlyTokens(prefilling: readonly StepCandidate[], maxMs: number): number {
    const [first] = prefilling.toSorted((a, b) => a.admitted - b.admitted);
    const targetTokens = this.#budget.tokensWithin(this.#options.itlTargetMs);
    return Math.min(
      this.#budget.tokensWithin(maxMs),
      Math.max(targetTokens, first?.promptTokensLeft ?? 0),
    );
  }
}
