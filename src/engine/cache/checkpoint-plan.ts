/** A prompt about to be evaluated by a model without partial truncation; all lengths in tokens. */
export interface CheckpointInput {
  readonly promptTokens: number;
  /** What its sequence holds already. */
  readonly heldTokens: number;
  /** What a saved state could provide. */
  readonly savedTokens: number;
  /** Longest prefix that it shares with any other prompt: held, being evaluated, or saved. */
  readonly sharedTokens: number;
}

/** Distance of a checkpoint from the one before. */
const MIN_DISTANCE_TOKENS = 64;
/**
 * The end of a prompt that its next turn may not share: the header of the answer, and what a
 * template opens or closes after it, such as reasoning.
 */
const ANSWER_HEADER_TOKENS = 16;
/** Granularity of shared prefixes: first words that happen to agree are ignored. */
const BLOCK_TOKENS = 16;

/**
 * The lengths of a prompt, ascending, at which evaluating it pauses so that its state can be saved:
 * where it diverges from an earlier prompt, since a prefix that two prompts share is likely to be
 * shared by a third; and before the header of its answer, where its next turn continues.
 * @param lastCut the last length up to one that the prompt can be cut to; by default any can
 */
export function planCheckpoints(
  question: CheckpointInput,
  lastCut: (length: number) => number = (length) => length,
): number[] {
  const { promptTokens, heldTokens, savedTokens, sharedTokens } = question;
  let previous = savedTokens;
  return [sharedCheckpoint(sharedTokens), promptTokens - ANSWER_HEADER_TOKENS]
    .map(lastCut)
    .toSorted((a, b) => a - b)
    .filter((length) => {
      if (length <= heldTokens || length - previous < MIN_DISTANCE_TOKENS) return false;
      previous = length;
      return true;
    });
}

/** Where the state of a shared prefix is saved: rounded down to whole blocks. */
export function sharedCheckpoint(sharedTokens: number): number {
  return sharedTokens - (sharedTokens % BLOCK_TOKENS);
}
