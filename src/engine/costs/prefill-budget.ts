import { runningAverage } from "./running-average.js";
import { StepCosts } from "./step-costs.js";

/** What one step did and how long it took. */
export interface StepCost {
  readonly decodeTokens: number;
  readonly prefillTokens: number;
  readonly milliseconds: number;
}

/** Prompt tokens that a step takes at least: prompts get ahead whatever the target. */
const LEAST_TOKENS = 16;
/**
 * Prompt tokens that a step had better take. llama.cpp's flash attention on CPUs reads the cache once
 * for 64 tokens of a sequence and once for each where there are fewer (`GGML_FA_TILE_Q` in ggml), and
 * one token of a prompt goes with those that decode: smaller slices of a long prompt take twice as
 * long for each token.
 */
const TILE_TOKENS = 65;
/** How far a step may stretch for that, in targets. */
const STRETCHED_TARGETS = 2;
/**
 * And for each decoding sequence: a prompt's token costs less than theirs do, so that prompts get
 * about as much of a step as decoding. Thinner slices waste most of their time reading weights.
 */
const LEAST_TOKENS_PER_DECODING = 2;

/**
 * How many prompt tokens a step may evaluate beside decoding without making the others wait
 * longer than the target for their next token. It learns from the steps what decoding costs and
 * what a prompt token adds.
 */
export class PrefillBudget {
  readonly #targetMs: number;
  readonly #batchSize: number;
  readonly #decodeCosts = new StepCosts();
  #msPerPrefillToken: number | undefined;

  /** @param targetMs the longest time between two tokens of a generation that is aimed at */
  constructor(targetMs: number, batchSize: number) {
    this.#targetMs = targetMs;
    this.#batchSize = batchSize;
  }

  /** Prompt tokens for the next step. Without decoding generations nobody waits. */
  tokens(decoding: number): number {
    const room = this.#batchSize - decoding;
    if (decoding === 0 || !this.#msPerPrefillToken) return room;
    const left = this.#targetMs - this.#decodeCosts.atLeast(decoding);
    const tileMs = TILE_TOKENS * this.#msPerPrefillToken;
    const slice = tileMs <= STRETCHED_TARGETS * this.#targetMs ? TILE_TOKENS : LEAST_TOKENS;
    const least = Math.max(slice, LEAST_TOKENS_PER_DECODING * decoding);
    return Math.min(room, Math.max(least, Math.floor(left / this.#msPerPrefillToken)));
  }

  /** Prompt tokens for a step in which nobody decodes and that is to take so long at most. */
  tokensIn(milliseconds: number): number {
    if (!this.#msPerPrefillToken) return this.#batchSize;
    const affordable = Math.floor(milliseconds / this.#msPerPrefillToken);
    return Math.min(this.#batchSize, Math.max(LEAST_TOKENS, affordable));
  }

  learn({ decodeTokens, prefillTokens, milliseconds }: StepCost): void {
    if (prefillTokens === 0) {
      this.#decodeCosts.learn(decodeTokens, milliseconds);
      return;
    }
    const decodeMs = decodeTokens > 0 ? this.#decodeCosts.atLeast(decodeTokens) : 0;
    const perToken = Math.max(0, milliseconds - decodeMs) / prefillTokens;
    this.#msPerPrefillToken = runningAverage(this.#msPerPrefillToken, perToken);
  }
}
