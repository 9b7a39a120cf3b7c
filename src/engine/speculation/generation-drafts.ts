import { DraftAcceptance } from "./draft-acceptance.js";
import { DraftLength } from "./draft-length.js";
import { PromptLookup } from "./prompt-lookup.js";

/** Tokens that a generation may say next, and who thinks so. */
export interface Draft {
  readonly source: "lookup" | "model";
  readonly tokens: readonly number[];
}

/** How a draft was verified, in tokens. */
export interface DraftOutcome {
  readonly source: Draft["source"];
  readonly proposed: number;
  readonly accepted: number;
}

/** What is proposed for one generation, and what came of it so far. */
export class GenerationDrafts {
  readonly #endOfGeneration: ReadonlySet<number>;
  readonly #tokens: number[];
  readonly #lookup: PromptLookup;
  readonly #lookupLength = new DraftLength();
  readonly #acceptance = new DraftAcceptance();
  readonly #counts = {
    lookup: { proposed: 0, accepted: 0 },
    model: { proposed: 0, accepted: 0 },
  };

  /** @param endOfGeneration tokens that nothing follows */
  constructor(
    promptTokens: readonly number[],
    generated: readonly number[],
    endOfGeneration: ReadonlySet<number>,
  ) {
    this.#endOfGeneration = endOfGeneration;
    this.#tokens = [...promptTokens, ...generated];
    this.#lookup = new PromptLookup(this.#tokens);
  }

  /** Prompt and answer; the list grows with the answer. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /**
   * Chance that a token of the draft model is right when all before it were, 0–1.
   * @param assumed the chance where little is known of this text
   */
  chance(assumed: number): number {
    return this.#acceptance.chance(assumed);
  }

  /** Share of the tokens from prompt lookup that were right so far, 0–1. */
  get hitRate(): number {
    const { proposed, accepted } = this.#counts.lookup;
    // As if one of two had been right before the first.
    return (accepted + 1) / (proposed + 2);
  }

  /** Tokens that were proposed and verified. */
  get proposed(): number {
    return this.#counts.lookup.proposed + this.#counts.model.proposed;
  }

  /** Those of them that were right. */
  get accepted(): number {
    return this.#counts.lookup.accepted + this.#counts.model.accepted;
  }

  /** The text has gone on. */
  push(token: number): void {
    this.#tokens.push(token);
  }

  /**
   * What followed the same tokens before: at most `most` tokens, often none.
   * @param usual tokens that are worth proposing where little is known of this text
   */
  lookUp(most: number, usual: number): readonly number[] {
    const length = Math.min(most, this.#lookupLength.current(usual));
    const tokens = length > 0 ? this.#lookup.propose(length) : [];
    if (tokens.length === 0) this.#lookupLength.skip();
    const end = tokens.findIndex((token) => this.#endOfGeneration.has(token));
    return end < 0 ? tokens : tokens.slice(0, end + 1);
  }

  /** A step goes by in which the draft model proposes nothing here. */
  skipModel(): void {
    this.#acceptance.skip();
  }

  learn({ source, proposed, accepted }: DraftOutcome): void {
    const counts = this.#counts[source];
    counts.proposed += proposed;
    counts.accepted += accepted;
    const learner = source === "lookup" ? this.#lookupLength : this.#acceptance;
    learner.learn({ proposed, accepted });
  }
}
