import type { DraftedText, StateDrafts } from "../native/token-context.js";
import type { Drafter } from "./drafter.js";

export interface StateDrafterOptions {
  readonly drafts: StateDrafts;
  /** Longest text with its draft, in tokens. */
  readonly contextSize: number;
  readonly batchSize: number;
}

/**
 * Proposes by the hidden states that the main model has computed anyway, with its layers for multi-token prediction or an
 * EAGLE-3 head. It never has to catch up: the states come with the batches.
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

  missingTokens(): number {
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

  /** What proposes belongs to the main model's context, which ends it. */
  dispose(): void {}
}
