/** Inputs of one request that wait to be pooled. */
export interface WaitingInputs {
  /** Lengths in tokens, of all inputs. */
  readonly lengths: readonly number[];
  /** How many of them have been pooled. */
  readonly done: number;
}

/** What a batch may hold. */
export interface BatchLimits {
  readonly sequences: number;
  readonly tokens: number;
  /** With so many tokens a batch is full enough: more of them take their time longer. */
  readonly enoughTokens: number;
}

/**
 * The inputs of the next batch, as numbers of inputs of each request: one of each request in turn, so
 * that a request of thousands of inputs delays the others by one batch only. The first request always
 * gets its turn: each input fits into a batch by itself.
 */
export function inputsToTake(
  waiting: readonly WaitingInputs[],
  limits: BatchLimits,
): readonly number[] {
  const taken = waiting.map(() => 0);
  let sequences = 0;
  let tokens = 0;
  for (let round = 0; ; round++) {
    const before = sequences;
    for (const [index, { lengths, done }] of waiting.entries()) {
      const length = lengths[done + round];
      if (length === undefined) continue;
      const isFull = sequences === limits.sequences || tokens + length > limits.tokens;
      const isEnough = sequences > 0 && tokens + length > limits.enoughTokens;
      if (isFull || isEnough) return taken;
      taken[index] = round + 1;
      sequences += 1;
      tokens += length;
    }
    if (sequences === before) return taken;
  }
}
