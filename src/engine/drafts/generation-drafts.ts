import type { PredictionUsage } from "../../core/generation-event.js";
import { DraftAcceptance } from "./draft-acceptance.js";
import { DraftLength } from "./draft-length.js";
import { PredictedText } from "./predicted-text.js";
import { PromptLookup } from "./prompt-lookup.js";

/** Draft tokens and their source. */
export interface Draft {
  /** `prediction`: the client's prediction. `grammar`: forced text, which needs no verification. */
  readonly source: "lookup" | "prediction" | "model" | "grammar";
  readonly tokens: readonly number[];
}

/** Sources whose drafts are verified. */
export type VerifiedSource = Exclude<Draft["source"], "grammar">;

/** Verification result of a draft, in tokens. */
export interface DraftOutcome {
  readonly source: VerifiedSource;
  readonly proposed: number;
  readonly accepted: number;
}

/** Outcome counts of the drafts of one source. */
interface DraftCounts {
  drafts: number;
  /** Number of drafts that were not accepted in full. */
  rejected: number;
  proposed: number;
  accepted: number;
}

/** Accepted tokens of the prediction, with their end position in the text. */
interface PredictedRun {
  readonly end: number;
  readonly tokens: number;
}

/** Outcomes assumed in addition to the actual ones; a client's prediction is likely to be right. */
const PRIORS: Readonly<Record<VerifiedSource, Pick<DraftCounts, "accepted" | "proposed">>> = {
  lookup: { accepted: 1, proposed: 2 },
  prediction: { accepted: 4, proposed: 5 },
  model: { accepted: 1, proposed: 2 },
};

/** First draft length for a prediction, which is likely to be right. */
const FIRST_PREDICTED_TOKENS = 8;

/** The drafts of one generation and their outcomes so far. */
export class GenerationDrafts {
  readonly #endOfGeneration: ReadonlySet<number>;
  readonly #tokens: number[];
  readonly #lookup: PromptLookup;
  readonly #lookupLength = new DraftLength();
  readonly #prediction: PredictedText;
  readonly #predictionLength = new DraftLength();
  readonly #predictedRuns: PredictedRun[] = [];
  readonly #acceptance = new DraftAcceptance();
  readonly #counts: Readonly<Record<VerifiedSource, DraftCounts>> = {
    lookup: createCounts(),
    prediction: createCounts(),
    model: createCounts(),
  };

  /**
   * @param endOfGeneration tokens that end a generation
   * @param predictionTokens tokens that the client expects in the answer
   */
  constructor(
    promptTokens: readonly number[],
    generated: readonly number[],
    endOfGeneration: ReadonlySet<number>,
    predictionTokens: readonly number[] = [],
  ) {
    this.#endOfGeneration = endOfGeneration;
    this.#tokens = [...promptTokens, ...generated];
    this.#lookup = new PromptLookup(this.#tokens);
    this.#prediction = new PredictedText({
      predicted: predictionTokens,
      text: this.#tokens,
      promptTokens: promptTokens.length,
    });
  }

  /** Prompt and answer. The same list object for the whole generation; it grows with the answer. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /**
   * Returns the probability that a token of the draft model is accepted given that all earlier ones were, 0–1.
   * @param prior the probability if little is known of this text
   */
  estimateAcceptance(prior: number): number {
    return this.#acceptance.estimateProbability(prior);
  }

  /** Returns the share of a source's tokens that were accepted so far, 0–1, smoothed by the assumed outcomes. */
  computeAcceptanceRate(source: VerifiedSource): number {
    const { proposed, accepted } = this.#counts[source];
    const prior = PRIORS[source];
    return (accepted + prior.accepted) / (proposed + prior.proposed);
  }

  /**
   * Returns the share of a source's drafts that were not accepted in full so far, 0–1, smoothed by the assumed
   * outcomes.
   */
  computeRejectionRate(source: VerifiedSource): number {
    const { drafts, rejected } = this.#counts[source];
    const prior = PRIORS[source];
    return (rejected + prior.proposed - prior.accepted) / (drafts + prior.proposed);
  }

  /** Number of tokens that were proposed and verified. */
  get proposed(): number {
    const { lookup, prediction, model } = this.#counts;
    return lookup.proposed + prediction.proposed + model.proposed;
  }

  /** Number of proposed tokens that were accepted. */
  get accepted(): number {
    const { lookup, prediction, model } = this.#counts;
    return lookup.accepted + prediction.accepted + model.accepted;
  }

  /**
   * Returns the usage of the prediction's verified tokens.
   * @param textTokens length of the text up to which accepted tokens count
   */
  computePredictionUsage(textTokens: number): PredictionUsage {
    const { proposed, accepted } = this.#counts.prediction;
    let acceptedTokens = accepted;
    for (let index = this.#predictedRuns.length - 1; index >= 0; index--) {
      const { end = 0, tokens = 0 } = this.#predictedRuns[index] ?? {};
      if (end <= textTokens) break;
      acceptedTokens -= Math.min(tokens, end - textTokens);
    }
    return { acceptedTokens, rejectedTokens: proposed - accepted };
  }

  /** Appends a generated token. */
  push(token: number): void {
    this.#tokens.push(token);
  }

  /**
   * Returns prompt lookup's draft: the tokens that followed the same n-gram earlier in the text. Often empty.
   * @param usualTokens draft length if little is known of this text
   */
  lookUp(maxTokens: number, usualTokens: number): readonly number[] {
    return this.#propose(this.#lookup, this.#lookupLength, { maxTokens, usualTokens });
  }

  /** Returns the prediction's draft; empty if the text has departed from the prediction. */
  predict(maxTokens: number): readonly number[] {
    const usualTokens = FIRST_PREDICTED_TOKENS;
    return this.#propose(this.#prediction, this.#predictionLength, { maxTokens, usualTokens });
  }

  #propose(
    source: Pick<PromptLookup | PredictedText, "propose">,
    draftLength: DraftLength,
    { maxTokens, usualTokens }: { readonly maxTokens: number; readonly usualTokens: number },
  ): readonly number[] {
    const length = Math.min(maxTokens, draftLength.chooseLength(usualTokens));
    const tokens = length > 0 ? source.propose(length) : [];
    if (tokens.length === 0) draftLength.skip();
    const end = tokens.findIndex((token) => this.#endOfGeneration.has(token));
    return end < 0 ? tokens : tokens.slice(0, end + 1);
  }

  /** Records a step in which the draft model proposed no tokens for this generation. */
  skipModel(): void {
    this.#acceptance.skip();
  }

  learn({ source, proposed, accepted }: DraftOutcome): void {
    const counts = this.#counts[source];
    counts.drafts++;
    if (accepted < proposed) counts.rejected++;
    counts.proposed += proposed;
    counts.accepted += accepted;
    this.#learnerOf(source).learn({ proposed, accepted });
    if (source === "prediction") {
      this.#predictedRuns.push({ end: this.#tokens.length - 1, tokens: accepted });
    }
  }

  #learnerOf(source: VerifiedSource): DraftLength | DraftAcceptance {
    switch (source) {
      case "lookup":
        return this.#lookupLength;
      case "prediction":
        return this.#predictionLength;
      case "model":
        return this.#acceptance;
    }
  }
}

function createCounts(): DraftCounts {
  return { drafts: 0, rejected: 0, proposed: 0, accepted: 0 };
}
