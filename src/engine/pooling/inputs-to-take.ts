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
 * The inputs of the next batch, as numbers of inputs of each request: one of the oldest request, so that
 * nobody waits for ever, then those of the requests with the fewest inputs left, the older first. So a
 * small request hardly waits for a large one, and equal ones are answered one after the other rather than
 * all at the end.
 * @param waiting in the order of arrival
 */
export function inputsToTake(
  waiting: readonly WaitingInputs[],
  limits: BatchLimits,
): readonly number[] {
  const taken = waiting.map(() => 0);
  let sequences = 0;
  let tokens = 0;
  for (const [index, length] of inOrder(waiting)) {
    const isFull = sequences === limits.sequences || tokens + length > limits.tokens;
    const isEnough = sequences > 0 && tokens + length > limits.enoughTokens;
    if (isFull || isEnough) break;
    taken[index] = (taken[index] ?? 0) + 1;
    sequences += 1;
    tokens += length;
  }
  return taken;
}

/** All inputs in the order in which they are taken: the index of the request, and a length. */
function* inOrder(
  waiting: readonly WaitingInputs[],
): Generator<readonly [request: number, length: number]> {
  const left = ({ lengths, done }: WaitingInputs) => lengths.length - done;
  const requests = waiting
    .map((request, index) => ({ request, index }))
    .sort((one, other) => left(one.request) - left(other.request));
  const [oldest] = waiting;
  const first = oldest?.lengths[oldest.done];
  if (first !== undefined) yield [0, first];
  for (const { request, index } of requests) {
    const begin = index === 0 ? request.done + 1 : request.done;
    for (const length of request.lengths.slice(begin)) yield [index, length];
  }
}
