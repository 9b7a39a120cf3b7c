import type { StepWork } from "./step-plan.js";

/** Tokens and durations of one step. */
export interface StepReport {
  /** Number of generations that took part, in prefill or decode. */
  readonly generations: number;
  /** Number of generations that decoded. */
  readonly decodeTokens: number;
  /** Tokens evaluated again because the sequence lost them with a rejected draft. */
  readonly redoneTokens: number;
  /** Draft tokens that were verified, and forced tokens. */
  readonly draftTokens: number;
  readonly prefillTokens: number;
  /** Prompt tokens of generations whose prompt log-probabilities are read. */
  readonly scoredTokens: number;
  /** Time for placing prompts: saving, copying and restoring states, in milliseconds. */
  readonly stateMs: number;
  /** Time for drafting, in milliseconds. */
  readonly draftMs: number;
  /** Time for marking sequences before drafts and for removing rejected draft tokens, in milliseconds. */
  readonly retractionMs: number;
  /** Time for evaluating the batch and for sampling, in milliseconds. */
  readonly evaluateMs: number;
  readonly sampleMs: number;
  /** From the step's beginning to its end, in milliseconds. */
  readonly totalMs: number;
}

type StepTimes = Pick<
  StepReport,
  "stateMs" | "draftMs" | "retractionMs" | "evaluateMs" | "sampleMs" | "totalMs"
>;

/** The report of a step that failed. */
export const NO_STEP: StepReport = {
  generations: 0,
  decodeTokens: 0,
  redoneTokens: 0,
  draftTokens: 0,
  prefillTokens: 0,
  scoredTokens: 0,
  stateMs: 0,
  draftMs: 0,
  retractionMs: 0,
  evaluateMs: 0,
  sampleMs: 0,
  totalMs: 0,
};

export function reportStep(work: readonly StepWork[], times: StepTimes): StepReport {
  return { ...countTokens(work), ...times };
}

/**
 * Counts the tokens of a step by kind. After the prompt, only the last token of a text is new; tokens before it were
 * lost with a rejected draft and are recomputed.
 */
function countTokens(work: readonly StepWork[]) {
  let [decodeTokens, redoneTokens, draftTokens, prefillTokens, scoredTokens] = [0, 0, 0, 0, 0];
  for (const { draft, generation, begin, part } of work) {
    const proposedTokens = draft?.tokens.length ?? 0;
    const textTokens = part.tokens.length - proposedTokens;
    const promptTokens = Math.min(textTokens, Math.max(0, generation.promptLength - begin));
    const newTokens = Math.min(1, textTokens - promptTokens);
    draftTokens += proposedTokens;
    prefillTokens += promptTokens;
    decodeTokens += newTokens;
    redoneTokens += textTokens - promptTokens - newTokens;
    if (generation.promptScores !== undefined) scoredTokens += promptTokens;
  }
  const generations = work.length;
  return { generations, decodeTokens, redoneTokens, draftTokens, prefillTokens, scoredTokens };
}
