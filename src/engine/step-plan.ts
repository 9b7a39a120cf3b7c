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
