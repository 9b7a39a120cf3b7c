import { DraftAcceptance } from "./draft-acceptance.js";
import { DraftLength } from "./draft-length.js";
import { PromptLookup } from "./prompt-lookup.js";

/** Tokens proposed to follow, and where they come from. */
export interface Draft {
  /** `grammar`: the text is forced, so that nothing has to be verified. */
  readonly source: "lookup" | "model" | "grammar";
  readonly tokens: readonly number[];
}

/** How a draft was verified, in tokens. */
export interface DraftOutcome {
  readonly source: Exclude<Draft["source"], "grammar">;
  readonly proposed: number;
  readonly accepted: number;
}

/** The drafts of one generation and their outcomes so far. */
export class GenerationDrafts {
  readonly #endOfGeneration: ReadonlySet<number>;
  readonly #tokens: number[];
  readonly #lookup: PromptLookup;
  readonly #lookupLength = new DraftLength();
  readonly #acceptance = new DraftAcceptance();
  readonly #counts = {
    lookup: { drafts: 0, rejected: 0, proposed: 0, accepted: 0 },
    model: { drafts: 0, rejected: 0, proposed: 0, accepted: 0 },
  };

  /** @param endOfGeneration tokens that end a generation */
  constructor(
    promptTokens: readonly number[],
    generated: readonly number[],
    endOfGeneration: ReadonlySet<number>,
  ) {
    this.#endOfGeneration = endOfGeneration;
    this.#tokens = [...promptTokens, ...generated];
    this.#lookup = new PromptLookup(this.#tokens);
  }

  /** Prompt and answer. The same list object for the whole generation; it grows with the answer. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /**
   * Probability that a token of the draft model is accepted given that all before it were, 0–1.
   * @param prior the probability where little is known of this text
   */
  acceptanceProbability(prior: number): number {
    return this.#acceptance.probability(prior);
  }

  /** Share of prompt lookup's tokens that were accepted so far, 0–1, smoothed by one of two. */
  get lookupAcceptanceRate(): number {
    const { proposed, accepted } = this.#counts.lookup;
    return (accepted + 1) / (proposed + 2);
  }

  /** Share of prompt lookup's drafts that were not accepted in full so far, 0–1, smoothed likewise. */
  get lookupRejectionRate(): number {
    const { drafts, rejected } = this.#counts.lookup;
    return (rejected + 1) / (drafts + 2);
  }

  /** Tokens that were proposed and verified. */
  get proposed(): number {
    return this.#counts.lookup.proposed + this.#counts.model.proposed;
  }

  /** Those of them that were accepted. */
  get accepted(): number {
    return this.#counts.lookup.accepted + this.#counts.model.accepted;
  }

  /** Appends a generated token. */
  push(token: number): void {
    this.#tokens.push(token);
  }

  /**
   * Prompt lookup's draft: what followed the same tokens earlier in the text. Often empty.
   * @param usualTokens draft length where little is known of this text
   */
  lookUp(maxTokens: number, usualTokens: number): readonly number[] {
    const length = Math.min(maxTokens, this.#lookupLength.current(usualTokens));
    const tokens = length > 0 ? this.#lookup.propose(length) : [];
    if (tokens.length === 0) this.#lookupLength.skip();
    const end = tokens.findIndex((token) => this.#endOfGeneration.has(token));
    return end < 0 ? tokens : tokens.slice(0, end + 1);
  }

  /** A step passed in which the draft model proposed nothing here. */
  skipModel(): void {
    this.#acceptance.skip();
  }

  learn({ source, proposed, accepted }: DraftOutcome): void {
    const counts = this.#counts[source];
    counts.drafts++;
    if (accepted < proposed) counts.rejected++;
    counts.proposed += proposed;
    counts.accepted += accepted;
    const learner = source === "lookup" ? this.#lookupLength : this.#acceptance;
    learner.learn({ proposed, accepted });
  }
}
