/** What it costs to keep a state, in milliseconds a token; `undefined`: not learnt yet. */
export interface SavingCosts {
  readonly msPerSavedToken: number | undefined;
  readonly msPerPrefillToken: number | undefined;
}

/** A state is saved before it is overwritten if that keeps at least this many tokens. */
const MIN_SAVED_TOKENS = 64;

/**
 * Whether a state is worth saving. Nothing else is evaluated while it is written, and reading it back
 * takes about as long: both together must be quicker than evaluating its tokens again. On a CPU that is
 * a matter of course; a GPU may evaluate a prompt in less time than its state takes to the disk.
 * @param tokens that would be lost without the save
 */
export function isWorthSaving(tokens: number, costs: SavingCosts): boolean {
  if (tokens < MIN_SAVED_TOKENS) return false;
  const { msPerSavedToken, msPerPrefillToken } = costs;
  if (msPerSavedToken === undefined || msPerPrefillToken === undefined) return true;
  return 2 * msPerSavedToken <= msPerPrefillToken;
}
