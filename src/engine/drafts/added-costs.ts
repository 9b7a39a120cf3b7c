import { StepCosts } from "../costs/step-costs.js";

/**
 * What is evaluated beside a plain step. `verified`: drafts, each of whose tokens has its row of logits.
 * `forced`: texts that have one row each, which is most of the difference where the vocabulary is large.
 */
export type AddedTokens = "verified" | "forced";

/**
 * What steps cost without drafts, and what drafts add to them. A step's number of tokens does not tell
 * that: llama.cpp may evaluate drafts in passes of their own.
 */
export class AddedCosts {
  readonly #plain = new StepCosts();
  readonly #added = { verified: new StepCosts(), forced: new StepCosts() };

  /** Learns what a step without drafts has cost. */
  learnPlain(tokens: number, stepMs: number): void {
    this.#plain.learn(tokens, stepMs);
    this.#added.verified.skip();
    this.#added.forced.skip();
  }

  /** Learns what a step has cost that would have had so many tokens without drafts. */
  learnAdded(tokens: number, added: AddedTokens, addedTokens: number, stepMs: number): void {
    const plainMs = this.plainMs(tokens);
    if (plainMs !== undefined) {
      this.#added[added].learn(addedTokens, Math.max(0, stepMs - plainMs));
    }
  }

  /** Expected duration of a step without drafts, in milliseconds; `undefined`: unknown. */
  plainMs(tokens: number): number | undefined {
    return this.#plain.estimateMs(tokens);
  }

  /** What drafts are expected to add to a step, in milliseconds; `undefined`: unknown. */
  addedMs(added: AddedTokens, addedTokens: number): number | undefined {
    return addedTokens === 0 ? 0 : this.#added[added].estimateMs(addedTokens);
  }
}
