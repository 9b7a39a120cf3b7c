import type { DraftedText } from "../native/token-context.js";

/**
 * What proposes tokens by computing: a draft model, or the model's own hidden states. It follows the texts of the main
 * model's sequences; the same list object stands for the same text.
 */
export interface Drafter {
  /** Longest text with its draft, in tokens. */
  readonly contextSize: number;
  /** Tokens that one of its batches takes; at least one for each sequence. */
  readonly batchSize: number;
  /** Tokens of one draft at most. */
  readonly maxLength: number;
  /** Tokens of a text to evaluate before the first one can be proposed; at least 1. */
  missingTokens(text: DraftedText): number;
  /**
   * Evaluates the missing tokens of texts, one text after the other, except their last tokens.
   * @param maxTokens tokens to evaluate at most
   * @returns the number of tokens that were evaluated
   */
  catchUp(texts: readonly DraftedText[], maxTokens: number): Promise<number>;
  /**
   * Proposes the next tokens of texts, all in lockstep. Their {@link missingTokens} should be few.
   * @returns by sequence at most `length` tokens, none where nothing can be said of a text
   * @throws {Error} it is of no use any more
   */
  propose(
    texts: readonly DraftedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Frees what it has made beside its context, and ends what that has started. */
  dispose(): void;
}
