import assert from "node:assert/strict";
import { exponentialAverage, StepCosts } from "./step-costs.js";
import { TILE_TOKENS, TileCosts } from "./tile-costs.js";

/** Tokens and duration of one step. */
export interface StepCost {
  readonly decodeTokens: number;
  readonly prefillTokens: number;
  readonly stepMs: number;
}

/** Prompt tokens of a step at least: prompts progress whatever the target. */
const MIN_TOKENS = 16;
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
  readonly #tileTokens: number;
  readonly #decodeCosts = new StepCosts();
  #msPerPrefillToken: number | undefined;
  readonly #tiles: TileCosts;

  /**
   * @param itlTargetMs target inter-token latency while prompts are evaluated, in milliseconds
   * @param batchSize tokens of one step at most; 0: there is no draft model, and nothing to evaluate
   * @param tileTokens prompt tokens that fill a tile of attention in a step
   */
  constructor(itlTargetMs: number, batchSize: number, tileTokens: number) {
    assert(itlTargetMs > 0 && tileTokens > 0, "a budget has a target and a tile");
    this.#itlTargetMs = itlTargetMs;
    this.#batchSize = batchSize;
    this.#tileTokens = tileTokens;
    this.#tiles = new TileCosts(itlTargetMs);
  }

  /** What a prompt token adds to a step, in milliseconds; `undefined`: not learnt yet. */
  get msPerPrefillToken(): number | undefined {
    return this.#msPerPrefillToken;
  }

  /** What a step takes in which so many generations decode, in milliseconds, as far as it is known. */
  decodeMs(decoding: number): number {
    return decoding > 0 ? this.#decodeCosts.expectedMs(decoding) : 0;
  }

  /**
   * Prompt tokens for the next step, or for the next two if the sequences decode apart.
   * @param decoding generations that decode in it; at least 1
   * @param targets how long the step may take, in targets of inter-token latency
   */
  tokens(decoding: number, targets = 1): number {
    assert(decoding >= 1, `${decoding} generations decode beside the prompt`);
    const batchTokensLeft = this.#batchSize - decoding;
    if (!this.#msPerPrefillToken) return batchTokensLeft;
    const maxMs = targets * this.#itlTargetMs;
    const msLeft = maxMs - this.decodeMs(decoding);
    const isTile = this.#tiles.isWorthwhile(this.#msPerPrefillToken);
    const minSlice = isTile ? this.#tileTokens : MIN_TOKENS;
    const minTokens = Math.max(minSlice, MIN_TOKENS_PER_DECODING * decoding);
    const affordableTokens = Math.floor(msLeft / this.#msPerPrefillToken);
    // A step that exceeds the target does so for the prompts' sake.
    const sliceTokens = targets > 1 ? this.#wholeTiles(affordableTokens) : affordableTokens;
    return Math.min(batchTokensLeft, Math.max(minTokens, sliceTokens));
  }

  /** A tile that is filled in part takes as long as a full one: the nearest number of whole ones, if it is any. */
  #wholeTiles(tokens: number): number {
    if (tokens < this.#tileTokens) return tokens;
    const besides = this.#tileTokens - TILE_TOKENS;
    return besides + TILE_TOKENS * Math.round((tokens - besides) / TILE_TOKENS);
  }

  /** Prompt tokens for a step of one target in which nothing decodes. */
  tokensAlone(): number {
    if (!this.#msPerPrefillToken) return this.#batchSize;
    const affordableTokens = Math.floor(this.#itlTargetMs / this.#msPerPrefillToken);
    return Math.min(this.#batchSize, Math.max(MIN_TOKENS, affordableTokens));
  }

  learn({ decodeTokens, prefillTokens, stepMs }: StepCost): void {
    assert(decodeTokens >= 0 && prefillTokens >= 0, "a step has no negative number of tokens");
    if (prefillTokens === 0) {
      this.#decodeCosts.learn(decodeTokens, stepMs);
      return;
    }
    const msPerToken = Math.max(0, stepMs - this.decodeMs(decodeTokens)) / prefillTokens;
    // A large slice says as much of what tokens cost at this depth as the small ones that it stands for.
    const slices = Math.max(1, prefillTokens / TILE_TOKENS);
    this.#msPerPrefillToken = exponentialAverage(this.#msPerPrefillToken, msPerToken, slices);
    if (prefillTokens >= TILE_TOKENS) this.#tiles.learnTile(TILE_TOKENS * msPerToken);
    else if (prefillTokens === MIN_TOKENS) this.#tiles.learnSlice(MIN_TOKENS * msPerToken);
  }

  /** Another prompt is evaluated from now on: what its tokens cost depends on how many it has. */
  beginPrompt(): void {
    this.#tiles.forgetDepth();
  }
}
