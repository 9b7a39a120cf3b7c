import type { DraftedText } from "../native/token-context.js";

/**
 * Proposes draft tokens by computation: a draft model, or layers on the main model's hidden states. Follows the texts
 * of the main model's sequences; the same list object always stands for the same text.
 */
export interface Drafter {
  /** Maximum length of a text with its draft, in tokens. */
  readonly contextSize: number;
  /** Batch size of the drafter, in tokens; at least one for each sequence. */
  readonly batchSize: number;
  /** Maximum number of tokens in one draft. */
  readonly maxLength: number;
  /** Returns the number of tokens of a text to evaluate before one can be proposed; at least 1. */
  countMissingTokens(text: DraftedText): number;
  /**
   * Evaluates the missing tokens of texts, one text after the other, except their last tokens.
   * @param maxTokens maximum number of tokens to evaluate
   * @returns the number of tokens that were evaluated
   */
  catchUp(texts: readonly DraftedText[], maxTokens: number): Promise<number>;
  /**
   * Proposes the next tokens of texts, all in lockstep. Their {@link countMissingTokens} should be few.
   * @returns by sequence, at most `length` tokens; none if nothing can be proposed for a text
   * @throws {Error} if the drafter cannot be used any more
   */
  propose(
    texts: readonly DraftedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Frees the drafter's resources and stops its threads, but does not free its context. */
  dispose(): void;
}
