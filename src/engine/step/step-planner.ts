import { PrefillBudget } from "../costs/prefill-budget.js";
import { TILE_TOKENS, TILE_TOKENS_WITH_DECODING } from "../costs/tile-costs.js";
import type { BatchMixing } from "../native/token-context.js";
import { DecodingPause } from "./decoding-pause.js";
import { PromptQueue, type QueuedPrompt } from "./prompt-order.js";
import type { AwaitedToken } from "./running-generation.js";
import {
  computeStepTargets,
  groupByAwaitedToken,
  type PlannedWork,
  planStep,
  type StepCandidate,
} from "./step-plan.js";
import type { StepReport } from "./step-report.js";

export interface StepPlannerOptions {
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  readonly batchSize: number;
  /** Tokens of one pass, which an abort loses at most. */
  readonly passTokens: number;
  /** Rows of logits that one batch may request; at least one for each sequence. */
  readonly maxOutputs: number;
  readonly mixing: BatchMixing;
}

/** A part of a prompt in the batch that is being evaluated. */
export interface PromptSlice {
  readonly prompt: QueuedPrompt;
  readonly tokens: number;
}

/** Divides each step between decoding and prompts, by the cost of earlier steps. */
export class StepPlanner {
  readonly #options: StepPlannerOptions;
  readonly #budget: PrefillBudget;
  readonly #promptQueue = new PromptQueue();
  readonly #pause: DecodingPause;
  /** Order of admission of the first prompt in the last step. */
  #firstPrompt: number | undefined;
  /** Kind of the next step if prompts and decoding alternate. */
  #nextTurn: AwaitedToken = "first";

  constructor(options: StepPlannerOptions) {
    this.#options = options;
    const { itlTargetMs, batchSize, mixing } = options;
    const tileTokens = mixing === "mixed" ? TILE_TOKENS_WITH_DECODING : TILE_TOKENS;
    this.#budget = new PrefillBudget(itlTargetMs, batchSize, tileTokens);
    this.#pause = new DecodingPause(itlTargetMs);
  }

  /** Time that a prompt token adds to a step, in milliseconds; `undefined`: not learnt yet. */
  get msPerPrefillToken(): number | undefined {
    return this.#budget.msPerPrefillToken;
  }

  /**
   * Returns the duration of a step in which `decoding` generations decode and no prompt is evaluated, in milliseconds;
   * 0: not learnt yet.
   */
  estimateDecodeMs(decoding: number): number {
    return this.#budget.estimateDecodeMs(decoding);
  }

  /**
   * Plans the work of the next step, in ascending sequence id.
   * @param decodingElsewhere number of generations that wait for their next token but cannot be in this step
   */
  plan(candidates: readonly StepCandidate[], decodingElsewhere = 0): PlannedWork[] {
    const { batchSize, maxOutputs } = this.#options;
    const { next: decoding, first: unorderedPrompts } = groupByAwaitedToken(candidates);
    const prompts = this.#promptQueue.order(unorderedPrompts);
    const [first] = prompts;
    if (first?.admissionOrder !== this.#firstPrompt) this.#budget.beginPrompt();
    this.#firstPrompt = first?.admissionOrder;
    const decodingCount = decoding.length + decodingElsewhere;
    if (decodingCount > 0) {
      const pausedStep = this.#pause.next(prompts, {
        msPerToken: this.msPerPrefillToken,
        decodeMs: decoding.length > 0 ? this.#budget.estimateDecodeMs(decoding.length) : undefined,
      });
      if (pausedStep.kind === "prompts") {
        const targetTokens = this.#computePrefillOnlyTokens(first);
        const allowance = { targetTokens, maxTokens: batchSize, maxOutputs };
        return this.#noteDelays(prompts, planStep(pausedStep.prompts, allowance));
      }
      if (pausedStep.kind === "tokens") return this.#decodeOnly(decoding);
    }
    const targets = computeStepTargets({
      decoding: decodingCount,
      prefilling: prompts.length,
      decodeTargets: this.#budget.estimateDecodeMs(decodingCount) / this.#options.itlTargetMs,
    });
    const targetTokens =
      decodingCount === 0
        ? this.#computePrefillOnlyTokens(first)
        : // Generations outside this step wait for it to end, as if one of them decoded in it.
          this.#budget.computeTokens(Math.max(1, decoding.length), targets);
    if (this.#options.mixing === "mixed" || decoding.length === 0 || first === undefined) {
      const decodingTokens = decoding.reduce((sum, one) => sum + one.uncomputedTokens, 0);
      const allowance = { targetTokens, maxTokens: batchSize - decodingTokens, maxOutputs };
      return this.#noteDelays(prompts, planStep([...decoding, ...prompts], allowance));
    }
    if (this.#takeTurn() === "next") return this.#decodeOnly(decoding);
    const allowance = { targetTokens, maxTokens: batchSize, maxOutputs };
    return this.#noteDelays(prompts, planStep(prompts, allowance));
  }

  #decodeOnly(decoding: readonly StepCandidate[]): PlannedWork[] {
    const { maxOutputs } = this.#options;
    return planStep(decoding, { targetTokens: 0, maxTokens: 0, maxOutputs });
  }

  /**
   * Whether to abort the current batch for a new prompt that may overtake it: the batch holds prompts only, and delays
   * the new prompt by longer than a step with decoding would. The abort loses one pass at most.
   * @param slices of the prompts in the batch; empty: the batch holds other work
   * @param promptTokens length of the new prompt
   */
  isWorthPreempting(slices: readonly PromptSlice[], promptTokens: number): boolean {
    const tokens = slices.reduce((sum, slice) => sum + slice.tokens, 0);
    if (tokens * (this.msPerPrefillToken ?? 0) <= this.#options.itlTargetMs) return false;
    const delayTokens = Math.min(tokens, this.#options.passTokens) + promptTokens;
    const canBeOvertaken = ({ prompt }: PromptSlice) =>
      prompt.uncomputedTokens > promptTokens &&
      this.#promptQueue.delayAllowanceOf(prompt) >= delayTokens;
    return slices.every(canBeOvertaken);
  }

  /**
   * Charges the prompts of an aborted batch for the tokens of the lost pass, as if other prompts
   * had overtaken them. Tokens of later passes were not evaluated.
   * @param slices tokens of the batch that the sequences do not keep
   */
  notePreempted(slices: readonly PromptSlice[]): void {
    const tokens = slices.reduce((sum, slice) => sum + slice.tokens, 0);
    const lostTokens = Math.min(tokens, this.#options.passTokens);
    for (const { prompt } of slices) this.#promptQueue.delay(prompt, lostTokens);
  }

  /** @param prompts in scheduling order */
  #noteDelays(prompts: readonly StepCandidate[], planned: PlannedWork[]): PlannedWork[] {
    for (const { sequenceId, tokens } of planned) {
      const index = prompts.findIndex((prompt) => prompt.sequenceId === sequenceId);
      const prompt = prompts[index];
      if (prompt === undefined) continue;
      const overtakenPrompts = prompts
        .slice(index + 1)
        .filter(({ admissionOrder }) => admissionOrder < prompt.admissionOrder);
      for (const other of overtakenPrompts) this.#promptQueue.delay(other, tokens);
    }
    return planned;
  }

  /**
   * Learns the cost of a step. Skips steps with drafts or with tokens lost to drafts, because these evaluate several
   * tokens per generation, and steps with prompts that need all rows of logits. Excludes the time for drafts and
   * states, which the next step may not need.
   */
  learn(report: StepReport): void {
    const { decodeTokens, redoneTokens, draftTokens, prefillTokens, scoredTokens } = report;
    const { stateMs, draftMs, totalMs } = report;
    this.#pause.noteStep({ decodeTokens, stepMs: totalMs });
    if (draftTokens + redoneTokens + scoredTokens > 0 || decodeTokens + prefillTokens === 0) return;
    this.#budget.learn({ decodeTokens, prefillTokens, stepMs: totalMs - draftMs - stateMs });
  }

  #takeTurn(): AwaitedToken {
    const turn = this.#nextTurn;
    this.#nextTurn = turn === "first" ? "next" : "first";
    return turn;
  }

  /**
   * Returns the number of prompt tokens of a step without decoding. The step takes one pass of a prompt, as a longer
   * step would evaluate it in several passes too, and delay prompts that arrive meanwhile. It takes few prompts at once,
   * because all prompts of a step get their first token only when the step ends.
   */
  #computePrefillOnlyTokens(first: StepCandidate | undefined): number {
    const passTokens = Math.min(first?.uncomputedTokens ?? 0, this.#options.passTokens);
    return Math.max(this.#budget.computeTokensAlone(), passTokens);
  }
}
