import assert from "node:assert/strict";
import type { Draft } from "../drafts/generation-drafts.js";
import type { BatchPart, TokenContext } from "../native/token-context.js";
import type { RunningGeneration } from "./running-generation.js";

/** A generation that holds a sequence, as far as planning needs it. */
export interface StepCandidate {
  readonly sequenceId: number;
  /** Prompt tokens not evaluated yet; 0: decoding. */
  readonly promptTokensLeft: number;
  /** Tokens that it evaluates when it decodes; at least 1. */
  readonly pendingTokens: number;
  /** Tokens up to the next checkpoint, at which a step ends so that the state can be saved. */
  readonly tokensToCheckpoint: number;
  /** Order of admission. */
  readonly admitted: number;
  /** Rows of logits that its prompt needs; absent: the last. */
  readonly promptLogits?: "all" | undefined;
}

/** The load when a step begins. */
export interface Demand {
  /** Generations that wait for their next token. */
  readonly decoding: number;
  /** Generations that wait for their first token. */
  readonly prefilling: number;
}

/** How far a step may exceed the target of inter-token latency in a burst, in targets. */
const MAX_BURST_TARGETS = 4;

/**
 * How long a step may take, in targets of inter-token latency: 1 to {@link MAX_BURST_TARGETS}. The more
 * generations wait for their first token, compared with those that wait for their next, the more of a
 * step goes to prompts: long steps waste less on passes over the weights, and decoding is cheapest in
 * a full batch. A prompt that comes alone changes nothing, and decoding goes on in every step.
 */
export function stepTargets({ decoding, prefilling }: Demand): number {
  if (decoding === 0) return 1;
  return 1 + (MAX_BURST_TARGETS - 1) * Math.min(1, Math.max(0, prefilling - 1) / decoding);
}

/** The share of one sequence in a step. */
export type PlannedWork =
  | { readonly kind: "decode"; readonly sequenceId: number }
  | {
      readonly kind: "prefill";
      readonly sequenceId: number;
      readonly tokens: number;
    };

/** Prompt tokens that a step may evaluate. */
export interface PrefillAllowance {
  readonly targetTokens: number;
  /** What the batch has room for. */
  readonly maxTokens: number;
  /** Rows of logits that the step may request; at least one for each candidate. */
  readonly maxOutputs: number;
}

/** The end of a prompt may exceed the target by this factor, which saves a step. */
const MAX_TARGET_STRETCH = 1.25;

/**
 * Plans one step, in ascending sequence id. Every decoding sequence advances by one token. Prompts
 * are taken in the order given, one after the other rather than evenly, and in few slices:
 * llama.cpp evaluates sequences with different token counts in separate passes over the weights. Slices of
 * prompts that need all rows of logits take what rows the others leave.
 */
export function planStep(
  candidates: readonly StepCandidate[],
  { targetTokens, maxTokens, maxOutputs }: PrefillAllowance,
): PlannedWork[] {
  const planned: PlannedWork[] = [];
  for (const { sequenceId, promptTokensLeft } of candidates) {
    assert(promptTokensLeft >= 0, `sequence ${sequenceId} holds more than its prompt`);
    if (promptTokensLeft === 0) planned.push({ kind: "decode", sequenceId });
  }
  const budgetTokens = Math.min(targetTokens, maxTokens);
  const stretchedTokens = Math.min(maxTokens, targetTokens * MAX_TARGET_STRETCH);
  let plannedTokens = 0;
  const prefilling = candidates.filter((candidate) => candidate.promptTokensLeft > 0);
  const needAllRows = prefilling.filter((candidate) => candidate.promptLogits === "all");
  let rowsLeft = maxOutputs - (candidates.length - needAllRows.length);
  for (const candidate of prefilling) {
    const { sequenceId, promptTokensLeft, tokensToCheckpoint, promptLogits } = candidate;
    const rowTokens = promptLogits === "all" ? rowsLeft : Number.POSITIVE_INFINITY;
    if (rowTokens === 0) continue;
    const sliceTokens = Math.min(promptTokensLeft, tokensToCheckpoint, rowTokens);
    const fits = plannedTokens + sliceTokens <= stretchedTokens;
    const tokens = fits ? sliceTokens : budgetTokens - plannedTokens;
    // A slice that neither completes a prompt nor is large is not worth a pass over the weights.
    if (tokens <= 0 || (!fits && tokens < budgetTokens / 2)) break;
    planned.push({ kind: "prefill", sequenceId, tokens });
    plannedTokens += tokens;
    if (promptLogits === "all") rowsLeft -= tokens;
    if (plannedTokens >= budgetTokens) break;
  }
  assert(
    plannedTokens <= Math.max(0, maxTokens),
    `a step of ${plannedTokens} prompt tokens exceeds the batch's room for ${maxTokens}`,
  );
  return planned.toSorted((a, b) => a.sequenceId - b.sequenceId);
}

/** A planned share together with its generation. */
export type PlannedStep = PlannedWork & { readonly generation: RunningGeneration };

/** A planned share with its tokens, ready for the batch. */
export interface StepWork {
  readonly kind: PlannedWork["kind"];
  readonly generation: RunningGeneration;
  readonly part: BatchPart;
  /** Tokens proposed to follow the pending ones. */
  readonly draft: Draft | undefined;
}

/** Looks up the tokens of a planned share. */
export function toStepWork(planned: PlannedStep, drafts: ReadonlyMap<number, Draft>): StepWork {
  const { kind, generation } = planned;
  if (kind === "prefill") {
    return { kind, generation, draft: undefined, part: generation.promptPart(planned.tokens) };
  }
  const draft = drafts.get(planned.sequenceId);
  const certainty = draft?.source === "grammar" ? "certain" : "to-be-verified";
  return { kind, generation, draft, part: generation.decodePart(draft?.tokens ?? [], certainty) };
}

/** The tokens of one sequence in a batch. */
export interface BatchShare {
  readonly sequenceId: number;
  readonly tokens: number;
}

/**
 * Counts the sub-batches, that is passes over the weights, that llama.cpp splits a batch into. In the
 * unified layout they take tokens in their order (`split_simple` in its `llama-batch.cpp`).
 * @param shares in ascending sequence id
 */
export function countSubBatches(
  shares: readonly BatchShare[],
  { subBatchSize, layout }: Pick<TokenContext, "subBatchSize" | "layout">,
): number {
  if (layout.kind === "split") return countEqualSplits(shares, subBatchSize);
  return Math.ceil(shares.reduce((sum, { tokens }) => sum + tokens, 0) / subBatchSize);
}

/**
 * In the split layout a sub-batch takes equally many tokens of sequences with consecutive ids: as many
 * as the sequence with the fewest has left (`split_equal`).
 */
function countEqualSplits(shares: readonly BatchShare[], maxTokens: number): number {
  let left = shares.filter(({ tokens }) => tokens > 0);
  let passes = 0;
  for (; left.length > 0; passes++) {
    const first = left[0]?.sequenceId ?? 0;
    const gap = left.findIndex(({ sequenceId }, index) => sequenceId !== first + index);
    const group = left.slice(0, Math.min(gap < 0 ? left.length : gap, maxTokens));
    const fewest = Math.min(...group.map(({ tokens }) => tokens));
    const each = Math.min(fewest, Math.max(1, Math.floor(maxTokens / group.length)));
    const rest = group.map((share) => ({ ...share, tokens: share.tokens - each }));
    left = [...rest, ...left.slice(group.length)].filter(({ tokens }) => tokens > 0);
  }
  return passes;
}
