import type { Random } from "../../models/random/random-choices.js";
import { zip } from "../zip.js";
import {
  type Lognormal,
  lognormalQuantile,
  lognormalWithMean,
  stratifiedSample,
} from "./lognormal.js";

/** The lengths of one request, in tokens. */
export interface RequestLengths {
  /** Words of the prompt; its unique prefix and the chat template come on top. */
  readonly promptTokens: number;
  readonly maxTokens: number;
}

export interface LengthLimits {
  /** Factor on the lengths of ShareGPT, so that a run on a slow machine ends. */
  readonly scale: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
}

/**
 * ShareGPT's lengths. The means are published: 161 tokens of prompt and 338 of answer (Kwon et al.,
 * "Efficient Memory Management for Large Language Model Serving with PagedAttention", SOSP 2023,
 * figure 11). Assumed are the shape, a lognormal distribution as long right tails suggest, its
 * sigma, larger for prompts than for answers, and that both lengths are independent.
 */
const shareGpt = {
  /** Median 78, 99th percentile 1,278. */
  prompt: lognormalWithMean(161, 1.2),
  /** Median 245, 99th percentile 1,578. */
  answer: lognormalWithMean(338, 0.8),
} as const;

/** vLLM's benchmark drops prompts and answers that are shorter. */
const MIN_TOKENS = 4;
/** Room for the unique prefix of a prompt, the chat template and prompts longer than aimed at. */
const RESERVED_TOKENS = 64;

/** The lengths of `count` requests, as in ShareGPT: the same ones in another order for each `random`. */
export function shareGptLengths(
  count: number,
  limits: LengthLimits,
  random: Random,
): RequestLengths[] {
  const prompts = stratifiedSample(shareGpt.prompt, count, random);
  const answers = stratifiedSample(shareGpt.answer, count, random);
  return zip(prompts, answers).map(([prompt, answer]) => clipped(prompt, answer, limits));
}

/** Both medians. */
export function medianLengths(limits: LengthLimits): RequestLengths {
  const median = (lengths: Lognormal) => lognormalQuantile(lengths, 0.5);
  return clipped(median(shareGpt.prompt), median(shareGpt.answer), limits);
}

/** A prompt gets at most half of a slot, an answer the other half. */
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
