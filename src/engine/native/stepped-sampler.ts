import assert from "node:assert/strict";
import { DrawOrders } from "../sampling/draw-order.js";
import type { NativeStepper } from "./companion/native-companion.js";
import type { SamplerLimits } from "./device-stages.js";
import { describeSampler } from "./sampler-stages.js";
import type { Scores, StepDraws, StepRows } from "./step-draws.js";
import type {
  Drawn,
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
  readonly #orders = new DrawOrders();
  /** Number of generated tokens that the native sampler has accepted. */
  #knownTokens = 0;
  /** Whether the first row of the current batch is drawn from allowed tokens only. */
  #order: "draw-first" | "mask-first" = "draw-first";

  constructor(context: SamplingContext, parts: SteppedSamplerParts) {
    this.#context = context;
    this.#parts = parts;
    this.#id = parts.stepper.createSampler(describeSampler(context, parts.limits));
  }

  /** Returns the draws to request with a batch for a number of rows. */
  stepDraws({ given }: PartDraws, rows: number): StepDraws {
    const { constraint } = this.#context;
    const draws = { samplerId: this.#id, decided: this.#decided };
    if (constraint === undefined) {
      return { ...draws, maxDraws: rows, given, decidedBy: "drawing" };
    }
    // The next row depends on the constraint's decision about this token.
    this.#order = this.#orders.next();
    return {
      ...draws,
      maxDraws: 1,
      given: [],
      decidedBy: "constraint",
      ...(this.#order === "mask-first" && { allowed: () => constraint.allowedTokens() }),
    };
  }

  /**
   * Records the outcome of a request. The native sampler has accepted the tokens decided before it,
   * and the drawn ones except the last.
   */
  noteDrawn(decidedTokens: number, drawnTokens: number): void {
    if (drawnTokens > 0) this.#knownTokens += decidedTokens + drawnTokens - 1;
  }

  drawn(logits: Logits): Drawn | undefined {
    if (this.#context.constraint !== undefined) return undefined;
    const outcome = this.#parts.rows.drawnFrom(logits);
    return outcome?.kind === "drawn" ? outcome.drawn : undefined;
  }

  async sample(logits: Logits): Promise<number> {
    return (await this.#next(logits, undefined)).token;
  }

  async sampleScored(logits: Logits, top: number): Promise<ScoredDraw> {
    const { token, probabilities } = await this.#next(logits, { of: "sampling", top });
    assert(probabilities !== undefined, "the drawn token has no probabilities");
    return { token, probabilities };
  }

  dispose(): void {
    this.#parts.stepper.releaseSampler(this.#id);
  }

  async #next(logits: Logits, scores: Scores): Promise<Drawn> {
    const { constraint } = this.#context;
    const outcome = this.#parts.rows.drawnFrom(logits);
    if (outcome?.kind === "failed") throw outcome.error;
    if (constraint === undefined) return outcome?.drawn ?? this.#draw(logits, scores);
    const order = outcome === undefined ? this.#orders.next() : this.#order;
    if (order === "mask-first") {
      return outcome?.drawn ?? this.#drawAllowed(logits, constraint, scores);
    }
    const drawn = outcome?.drawn ?? (await this.#draw(logits, scores));
    const result = constraint.allows(drawn.token) ? "hit" : "miss";
    this.#orders.learn(result);
    return result === "hit" ? drawn : this.#drawAllowed(logits, constraint, scores);
  }

  #drawAllowed(logits: Logits, constraint: TokenConstraint, scores: Scores): Promise<Drawn> {
    return this.#draw(logits, scores, () => constraint.allowedTokens());
  }

  async #draw(logits: Logits, scores: Scores, allowed?: () => Uint32Array): Promise<Drawn> {
    const decided = this.#decided;
    const draws = { samplerId: this.#id, decided, allowed };
    const drawn = await this.#parts.rows.draw(logits, draws, scores);
    this.noteDrawn(decided.length, 1);
    return drawn;
  }

  /** Generated tokens that the native sampler has not accepted yet. */
  get #decided(): readonly number[] {
    return this.#context.generated.slice(this.#knownTokens);
  }
}
