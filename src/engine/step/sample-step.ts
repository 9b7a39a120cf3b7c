import assert from "node:assert/strict";
import type { SequencePool } from "../cache/sequence-pool.js";
import type { Speculator } from "../drafts/speculator.js";
import {
  type BatchPart,
  certainDraw,
  type Drawn,
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

/** What a step has sampled for a generation. */
export interface Sampled {
  /** Why the generation ends, as far as its tokens tell. */
  readonly ending: "stop" | "length" | undefined;
  /** Tokens of the sequence that belong to the text: all but the rejected end of a draft. */
  readonly soundLength: number;
}

/**
 * What a generation evaluates of its text and of a draft, and what is drawn with that.
 * @returns `undefined`: it has failed
 */
export function toWork(
  generation: RunningGeneration,
  tokens: number,
  draft: StepWork["draft"],
  { running }: Pick<SamplingParts, "running">,
): StepWork | undefined {
  try {
    const begin = generation.lease.held.cells.length;
    const part = generation.nextPart(tokens, draft);
    return { generation, draft, begin, part: { ...part, draws: drawsOf(generation, draft, part) } };
  } catch (error) {
    running.fail(generation, error);
    return undefined;
  }
}

/** Nothing is drawn before forced tokens are accepted, or the prompt is scored. */
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
 * Prepares sequences for the rejection of their drafts. A failure fails that generation only.
 * @returns the work without the generations that have failed
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
 * What each generation of a step has sampled. What was drawn with the batch is taken first: what is awaited may touch
 * its rows.
 * @param logits the rows of each part; `undefined`: the batch was aborted
 */
export async function sampleStep(
  work: readonly StepWork[],
  logits: readonly (readonly Logits[])[] | undefined,
  parts: SamplingParts,
): Promise<readonly (Sampled | undefined)[]> {
  const drawn = work.map((item, index) => takeDrawn(item, logits?.[index] ?? [], parts));
  if (areAllTaken(drawn)) return drawn;
  return Promise.all(
    drawn.map((one, index) => {
      const item = work[index];
      if (one !== "pending") return one;
      return item && sample(item, logits?.[index] ?? [], parts);
    }),
  );
}

function areAllTaken(drawn: readonly (Sampled | "pending")[]): drawn is readonly Sampled[] {
  return !drawn.includes("pending");
}

/**
 * Samples a generation's next tokens: the accepted part of its draft and one more. A failure fails
 * this generation only.
 * @param rows of logits, as they were requested; none of a batch that was aborted
 */
async function sample(
  work: StepWork,
  rows: readonly Logits[],
  { context, running, speculator }: SamplingParts,
): Promise<Sampled | undefined> {
  const { generation, draft } = work;
  if (!running.has(generation)) return undefined;
  try {
    const logits = await scorePrompt(work, rows, context);
    if (generation.isPromptOnly) return promptOnly(work);
    if (draft?.source === "grammar") {
      return await sampleAfterForced(work, draft.tokens, logits);
    }
    for (const [index, handle] of logits.entries()) {
      const drawn = await nextScoredToken(generation, handle, context);
      const sampled = verify(work, index, drawn, speculator);
      if (sampled !== undefined) return sampled;
    }
  } catch (error) {
    running.fail(generation, error);
  }
  return undefined;
}

/**
 * The same where all of it was drawn with the batch: nothing is awaited.
 * @returns `pending` where something else is to be sampled
 */
function takeDrawn(
  work: StepWork,
  rows: readonly Logits[],
  { running, speculator }: SamplingParts,
): Sampled | "pending" {
  const { generation, draft, part } = work;
  if (part.draws === undefined || rows.length === 0 || !running.has(generation)) return "pending";
  const drawn: Drawn[] = [];
  // Each row follows a token that was proposed; the rows behind the first other one were not drawn from.
  for (const [index, handle] of rows.entries()) {
    const one = generation.sampler.drawn(handle);
    if (one === undefined) return "pending";
    drawn.push(one);
    if (one.token !== draft?.tokens[index]) break;
  }
  for (const [index, one] of drawn.entries()) {
    const sampled = verify(work, index, one, speculator);
    if (sampled !== undefined) return sampled;
  }
  return assert.fail("the last row of a part has no token proposed behind it");
}

/**
 * Accepts the token of a row.
 * @returns what the step has sampled with it; `undefined`: it was proposed, and the next row follows
 */
function verify(
  { generation, draft, begin, part }: StepWork,
  index: number,
  { token, probabilities }: Drawn,
  speculator: Speculator | undefined,
): Sampled | undefined {
  const ending = generation.accept(token, probabilities);
  const isProposed = token === draft?.tokens[index];
  if (ending === undefined && isProposed) return undefined;
  if (draft !== undefined && draft.source !== "grammar") {
    const accepted = isProposed ? index + 1 : index;
    const { source, tokens } = draft;
    speculator?.verified(generation, { source, proposed: tokens.length, accepted });
  }
  return { ending, soundLength: begin + part.logitsFrom + index + 1 };
}

/**
 * Scores what a slice shows of a prompt, if it is to be scored.
 * @returns the rows that are left to sample from
 */
async function scorePrompt(
  { generation, part }: StepWork,
  rows: readonly Logits[],
  context: SamplingParts["context"],
): Promise<readonly Logits[]> {
  const { promptScores, scoring } = generation;
  if (promptScores === undefined || promptScores.isWhole || rows.length === 0) return rows;
  const followers = promptScores.followers(part);
  const tokens = rows.flatMap((logits, index) => {
    const token = followers[index];
    return token === undefined ? [] : [{ logits, token }];
  });
  const probabilities =
    tokens.length === 0 ? [] : await context.logProbabilities(tokens, scoring?.top ?? 0);
  promptScores.add(part, probabilities);
  return rows.slice(tokens.length);
}

/** A generation of no tokens ends when its prompt is evaluated. */
function promptOnly({ generation, begin, part }: StepWork): Sampled | undefined {
  if (generation.uncomputedTokens > 0) return undefined;
  return { ending: "length", soundLength: begin + part.tokens.length };
}

/** Accepts forced tokens, which are not drawn, and samples the one behind them. */
async function sampleAfterForced(
  { generation, begin, part }: StepWork,
  forced: readonly number[],
  [handle]: readonly Logits[],
): Promise<Sampled | undefined> {
  const end = begin + part.tokens.length;
  const before = end - forced.length;
  for (const [index, token] of forced.entries()) {
    const ending = generation.acceptForced(token);
    if (ending !== undefined) return { ending, soundLength: before + index };
  }
  if (handle === undefined) return undefined;
  const ending = generation.accept(await nextToken(generation, handle));
  return { ending, soundLength: end };
}

/** The next token, and its probabilities if they are reported. */
async function nextScoredToken(
  generation: RunningGeneration,
  logits: Logits,
  context: SamplingParts["context"],
): Promise<Drawn> {
  const { forcedToken, scoring } = generation;
  if (scoring?.of === "sampling") {
    if (forcedToken !== undefined) return certainDraw(forcedToken, scoring.top);
    const drawn = await generation.sampler.sampleScored(logits, scoring.top);
    return { ...drawn, token: generation.resumedToken ?? drawn.token };
  }
  const token = await nextToken(generation, logits);
  if (scoring === undefined) return { token };
  const [probabilities] = await context.logProbabilities([{ logits, token }], scoring.top);
  return { token, probabilities };
}

/**
 * Whether a forced text was evaluated in advance must not show: it takes no draw in either case. A resumed token
 * is drawn nevertheless, so that the draws behind it are those of an answer that was never cut.
 */
async function nextToken(generation: RunningGeneration, logits: Logits): Promise<number> {
  const { forcedToken } = generation;
  if (forcedToken !== undefined) return forcedToken;
  const drawn = await generation.sampler.sample(logits);
  return generation.resumedToken ?? drawn;
}

/**
 * Takes rejected tokens back, and frees the sequences of generations that end. A failure fails that
 * generation only. One after the other, when all have sampled: a context takes one call at a time.
 */
export async function applySampling(
  work: readonly StepWork[],
  sampled: readonly (Sampled | undefined)[],
  { pool, running }: SamplingParts,
): Promise<TokenEndings> {
  const endings = new Map<RunningGeneration, Sampled["ending"]>();
  for (const [index, { generation, draft }] of work.entries()) {
    const { ending, soundLength } = sampled[index] ?? {};
    endings.set(generation, ending);
    try {
      if (draft !== undefined && soundLength !== undefined) {
        await pool.keep(generation.lease, soundLength);
      }
      if (ending !== undefined) running.release(generation);
    } catch (error) {
      running.fail(generation, error);
    }
  }
  return endings;
}
