import assert from "node:assert/strict";
import { StepCosts, updateAverage } from "./step-costs.js";
import { TILE_TOKENS, TileCosts } from "./tile-costs.js";

export interface StepCost {
  readonly decodeTokens: number;
  readonly prefillTokens: number;
  readonly stepMs: number;
}

/** Minimum prompt tokens per step, so that prompts progress whatever the target. */
const MIN_TOKENS = 16;
/**
 * Minimum prompt tokens per step and decoding sequence. A prompt token costs less than a decode
 * token, so prompts get about the same share of a step as decoding. Thinner slices spend most of
 * their time reading weights.
 */
const MIN_TOKENS_PER_DECODING = 2;

/**
 * Computes how many prompt tokens a step may evaluate in addition to decoding, while inter-token
 * latency stays within the target. Learns the cost of decoding and of a prompt token from past
 * steps.
 */
export class PrefillBudget {
  readonly #itlTargetMs: number;
  readonly #batchSize: number;
  readonly #tileTokens: number;
  readonly #decodeCosts = new StepCosts();
  #msPerPrefillToken: number | undefined;
  readonly #tiles: TileCosts;

  /**
   * @param itlTargetMs target inter-token latency while prompts are evaluated, in milliseconds
   * @param batchSize maximum tokens of one step; 0 for an unused budget, as without a draft model
   * @param tileTokens prompt tokens that fill a tile of attention in a step
   */
  constructor(itlTargetMs: number, batchSize: number, tileTokens: number) {
    assert(itlTargetMs > 0 && tileTokens > 0, "the target and the tile size must be positive");
    this.#itlTargetMs = itlTargetMs;
    this.#batchSize = batchSize;
    this.#tileTokens = tileTokens;
    this.#tiles = new TileCosts(itlTargetMs);
  }

  /**
   * Learned cost of a prompt token in a step, in milliseconds; `undefined` before the first
   * measurement.
   */
  get msPerPrefillToken(): number | undefined {
    return this.#msPerPrefillToken;
  }

  /**
   * Returns the expected duration of a step with this many decoding generations, in milliseconds.
   */
  estimateDecodeMs(decoding: number): number {
    return decoding > 0 ? this.#decodeCosts.interpolateMs(decoding) : 0;
  }

  /**
   * Returns the number of prompt tokens for the next step or, if steps alternate between decoding
   * and prompts, for the next two.
   * @param decoding generations that decode in the step; at least 1
   * @param targets maximum duration of the step, in multiples of the target inter-token latency
   */
  computeTokens(decoding: number, targets = 1): number {
    assert(decoding >= 1, `expected at least one decoding generation, got ${decoding}`);
    const batchTokensLeft = this.#batchSize - decoding;
    if (!this.#msPerPrefillToken) return batchTokensLeft;
    const maxMs = targets * this.#itlTargetMs;
    const msLeft = maxMs - this.estimateDecodeMs(decoding);
    const isTile = this.#tiles.isWorthwhile(this.#msPerPrefillToken);
    const minSlice = isTile ? this.#tileTokens : MIN_TOKENS;
    const minTokens = Math.max(minSlice, MIN_TOKENS_PER_DECODING * decoding);
    const affordableTokens = Math.floor(msLeft / this.#msPerPrefillToken);
    // Steps longer than the target exist for the benefit of prompts, so they use whole tiles.
    const sliceTokens = targets > 1 ? this.#roundToTiles(affordableTokens) : affordableTokens;
    return Math.min(batchTokensLeft, Math.max(minTokens, sliceTokens));
  }

  /**
   * Rounds to the nearest number of whole tiles, because a partly filled tile takes as long as a
   * full one. Fewer tokens than one tile are not rounded.
   */
  #roundToTiles(tokens: number): number {
    if (tokens < this.#tileTokens) return tokens;
    const joinedTokens = this.#tileTokens - TILE_TOKENS;
    return joinedTokens + TILE_TOKENS * Math.round((tokens - joinedTokens) / TILE_TOKENS);
  }

  /**
   * Returns the number of prompt tokens for a step without decoding, which lasts for one target
   * inter-token latency.
   */
  computeTokensAlone(): number {
    if (!this.#msPerPrefillToken) return this.#batchSize;
    const affordableTokens = Math.floor(this.#itlTargetMs / this.#msPerPrefillToken);
    return Math.min(this.#batchSize, Math.max(MIN_TOKENS, affordableTokens));
  }

  learn({ decodeTokens, prefillTokens, stepMs }: StepCost): void {
    assert(decodeTokens >= 0 && prefillTokens >= 0, "negative number of tokens in a step");
    if (prefillTokens === 0) {
      this.#decodeCosts.learn(decodeTokens, stepMs);
      return;
    }
    const msPerToken = Math.max(0, stepMs - this.estimateDecodeMs(decodeTokens)) / prefillTokens;
    // A large slice counts as much as the small slices that it replaces.
    const slices = Math.max(1, prefillTokens / TILE_TOKENS);
    this.#msPerPrefillToken = updateAverage(this.#msPerPrefillToken, msPerToken, slices);
    if (prefillTokens >= TILE_TOKENS) this.#tiles.learnTile(TILE_TOKENS * msPerToken);
    else if (prefillTokens === MIN_TOKENS) this.#tiles.learnSlice(MIN_TOKENS * msPerToken);
  }

  /** Starts new measurements for another prompt, because a token's cost depends on its depth. */
  beginPrompt(): void {
    this.#tiles.forgetDepth();
  }
}
