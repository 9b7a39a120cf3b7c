import type { GgufdError } from "./errors.js";
import type { ToolCall } from "./generation-request.js";

/** Why a generation ended: by itself or at a stop string, at its token limit, with tool calls. */
export type FinishReason = "stop" | "length" | "tool-calls";

/** Token counts of one generation. */
export interface TokenUsage {
  /** The whole prompt, whether cached or evaluated. */
  readonly promptTokens: number;
  /** Prompt tokens that did not have to be evaluated again. */
  readonly cachedTokens: number;
  /** Sampled tokens, the end-of-generation token included. */
  readonly completionTokens: number;
  /** Completion tokens that belong to the reasoning. */
  readonly reasoningTokens: number;
}

/** Where the time of one generation went, in milliseconds, and what speculation did for it. */
export interface GenerationTimings {
  /** From leasing a slot to the first token. */
  readonly prefillMs: number;
  /** From the first token to the last. */
  readonly decodeMs: number;
  /** Tokens that were proposed by speculation, and those of them that were right. */
  readonly draftTokens: number;
  readonly acceptedDraftTokens: number;
}

/**
 * What an engine tells about a running generation. Ends with exactly one `finished`, `cancelled`
 * or `failed`.
 */
export type GenerationEvent =
  | { readonly type: "text-delta"; readonly text: string; readonly usage: TokenUsage }
  | { readonly type: "reasoning-delta"; readonly text: string; readonly usage: TokenUsage }
  | {
      readonly type: "tool-call";
      /** Counts the calls of the answer from 0. */
      readonly index: number;
      readonly call: ToolCall;
      readonly usage: TokenUsage;
    }
  | {
      readonly type: "finished";
      readonly reason: FinishReason;
      readonly usage: TokenUsage;
      readonly timings: GenerationTimings;
    }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly error: GgufdError };

/** Whether no event follows this one. */
export function isFinal(event: GenerationEvent): boolean {
  return event.type === "finished" || event.type === "cancelled" || event.type === "failed";
}
