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
  /** How long decoding has paused, in milliseconds; `undefined`: it does not. */
  readonly pausedMs: number | undefined;
  /** How long it may, in milliseconds. */
  readonly mostPausedMs: number;
}

/**
 * Whether decoding pauses for a step. In a rush, which begins when more generations wait for their
 * first token than for their next and lasts until all of them are served, prompts alone are
 * evaluated: that serves them soonest, and those that decode pause once and then do so in a full
 * batch. It cannot go on for longer than a pause may last.
 */
export function pausesDecoding({ decoding, prefilling, pausedMs, mostPausedMs }: Demand): boolean {
  if (decoding === 0) return false;
  if (pausedMs === undefined) return prefilling > decoding;
  return prefilling > 0 && pausedMs < mostPausedMs;
}

/** What one sequence does in a step. */
export type StepWork =
  | { readonly kind: "decode"; readonly sequenceId: number }
  | {
      readonly kind: "prefill";
      readonly sequenceId: number;
      readonly tokens: number;
    };

/** Prompt tokens that a step may evaluate. */
export interface PrefillAllowance {
  readonly wanted: number;
  /** What the batch has room for. */
  readonly most: number;
}

/** A prompt that needs only so much more than what is wanted is taken whole. */
const STRETCH = 1.25;

/**
 * The work of one step, in ascending sequence id. Every decoding sequence advances by one token;
 * prompts come in order of admission, one after the other rather than evenly, and in few pieces:
 * llama.cpp evaluates sequences with different token counts in separate passes over the weights.
 */
export function planStep(
  candidates: readonly StepCandidate[],
  { wanted, most }: PrefillAllowance,
): StepWork[] {
  const work: StepWork[] = [];
  for (const { sequenceId, promptTokensLeft } of candidates) {
    if (promptTokensLeft === 0) work.push({ kind: "decode", sequenceId });
  }
  const cap = Math.min(wanted, most);
  let given = 0;
  const prefilling = candidates.filter((candidate) => candidate.promptTokensLeft > 0);
  for (const candidate of prefilling.toSorted((a, b) => a.admitted - b.admitted)) {
    const { sequenceId, promptTokensLeft, tokensToCheckpoint } = candidate;
    const piece = Math.min(promptTokensLeft, tokensToCheckpoint);
    const fits = given + piece <= Math.min(most, wanted * STRETCH);
    const tokens = fits ? piece : cap - given;
    // A piece that is neither the rest of a prompt nor large is not worth a pass.
    if (tokens <= 0 || (!fits && tokens < cap / 2)) break;
    work.push({ kind: "prefill", sequenceId, tokens });
    given += tokens;
    if (given >= cap) break;
  }
  return work.toSorted((a, b) => a.sequenceId - b.sequenceId);
}
