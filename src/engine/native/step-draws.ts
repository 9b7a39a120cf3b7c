import type { DrawnToken, Logits, PartDraws } from "./token-context.js";

export type RequestedScores = PartDraws["scores"];

/** The outcome of a row: a token, or the reason why there is none. */
export type RowOutcome =
  | {
      readonly kind: "drawn";
      readonly drawn: DrawnToken;
      /** The kind of probabilities computed for the token. */
      readonly scored: NonNullable<RequestedScores>["origin"] | undefined;
    }
  | { readonly kind: "failed"; readonly error: unknown };

/** A sampler's request to draw from the rows of a part. */
export interface StepDraws {
  readonly samplerId: number;
  /** Maximum number of rows to draw from. */
  readonly maxDraws: number;
  /** Tokens added to the text since the sampler's previous request. */
  readonly pendingTokens: readonly number[];
  readonly replayedTokens: readonly number[];
  /**
   * With `constraint`, the row may be drawn from a second time, as the constraint decides about the
   * drawn token.
   */
  readonly decidedBy: "drawing" | "constraint";
  /**
   * Computes the tokens allowed in the first row, while the batch is evaluated; absent if any token
   * is allowed.
   */
  readonly computeMask?: (() => Uint32Array) | undefined;
}

/** Rows of the last step, as used by samplers. */
export interface StepRows {
  /** Returns the token that the step drew from a row; `undefined` if it drew none. */
  outcomeOf(logits: Logits): RowOutcome | undefined;
  draw(
    logits: Logits,
    draws: Pick<StepDraws, "samplerId" | "pendingTokens" | "computeMask">,
    scores: RequestedScores,
  ): Promise<DrawnToken>;
}
