import assert from "node:assert/strict";
import type { PromptTokenScore } from "../../core/generation-event.js";
import type { BatchPart, LogProbabilities } from "../native/token-context.js";
import { type TokenTexts, toTokenScore, toTokenText } from "./scored-token.js";

/** The log-probabilities of a prompt's tokens, as its slices are evaluated. */
export class PromptScores {
  readonly #promptTokens: readonly number[];
  readonly #texts: TokenTexts;
  /** Tokens that have been scored. */
  #length = 0;
  #unreported: PromptTokenScore[] = [];

  constructor(promptTokens: readonly number[], texts: TokenTexts) {
    this.#promptTokens = promptTokens;
    this.#texts = texts;
  }

  /**
   * The prompt's tokens that follow those of a slice, each of them drawn, as it were, from the row before it.
   * Behind the prompt's last token none follows.
   */
  followers({ position, tokens }: Pick<BatchPart, "position" | "tokens">): readonly number[] {
    return this.#promptTokens.slice(position + 1, position + 1 + tokens.length);
  }

  /**
   * Takes the scores of a slice.
   * @param probabilities of the {@link followers}
   */
  add(
    slice: Pick<BatchPart, "position" | "tokens">,
    probabilities: readonly LogProbabilities[],
  ): void {
    const followers = this.followers(slice);
    assert(probabilities.length === followers.length, "every token of a prompt has a row");
    const [first] = this.#promptTokens;
    if (this.#length === 0 && first !== undefined) {
      this.#unreported.push({ ...toTokenText(first, this.#texts), top: [] });
      this.#length = 1;
    }
    assert(this.#length === slice.position + 1, "the slices of a prompt are scored one by one");
    this.#length += followers.length;
    for (const [index, token] of followers.entries()) {
      const ofToken = probabilities[index];
      if (ofToken !== undefined) this.#unreported.push(toTokenScore(token, ofToken, this.#texts));
    }
  }

  /** Those that have not been taken yet. */
  take(): readonly PromptTokenScore[] {
    return this.#unreported.splice(0);
  }
}
