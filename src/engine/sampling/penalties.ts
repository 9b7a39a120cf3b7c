import type {
  DryOptions,
  Penalties,
  SamplingOptions,
  SequenceBreakers,
} from "./sampling-options.js";

/** Logit biases for the next token, by token id; −Infinity forbids a token. */
export function activeBiases(
  { logitBias, dry, forbidden }: SamplingOptions,
  promptTokens: readonly number[],
  generated: readonly number[],
): Map<number, number> {
  const biases = new Map(logitBias);
  const penalties = dry && dryPenalties(dry, promptTokens, generated);
  for (const [token, penalty] of penalties ?? []) {
    biases.set(token, (biases.get(token) ?? 0) - penalty);
  }
  for (const { tokens, until } of forbidden) {
    if (generated.length >= until) continue;
    for (const token of tokens) biases.set(token, Number.NEGATIVE_INFINITY);
  }
  return biases;
}

/** The tokens that penalties apply to. */
export function penalisedTokens(
  { window }: Penalties,
  promptTokens: readonly number[],
  generated: readonly number[],
): number[] {
  return window === "generated" ? [...generated] : lastTokens(window, promptTokens, generated);
}

/** The last tokens of a prompt and what was generated after it: at most `count`, which may be infinite. */
export function lastTokens(
  count: number,
  promptTokens: readonly number[],
  generated: readonly number[] = [],
): number[] {
  const fromPrompt = count - generated.length;
  if (fromPrompt <= 0) return generated.slice(generated.length - count);
  return [...promptTokens.slice(-fromPrompt), ...generated];
}

/** Natural logarithm of the largest number in single precision, in which logits are. */
const LOG_OF_LARGEST_FLOAT = 88.722;

/**
 * What DRY subtracts from the logits of the tokens that would continue a repetition, by token id. The
 * rules are those of llama.cpp's sampler: a repetition begins after the last sequence breaker, and
 * tokens that contain one are exempt.
 *
 * The native sampler is not used because node-llama-cpp shows it only the tokens that it draws: neither
 * the prompt nor, where a token is drawn again, which of them was accepted.
 */
export function dryPenalties(
  { multiplier, base, allowedLength, window, breakers }: DryOptions,
  promptTokens: readonly number[],
  generated: readonly number[],
): Map<number, number> {
  const penalties = new Map<number, number>();
  const recent = lastTokens(window, promptTokens, generated).reverse();
  if (recent.length <= allowedLength) return penalties;
  const lengthMax = tokensSinceBreaker(recent, breakers);
  if (lengthMax < allowedLength) return penalties;
  const exponentMax = Math.trunc(LOG_OF_LARGEST_FLOAT / Math.log(base));
  for (const [token, length] of longestContinued(recent, lengthMax)) {
    if (length < allowedLength || containsBreaker(breakers, token)) continue;
    const exponent = Math.min(length - allowedLength, exponentMax);
    penalties.set(token, multiplier * base ** exponent);
  }
  return penalties;
}

function containsBreaker(breakers: SequenceBreakers, token: number): boolean {
  return breakers.get(token)?.some((rest) => rest.length === 0) ?? false;
}

/** The number of tokens after the last sequence breaker. */
function tokensSinceBreaker(recent: readonly number[], breakers: SequenceBreakers): number {
  if (breakers.size === 0) return recent.length;
  for (const [index, token] of recent.entries()) {
    const lengths = (breakers.get(token) ?? [])
      .filter((rest) => follows(recent, index, rest))
      .map((rest) => rest.length);
    if (lengths.length > 0) return index - Math.max(...lengths);
  }
  return recent.length;
}

/** Whether the token at `index`, counted from the last one, is followed by these. */
function follows(recent: readonly number[], index: number, rest: readonly number[]): boolean {
  return rest.length <= index && rest.every((token, at) => recent[index - at - 1] === token);
}

/**
 * For each token that followed an earlier occurrence of the last tokens: the length of the longest such
 * occurrence, up to a maximum.
 * @param recent the tokens, last one first
 */
function longestContinued(recent: readonly number[], lengthMax: number): Map<number, number> {
  const longest = new Map<number, number>();
  const lengths = commonPrefixLengths(recent);
  for (let index = 1; index < recent.length; index++) {
    const next = recent[index - 1] ?? 0;
    const length = Math.min(lengths[index] ?? 0, lengthMax);
    if (length >= (longest.get(next) ?? 0)) longest.set(next, length);
  }
  return longest;
}

/**
 * For each index, how many items from there on equal the beginning of the list (the Z-function, in
 * linear time).
 */
function commonPrefixLengths(items: readonly number[]): Int32Array {
  const lengths = new Int32Array(items.length);
  // The match found so far that ends last: from `start` to before `end`.
  let start = 0;
  let end = 0;
  for (let index = 1; index < items.length; index++) {
    let length = index < end ? Math.min(lengths[index - start] ?? 0, end - index) : 0;
    while (index + length < items.length && items[length] === items[index + length]) length++;
    lengths[index] = length;
    if (index + length > end) {
      start = index;
      end = index + length;
    }
  }
  return lengths;
}
