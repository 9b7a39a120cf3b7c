import { exponentialAverage, StepCosts } from "./step-costs.js";

/** Tokens and duration of one step. */
export interface StepCost {
  readonly decodeTokens: number;
  readonly prefillTokens: number;
  readonly stepMs: number;
}

/** Prompt tokens of a step at least: prompts progress whatever the target. */
const MIN_TOKENS = 16;
/**
 * Preferred prompt tokens of a step. llama.cpp's flash attention on CPUs reads the cache once per
 * 64 tokens of a sequence, and once per token in smaller batches (`GGML_FA_TILE_Q` in ggml); one
 * token of the prompt joins the decode sub-batch. Smaller slices of a long prompt take twice as
 * long per token.
 */
const TILE_TOKENS = 65;
/** How far a step may exceed the target for a full tile, in targets. */
const MAX_TILE_TARGETS = 2;
/**
 * Prompt tokens of a step at least, per decoding sequence. A prompt token costs less than a decode
 * token, so this gives prompts about the same share of a step as decoding. Thinner slices spend
 * most of their time reading weights.
 */
const MIN_TOKENS_PER_DECODING = 2;

/**
 * How many prompt tokens a step may evaluate beside decoding while inter-token latency stays within
 * the target. Learns from past steps what decoding costs and what a prompt token adds.
 */
export class PrefillBudget {
  readonly #itlTargetMs: number;
  readonly #batchSize: number;
  readonly #decodeCosts = new StepCosts();
  #msPerPrefillToken: number | undefined;

  /** @param itlTargetMs target inter-token latency while prompts are evaluated, in milliseconds */
  constructor(itlTargetMs: number, batchSize: number) {
    this.#itlTargetMs = itlTargetMs;
    this.#batchSize = batchSize;
  }

  /** What a prompt token adds to a step, in milliseconds; `undefined`: not learnt yet. */
  get msPerPrefillToken(): number | undefined {
    return this.#msPerPrefillToken;
  }

  /**
   * Prompt tokens for the next step.
   * @param decoding generations that decode in it; at least 1
   * @param targets how long the step may take, in targets of inter-token latency
   */
  tokens(decoding: number, targets = 1): number {
    const batchTokensLeft = this.#batchSize - decoding;
    if (!this.#msPerPrefillToken) return batchTokensLeft;
    const maxMs = targets * this.#itlTargetMs;
    const msLeft = maxMs - this.#decodeCosts.lowerBoundMs(decoding);
    const tileMs = TILE_TOKENS * this.#msPerPrefillToken;
    const minSlice = tileMs <= MAX_TILE_TARGETS * this.#itlTargetMs ? TILE_TOKENS : MIN_TOKENS;
    const minTokens = Math.max(minSlice, MIN_TOKENS_PER_DECODING * decoding);
    const affordableTokens = Math.floor(msLeft / this.#msPerPrefillToken);
    return Math.min(batchTokensLeft, Math.max(minTokens, affordableTokens));
  }

  /** Prompt tokens for a step of one target in which nothing decodes. */
  tokensAlone(): number {
    if (!this.#msPerPrefillToken) return this.#batchSize;
    const affordableTokens = Math.floor(this.#itlTargetMs / this.#msPerPrefillToken);
    return Math.min(this.#batchSize, Math.max(MIN_TOKENS, affordableTokens));
  }

  learn({ decodeTokens, prefillTokens, stepMs }: StepCost): void {
    if (prefillTokens === 0) {
      this.#decodeCosts.learn(decodeTokens, stepMs);
      return;
    }
    const decodeMs = decodeTokens > 0 ? this.#decodeCosts.lowerBoundMs(decodeTokens) : 0;
    const msPerToken = Math.max(0, stepMs - decodeMs) / prefillTokens;
    this.#msPerPrefillToken = exponentialAverage(this.#msPerPrefillToken, msPerToken);
  }
}
