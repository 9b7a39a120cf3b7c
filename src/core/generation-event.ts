import type { GgufdError } from "./errors.js";

/**
 * Why a generation ended: end-of-generation token or stop sequence, token limit, or tool calls.
 */
export type FinishReason = "stop" | "length" | "tool-calls";

/** What became of the tokens of a prediction that were verified. */
export interface PredictionUsage {
  /** They are part of the completion. */
  readonly acceptedTokens: number;
  /** They are not, nor are they counted in it. */
  readonly rejectedTokens: number;
}

/** Token counts of one generation. */
export interface TokenUsage {
  /** All prompt tokens, cached or evaluated. */
  readonly promptTokens: number;
  /** Prompt tokens served from the prefix cache, as far as the API key that asks may know of them. */
  readonly cachedTokens: number;
  /** Sampled tokens, including the end-of-generation token. */
  readonly completionTokens: number;
  /** Completion tokens that are part of the reasoning. */
  readonly reasoningTokens: number;
  /** Absent: the request has no prediction. */
  readonly prediction?: PredictionUsage;
}

/** What a token stands for. */
export interface TokenText {
  /** Its id in the vocabulary. */
  readonly id: number;
  /** The bytes of its text: often a part of a character. None of a control token. */
  readonly bytes: readonly number[];
  /** The name of a control token; absent: it is text. */
  readonly controlText?: string;
}

/** A token and its log-probability. */
export interface ScoredToken extends TokenText {
  readonly logProbability: number;
}

/** A token of the text, and those that were most probable in its place. */
export interface TokenScore extends ScoredToken {
  readonly top: readonly ScoredToken[];
}

/** A token of a prompt. The first one follows nothing and has no log-probability. */
export interface PromptTokenScore extends Omit<TokenScore, "logProbability"> {
  readonly logProbability?: number;
}

/** Durations of one generation, in milliseconds, and its counters of tokens that were evaluated in advance. */
export interface GenerationTimings {
  /** From leasing a slot to the first token. */
  readonly prefillMs: number;
  /** From the first token to the last. */
  readonly decodeMs: number;
  /** Drafted tokens, and how many of them were accepted. */
  readonly draftTokens: number;
  readonly acceptedDraftTokens: number;
  /** Tokens that its constraint forced and that were evaluated together with others. */
  readonly forcedTokens: number;
}

/**
 * An event of a running generation. The sequence ends with exactly one `finished`, `cancelled` or
 * `failed`.
 */
export type GenerationEvent =
  | {
      /** Comes before all that is generated, in as many pieces as the prompt is evaluated in. */
      readonly type: "prompt-scores";
      /** The next tokens of the prompt. */
      readonly scores: readonly PromptTokenScore[];
      readonly usage: TokenUsage;
    }
  | {
      /** Comes before all that is generated, once for each piece that the prompt is evaluated in, if it is asked for. */
      readonly type: "prompt-progress";
      /** Tokens of the prompt that are held, cached or evaluated. */
      readonly processedTokens: number;
      /** Since the generation has a slot. */
      readonly elapsedMs: number;
      readonly usage: TokenUsage;
    }
  | {
      readonly type: "text-delta";
      readonly text: string;
      /** Up to its last token, if they are asked for with each text. */
      readonly timings?: GenerationTimings;
      /** Its tokens, if the request asks for log-probabilities. */
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
      /** Position of the call that they belong to: the one that began last. */
      readonly index: number;
      /** The next piece of the arguments: JSON text, as the model writes it. */
      readonly text: string;
      readonly usage: TokenUsage;
    }
  | {
      readonly type: "finished";
      readonly reason: FinishReason;
      /** The stop string that ended the text; absent: something else did. */
      readonly stopString?: string;
      /** Tokens after the last text, such as an end-of-generation token, if all are to be reported. */
      readonly scores?: readonly TokenScore[];
      /** The slot that it had, which goes on to hold its tokens; absent: it is not known. */
      readonly slot?: number;
      readonly usage: TokenUsage;
      readonly timings: GenerationTimings;
    }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly error: GgufdError };

/** An event of one of a request's choices. */
export interface ChoiceEvent {
  /** Position among the choices, from 0. */
  readonly choice: number;
  readonly event: GenerationEvent;
  /** Ids of the tokens generated since the choice's event before; absent: none, or it is not known which. */
  readonly tokens?: readonly number[];
}

/** Whether this is the last event of its generation. */
export function isFinal(event: GenerationEvent): boolean {
  return event.type === "finished" || event.type === "cancelled" || event.type === "failed";
}
