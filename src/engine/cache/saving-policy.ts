/** Costs of saving and of evaluating a state, in milliseconds per token; `undefined`: not learnt yet. */
export interface SavingCosts {
  readonly msPerSavedToken: number | undefined;
  readonly msPerPrefillToken: number | undefined;
}

/** Minimum number of tokens that saving a state must preserve. */
const MIN_SAVED_TOKENS = 64;

/**
 * Whether a state is worth saving. No batch is evaluated while it is written, and reading it back takes about as long:
 * both together must be faster than evaluating its tokens again. On a CPU they always are; a GPU may evaluate a prompt
 * faster than its state can be written to disk.
 * @param tokens number of tokens that would be discarded without saving
 */
export function isWorthSaving(tokens: number, costs: SavingCosts): boolean {
  if (tokens < MIN_SAVED_TOKENS) return false;
  const { msPerSavedToken, msPerPrefillToken } = costs;
  if (msPerSavedToken === undefined || msPerPrefillToken === undefined) return true;
  return 2 * msPerSavedToken <= msPerPrefillToken;
}
