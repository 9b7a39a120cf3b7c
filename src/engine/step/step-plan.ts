import assert from "node:assert/strict";
import type { Draft } from "../drafts/generation-drafts.js";
import type { BatchPart, Logits } from "../native/token-context.js";
import type { AwaitedToken, RunningGeneration } from "./running-generation.js";

/** Properties of a generation with a sequence that step planning depends on. */
export interface StepCandidate {
  readonly sequenceId: number;
  /** Number of tokens of its text that the sequence does not hold; at least 1. */
  readonly uncomputedTokens: number;
  readonly awaitedToken: AwaitedToken;
  /**
   * Maximum number of tokens in one step: up to a checkpoint, where the state can be saved, to the token from which the
   * adapters apply, or to media.
   */
  readonly tokensToPause: number;
  /** Order of admission. */
  readonly admissionOrder: number;
  /** Rows of logits that the prompt needs; absent: only the last. */
  readonly promptLogits?: "all" | undefined;
}

/** Load at the beginning of a step. */
export interface Demand {
  /** Generations that wait for their next token. */
  readonly decoding: number;
  /** Generations that wait for their first token. */
  readonly prefilling: number;
  /**
   * Duration of a step in which only the decoding generations take part, in multiples of the target
   * inter-token latency; 0: not known yet.
   */
  readonly decodeTargets: number;
}

/**
 * Maximum duration of a step in a burst of prompts, in multiples of the target inter-token latency.
 */
const MAX_BURST_TARGETS = 4;
/**
 * Maximum duration of a step with prompts if decoding alone takes much of the target, in multiples
 * of the target inter-token latency.
 */
export const MAX_STEP_TARGETS = 7;
/** Duration of a step with decoding and prompts, relative to the time of decoding alone. */
const MIXED_TO_DECODE_RATIO = 16;

/**
 * Returns how long a step may take, in multiples of the target inter-token latency: 1 to
 * {@link MAX_STEP_TARGETS}. The more generations wait for their first token, compared with
 * generations that wait for their next, the more of a step goes to prompts: long steps waste less
 * on passes over the weights, and decoding is cheapest in a full batch. If decoding is slow, a step
 * within the target would mostly decode and evaluate the prompt in small slices, which take longer
 * per token; so the step is extended until decoding takes a sixteenth of it.
 */
export function computeStepTargets({ decoding, prefilling, decodeTargets }: Demand): number {
  if (decoding === 0 || prefilling === 0) return 1;
  const burst = Math.min(1, (prefilling - 1) / decoding);
  const burstTargets = 1 + (MAX_BURST_TARGETS - 1) * burst;
  return Math.max(burstTargets, Math.min(MAX_STEP_TARGETS, MIXED_TO_DECODE_RATIO * decodeTargets));
}

/** The share of one sequence in a step. */
export interface PlannedWork {
  readonly sequenceId: number;
  /** Number of tokens to evaluate, starting with the first uncomputed token. */
  readonly tokens: number;
}

/** Prompt tokens that a step may evaluate. */
export interface PrefillAllowance {
  readonly targetTokens: number;
  /** Number of tokens that the batch has room for. */
  readonly maxTokens: number;
  /** Rows of logits that the step may request; at least one for each candidate. */
  readonly maxOutputs: number;
}

/** The end of a prompt may exceed the target by this factor, which saves a step. */
export const MAX_TARGET_STRETCH = 1.25;

/**
 * Plans one step, in ascending sequence id. Every sequence that waits for its next token gets it. Prompts are taken in
 * the order given, one after the other rather than evenly, and in few slices, because llama.cpp evaluates sequences
 * with different token counts in separate passes over the weights. Slices of prompts that need all rows of logits get
 * the rows that the other candidates leave.
 */
export function planStep(
  candidates: readonly StepCandidate[],
  { targetTokens, maxTokens, maxOutputs }: PrefillAllowance,
): PlannedWork[] {
  assert(
    candidates.every(({ uncomputedTokens }) => uncomputedTokens > 0),
    "a generation in the step has no uncomputed tokens",
  );
  const { next: decoding, first: prompts } = groupByAwaitedToken(candidates);
  const plannedWork: PlannedWork[] = decoding.map(({ sequenceId, uncomputedTokens }) => ({
    sequenceId,
    tokens: uncomputedTokens,
  }));
  const budgetTokens = Math.min(targetTokens, maxTokens);
  const stretchedTokens = Math.min(maxTokens, targetTokens * MAX_TARGET_STRETCH);
  let plannedTokens = 0;
  const scoredPrompts = prompts.filter(({ promptLogits }) => promptLogits === "all");
  let rowsLeft = maxOutputs - (candidates.length - scoredPrompts.length);
  for (const { sequenceId, uncomputedTokens, tokensToPause, promptLogits } of prompts) {
    const rowTokens = promptLogits === "all" ? rowsLeft : Number.POSITIVE_INFINITY;
    if (rowTokens === 0) continue;
    const sliceTokens = Math.min(uncomputedTokens, tokensToPause, rowTokens);
    const fits = plannedTokens + sliceTokens <= stretchedTokens;
    const tokens = fits ? sliceTokens : budgetTokens - plannedTokens;
    // A slice that neither completes a prompt nor is large is not worth a pass over the weights.
    if (tokens <= 0 || (!fits && tokens < budgetTokens / 2)) break;
    plannedWork.push({ sequenceId, tokens });
    plannedTokens += tokens;
    if (promptLogits === "all") rowsLeft -= tokens;
    if (plannedTokens >= budgetTokens) break;
  }
  assert(
    plannedTokens <= Math.max(0, maxTokens),
    `a step of ${plannedTokens} prompt tokens exceeds the batch's room for ${maxTokens}`,
  );
  return plannedWork.toSorted((a, b) => a.sequenceId - b.sequenceId);
}

/**
 * Splits candidates by whether they wait for their first token or the next one; keeps their order.
 */
export function groupByAwaitedToken<Candidate extends Pick<StepCandidate, "awaitedToken">>(
  candidates: readonly Candidate[],
): Readonly<Record<AwaitedToken, readonly Candidate[]>> {
  const first = candidates.filter(({ awaitedToken }) => awaitedToken === "first");
  return { first, next: candidates.filter(({ awaitedToken }) => awaitedToken === "next") };
}

/** Work of one generation in a step. */
export interface StepWork {
  readonly generation: RunningGeneration;
  /** Index of the part's first token in its text. */
  readonly begin: number;
  readonly part: BatchPart;
  /** Tokens proposed to follow the text; they are the last tokens of the part. */
  readonly draft: Draft | undefined;
}

/** Result of a batch. */
export interface Evaluation {
  /** The evaluated work; of an aborted batch, the part that is kept. */
  readonly evaluatedWork: readonly StepWork[];
  /** Rows of logits of each part; `undefined`: the batch is empty, failed, or was aborted. */
  readonly logits: readonly (readonly Logits[])[] | undefined;
}
