/** A prompt that is about to be evaluated by a model that cannot cut its states, in tokens. */
export interface CheckpointQuestion {
  readonly promptLength: number;
  /** What its sequence holds already. */
  readonly held: number;
  /** What a saved state could give. */
  readonly saved: number;
  /** The longest beginning that it shares with what is held, evaluated or saved elsewhere. */
  readonly shared: number;
}

/** Tokens that a checkpoint must save beyond the one before. */
const LEAST_APART = 64;
/**
 * Tokens at a prompt's end that its next turn may not share: the header of the answer, and what a
 * template opens or closes after it, such as reasoning.
 */
const ANSWER_HEADER = 16;
/** Tokens by which a shared beginning grows: first words that happen to agree do not count. */
const BLOCK = 16;

/**
 * The lengths of a prompt, ascending, at which evaluating it pauses to save its state: where it
 * parts from the prompts that were seen before, since what two have shared a third will share, and
 * before the header of its answer, since its next turn goes on from there.
 */
export function planCheckpoints({
  promptLength,
  held,
  saved,
  shared,
}: CheckpointQuestion): number[] {
  let last = saved;
  return [sharedCheckpoint(shared), promptLength - ANSWER_HEADER]
    .toSorted((a, b) => a - b)
    .filter((length) => {
      if (length <= held || length - last < LEAST_APART) return false;
      last = length;
      return true;
    });
}

/** Where the state of a shared beginning is saved. */
export function sharedCheckpoint(shared: number): number {
  return shared - (shared % BLOCK);
}
