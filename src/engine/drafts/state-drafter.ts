import type { DraftedText, StateDrafts } from "../native/token-context.js";
import type { Drafter } from "./drafter.js";

export interface StateDrafterOptions {
  readonly drafts: StateDrafts;
  /** Maximum length of a text with its draft, in tokens. */
  readonly contextSize: number;
  readonly batchSize: number;
}

/**
 * Proposes draft tokens from the hidden states of the main model, with its layers for multi-token prediction or an
 * EAGLE-3 head. Never has to catch up, because the main model computes the states with its batches.
 */
export class StateDrafter implements Drafter {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly #drafts: StateDrafts;

  constructor({ drafts, contextSize, batchSize }: StateDrafterOptions) {
    this.contextSize = contextSize;
    this.batchSize = batchSize;
    this.#drafts = drafts;
  }

  get maxLength(): number {
    return this.#drafts.maxLength;
  }

  countMissingTokens(): number {
    return 1;
  }

  async catchUp(): Promise<number> {
    return 0;
  }

  propose(
    texts: readonly DraftedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    return this.#drafts.propose(texts, length);
  }

  /** Nothing to free: the proposing layers belong to the main model's context, which frees them. */
  dispose(): void {}
}
