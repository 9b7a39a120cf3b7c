import assert from "node:assert/strict";
import type { SequencePool } from "../cache/sequence-pool.js";
import type { Speculator } from "../drafts/speculator.js";
import {
  type BatchPart,
  createCertainDraw,
  type DrawnToken,
  type Logits,
  type PartDraws,
  type TokenContext,
} from "../native/token-context.js";
import type { RunningGeneration } from "./running-generation.js";
import type { RunningGenerations } from "./running-generations.js";
import type { TokenEndings } from "./settle-step.js";
import type { StepWork } from "./step-plan.js";

export interface SamplingParts {
  readonly context: Pick<TokenContext, "logProbabilities">;
  readonly pool: SequencePool;
  readonly running: RunningGenerations;
  readonly speculator: Speculator | undefined;
}

/** Result of sampling one generation in a step. */
export interface SamplingResult {
  /** Why the generation ends, judged by its tokens alone; `undefined`: it continues. */
  readonly ending: "stop" | "length" | undefined;
  /** Number of tokens of the sequence that belong to the text: all but the rejected end of a draft. */
  readonly validLength: number;
}

/**
 * Builds the work of a generation for a step: the next tokens of its text, its draft, and the draws made with the
 * batch.
 * @returns `undefined` if the generation failed
 */
export function toWork(
  generation: RunningGeneration,
  tokens: number,
  draft: StepWork["draft"],
  { running }: Pick<SamplingParts, "running">,
): StepWork | undefined {
  try {
    const begin = generation.lease.contents.cells.length;
    const part = generation.nextPart(tokens, draft);
    return { generation, draft, begin, part: { ...part, draws: drawsOf(generation, draft, part) } };
  } catch (error) {
    running.fail(generation, error);
    return undefined;
  }
}

/**
 * Returns the draws made with the batch; none while forced tokens are not yet accepted or the prompt is being scored.
 */
function drawsOf(
  generation: RunningGeneration,
  draft: StepWork["draft"],
  { logitsFrom, tokens }: BatchPart,
): PartDraws | undefined {
  const isScored = generation.promptScores?.isWhole === false;
  const hasRows = logitsFrom < tokens.length;
  return !hasRows || isScored || draft?.source === "grammar" ? undefined : generation.draws;
}

/**
 * Prepares sequences for the rejection of their drafts. A failure fails only the affected generation.
 * @returns the work without failed generations
 */
export async function prepareDrafts(
  work: readonly StepWork[],
  { pool, running }: Pick<SamplingParts, "pool" | "running">,
): Promise<readonly StepWork[]> {
  for (const { generation, draft } of work) {
    if (draft === undefined) continue;
    await pool
      .prepareForDraft(generation.lease)
      .catch((error: unknown) => running.fail(generation, error));
  }
  return work.filter(({ generation }) => running.has(generation));
}

/**
 * Samples each generation of a step. Tokens drawn with the batch are taken first, because asynchronous sampling may
 * overwrite their rows.
 * @param logits the rows of each part; `undefined`: the batch was aborted
 */
export async function sampleStep(
  work: readonly StepWork[],
  logits: readonly (readonly Logits[])[] | undefined,
  parts: SamplingParts,
): Promise<readonly (SamplingResult | undefined)[]> {
  const results = work.map((item, index) => takeDrawn(item, logits?.[index] ?? [], parts));
  if (areAllTaken(results)) return results;
  return Promise.all(
    results.map((one, index) => {
      const item = work[index];
      if (one !== "pending") return one;
      return item && sample(item, logits?.[index] ?? [], parts);
    }),
  );
}

function areAllTaken(
  drawn: readonly (SamplingResult | "pending")[],
): drawn is readonly SamplingResult[] {
  return !drawn.includes("pending");
}

/**
 * Samples a generation's next tokens: the accepted part of its draft and one more. A failure fails only this
 * generation.
 * @param rows of logits, as they were requested; empty if the batch was aborted
 */
async function sample(
  work: StepWork,
  rows: readonly Logits[],
  { context, running, speculator }: SamplingParts,
): Promise<SamplingResult | undefined> {
  const { generation, draft } = work;
  if (!running.has(generation)) return undefined;
  try {
    const logits = await scorePrompt(work, rows, context);
    if (generation.isPromptOnly) return finishPromptOnly(work);
    if (draft?.source === "grammar") {
      return await sampleAfterForced(work, draft.tokens, logits);
    }
    for (const [index, handle] of logits.entries()) {
      const drawn = await pickScoredToken(generation, handle, context);
      const sampled = verify(work, index, drawn, speculator);
      if (sampled !== undefined) return sampled;
    }
  } catch (error) {
    running.fail(generation, error);
  }
  return undefined;
}

/**
 * Takes a generation's next tokens synchronously, if all of them were drawn with the batch.
 * @returns `pending` if tokens remain to be sampled
 */
function takeDrawn(
  work: StepWork,
  rows: readonly Logits[],
  { running, speculator }: SamplingParts,
): SamplingResult | "pending" {
  const { generation, draft, part } = work;
  if (part.draws === undefined || rows.length === 0 || !running.has(generation)) return "pending";
  const drawnTokens: DrawnToken[] = [];
  // Each row follows a proposed token; rows after the first token that differs from the draft were not drawn from.
  for (const [index, handle] of rows.entries()) {
    const one = generation.sampler.getDrawn(handle);
    if (one === undefined) return "pending";
    drawnTokens.push(one);
    if (one.token !== draft?.tokens[index]) break;
  }
  for (const [index, one] of drawnTokens.entries()) {
    const sampled = verify(work, index, one, speculator);
    if (sampled !== undefined) return sampled;
  }
  return assert.fail("the last row of a part is followed by a draft token");
}

/**
 * Accepts the token of a row and compares it with the draft.
 * @returns the result of the step; `undefined`: the token matches the draft, and the next row follows
 */
function verify(
  { generation, draft, begin, part }: StepWork,
  index: number,
  { token, probabilities }: DrawnToken,
  speculator: Speculator | undefined,
): SamplingResult | undefined {
  const ending = generation.accept(token, probabilities);
  const isProposed = token === draft?.tokens[index];
  if (ending === undefined && isProposed) return undefined;
  if (draft !== undefined && draft.source !== "grammar") {
    const accepted = isProposed ? index + 1 : index;
    const { source, tokens } = draft;
    speculator?.learnOutcome(generation, { source, proposed: tokens.length, accepted });
  }
  return { ending, validLength: begin + part.logitsFrom + index + 1 };
}

/**
 * Scores the prompt tokens of a slice, if the prompt is to be scored.
 * @returns the rows that remain to sample from
 */
async function scorePrompt(
  { generation, part }: StepWork,
  rows: readonly Logits[],
  context: SamplingParts["context"],
): Promise<readonly Logits[]> {
  const { promptScores, scoring } = generation;
  if (promptScores === undefined || promptScores.isWhole || rows.length === 0) return rows;
  const followers = promptScores.findFollowers(part);
  const tokens = rows.flatMap((logits, index) => {
    const token = followers[index];
    return token === undefined ? [] : [{ logits, token }];
  });
  const probabilities =
    tokens.length === 0 ? [] : await context.logProbabilities(tokens, scoring?.top ?? 0);
  promptScores.add(part, probabilities);
  return rows.slice(tokens.length);
}

/** Ends a generation of no tokens (`maxTokens` 0) when its prompt is evaluated. */
function finishPromptOnly({ generation, begin, part }: StepWork): SamplingResult | undefined {
  if (generation.uncomputedTokens > 0) return undefined;
  return { ending: "length", validLength: begin + part.tokens.length };
}

/** Accepts forced tokens, which are not drawn, and samples the token after them. */
async function sampleAfterForced(
  { generation, begin, part }: StepWork,
  forcedTokens: readonly number[],
  [handle]: readonly Logits[],
): Promise<SamplingResult | undefined> {
  const end = begin + part.tokens.length;
  const before = end - forcedTokens.length;
  for (const [index, token] of forcedTokens.entries()) {
    const ending = generation.acceptForced(token);
    if (ending !== undefined) return { ending, validLength: before + index };
  }
  if (handle === undefined) return undefined;
  const ending = generation.accept(await pickToken(generation, handle));
  return { ending, validLength: end };
}

/** Returns the next token, with its probabilities if they are reported. */
async function pickScoredToken(
  generation: RunningGeneration,
  logits: Logits,
  context: SamplingParts["context"],
): Promise<DrawnToken> {
  const { forcedToken, scoring } = generation;
  if (scoring?.origin === "sampling") {
    if (forcedToken !== undefined) return createCertainDraw(forcedToken, scoring.top);
    const drawn = await generation.sampler.sampleScored(logits, scoring.top);
    return { ...drawn, token: generation.resumedToken ?? drawn.token };
  }
  const token = await pickToken(generation, logits);
  if (scoring === undefined) return { token };
  const [probabilities] = await context.logProbabilities([{ logits, token }], scoring.top);
  return { token, probabilities };
}

/**
 * Returns the next token. A forced token consumes no draw, whether or not it was evaluated in advance, so the answer is
 * the same in both cases. A resumed token is drawn nevertheless, so that later draws equal those of an uninterrupted
 * answer.
 */
async function pickToken(generation: RunningGeneration, logits: Logits): Promise<number> {
  const { forcedToken } = generation;
  if (forcedToken !== undefined) return forcedToken;
  const drawn = await generation.sampler.sample(logits);
  return generation.resumedToken ?? drawn;
}

/**
 * Removes rejected draft tokens from the KV cache, and frees the sequences of generations that end. A failure fails
 * only the affected generation. Generations are processed one by one after all have sampled, because a context takes
 * one call at a time.
 */
export async function applySampling(
  work: readonly StepWork[],
  sampled: readonly (SamplingResult | undefined)[],
  { pool, running }: SamplingParts,
): Promise<TokenEndings> {
  const endings = new Map<RunningGeneration, SamplingResult["ending"]>();
  for (const [index, { generation, draft }] of work.entries()) {
    const { ending, validLength } = sampled[index] ?? {};
    endings.set(generation, ending);
    try {
      if (draft !== undefined && validLength !== undefined) {
        await pool.keep(generation.lease, validLength);
      }
      if (ending !== undefined) running.release(generation);
    } catch (error) {
      running.fail(generation, error);
    }
  }
  return endings;
}
