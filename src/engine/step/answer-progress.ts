import type {
  GenerationEvent,
  GenerationTimings,
  PredictionUsage,
  TokenUsage,
} from "../../core/generation-event.js";
import type { ProgressReporting } from "../../core/generation-request.js";
import type { GenerationDrafts } from "../drafts/generation-drafts.js";
import { GenerationTimes } from "./generation-times.js";

export interface AnswerProgressOptions {
  readonly promptTokens: number;
  /** Prompt tokens that were cached, as reported to the client. */
  readonly cachedTokens: number;
  /** Progress that the request asks for. */
  readonly reporting: ProgressReporting | undefined;
  /** Whether the request carries predicted tokens, whose use is reported. */
  readonly reportsPrediction: boolean;
  /** Returns the drafts of the generation; `undefined` while it has none. */
  readonly drafts: () => GenerationDrafts | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Counts and times of an answer, as clients see them: usage, timings and the progress of the prompt. */
export class AnswerProgress {
  readonly #options: AnswerProgressOptions;
  readonly #times: GenerationTimes;
  /** Number of generated tokens whose text has been emitted or is held back. */
  #settledTokens = 0;
  /** Number of settled tokens that an event has carried. */
  #emittedTokens = 0;
  #reportedPromptTokens: number | undefined;
  #reasoningTokens = 0;
  #forcedTokens = 0;

  constructor(options: AnswerProgressOptions) {
    this.#options = options;
    this.#times = new GenerationTimes(options.now);
  }

  get settledTokens(): number {
    return this.#settledTokens;
  }

  /** Counts a token that was generated; its text is not known yet. */
  noteToken(): void {
    this.#times.noteToken();
  }

  /** Counts a token that was forced by the constraint and evaluated in advance. */
  noteForcedToken(): void {
    this.#forcedTokens++;
  }

  noteSettledToken(): void {
    this.#settledTokens++;
  }

  noteReasoningToken(): void {
    this.#reasoningTokens++;
  }

  /** Returns the range of the settled tokens that no event has carried yet, and counts them as carried. */
  takeUnemittedRange(): readonly [begin: number, end: number] {
    const range = [this.#emittedTokens, this.#settledTokens] as const;
    this.#emittedTokens = this.#settledTokens;
    return range;
  }

  /** Returns the event of the prompt's progress; `undefined`: not requested, or unchanged. */
  advancePrompt(
    processedTokens: number,
  ): Extract<GenerationEvent, { type: "prompt-progress" }> | undefined {
    const isRequested = this.#options.reporting?.prompt !== undefined;
    if (!isRequested || processedTokens === this.#reportedPromptTokens) return undefined;
    this.#reportedPromptTokens = processedTokens;
    return {
      type: "prompt-progress",
      processedTokens,
      elapsedMs: this.#times.elapsedMs,
      ...(this.reportsTimings && { timings: this.timings }),
      usage: this.usage,
    };
  }

  /** Whether the timings so far are reported before the answer ends. */
  get reportsTimings(): boolean {
    return this.#options.reporting?.timings === "with-each-text";
  }

  /** Timings up to the last token. */
  get timings(): GenerationTimings {
    const drafts = this.#options.drafts();
    return {
      ...this.#times.phases,
      draftTokens: drafts?.proposed ?? 0,
      acceptedDraftTokens: drafts?.accepted ?? 0,
      forcedTokens: this.#forcedTokens,
    };
  }

  get usage(): TokenUsage {
    const { promptTokens, cachedTokens, reportsPrediction } = this.#options;
    return {
      promptTokens,
      cachedTokens,
      completionTokens: this.#settledTokens,
      reasoningTokens: this.#reasoningTokens,
      ...(reportsPrediction && { prediction: this.#predictionUsage }),
    };
  }

  /** Usage of the predicted tokens; zero without speculation, which creates no drafts. */
  get #predictionUsage(): PredictionUsage {
    const evaluatedTokens = this.#options.promptTokens + this.#settledTokens;
    const noUsage = { acceptedTokens: 0, rejectedTokens: 0 };
    return this.#options.drafts()?.computePredictionUsage(evaluatedTokens) ?? noUsage;
  }
}
