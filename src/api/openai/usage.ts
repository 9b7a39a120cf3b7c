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
  readonly prompt_per_second: number;
  readonly predicted_per_second: number;
  /** Only when speculation proposed anything, as llama-server does it. */
  readonly draft_n?: number;
  readonly draft_n_accepted?: number;
}

export function toTimings(usage: TokenUsage, timings: GenerationTimings): Timings {
  const { prefillMs, decodeMs, draftTokens, acceptedDraftTokens } = timings;
  const evaluated = usage.promptTokens - usage.cachedTokens;
  return {
    cache_n: usage.cachedTokens,
    prompt_n: evaluated,
    prompt_ms: prefillMs,
    predicted_n: usage.completionTokens,
    predicted_ms: decodeMs,
    prompt_per_second: perSecond(evaluated, prefillMs),
    // The first token came with the prompt.
    predicted_per_second: perSecond(usage.completionTokens - 1, decodeMs),
    ...(draftTokens === 0 ? {} : { draft_n: draftTokens, draft_n_accepted: acceptedDraftTokens }),
  };
}

function perSecond(tokens: number, milliseconds: number): number {
  return milliseconds > 0 ? (tokens / milliseconds) * 1000 : 0;
}
