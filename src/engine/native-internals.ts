/**
 * Everything ggufd uses of node-llama-cpp that its documentation does not promise, in one place.
 * `test/engine/native-internals.test.ts` checks each of these against the installed version.
 */
import {
  type BatchItem,
  type CustomBatchingPrioritizationStrategy,
  type EvaluationPriority,
  type LlamaModel,
  type Token,
  TokenBias,
} from "node-llama-cpp";

/**
 * Marks work with its sequence id, for {@link inSequenceOrder}.
 * The library types priorities as 1–5 but passes any number through to the strategy.
 */
export function sequenceOrder(sequenceId: number): EvaluationPriority {
  return sequenceId as EvaluationPriority;
}

/**
 * Puts all queued work into the batch in ascending sequence id: llama.cpp cuts a batch into
 * sub-batches of *consecutive* sequences, and each sub-batch reads all weights once.
 */
export const inSequenceOrder: CustomBatchingPrioritizationStrategy = ({ items, size }) => {
  const ordered = items.toSorted((a, b) => a.evaluationPriority - b.evaluationPriority);
  const batch: { item: BatchItem; processAmount: number }[] = [];
  let free = size;
  for (const item of ordered) {
    if (free === 0) break;
    const processAmount = Math.min(item.tokens.length, free);
    batch.push({ item, processAmount });
    free -= processAmount;
  }
  return batch;
};

/**
 * Logit biases for a sampler. `TokenBias.set` silently skips end-of-generation tokens, which is
 * exactly what `ignore_eos`, `min_tokens` and a `logit_bias` of the EOS token need to forbid.
 */
export function createTokenBias(
  model: LlamaModel,
  biases: Iterable<readonly [token: number, logit: number]>,
): TokenBias {
  const tokenBias = TokenBias.for(model);
  const { _biases } = tokenBias as unknown as { _biases: Map<Token, number> };
  for (const [token, logit] of biases) _biases.set(token as Token, logit);
  return tokenBias;
}
