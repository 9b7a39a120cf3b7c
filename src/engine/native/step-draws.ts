import type { Drawn, Logits, PartDraws } from "./token-context.js";

export type Scores = PartDraws["scores"];

/** What has come of a row: a token, or why there is none. */
export type RowOutcome =
  | {
      readonly kind: "drawn";
      readonly drawn: Drawn;
      /** Whose probabilities it has. */
      readonly scored: NonNullable<Scores>["of"] | undefined;
    }
  | { readonly kind: "failed"; readonly error: unknown };

/** How a sampler wants to draw from the rows of a part. */
export interface StepDraws {
  readonly samplerId: number;
  /** Rows to draw from at most. */
  readonly maxDraws: number;
  /** Tokens that belong to the text since the sampler was last asked. */
  readonly decided: readonly number[];
  readonly given: readonly number[];
  /** Who decides about the drawn token: with a constraint, its row may be drawn from once more. */
  readonly decidedBy: "drawing" | "constraint";
  /** The tokens that may come in the first row, computed while the batch is evaluated; absent: any may. */
  readonly allowed?: (() => Uint32Array) | undefined;
}

/** Rows of the last step, as far as samplers draw from them. */
export interface StepRows {
  /** What the step has drawn from a row; `undefined`: nothing yet. */
  drawnFrom(logits: Logits): RowOutcome | undefined;
  /** Draws from a row. */
  draw(
    logits: Logits,
    draws: Pick<StepDraws, "samplerId" | "decided" | "allowed">,
    scores: Scores,
  ): Promise<Drawn>;
}
