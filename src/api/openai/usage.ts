import type { CompletionUsage } from "openai/resources/completions";
import type { GenerationTimings, TokenUsage } from "../../core/generation-event.js";

/** Token counts in OpenAI's words. */
export function toUsage(usage: TokenUsage): CompletionUsage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** Where the time went, with the names and units (milliseconds) of llama-server. */
export interface Timings {
  readonly cache_n: number;
  readonly prompt_n: number;
  readonly prompt_ms: number;
  readonly predicted_n: number;
  readonly predicted_ms: number;
}

export function toTimings(usage: TokenUsage, { prefillMs, decodeMs }: GenerationTimings): Timings {
  return {
    cache_n: usage.cachedTokens,
    prompt_n: usage.promptTokens - usage.cachedTokens,
    prompt_ms: prefillMs,
    predicted_n: usage.completionTokens,
    predicted_ms: decodeMs,
  };
}
