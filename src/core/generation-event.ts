import type { GgufdError } from "./errors.js";

/**
 * Why a generation ended: end-of-generation token or stop sequence, token limit, or tool calls.
 */
export type FinishReason = "stop" | "length" | "tool-calls";

/** Verification result of the predicted tokens. */
export interface PredictionUsage {
  /** Predicted tokens that are part of the completion. */
  readonly acceptedTokens: number;
  /** Rejected tokens, which are neither part of the completion nor counted in it. */
  readonly rejectedTokens: number;
}

/** Token counts of one generation. */
export interface TokenUsage {
  /** All prompt tokens, cached or evaluated. */
  readonly promptTokens: number;
  /**
   * Prompt tokens served from the prefix cache, limited to the tokens that the request's API
   * key may know of.
   */
  readonly cachedTokens: number;
  /** Sampled tokens, including the end-of-generation token. */
  readonly completionTokens: number;
  /** Completion tokens that are part of the reasoning. */
  readonly reasoningTokens: number;
  /** Absent if the request has no prediction. */
  readonly prediction?: PredictionUsage;
}

/** Text that a token stands for. */
export interface TokenText {
  /** Id in the vocabulary. */
  readonly id: number;
  /**
   * Bytes of the token's text, which are often a part of a character; empty for a control token.
   */
  readonly bytes: readonly number[];
  /** Name of a control token; absent for text. */
  readonly controlText?: string;
}

/** Token with its log-probability. */
export interface ScoredToken extends TokenText {
  readonly logProbability: number;
}

/** Token of the text, with the most probable alternatives at its position. */
export interface TokenScore extends ScoredToken {
  readonly top: readonly ScoredToken[];
}

/** Token of a prompt. The first token has no predecessor and therefore no log-probability. */
export interface PromptTokenScore extends Omit<TokenScore, "logProbability"> {
  readonly logProbability?: number;
}

/**
 * Durations of one generation, in milliseconds, and counters of its tokens that were evaluated
 * ahead of time.
 */
export interface GenerationTimings {
  /** From leasing a slot to the first token. */
  readonly prefillMs: number;
  /** From the first token to the last. */
  readonly decodeMs: number;
  /** Number of drafted tokens, and how many of them were accepted. */
  readonly draftTokens: number;
  readonly acceptedDraftTokens: number;
  /** Tokens that the constraint forced and that were evaluated together with other tokens. */
  readonly forcedTokens: number;
}

/**
 * Event of a running generation. The sequence ends with exactly one `finished`, `cancelled` or
 * `failed`.
 */
export type GenerationEvent =
  | {
      /** Precedes all generated output; one event per slice in which the prompt is evaluated. */
      readonly type: "prompt-scores";
      /** The next tokens of the prompt. */
      readonly scores: readonly PromptTokenScore[];
      readonly usage: TokenUsage;
    }
  | {
      /**
       * Precedes all generated output, if requested: one event with the cached tokens, and one per
       * slice in which the prompt is evaluated.
       */
      readonly type: "prompt-progress";
      /** Prompt tokens that are held, cached or evaluated. */
      readonly processedTokens: number;
      /** Time since the generation got its slot. */
      readonly elapsedMs: number;
      /** Timings so far, if requested with each text. */
      readonly timings?: GenerationTimings;
      readonly usage: TokenUsage;
    }
  | {
      readonly type: "text-delta";
      readonly text: string;
      /** Timings up to the last token of this text, if requested with each text. */
      readonly timings?: GenerationTimings;
      /** Tokens of this text, if the request asks for log-probabilities. */
      readonly scores?: readonly TokenScore[];
      readonly usage: TokenUsage;
    }
  | { readonly type: "reasoning-delta"; readonly text: string; readonly usage: TokenUsage }
  | {
      readonly type: "tool-call-begin";
      /** Position among the tool calls of the answer, from 0. */
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly usage: TokenUsage;
    }
  | {
      readonly type: "tool-call-arguments";
      /** Index of the call that the arguments belong to: the call that began last. */
      readonly index: number;
      /** Next piece of the arguments: JSON text, as the model writes it. */
      readonly text: string;
      readonly usage: TokenUsage;
    }
  | {
      readonly type: "finished";
      readonly reason: FinishReason;
      /** Stop string that ended the text; absent if the text ended for another reason. */
      readonly stopString?: string;
      /**
       * Tokens after the last text, such as an end-of-generation token, if the scores of all tokens
       * are requested.
       */
      readonly scores?: readonly TokenScore[];
      /** Slot that the generation used, which still holds its tokens; absent if unknown. */
      readonly slot?: number;
      readonly usage: TokenUsage;
      readonly timings: GenerationTimings;
    }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly error: GgufdError };

/** Event of one of a request's choices. */
export interface ChoiceEvent {
  /** Position among the choices, from 0. */
  readonly choice: number;
  readonly event: GenerationEvent;
  /**
   * Ids of the tokens generated since the choice's previous event; absent if there are none or they
   * are unknown.
   */
  readonly tokens?: readonly number[];
}

/** Whether the event is the last one of its generation. */
export function isFinal(event: GenerationEvent): boolean {
  return event.type === "finished" || event.type === "cancelled" || event.type === "failed";
}
