/** A generation that holds a sequence, as far as planning needs it. */
export interface StepCandidate {
  readonly sequenceId: number;
  /** Prompt tokens not evaluated yet; 0: decoding. */
  readonly promptTokensLeft: number;
  /** Tokens to where the state is saved on the way, which is between two steps. */
  readonly tokensToCheckpoint: number;
  /** Grows with admission: who came first is prefilled first. */
  readonly admitted: number;
}

/** Who waits for what when a step begins. */
export interface Demand {
  /** Generations that wait for their next token. */
  readonly decoding: number;
  /** Generations that wait for their first one. */
  readonly prefilling: number;
  /** Time since the last step in which those that decode did, in milliseconds. */
  readonly pausedMs: number;
  /** Longest such time, in milliseconds. */
  readonly mostPausedMs: number;
}

/**
 * Whether decoding pauses for a step. In a rush more generations wait for their first token than
 * for their next: prompts evaluated in full batches serve all of them soonest, and those that
 * decode do so in a fuller batch afterwards. It cannot go on for longer than a pause may last.
 */
export function pausesDecoding({ decoding, prefilling, pausedMs, mostPausedMs }: Demand): boolean {
  return decoding > 0 && prefilling > decoding && pausedMs < mostPausedMs;
}

/** What one sequence does in a step. */
export type StepWork =
  | { readonly kind: "decode"; readonly sequenceId: number }
  | {
      readonly kind: "prefill";
      readonly sequenceId: number;
      readonly tokens: number;
    };

/**
 * The work of one step, in ascending sequence id. Every decoding sequence advances by one token;
 * the budget goes to the prompts in order of admission, one after the other rather than evenly:
 * llama.cpp evaluates sequences with different token counts in separate passes.
 *
 * @param prefillBudget prompt tokens that the step may evaluate
 */
export function planStep(candidates: readonly StepCandidate[], prefillBudget: number): StepWork[] {
  const work: StepWork[] = [];
  for (const { sequenceId, promptTokensLeft } of candidates) {
    if (promptTokensLeft === 0) work.push({ kind: "decode", sequenceId });
  }
  let budget = prefillBudget;
  const prefilling = candidates.filter((candidate) => candidate.promptTokensLeft > 0);
  for (const candidate of prefilling.toSorted((a, b) => a.admitted - b.admitted)) {
    if (budget === 0) break;
    const { promptTokensLeft, tokensToCheckpoint } = candidate;
    const tokens = Math.min(promptTokensLeft, tokensToCheckpoint, budget);
    work.push({ kind: "prefill", sequenceId: candidate.sequenceId, tokens });
    budget -= tokens;
  }
  return work.toSorted((a, b) => a.sequenceId - b.sequenceId);
}
