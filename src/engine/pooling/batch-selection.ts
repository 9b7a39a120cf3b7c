/** Inputs of one request in the queue. */
export interface WaitingInputs {
  /** Lengths of all inputs, in tokens. */
  readonly lengths: readonly number[];
  /** Number of inputs in earlier batches. */
  readonly startedInputs: number;
}

/** Size of a context's batches. */
export interface BatchSize {
  readonly sequences: number;
  readonly tokens: number;
}

export interface BatchLimits extends BatchSize {
  /** A batch with this many tokens is full: more tokens make it take longer in proportion. */
  readonly enoughTokens: number;
}

/** Threads of a batch: all, or half of them while the other context may compute, too. */
export type ThreadShare = "all" | "half";

/** A context with the size of its batches and the share of its current one, if any. */
export interface BatchLane extends BatchSize {
  readonly computing: ThreadShare | undefined;
}

export interface PlannedBatch {
  /** Index of the context. */
  readonly lane: number;
  readonly share: ThreadShare;
  /** Number of inputs by request. */
  readonly takenCounts: readonly number[];
}

/**
 * Plans the batches to start now. Inputs that can fill two batches are divided between two
 * contexts, each with half of the threads: threads of one batch wait for each other at every
 * operation, so that any other work on one of their cores stops both. A single batch uses all
 * threads.
 * @param queuedInputs in the order of arrival
 * @param lanes one context or two; the first one has room for every input
 */
export function planBatches(
  queuedInputs: readonly WaitingInputs[],
  lanes: readonly BatchLane[],
  enoughTokens: number,
): readonly PlannedBatch[] {
  const select = (lane: number, limit: number, takenCounts?: readonly number[]) => {
    const { sequences = 0, tokens = 0 } = lanes[lane] ?? {};
    return selectInputs(startInputs(queuedInputs, takenCounts), {
      sequences,
      tokens,
      enoughTokens: limit,
    });
  };
  const isEmpty = (takenCounts: readonly number[]) => takenCounts.every((count) => count === 0);
  const half = Math.ceil(enoughTokens / lanes.length);
  if (lanes.some(({ computing }) => computing === "all")) return [];
  if (lanes.some(({ computing }) => computing === "half")) {
    return lanes.flatMap(({ computing }, lane) => {
      const takenCounts = computing === undefined ? select(lane, half) : [];
      return isEmpty(takenCounts) ? [] : [{ lane, share: "half", takenCounts }];
    });
  }
  const first = select(0, Math.min(half, Math.ceil(countTokens(queuedInputs) / 2)));
  const second = lanes.length > 1 ? select(1, half, first) : [];
  if (!isEmpty(second)) {
    return [
      { lane: 0, share: "half", takenCounts: first },
      { lane: 1, share: "half", takenCounts: second },
    ];
  }
  const takenCounts = select(0, enoughTokens);
  return isEmpty(takenCounts) ? [] : [{ lane: 0, share: "all", takenCounts }];
}

function startInputs(
  queuedInputs: readonly WaitingInputs[],
  takenCounts: readonly number[] = [],
): readonly WaitingInputs[] {
  return queuedInputs.map(({ lengths, startedInputs }, index) => ({
    lengths,
    startedInputs: startedInputs + (takenCounts[index] ?? 0),
  }));
}

function countTokens(queuedInputs: readonly WaitingInputs[]): number {
  let tokens = 0;
  for (const { lengths, startedInputs } of queuedInputs) {
    for (let input = startedInputs; input < lengths.length; input++) tokens += lengths[input] ?? 0;
  }
  return tokens;
}

/**
 * Selects the inputs of a batch, as a number of inputs per request. It takes one input of the
 * oldest request, so that none waits forever, then those of the requests with the fewest inputs
 * left, older ones first. A small request thus hardly waits for a large one, and equal requests
 * complete one after the other rather than all at the end.
 * @param queuedInputs in the order of arrival
 * @returns no inputs if the first one does not fit
 */
export function selectInputs(
  queuedInputs: readonly WaitingInputs[],
  limits: BatchLimits,
): readonly number[] {
  const takenCounts = queuedInputs.map(() => 0);
  let sequences = 0;
  let tokens = 0;
  for (const [index, length] of yieldInSchedulingOrder(queuedInputs)) {
    const isFull = sequences === limits.sequences || tokens + length > limits.tokens;
    const isEnough = sequences > 0 && tokens + length > limits.enoughTokens;
    if (isFull || isEnough) break;
    takenCounts[index] = (takenCounts[index] ?? 0) + 1;
    sequences += 1;
    tokens += length;
  }
  return takenCounts;
}

/** Yields all inputs in scheduling order: the index of the request, and the input's length. */
function* yieldInSchedulingOrder(
  queuedInputs: readonly WaitingInputs[],
): Generator<readonly [request: number, length: number]> {
  const countRemaining = ({ lengths, startedInputs }: WaitingInputs) =>
    lengths.length - startedInputs;
  const requests = queuedInputs
    .map((request, index) => ({ request, index }))
    .filter(({ request }) => countRemaining(request) > 0)
    .sort((one, other) => countRemaining(one.request) - countRemaining(other.request));
  const oldest = queuedInputs.findIndex((request) => countRemaining(request) > 0);
  const first = queuedInputs[oldest];
  if (first === undefined) return;
  yield [oldest, first.lengths[first.startedInputs] ?? 0];
  for (const { request, index } of requests) {
    const begin = index === oldest ? request.startedInputs + 1 : request.startedInputs;
    for (const length of request.lengths.slice(begin)) yield [index, length];
  }
}
