import { PrefillBudget } from "../costs/prefill-budget.js";
import { TILE_TOKENS, TILE_TOKENS_BESIDE_DECODING } from "../costs/tile-costs.js";
import type { BatchMixing } from "../native/token-context.js";
import { type PromptInTurn, PromptQueue } from "./prompt-order.js";
import { type PlannedWork, planStep, type StepCandidate, stepTargets } from "./step-plan.js";
import type { StepReport } from "./step-report.js";

export interface StepPlannerOptions {
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  readonly batchSize: number;
  /** Rows of logits that one batch may request; at least one for each sequence. */
  readonly maxOutputs: number;
  readonly mixing: BatchMixing;
}

/** A part of a prompt that is being evaluated. */
export interface PromptSlice {
  readonly prompt: PromptInTurn;
  readonly tokens: number;
}

/** Divides each step between decoding and prompts, by what earlier steps cost. */
export class StepPlanner {
  readonly #options: StepPlannerOptions;
  readonly #budget: PrefillBudget;
  readonly #prompts = new PromptQueue();
  /** Order of admission of the prompt whose turn it was first in the last step. */
  #firstPrompt: number | undefined;
  /** Whose turn it is next where prompts and decoding take turns. */
  #nextTurn: PlannedWork["kind"] = "prefill";

  constructor(options: StepPlannerOptions) {
    this.#options = options;
    const { itlTargetMs, batchSize, mixing } = options;
    const tileTokens = mixing === "mixed" ? TILE_TOKENS_BESIDE_DECODING : TILE_TOKENS;
    this.#budget = new PrefillBudget(itlTargetMs, batchSize, tileTokens);
  }

  /** What a prompt token adds to a step, in milliseconds; `undefined`: not learnt yet. */
  get msPerPrefillToken(): number | undefined {
    return this.#budget.msPerPrefillToken;
  }

  /** The work of the next step, in ascending sequence id. */
  plan(candidates: readonly StepCandidate[]): PlannedWork[] {
    const { batchSize, maxOutputs } = this.#options;
    const prefilling = this.#prompts.order(
      candidates.filter(({ promptTokensLeft }) => promptTokensLeft > 0),
    );
    const decoding = candidates.filter(({ promptTokensLeft }) => promptTokensLeft === 0);
    const pendingTokens = decoding.reduce((sum, candidate) => sum + candidate.pendingTokens, 0);
    const [first] = prefilling;
    if (first?.admitted !== this.#firstPrompt) this.#budget.beginPrompt();
    this.#firstPrompt = first?.admitted;
    const targets = stepTargets({ decoding: decoding.length, prefilling: prefilling.length });
    const targetTokens =
      decoding.length === 0
        ? this.#prefillOnlyTokens(first)
        : this.#budget.tokens(decoding.length, targets);
    if (this.#options.mixing === "mixed" || decoding.length === 0 || first === undefined) {
      const maxTokens = batchSize - pendingTokens;
      const allowance = { targetTokens, maxTokens, maxOutputs };
      return this.#noteDelays(prefilling, planStep([...decoding, ...prefilling], allowance));
    }
    if (this.#takeTurns() === "decode") {
      return planStep(decoding, { targetTokens: 0, maxTokens: 0, maxOutputs });
    }
    const allowance = { targetTokens, maxTokens: batchSize, maxOutputs };
    return this.#noteDelays(prefilling, planStep(prefilling, allowance));
  }

  /**
   * Whether what is being evaluated should be given up for a prompt that has just come, and may pass it: prompts
   * alone, which keep it waiting for longer than a step beside decoding would.
   * @param slices of the prompts; none: something else is evaluated
   * @param promptTokens of the prompt that has come
   */
  isWorthGivingUp(slices: readonly PromptSlice[], promptTokens: number): boolean {
    const tokens = slices.reduce((sum, slice) => sum + slice.tokens, 0);
    if (tokens * (this.msPerPrefillToken ?? 0) <= this.#options.itlTargetMs) return false;
    const lets = ({ prompt }: PromptSlice) =>
      prompt.promptTokensLeft > promptTokens &&
      this.#prompts.patienceOf(prompt) >= tokens + promptTokens;
    return slices.every(lets);
  }

  /** Slices were evaluated in vain: that delays their prompts as what passes them does. */
  noteGivenUp(slices: readonly PromptSlice[]): void {
    const tokens = slices.reduce((sum, slice) => sum + slice.tokens, 0);
    for (const { prompt } of slices) this.#prompts.delay(prompt, tokens);
  }

  /** @param prefilling in the order of their turns */
  #noteDelays(prefilling: readonly StepCandidate[], planned: PlannedWork[]): PlannedWork[] {
    for (const work of planned) {
      if (work.kind === "decode") continue;
      const place = prefilling.findIndex(({ sequenceId }) => sequenceId === work.sequenceId);
      const admitted = prefilling[place]?.admitted ?? 0;
      const passed = prefilling.slice(place + 1).filter((other) => other.admitted < admitted);
      for (const other of passed) this.#prompts.delay(other, work.tokens);
    }
    return planned;
  }

  /**
   * Learns the cost of a step. Steps with drafts, or with what they lost, are left out, because they
   * evaluate several tokens for each generation, and steps with prompts that need all rows of logits; so is
   * the time for drafts and states, which the next step need not take.
   */
  learn(report: StepReport): void {
    const { decodeTokens, redoneTokens, draftTokens, prefillTokens, scoredTokens } = report;
    const { stateMs, draftMs, totalMs } = report;
    if (draftTokens + redoneTokens + scoredTokens > 0 || decodeTokens + prefillTokens === 0) return;
    this.#budget.learn({ decodeTokens, prefillTokens, stepMs: totalMs - draftMs - stateMs });
  }

  #takeTurns(): PlannedWork["kind"] {
    const turn = this.#nextTurn;
    this.#nextTurn = turn === "prefill" ? "decode" : "prefill";
    return turn;
  }

  /**
   * Prompt tokens of a step in which nothing decodes. It takes whole prompts, but few at once: all
   * prompts of a step get their first token only when the step ends.
   */
  #prefillOnlyTokens(first: StepCandidate | undefined): number {
    return Math.max(this.#budget.tokensAlone(), first?.promptTokensLeft ?? 0);
  }
}
