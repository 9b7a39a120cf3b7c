/** A prompt about to be evaluated by a model without partial truncation; all lengths in tokens. */
export interface CheckpointInput {
  readonly promptTokens: number;
  /** Tokens that its sequence already holds. */
  readonly heldTokens: number;
  /** Tokens that a saved state could provide. */
  readonly savedTokens: number;
  /** Longest prefix shared with any other prompt: held, being evaluated, or saved. */
  readonly sharedTokens: number;
}

/** Minimum distance of a checkpoint from the previous one. */
const MIN_DISTANCE_TOKENS = 64;
/**
 * Length of the end of a prompt that the next turn may not share: the header of the answer, and template markers opened
 * or closed after it, such as reasoning.
 */
const ANSWER_HEADER_TOKENS = 16;
/** Granularity of shared prefixes; shorter matches are coincidental. */
const BLOCK_TOKENS = 16;

/**
 * Returns the lengths, ascending, at which prefill of a prompt pauses to save its state: where the prompt diverges from
 * an earlier one, because a prefix shared by two prompts is likely to be shared by a third; and before the header of
 * its answer, where the next turn continues.
 * @param lastCut returns the greatest length up to its argument that the prompt can be cut to; by default, any length
 */
export function planCheckpoints(
  input: CheckpointInput,
  lastCut: (length: number) => number = (length) => length,
): number[] {
  const { promptTokens, heldTokens, savedTokens, sharedTokens } = input;
  let previous = savedTokens;
  return [computeSharedCheckpoint(sharedTokens), promptTokens - ANSWER_HEADER_TOKENS]
    .map(lastCut)
    .toSorted((a, b) => a - b)
    .filter((length) => {
      if (length <= heldTokens || length - previous < MIN_DISTANCE_TOKENS) return false;
      previous = length;
      return true;
    });
}

/** Returns the length at which the state of a shared prefix is saved: rounded down to whole blocks. */
export function computeSharedCheckpoint(sharedTokens: number): number {
  return sharedTokens - (sharedTokens % BLOCK_TOKENS);
}
