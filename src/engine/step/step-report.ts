import type { StepWork } from "./step-work.js";
import { countSubBatches } from "./sub-batches.js";

/** What a step did, and where its time went. */
export interface StepReport {
  /** Generations that decoded. */
  readonly decodeTokens: number;
  /** Tokens evaluated beside because they were likely to follow. */
  readonly draftTokens: number;
  readonly prefillTokens: number;
  /** Passes over the weights that llama.cpp makes of the batch. */
  readonly subBatches: number;
  /** Time for finding drafts, in milliseconds: the draft model's, mostly. */
  readonly draftMs: number;
  /** Time in llama.cpp, in milliseconds: the batch, then drawing its tokens. */
  readonly evaluateMs: number;
  readonly sampleMs: number;
  /** From the step's beginning to its end, in milliseconds. */
  readonly totalMs: number;
}

type StepTimes = Pick<StepReport, "draftMs" | "evaluateMs" | "sampleMs" | "totalMs">;

/** A step that came to nothing. */
export const NO_STEP: StepReport = {
  decodeTokens: 0,
  draftTokens: 0,
  prefillTokens: 0,
  subBatches: 0,
  draftMs: 0,
  evaluateMs: 0,
  sampleMs: 0,
  totalMs: 0,
};

/** @param batchSize tokens that one pass of llama.cpp takes */
export function reportStep(
  work: readonly StepWork[],
  times: StepTimes,
  batchSize: number,
): StepReport {
  const shares = work.map(({ part: { sequenceId, tokens } }) => ({
    sequenceId,
    tokens: tokens.length,
  }));
  return { ...countTokens(work), subBatches: countSubBatches(shares, batchSize), ...times };
}

function countTokens(work: readonly StepWork[]) {
  let [decodeTokens, draftTokens, prefillTokens] = [0, 0, 0];
  for (const { kind, draft, part } of work) {
    if (kind === "prefill") prefillTokens += part.tokens.length;
    else {
      decodeTokens++;
      draftTokens += draft?.tokens.length ?? 0;
    }
  }
  return { decodeTokens, draftTokens, prefillTokens };
}
