import type { Random } from "../../models/random/random-choices.js";
import { zip } from "../zip.js";
import {
  type Lognormal,
  lognormalQuantile,
  lognormalWithMean,
  stratifiedSample,
} from "./lognormal.js";

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
