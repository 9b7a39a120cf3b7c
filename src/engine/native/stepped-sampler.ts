import assert from "node:assert/strict";
import { DrawOrders } from "../sampling/draw-order.js";
import type { NativeStepper } from "./companion/native-companion.js";
import type { SamplerLimits } from "./device-stages.js";
import { describeSampler } from "./sampler-stages.js";
import type { RequestedScores, StepDraws, StepRows } from "./step-draws.js";
import type {
  DrawnToken,
  Logits,
  PartDraws,
  SamplingContext,
  ScoredDraw,
  TokenConstraint,
  TokenSampler,
} from "./token-context.js";

export interface SteppedSamplerParts {
  readonly rows: StepRows;
  readonly stepper: Pick<NativeStepper, "createSampler" | "releaseSampler">;
  readonly limits: SamplerLimits;
}

/**
 * A sampler in the companion. Most tokens are drawn with the batch, before they are requested; a
 * constraint may require a second draw among the tokens that it allows.
 */
export class SteppedSampler implements TokenSampler {
  readonly #context: SamplingContext;
  readonly #parts: SteppedSamplerParts;
  readonly #id: number;
  readonly #drawOrders = new DrawOrders();
  /** Number of generated tokens that the native sampler has accepted. */
  #acceptedCount = 0;
  /** Whether the first row of the current batch is drawn from allowed tokens only. */
  #drawOrder: "draw-first" | "mask-first" = "draw-first";

  constructor(context: SamplingContext, parts: SteppedSamplerParts) {
    this.#context = context;
    this.#parts = parts;
    this.#id = parts.stepper.createSampler(describeSampler(context, parts.limits));
  }

  /** Returns the draws to request with a batch for a number of rows. */
  createStepDraws({ replayedTokens }: PartDraws, rows: number): StepDraws {
    const { constraint } = this.#context;
    const draws = { samplerId: this.#id, pendingTokens: this.#pendingTokens };
    if (constraint === undefined) {
      return { ...draws, maxDraws: rows, replayedTokens, decidedBy: "drawing" };
    }
    // The next row depends on the constraint's decision about this token.
    this.#drawOrder = this.#drawOrders.chooseOrder();
    return {
      ...draws,
      maxDraws: 1,
      replayedTokens: [],
      decidedBy: "constraint",
      ...(this.#drawOrder === "mask-first" && { computeMask: () => constraint.allowedTokens() }),
    };
  }

  /**
   * Records the outcome of a request. The native sampler has accepted the tokens decided before it,
   * and the drawn ones except the last.
   */
  noteDrawn(decidedTokens: number, drawnTokens: number): void {
    if (drawnTokens > 0) this.#acceptedCount += decidedTokens + drawnTokens - 1;
  }

  getDrawn(logits: Logits): DrawnToken | undefined {
    if (this.#context.constraint !== undefined) return undefined;
    const outcome = this.#parts.rows.outcomeOf(logits);
    return outcome?.kind === "drawn" ? outcome.drawn : undefined;
  }

  async sample(logits: Logits): Promise<number> {
    return (await this.#drawNext(logits, undefined)).token;
  }

  async sampleScored(logits: Logits, top: number): Promise<ScoredDraw> {
    const { token, probabilities } = await this.#drawNext(logits, { origin: "sampling", top });
    assert(probabilities !== undefined, "the drawn token has no probabilities");
    return { token, probabilities };
  }

  dispose(): void {
    this.#parts.stepper.releaseSampler(this.#id);
  }

  async #drawNext(logits: Logits, scores: RequestedScores): Promise<DrawnToken> {
    const { constraint } = this.#context;
    const outcome = this.#parts.rows.outcomeOf(logits);
    if (outcome?.kind === "failed") throw outcome.error;
    if (constraint === undefined) return outcome?.drawn ?? this.#draw(logits, scores);
    const order = outcome === undefined ? this.#drawOrders.chooseOrder() : this.#drawOrder;
    if (order === "mask-first") {
      return outcome?.drawn ?? this.#drawAllowed(logits, constraint, scores);
    }
    const drawn = outcome?.drawn ?? (await this.#draw(logits, scores));
    const result = constraint.allows(drawn.token) ? "hit" : "miss";
    this.#drawOrders.learn(result);
    return result === "hit" ? drawn : this.#drawAllowed(logits, constraint, scores);
  }

  #drawAllowed(
    logits: Logits,
    constraint: TokenConstraint,
    scores: RequestedScores,
  ): Promise<DrawnToken> {
    return this.#draw(logits, scores, () => constraint.allowedTokens());
  }

  async #draw(
    logits: Logits,
    scores: RequestedScores,
    computeMask?: () => Uint32Array,
  ): Promise<DrawnToken> {
    const pendingTokens = this.#pendingTokens;
    const draws = { samplerId: this.#id, pendingTokens, computeMask };
    const drawn = await this.#parts.rows.draw(logits, draws, scores);
    this.noteDrawn(pendingTokens.length, 1);
    return drawn;
  }

  /** Generated tokens that the native sampler has not accepted yet. */
  get #pendingTokens(): readonly number[] {
    return this.#context.generated.slice(this.#acceptedCount);
  }
}
