import type { Random } from "../../models/random/random-choices.js";
import { zip } from "../zip.js";

/** Lengths of one request, in tokens. */
export interface RequestLengths {
  /** Words of the prompt, excluding its unique prefix and the chat template. */
  readonly promptTokens: number;
  readonly maxTokens: number;
}

export interface LengthLimits {
  /** Factor applied to ShareGPT's lengths, so that a run on a slow machine ends. */
  readonly scale: number;
  /** Tokens per slot. */
  readonly contextSize: number;
}

/**
 * ShareGPT's lengths. The means are published: 161 prompt tokens and 338 answer tokens (Kwon et
 * al., "Efficient Memory Management for Large Language Model Serving with PagedAttention", SOSP
 * 2023, figure 11). Assumptions: a lognormal distribution, as the long right tails suggest; its
 * sigma, larger for prompts than for answers; and independent lengths.
 */
const shareGpt = {
  /** Median 78, 99th percentile 1,278. */
  prompt: lognormalWithMean(161, 1.2),
  /** Median 245, 99th percentile 1,578. */
  answer: lognormalWithMean(338, 0.8),
} as const;

/** Minimum length; vLLM's benchmark drops shorter prompts and answers. */
const MIN_TOKENS = 4;
/**
 * Tokens reserved for a prompt's unique prefix, the chat template, and prompts longer than aimed
 * at.
 */
const RESERVED_TOKENS = 64;

/**
 * Returns `count` request lengths as in ShareGPT: the same values, in an order that depends on
 * `random`.
 */
export function shareGptLengths(
  count: number,
  limits: LengthLimits,
  random: Random,
): RequestLengths[] {
  const prompts = stratifiedSample(shareGpt.prompt, count, random);
  const answers = stratifiedSample(shareGpt.answer, count, random);
  return zip(prompts, answers).map(([prompt, answer]) => clipped(prompt, answer, limits));
}

/** Median prompt and answer lengths. */
export function medianLengths(limits: LengthLimits): RequestLengths {
  const median = (lengths: Lognormal) => lognormalQuantile(lengths, 0.5);
  return clipped(median(shareGpt.prompt), median(shareGpt.answer), limits);
}

/** Limits prompt and answer to half of a slot each. */
function clipped(
  prompt: number,
  answer: number,
  { scale, contextSize }: LengthLimits,
): RequestLengths {
  const half = Math.floor(contextSize / 2);
  return {
    promptTokens: clip(scale * prompt, half - RESERVED_TOKENS),
    maxTokens: clip(scale * answer, half),
  };
}

function clip(tokens: number, max: number): number {
  return Math.max(MIN_TOKENS, Math.min(Math.round(tokens), max));
}

/** A lognormal distribution: the logarithm is normal with mean `mu` and standard deviation `sigma`. */
interface Lognormal {
  readonly mu: number;
  readonly sigma: number;
}

/** Returns the lognormal distribution with this mean, which is exp(mu + sigma² / 2). */
export function lognormalWithMean(mean: number, sigma: number): Lognormal {
  return { mu: Math.log(mean) - sigma ** 2 / 2, sigma };
}

/**
 * Quantile of the distribution.
 * @param share above 0, below 1
 */
export function lognormalQuantile({ mu, sigma }: Lognormal, share: number): number {
  return Math.exp(mu + sigma * normalQuantile(share));
}

/**
 * Draws the midpoint quantiles of `count` equal shares, in random order. Every such sample has
 * nearly the distribution's mean, whereas the mean of 100 independent values with a sigma of 1.2
 * varies by a fifth.
 */
export function stratifiedSample(distribution: Lognormal, count: number, random: Random): number[] {
  const quantiles = Array.from({ length: count }, (_, index) =>
    lognormalQuantile(distribution, (index + 0.5) / count),
  );
  return random.sample(quantiles, count);
}

/** Normal quantile by Abramowitz and Stegun, 26.2.23: the absolute error is below 4.5e-4. */
function normalQuantile(share: number): number {
  const tail = Math.min(share, 1 - share);
  const t = Math.sqrt(-2 * Math.log(tail));
  const numerator = 2.515517 + 0.802853 * t + 0.010328 * t ** 2;
  const denominator = 1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3;
  const distance = t - numerator / denominator;
  return share < 0.5 ? -distance : distance;
}
